"""A graph that is another one: what stands in front of a graph says only what it does otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from firstline.domain import Edge, Relation
from firstline.ports import Graph, Scope


class GraphBehind:
    """See ports.Graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def upsert(self, edges: Sequence[Edge]) -> None:
        await self._graph.upsert(edges)

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        await self._graph.set_until(chunk_ids, until)

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        await self._graph.delete(tenant=tenant, kb=kb, doc_ids=doc_ids, since=since)

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        await self._graph.purge(tenant=tenant, kb=kb, doc_ids=doc_ids, upto=upto)

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        return await self._graph.held(tenant=tenant, kb=kb, doc_ids=doc_ids, upto=upto)

    async def known(self, entity_ids: Collection[str], scope: Scope) -> frozenset[str]:
        return await self._graph.known(entity_ids, scope)

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        return await self._graph.named(entity_ids, scope, limit_each=limit_each)

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        return await self._graph.around(entity_ids, scope, relations=relations, limit_each=limit_each)

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        return await self._graph.edges(scope, after=after, limit=limit, chunk_ids=chunk_ids)

    async def count(self, *, tenant: str, kb: str) -> int:
        return await self._graph.count(tenant=tenant, kb=kb)

    async def close(self) -> None:
        await self._graph.close()
