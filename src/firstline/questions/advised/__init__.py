"""Where may a language model help a step of a question, and what becomes of what it says?"""
