"""Take back what abandoned snapshots wrote, in the index and then in the ledger, before the next candidate is opened.

Each round may be repeated: a run that dies in between leaves rows that the next one finds again. The ledger forgets
that the snapshots could be published before the first index entry goes, and questions that hold one of them end before
that: they keep what they began with. The graph goes with the index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Final

from firstline.documents.followers import Followers
from firstline.domain import FOREVER
from firstline.ports import ChunkIndex, Graph, KnowledgeLedger

QuestionsEnd = Callable[[], Awaitable[None]]

REVISIONS_AT_ONCE: Final = 500
ROUNDS_MAX: Final = 1_000_000


async def undo(
    *,
    tenant: str,
    kb: str,
    ledger: KnowledgeLedger,
    index: ChunkIndex,
    graph: Graph | None = None,
    questions_end: QuestionsEnd | None = None,
) -> int:
    """Until nothing is left. `questions_end` returns once those under way have ended; None: there are none. Returns how
    many revisions were removed or let go on."""
    followers = Followers(index=index, graph=graph)
    total = 0
    for number_of_round in range(ROUNDS_MAX):
        found = await ledger.abandoned(tenant=tenant, kb=kb, limit=REVISIONS_AT_ONCE)
        if not found:
            break
        if questions_end is not None and not number_of_round and (found.written or found.ended):
            # From here on no question begins on them.
            await questions_end()
        removed: dict[int, list[str]] = defaultdict(list)
        for one in found.written:
            removed[one.since].append(one.doc_id)
        for doc_id, number in found.planned:
            removed[number].append(doc_id)
        for number, doc_ids in sorted(removed.items()):
            await followers.delete(tenant=tenant, kb=kb, doc_ids=doc_ids, since=number)
        await followers.set_until([chunk_id for one in found.ended for chunk_id in one.chunk_ids], FOREVER)
        await ledger.undo(found, tenant=tenant, kb=kb)
        total += len(found.written) + len(found.ended)
    return total
