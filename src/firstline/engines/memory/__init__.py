"""The reference of every port: plain Python, in process, nothing kept. Tests and congruence checks use it."""
