"""A graph that does not see the ledger's tombstones, seen without what is forgotten.

Documents are out of sight from the moment that they are buried; their edges go a little later, when they are purged.
While some wait for that, more edges are asked for and theirs are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from firstline.domain import Edge, Relation
from firstline.engines.graph_behind import GraphBehind
from firstline.ports import Graph, Scope, TombstoneLedger

STONES_MAX: Final = 10_000
SPARE: Final = 200
"""So many more edges are asked for, of each entity and direction, while documents wait to be purged."""


class WithoutForgotten(GraphBehind):
    """See ports.Graph."""

    def __init__(self, graph: Graph, tombstones: TombstoneLedger) -> None:
        super().__init__(graph)
        self._tombstones = tombstones

    async def known(self, entity_ids: Collection[str], scope: Scope) -> frozenset[str]:
        if not await self._buried(scope):
            return await self._graph.known(entity_ids, scope)
        edges = await self.around(list(entity_ids), scope, relations=tuple(Relation), limit_each=1)
        return frozenset(entity_ids) & {end.entity_id for edge in edges for end in (edge.source, edge.target)}

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        buried = await self._buried(scope)
        edges = await self._graph.named(entity_ids, scope, limit_each=limit_each + (SPARE if buried else 0))
        if not buried:
            return edges
        taken: dict[str, int] = {}
        return [edge for edge in edges if _seen(edge, buried) and _count(taken, edge.target.entity_id) <= limit_each]

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        buried = await self._buried(scope)
        more = SPARE if buried and limit_each > 0 else 0
        edges = await self._graph.around(entity_ids, scope, relations=relations, limit_each=limit_each + more)
        if not buried:
            return edges
        asked = set(entity_ids)
        out: dict[str, int] = {}
        back: dict[str, int] = {}
        kept: list[Edge] = []
        for edge in (one for one in edges if _seen(one, buried)):
            wanted = [
                _count(taken, end.entity_id) <= limit_each
                for taken, end in ((out, edge.source), (back, edge.target))
                if end.entity_id in asked
            ]
            if any(wanted):
                kept.append(edge)
        return kept

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        buried = await self._buried(scope)
        found: list[Edge] = []
        while True:
            page = await self._graph.edges(scope, after=after, limit=limit, chunk_ids=chunk_ids)
            found += [edge for edge in page if _seen(edge, buried)]
            if len(page) < limit or len(found) >= limit:
                return found[:limit]
            after = page[-1].edge_id

    async def _buried(self, scope: Scope) -> dict[str, int]:
        """Documents that wait to be purged, and up to which snapshot they are forgotten."""
        stones = await self._tombstones.buried(tenant=scope.tenant, limit=STONES_MAX)
        return {stone.doc_id: stone.upto for stone in stones if stone.kb == scope.kb}


def _seen(edge: Edge, buried: dict[str, int]) -> bool:
    return edge.since > buried.get(edge.doc_id, -1)


def _count(taken: dict[str, int], entity_id: str) -> int:
    taken[entity_id] = taken.get(entity_id, 0) + 1
    return taken[entity_id]
