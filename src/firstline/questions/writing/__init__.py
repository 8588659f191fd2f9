"""How does a language model's draft become an answer that is proven? Claim by claim, and nothing is shown before."""
