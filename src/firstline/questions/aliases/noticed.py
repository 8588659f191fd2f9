"""What in a graph's names is worth a look? Read once, from the edges that a scope sees, and worst first of each sort.

Edges come in the order of their ids, which are hashes: where a graph is larger than what is read, it is a fair sample.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, zip_longest
from typing import Final

from firstline.domain import Edge, Entity, EntityKind, GraphRule, Relation, RuleKind
from firstline.domain.graph_rules import classes
from firstline.ports import Graph, Scope
from firstline.questions.aliases.alike import Name, pairs

PAGE: Final = 5_000
EDGES_READ_MAX: Final = 300_000
LOOKED_AT: Final = frozenset(
    {EntityKind.COMPONENT, EntityKind.ERROR, EntityKind.SETTING, EntityKind.METHOD, EntityKind.COMMAND}
)
"""Kinds that have names."""
DOCUMENTS_SHOWN: Final = 5
HUB_DOCUMENTS_MIN: Final = 10
HUB_SHARE_MIN: Final = 0.02
"""Of the documents: a name that fewer mention is no hub."""
KEPT_MAX: Final = 500
"""Of each sort."""


class Sort(StrEnum):
    SHARED = "shared"
    """Several documents go by one name."""
    ALIKE = "alike"
    """Two names are nearly the same."""
    PLAIN = "plain"
    """A document goes by one ordinary word."""
    HUB = "hub"
    """A name that a great part of the documents tell of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Noticed:
    """`second` of two that look alike. `documents` tell of it (of the less frequent of two), `doc_ids` are some of
    them; `told` is an edge that shows it, the first of `examples`, which stand for each other when one is gone."""

    sort: Sort
    first: Entity
    second: Entity | None = None
    why: str
    documents: int
    doc_ids: tuple[str, ...]
    examples: tuple[Edge, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """Worst of each sort first, the sorts taking turns. `cut`: there are more edges than were read."""

    noticed: tuple[Noticed, ...]
    edges: int
    cut: bool
    by_sort: Mapping[Sort, int]


@dataclass(slots=True)
class _Told:
    """What is told of one entity."""

    kind: EntityKind
    key: str
    example: Edge
    written: Counter[str] = field(default_factory=Counter[str])
    docs: set[int] = field(default_factory=set[int])
    named_by: dict[str, Edge] = field(default_factory=dict[str, Edge])
    """Documents that go by it."""

    @property
    def entity(self) -> Entity:
        name = min(self.written, key=lambda one: (-self.written[one], one))
        return Entity(kind=self.kind, key=self.key, name=name)


async def looked(
    graph: Graph,
    scope: Scope,
    *,
    rules: Sequence[GraphRule],
    ordinary: Collection[str],
    sorts: Collection[Sort] = tuple(Sort),
    edges_max: int = EDGES_READ_MAX,
) -> Looked:
    """`graph` as it is stored; `rules` in force: what they have settled is not told again. `ordinary`: words in lower
    case that name nothing by themselves."""
    seen = _Seen()
    after, read, cut = "", 0, False
    while True:
        page = await graph.edges(scope, after=after, limit=min(PAGE, edges_max - read + 1))
        seen.take(page[: edges_max - read])
        read += len(page)
        if read > edges_max:
            cut = True
            break
        if len(page) < PAGE and read <= edges_max:
            break
        after = page[-1].edge_id
    found = await asyncio.to_thread(seen.noticed, _Settled(rules), ordinary)
    kept = {sort: found[sort][:KEPT_MAX] for sort in Sort if sort in sorts}
    turns = (one for turn in zip_longest(*kept.values()) for one in turn if one is not None)
    return Looked(
        noticed=tuple(turns),
        edges=min(read, edges_max),
        cut=cut,
        by_sort={sort: len(found[sort]) for sort in kept},
    )


class _Settled:
    """What people have said already."""

    def __init__(self, rules: Sequence[GraphRule]) -> None:
        self._classes = classes(rules)
        self.nameless = {rule.first for rule in rules if rule.kind is RuleKind.NOT_A_NAME}
        self._apart = {rule.says for rule in rules if rule.kind is RuleKind.APART}

    def one(self, first: str, second: str) -> bool:
        return second in self._classes.get(first, ())

    def two(self, first: str, second: str) -> bool:
        return (RuleKind.APART, frozenset((first, second))) in self._apart


class _Seen:
    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}
        self._numbers: dict[str, int] = {}

    def take(self, edges: Iterable[Edge]) -> None:
        for edge in edges:
            number = self._numbers.setdefault(edge.doc_id, len(self._numbers))
            for end in (edge.source, edge.target):
                if end.kind in LOOKED_AT:
                    self._end(edge, end, number)

    def _end(self, edge: Edge, end: Entity, number: int) -> None:
        told = self._told.get(end.entity_id)
        if told is None:
            told = self._told[end.entity_id] = _Told(end.kind, end.key, edge)
        told.written[end.name] += 1
        told.docs.add(number)
        if edge.relation is Relation.NAMES and end is edge.target and edge.source.kind is EntityKind.DOCUMENT:
            told.named_by.setdefault(edge.doc_id, edge)

    def noticed(self, settled: _Settled, ordinary: Collection[str]) -> dict[Sort, list[Noticed]]:
        told = {one: each for one, each in self._told.items() if one not in settled.nameless}
        return {
            Sort.SHARED: sorted(_shared(told, settled), key=_worst),
            Sort.ALIKE: list(_alike(told, settled)),
            Sort.PLAIN: sorted(_plain(told, ordinary), key=_worst),
            Sort.HUB: sorted(_hubs(told, len(self._numbers)), key=_worst),
        }


