"""How does a document become quotable?"""
