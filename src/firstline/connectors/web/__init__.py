"""What is on a website, and what do its owners allow us to read of it?"""
