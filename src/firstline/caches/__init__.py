"""What need not be worked out twice? A bounded store, and wrappers of models and index with the port's own shape."""
