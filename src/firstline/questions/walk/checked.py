"""A graph as far as it can be believed. An engine that answers what was not asked is broken: it is left, not filtered.

It may be a database of somebody else, written by hand or restored from another day. What it says of a document is
checked by the ledger; what it says of an edge's readers is checked here, because a path is told in the edge's words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Protocol

from firstline.domain import Edge, Relation
from firstline.errors import Unavailable
from firstline.ports import Graph, Scope


class Ways(Protocol):
    """The part of ports.Graph that is walked."""

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]: ...

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]: ...


class Checked:
    """The same answers; Unavailable when one of them is not for this scope, was not asked for, or is no number."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        asked = frozenset(entity_ids)
        edges = await self._graph.named(asked, scope, limit_each=limit_each)
        if len(edges) > limit_each * len(asked):
            raise _not_asked()
        for edge in edges:
            if edge.relation is not Relation.NAMES or edge.target.entity_id not in asked:
                raise _not_asked()
            _check(edge, scope)
        return edges

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        asked, said = frozenset(entity_ids), frozenset(relations)
        edges = await self._graph.around(entity_ids, scope, relations=said, limit_each=limit_each)
        if len(edges) > 2 * limit_each * len(asked):
            raise _not_asked()
        for edge in edges:
            if edge.relation not in said or asked.isdisjoint((edge.source.entity_id, edge.target.entity_id)):
                raise _not_asked()
            _check(edge, scope)
        return edges

    async def edges(self, scope: Scope, *, after: str = "", limit: int) -> list[Edge]:
        """A page, as ports.Graph gives it."""
        edges = await self._graph.edges(scope, after=after, limit=limit)
        if len(edges) > limit:
            raise _not_asked()
        for edge in edges:
            _check(edge, scope)
        return edges


def _check(edge: Edge, scope: Scope) -> None:
    if (
        (edge.tenant, edge.kb) != (scope.tenant, scope.kb)
        or scope.acl_tags.isdisjoint(edge.acl)
        or edge.level > scope.level_max
        or not edge.since <= scope.snapshot < edge.until
    ):
        raise Unavailable("The graph answered with what is not for this asker.", remedy="Ask again in a moment.")
    if not (math.isfinite(edge.confidence) and 0 <= edge.confidence <= 1):
        raise Unavailable("The graph gave no usable confidence.", remedy="Ask again in a moment.")


def _not_asked() -> Unavailable:
    return Unavailable("The graph answered what was not asked.", remedy="Ask again in a moment.")
