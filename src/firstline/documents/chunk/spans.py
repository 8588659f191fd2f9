"""The shapes that pass between the stages of chunking. Offsets are bytes of the UTF-8 text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firstline.domain import ChunkKind


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkSpan:
    """`start <= offset < end`. `lead` is a second span that gives this one its meaning, outside of it."""

    start: int
    end: int
    kind: ChunkKind
    section_path: tuple[str, ...]
    lead: tuple[int, int] | None = None


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    PROCEDURE = "procedure"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A block of Markdown without the blank lines around it. `cuts` are offsets where it may be cut well (items, rows).

    `level` and `title` are set for headings, `head` (end of the header rows) for tables, `first` and `last` (the
    numbers written on the items) for procedures.
    """

    kind: BlockKind
    start: int
    end: int
    cuts: tuple[int, ...] = ()
    level: int = 0
    title: str = ""
    head: int = 0
    first: int = 0
    last: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A part of a section that is not cut again."""

    start: int
    end: int
    tokens: int
    kind: ChunkKind
    lead: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A heading (none before the first one) with the blocks down to the next heading. `path` ends with the heading."""

    path: tuple[str, ...]
    heading: Block | None
    blocks: tuple[Block, ...]
    kind: ChunkKind
