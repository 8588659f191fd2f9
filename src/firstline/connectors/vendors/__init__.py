"""What the connectors of vendors share where it is the same by meaning: answers, items, threads, ways of following."""
