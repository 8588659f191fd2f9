"""What does a document say of the things it names? Edges of the graph, from the document alone.

Sections, links, names, errors, versions, methods, commands, settings, and what causes and resolves what. By rules over
structure and the shape of words, without a model and without looking at any other document: so ingesting again gives
the same edges, and an update or a deletion takes away what the document said and nothing else.

Time is linear in the length of the text; identical input gives identical edges in identical order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.documents.extract.weave import weave
from firstline.domain import Chunk, Document, Edge

EXTRACTOR_VERSION: Final = "4"
"""Raised whenever other edges come from the same document."""

__all__ = ["EXTRACTOR_VERSION", "extract"]


def extract(document: Document, chunks: Sequence[Chunk], blob: bytes) -> tuple[Edge, ...]:
    """`chunks` are those of the document, in reading order; `blob` is its redacted text. () without chunks."""
    return weave(document, chunks, blob.decode("utf-8"), extractor=EXTRACTOR_VERSION) if chunks else ()
