"""What a language model reads in chunks and rules over shapes of words do not: more edges of the graph, each quoted."""
