"""Which names may be one, which tell nothing, and what did people say of them? For whoever looks after the graph."""
