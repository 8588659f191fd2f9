"""What do several documents tell of the same things? Clusters of the graph, and what is told in them, word for word."""
