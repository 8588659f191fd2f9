"""The classifier that tells sentences which give orders to an assistant."""
