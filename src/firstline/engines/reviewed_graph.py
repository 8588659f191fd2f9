"""A graph as people have corrected it: their rules are applied when it is looked up, and change no stored edge.

Of entities that are one by rules, asking for one asks for all, and what is found is shown under the id that was asked
for; other ends keep theirs. So nobody reads a name in an answer that no document told them: an id that the scope does
not see by itself is one with nothing. Entities that are no name, and NAMES edges of documents that a name does not
mean, are not there; more is asked for in their place, so that limits hold as the port states them. Ties are decided by
the ids of the edges that are stored.

A listing (`edges`) and a count are of what is stored, as are writes.
"""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from firstline.domain import Edge, Entity, Relation, RuleKind, RulesRead
from firstline.domain.graph_rules import CLASS_MAX, classes, kind_of
from firstline.ports import Graph, GraphRules, Scope

FRESH_S: Final = 1.0
"""Rules said elsewhere are in force with the next question, whose scope tells of them; and after this time for
whoever looks with a scope that does not."""
BASES_KEPT: Final = 256
LOOKED_AT_MAX: Final = 20_000
"""Edges looked at for one entity and direction, where rules hide some of them."""
MORE: Final = 8
"""Times as many are asked for when hidden ones have taken places."""

Look = Callable[[int], Awaitable[list[Edge]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    """Rules in force, as look-ups need them. False when there is none."""

    classes: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    nameless: frozenset[str] = frozenset()
    apart: frozenset[tuple[str, str]] = frozenset()
    """A name, and a document that it does not mean."""

    @classmethod
    def of(cls, read: RulesRead) -> Applied:
        return cls(
            classes={one: all_of for one, all_of in classes(read.rules).items() if len(all_of) <= CLASS_MAX},
            nameless=frozenset(rule.first for rule in read.rules if rule.kind is RuleKind.NOT_A_NAME),
            apart=frozenset(
                (rule.first, rule.second)
                for rule in read.rules
                if rule.kind is RuleKind.APART and kind_of(rule.first) != kind_of(rule.second)
            ),
        )

    def __bool__(self) -> bool:
        return bool(self.classes or self.nameless or self.apart)

    @property
    def hides(self) -> bool:
        return bool(self.nameless or self.apart)

    def hidden(self, edge: Edge) -> bool:
        source, target = edge.source.entity_id, edge.target.entity_id
        if source in self.nameless or target in self.nameless:
            return True
        return edge.relation is Relation.NAMES and (target, source) in self.apart


@dataclass(frozen=True, slots=True)
class _Held:
    applied: Applied
    mark: int
    at: float


class RulesInForce:
    """Read once per change: while the asker's mark is that of the rules held, or they are fresh."""

    def __init__(self, ledger: GraphRules, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._ledger = ledger
        self._clock = clock
        self._held: OrderedDict[tuple[str, str], _Held] = OrderedDict()

    async def of(self, scope: Scope) -> Applied:
        place, now = (scope.tenant, scope.kb), self._clock()
        held = self._held.get(place)
        if held is not None:
            known = scope.forgotten == held.mark > 0
            if known or (scope.forgotten <= held.mark and now - held.at < FRESH_S):
                return held.applied
        read = await self._ledger.graph_rules(tenant=scope.tenant, kb=scope.kb)
        self._held[place] = _Held(Applied.of(read), read.mark, now)
        self._held.move_to_end(place)
        while len(self._held) > BASES_KEPT:
            self._held.popitem(last=False)
        return self._held[place].applied


class ReviewedGraph:
    """See ports.Graph."""

    def __init__(self, graph: Graph, rules: RulesInForce) -> None:
        self._graph = graph
        self._rules = rules

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
        applied = await self._rules.of(scope)
        known = await self._graph.known(entity_ids, scope)
        if not applied.hides or not known:
            return known
        edges = await self.around(sorted(known), scope, relations=tuple(Relation), limit_each=1)
        return known & {end.entity_id for edge in edges for end in (edge.source, edge.target)}

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        applied = await self._rules.of(scope)
        if not applied or limit_each < 1:
            return await self._graph.named(entity_ids, scope, limit_each=limit_each)
        asked = await self._asked(entity_ids, scope, applied)

        async def look(limit: int) -> list[Edge]:
            return await self._graph.named(asked.looked_up, scope, limit_each=limit)

        return await asked.best(look, limit_each, outward=False)

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        applied = await self._rules.of(scope)
        if not applied or limit_each < 1:
            return await self._graph.around(entity_ids, scope, relations=relations, limit_each=limit_each)
        asked = await self._asked(entity_ids, scope, applied)

        async def look(limit: int) -> list[Edge]:
            return await self._graph.around(asked.looked_up, scope, relations=relations, limit_each=limit)

        return await asked.best(look, limit_each, outward=True)

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        return await self._graph.edges(scope, after=after, limit=limit, chunk_ids=chunk_ids)

    async def count(self, *, tenant: str, kb: str) -> int:
        return await self._graph.count(tenant=tenant, kb=kb)

    async def close(self) -> None:
        await self._graph.close()

    async def _asked(self, entity_ids: Collection[str], scope: Scope, applied: Applied) -> _Asked:
        ids = [one for one in dict.fromkeys(entity_ids) if one not in applied.nameless]
        merged = [one for one in ids if one in applied.classes]
        there = await self._graph.known(merged, scope) if merged else frozenset[str]()
        # Sorted: a set's order changes from process to process.
        means = {one: tuple(sorted(applied.classes[one])) if one in there else (one,) for one in ids}
        return _Asked(means, applied)


class _Asked:
    """Ids asked for, with the ids that each of them means."""

    def __init__(self, means: Mapping[str, tuple[str, ...]], applied: Applied) -> None:
        self._means = means
        self._applied = applied
        self._shown_as: dict[str, str] = {}
        for one, members in means.items():
            for member in members:
                self._shown_as.setdefault(member, one)
        self._shown_as |= {one: one for one in means}
        self.looked_up = list(self._shown_as)
        self._plain = all(len(members) == 1 for members in means.values())

    async def best(self, look: Look, limit_each: int, *, outward: bool) -> list[Edge]:
        """The surest `limit_each` of each id, to it and, with `outward`, from it; looked for until no hidden edge has
        taken the place of another one."""
        if not self.looked_up:
            return []
        limit = limit_each
        while True:
            found = await look(limit)
            if self._plain and limit == limit_each and not any(map(self._applied.hidden, found)):
                return found
            shown, whole = self._best(found, looked_at=limit, limit_each=limit_each, outward=outward)
            if whole or limit >= LOOKED_AT_MAX:
                return shown
            limit = min(limit * MORE, LOOKED_AT_MAX)

    def _best(
        self, found: Sequence[Edge], *, looked_at: int, limit_each: int, outward: bool
    ) -> tuple[list[Edge], bool]:
        """(best edges, whether none is missing)."""
        kept: dict[str, _Shown] = {}
        whole = True
        for from_it in (True, False) if outward else (False,):
            by_end: defaultdict[str, list[Edge]] = defaultdict(list)
            for edge in found:
                by_end[(edge.source if from_it else edge.target).entity_id].append(edge)
            for one, members in self._means.items():
                own: dict[str, _Shown] = {}
                for member in members:
                    # Behind so many stand those alone that were found for another end: others may stand between.
                    first = by_end[member][:looked_at]
                    seen = [edge for edge in first if not self._applied.hidden(edge)]
                    whole = whole and (len(first) < looked_at or len(seen) >= limit_each)
                    for edge in seen[:limit_each]:
                        shown = self._shown(edge, one, from_it=from_it)
                        shown_id, place = shown.edge_id, (-edge.confidence, edge.edge_id)
                        if shown_id not in own or place < own[shown_id].place:
                            own[shown_id] = _Shown(place, shown_id, shown)
                for best in sorted(own.values(), key=_surest)[:limit_each]:
                    kept.setdefault(best.edge_id, best)
        return [best.edge for best in sorted(kept.values(), key=_surest)], whole

    def _shown(self, edge: Edge, one: str, *, from_it: bool) -> Edge:
        """Under the id that was asked for. The other end keeps its own, unless it was asked for by another one."""
        own, other = (edge.source, edge.target) if from_it else (edge.target, edge.source)
        own = _called(own, one)
        other = _called(other, self._shown_as.get(other.entity_id, other.entity_id))
        source, target = (own, other) if from_it else (other, own)
        if source is edge.source and target is edge.target:
            return edge
        return replace(edge, source=source, target=target)


def _called(entity: Entity, entity_id: str) -> Entity:
    if entity.entity_id == entity_id:
        return entity
    return replace(entity, key=entity_id.partition(":")[2])


@dataclass(frozen=True, slots=True)
class _Shown:
    """An edge as it is shown, and the place among others of the one that is stored: the best few are the first of the
    best many, whatever the id under which they are shown."""

    place: tuple[float, str]
    edge_id: str
    edge: Edge


def _surest(shown: _Shown) -> tuple[tuple[float, str], str]:
    return shown.place, shown.edge_id
