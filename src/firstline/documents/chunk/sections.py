"""Which heading does a block stand under, and what part of a ticket does that heading name?"""

from __future__ import annotations

from collections.abc import Sequence

from firstline.documents.chunk.spans import Block, BlockKind, Section
from firstline.documents.part_headings import part_named
from firstline.domain import ChunkKind


def sections(data: bytes, blocks: Sequence[Block]) -> list[Section]:
    """Sections in order; the first has no heading when text stands before the first one."""
    found: list[Section] = []
    chain: list[Block] = []
    heading: Block | None = None
    body: list[Block] = []
    for block in blocks:
        if block.kind is not BlockKind.HEADING:
            body.append(block)
            continue
        if heading is not None or body:
            found.append(_section(chain, heading, body))
        while chain and chain[-1].level >= block.level:
            chain.pop()
        chain.append(block)
        heading, body = block, []
    if heading is not None or body:
        found.append(_section(chain, heading, body))
    return found


def _section(chain: Sequence[Block], heading: Block | None, body: Sequence[Block]) -> Section:
    path = tuple(entry.title for entry in chain if entry.title)
    return Section(path=path, heading=heading, blocks=tuple(body), kind=_part(path))


def _part(path: Sequence[str]) -> ChunkKind:
    """The nearest heading that names a part of a ticket decides. The top heading is the page's title and does not."""
    for title in reversed(path):
        if (part := part_named(title)) is not None:
            return part
    return ChunkKind.SECTION
