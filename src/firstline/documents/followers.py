"""What goes the way of the chunks: the index, and behind it the graph, where there is one.

Both hold what documents say under the same numbers as the ledger, and neither is believed: the ledger is asked again
for everything they find. So they are told in one order, the index first, and telling them once more does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firstline.ports import ChunkIndex, Graph


@dataclass(frozen=True, kw_only=True, slots=True)
class Followers:
    index: ChunkIndex
    graph: Graph | None = None

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        """Let chunks and what they say end before snapshot `until` (FOREVER: go on)."""
        await self.index.set_until(chunk_ids, until)
        if self.graph is not None:
            await self.graph.set_until(chunk_ids, until)

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        """Remove what these documents got in snapshot `since`."""
        await self.index.delete(tenant=tenant, kb=kb, doc_ids=doc_ids, since=since)
        if self.graph is not None:
            await self.graph.delete(tenant=tenant, kb=kb, doc_ids=doc_ids, since=since)
