"""How do we know it is right?"""
