"""The reference graph, in process. What the other engines are compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from firstline.domain import Edge, Relation
from firstline.ports import Scope

Place = tuple[str, str, str]
"""Tenant, knowledge base, and the id of an entity or a document."""


class MemoryGraph:
    """See ports.Graph."""

    def __init__(self) -> None:
        self._edges: dict[tuple[str, str, str], Edge] = {}
        self._sources: dict[Place, set[str]] = defaultdict(set)
        self._targets: dict[Place, set[str]] = defaultdict(set)

    async def upsert(self, edges: Sequence[Edge]) -> None:
        for edge in edges:
            edge_id = edge.edge_id
            self._edges[edge.tenant, edge.kb, edge_id] = edge
            self._sources[edge.tenant, edge.kb, edge.source.entity_id].add(edge_id)
            self._targets[edge.tenant, edge.kb, edge.target.entity_id].add(edge_id)

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        wanted = set(chunk_ids)
        for key, edge in self._edges.items():
            if edge.chunk_id in wanted:
                self._edges[key] = replace(edge, until=until)

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        self._drop(tenant, kb, doc_ids, lambda edge: edge.since == since)

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        self._drop(tenant, kb, doc_ids, lambda edge: edge.since <= upto)

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        wanted = set(doc_ids)
        return sum(edge.doc_id in wanted and edge.since <= upto for edge in self._of(tenant, kb))

    async def known(self, entity_ids: Collection[str], scope: Scope) -> frozenset[str]:
        return frozenset(
            entity_id
            for entity_id in entity_ids
            if any(self._seen(self._sources, entity_id, scope)) or any(self._seen(self._targets, entity_id, scope))
        )

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        found: list[Edge] = []
        for entity_id in set(entity_ids):
            names = [one for one in self._seen(self._targets, entity_id, scope) if one.relation is Relation.NAMES]
            found += sorted(names, key=_surest)[:limit_each]
        return sorted(found, key=_surest)

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        found: dict[str, Edge] = {}
        for entity_id in set(entity_ids):
            for way in (self._sources, self._targets):
                wanted = [one for one in self._seen(way, entity_id, scope) if one.relation in relations]
                found |= {one.edge_id: one for one in sorted(wanted, key=_surest)[:limit_each]}
        return sorted(found.values(), key=_surest)

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        wanted = None if chunk_ids is None else set(chunk_ids)
        inside = (
            (edge.edge_id, edge)
            for edge in self._of(scope.tenant, scope.kb)
            if edge_visible(edge, scope) and (wanted is None or edge.chunk_id in wanted)
        )
        ordered = sorted((one for one in inside if one[0] > after), key=lambda one: one[0])
        return [edge for _, edge in islice(ordered, limit)]

    async def count(self, *, tenant: str, kb: str) -> int:
        return sum(1 for _ in self._of(tenant, kb))

    async def close(self) -> None:
        self._edges.clear()
        self._sources.clear()
        self._targets.clear()

    def _of(self, tenant: str, kb: str) -> Iterable[Edge]:
        return (edge for edge in self._edges.values() if (edge.tenant, edge.kb) == (tenant, kb))

    def _seen(self, way: dict[Place, set[str]], entity_id: str, scope: Scope) -> list[Edge]:
        ids = way.get((scope.tenant, scope.kb, entity_id), set[str]())
        edges = [self._edges[scope.tenant, scope.kb, edge_id] for edge_id in ids]
        return [edge for edge in edges if edge_visible(edge, scope)]

    def _drop(self, tenant: str, kb: str, doc_ids: Sequence[str], old: Callable[[Edge], bool]) -> None:
        wanted = set(doc_ids)
        for edge in [one for one in self._of(tenant, kb) if one.doc_id in wanted and old(one)]:
            edge_id = edge.edge_id
            del self._edges[tenant, kb, edge_id]
            self._sources[tenant, kb, edge.source.entity_id].discard(edge_id)
            self._targets[tenant, kb, edge.target.entity_id].discard(edge_id)


def edge_visible(edge: Edge, scope: Scope) -> bool:
    """A missing ACL means nobody."""
    return (
        (edge.tenant, edge.kb) == (scope.tenant, scope.kb)
        and not scope.acl_tags.isdisjoint(edge.acl)
        and edge.level <= scope.level_max
        and edge.since <= scope.snapshot < edge.until
    )


def _surest(edge: Edge) -> tuple[float, str]:
    return (-edge.confidence, edge.edge_id)
