"""`make peers`: firstline's retrieval beside that of other libraries, on the same documents, questions and embedder.

The libraries live in an environment of their own, `.venv-peers`; nothing of firstline depends on them.
"""
