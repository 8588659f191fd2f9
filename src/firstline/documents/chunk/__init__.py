"""Where does a document fall apart into quotable pieces? Along its own structure: sections, procedures, tables, code.

A chunk is a span of the document, never a copy. Every non-blank byte belongs to exactly one chunk.

- A heading line opens the chunk of its section. Small neighbouring sections share one; its path is the common one.
- An ordered list is a procedure: whole, with the sentence that introduces it, up to twice the aim.
- A table or list that is too long is cut between rows or items; the header row or introducing sentence becomes `lead`.
- Long paragraphs are cut between sentences, then words, then characters.
- Sections named like the parts of a ticket (symptom, environment, cause, resolution) keep apart and give their kind.

Time is linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable

from firstline.documents.chunk.blocks import scan
from firstline.documents.chunk.embedding import embedding_text
from firstline.documents.chunk.pack import pack
from firstline.documents.chunk.pieces import PieceCutter
from firstline.documents.chunk.sections import sections
from firstline.documents.chunk.spans import ChunkSpan

__all__ = ["ChunkSpan", "chunk", "embedding_text"]

FRONT_TOKENS = 24
"""Set aside for the title and heading path that stand in front of a chunk when it is embedded."""


def chunk(text: str, *, tokens_aim: int, count_tokens: Callable[[str], int]) -> tuple[ChunkSpan, ...]:
    """Cut normalised Markdown into spans (bytes of its UTF-8), in reading order; () for blank text.

    `count_tokens` need only be roughly additive: it is asked for pieces, and the answers are added up.
    """
    data = text.encode("utf-8")
    cutter = PieceCutter(data, aim=max(20, tokens_aim - FRONT_TOKENS), count_tokens=count_tokens)
    return pack(sections(data, scan(data)), cutter)
