"""A language model as judge of answers, and how far it is to be believed."""