def _shared(told: Mapping[str, _Told], settled: _Settled) -> Iterator[Noticed]:
    for entity_id, one in told.items():
        by = {doc: edge for doc, edge in one.named_by.items() if not settled.two(entity_id, edge.source.entity_id)}
        ends = sorted({edge.source.entity_id for edge in by.values()})
        if len(by) < 2 or all(settled.two(*pair) or settled.one(*pair) for pair in combinations(ends[:50], 2)):
            continue
        docs = sorted(by)
        yield Noticed(
            sort=Sort.SHARED,
            first=one.entity,
            why=f"{len(docs)} documents go by it",
            documents=len(docs),
            doc_ids=tuple(docs[:DOCUMENTS_SHOWN]),
            examples=tuple(by[doc] for doc in docs[:DOCUMENTS_SHOWN]),
        )


def _alike(told: Mapping[str, _Told], settled: _Settled) -> Iterator[Noticed]:
    of_kind: defaultdict[EntityKind, list[Name]] = defaultdict(list)
    for entity_id, one in told.items():
        # What a product keeps apart from its namesakes, it keeps apart on purpose.
        if one.kind is not EntityKind.COMPONENT or "/" not in one.key:
            of_kind[one.kind].append(Name(entity_id=entity_id, written=one.entity.name, docs=one.docs))
    found = [pair for kind in sorted(of_kind) for pair in pairs(of_kind[kind], letters=kind is EntityKind.COMPONENT)]
    for pair in found:
        ends = pair.first.entity_id, pair.second.entity_id
        if settled.one(*ends) or settled.two(*ends):
            continue
        first, second = (told[end] for end in ends)
        yield Noticed(
            sort=Sort.ALIKE,
            first=first.entity,
            second=second.entity,
            why=pair.why.value,
            documents=min(len(first.docs), len(second.docs)),
            doc_ids=tuple(dict.fromkeys((second.example.doc_id, first.example.doc_id))),
            examples=(second.example, first.example),
        )


def _plain(told: Mapping[str, _Told], ordinary: Collection[str]) -> Iterator[Noticed]:
    for one in told.values():
        entity = one.entity
        if one.kind is EntityKind.COMPONENT and one.named_by and entity.name.casefold() in ordinary:
            yield Noticed(
                sort=Sort.PLAIN,
                first=entity,
                why=f"one ordinary word; documents that tell of it: {len(one.docs)}",
                documents=len(one.docs),
                doc_ids=tuple(sorted(one.named_by)[:DOCUMENTS_SHOWN]),
                examples=tuple(one.named_by[doc] for doc in sorted(one.named_by)[:DOCUMENTS_SHOWN]),
            )


def _hubs(told: Mapping[str, _Told], documents: int) -> Iterator[Noticed]:
    least = max(HUB_DOCUMENTS_MIN, HUB_SHARE_MIN * documents)
    for one in told.values():
        if len(one.docs) >= least:
            yield Noticed(
                sort=Sort.HUB,
                first=one.entity,
                why=f"{len(one.docs)} of {documents} documents tell of it",
                documents=len(one.docs),
                doc_ids=(one.example.doc_id,),
                examples=(one.example,),
            )


def _worst(one: Noticed) -> tuple[int, str]:
    return -one.documents, one.first.entity_id
