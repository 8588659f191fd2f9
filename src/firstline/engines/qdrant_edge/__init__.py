"""The chunk index on Qdrant Edge: a shard, the worker process that owns it, and the client that talks to the worker.

The shard holds the interpreter's lock in every call, so it never runs in the process that answers people.
"""

from firstline.engines.qdrant_edge.client import QdrantEdgeIndex, open_qdrant_edge

__all__ = ["QdrantEdgeIndex", "open_qdrant_edge"]
