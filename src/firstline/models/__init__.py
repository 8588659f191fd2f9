"""Which models think, within what limits?"""
