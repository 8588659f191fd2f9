"""How is it said, in which language, and so that nothing acts? Vocabulary of render; it calls no step."""
