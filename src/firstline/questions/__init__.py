"""How does a question become an answer or a hand-over?"""
