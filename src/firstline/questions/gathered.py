"""What several documents tell of the same things, for people who look at the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Community, Document
from firstline.entity_names import name_key
from firstline.ports import CommunityStore, KnowledgeLedger, Scope
from firstline.questions.walk.communities import NAMED, readable_communities

READ_MAX: Final = 200
"""Communities read at once: those that say no more than another one are left out of these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GatheredShown:
    """`documents` by id: every one that is cited."""

    communities: tuple[Community, ...]
    documents: Mapping[str, Document]


async def gathered(
    scope: Scope, *, store: CommunityStore, knowledge: KnowledgeLedger, name: str = "", limit: int
) -> GatheredShown:
    """Those of most documents first; with a `name`, or an id like component:gateway, those of what goes by it."""
    if name:
        keys = [key for key in dict.fromkeys((name_key(name), name.strip())) if key]
        ids = [name, *(f"{kind}:{key}" for kind in NAMED for key in keys)]
        found = await store.about(ids, scope, limit=READ_MAX)
    else:
        found = await store.communities(scope, limit=READ_MAX)
    read = await readable_communities(found, scope, knowledge=knowledge)
    shown = _without_smaller(read.communities)[:limit]
    ids = sorted({doc_id for one in shown for doc_id in one.doc_ids})
    documents = {one.doc_id: one for one in await knowledge.documents(ids, scope)}
    return GatheredShown(
        communities=tuple(one for one in shown if one.doc_ids <= documents.keys()), documents=documents
    )


def _without_smaller(found: Sequence[Community]) -> list[Community]:
    """Whoever belongs to several audiences sees what each of them is told: the smaller tale stands in the larger."""
    kept: list[Community] = []
    for one in found:
        if not any(one.doc_ids <= other.doc_ids and one.title == other.title for other in kept):
            kept.append(one)
    return kept
