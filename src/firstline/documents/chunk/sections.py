"""Which heading does a block stand under, and what part of a ticket does that heading name?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.documents.chunk.spans import Block, BlockKind, Section
from firstline.domain import ChunkKind

PARTS: Final = {
    ChunkKind.SYMPTOM: "symptom symptoms problem problems meaning question issue"
    "|problem description|problem abstract|problem statement|problem summary|issue description"
    "|error description|error message|what happens|observed behavior|observed behaviour",
    ChunkKind.ENVIRONMENT: "environment environments|affected versions|affected environment|affected products"
    "|affected products and versions|applies to",
    ChunkKind.CAUSE: "cause causes|root cause|root causes|possible causes|likely cause|why this happens",
    ChunkKind.RESOLUTION: "resolution resolutions fix fixes mitigation solution solutions workaround workarounds remedy"
    " answer remediation"
    "|remediation fixes|workarounds and mitigations|recommended action|recommended actions|corrective action|what to do"
    "|resolving the problem|problem solution|how to fix|how to resolve|how to fix it|local fix|problem conclusion",
}
_KINDS: Final = {
    name: kind
    for kind, names in PARTS.items()
    for position, group in enumerate(names.split("|"))
    for name in (group.split() if position == 0 else [group])
}


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
        words = " ".join(re.sub(r"[^a-z ]+", " ", title.lower()).split())
        if words in _KINDS:
            return _KINDS[words]
    return ChunkKind.SECTION
