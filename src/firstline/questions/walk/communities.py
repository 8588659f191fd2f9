"""Communities as far as they can be believed. The store chose them; the ledger has the last word on every chunk.

One that cites what the asker may not see is none. A store that answers for somebody else is broken: it is left, not
filtered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Chunk, Community, EntityKind
from firstline.errors import Unavailable
from firstline.ports import KnowledgeLedger, Scope

NAMED: Final = (
    EntityKind.ERROR,
    EntityKind.COMPONENT,
    EntityKind.SETTING,
    EntityKind.METHOD,
    EntityKind.COMMAND,
)
"""Kinds by whose names communities are found."""
CHUNKS_MAX: Final = 5_000
"""Cited chunks that are looked up at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Readable:
    """Those that the scope may see, in their order, and every chunk that they cite, by id."""

    communities: tuple[Community, ...]
    chunks: Mapping[str, Chunk]


async def readable_communities(found: Sequence[Community], scope: Scope, *, knowledge: KnowledgeLedger) -> Readable:
    """As many of them, from the first, as cite CHUNKS_MAX chunks together."""
    wanted: dict[str, None] = {}
    taken: list[Community] = []
    for one in found:
        _check(one, scope)
        if len(wanted.keys() | one.chunk_ids) > CHUNKS_MAX:
            break
        wanted |= dict.fromkeys(sorted(one.chunk_ids))
        taken.append(one)
    chunks = {chunk.chunk_id: chunk for chunk in await knowledge.chunks(list(wanted), scope)} if wanted else {}
    return Readable(communities=tuple(one for one in taken if one.chunk_ids <= chunks.keys()), chunks=chunks)


def _check(one: Community, scope: Scope) -> None:
    if (
        (one.tenant, one.kb) != (scope.tenant, scope.kb)
        or scope.acl_tags.isdisjoint(one.acl)
        or one.level > scope.level_max
        or not one.since <= scope.snapshot < one.until
    ):
        raise Unavailable("The communities answered with what is not for this asker.", remedy="Ask again in a moment.")
    if not one.chunk_ids:
        raise Unavailable("A community cites nothing.", remedy="Make them anew: `firstline graph communities --build`.")
