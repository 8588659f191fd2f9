"""GitHub: issues with their comments, and discussions with their answers."""
