"""What is in a graph, in numbers: for people who look after it.

Every visible edge is read once, in pages. Of names only hashes are kept, some 30 bytes an edge, so that two million
edges fit into a few hundred megabytes; the names of what is mentioned most are kept beside.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from firstline.domain import Edge, Entity, EntityKind, Relation
from firstline.ports import Graph, RevisionLedger, Scope
from firstline.questions.walk.checked import Checked

PAGE: Final = 10_000
EDGES_MAX: Final = 2_000_000
HUBS: Final = 20
NAMES_KEPT: Final = 20_000
BANDS: Final = (0.7, 0.8, 0.9)
"""Confidence below the first, from each to the next, and from the last."""
NAMESAKES_MAX: Final = 4
"""An address that more documents go by leads to none of them: so walks take it, too."""

LINKS: Final = (Relation.REFERENCES, Relation.SUPERSEDES, Relation.DUPLICATE_OF)
_RELATIONS: Final = {relation: number for number, relation in enumerate(Relation)}
_KINDS: Final = {kind: number for number, kind in enumerate(EntityKind)}
_SIGNED: Final = 1 << 63

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hub:
    """`documents`: how many different ones mention it; `mentions`: in how many chunks."""

    entity: Entity
    documents: int
    mentions: int


@dataclass(frozen=True, kw_only=True, slots=True)
class GraphStatistics:
    """Of what a scope may see. `whole`: every edge was read; else the first `edges`, which are as good as drawn at
    random, and what is said of documents holds for these edges alone.

    `saying`: documents that say any edge. `isolated`: that lead to no other document that is known, and that none
    leads to. `links` are edges to addresses, numbers and names of documents; `links_known` of them lead to a document.
    `bands`: edges below .7, to .8, to .9, and from .9 on. `hubs`: what is mentioned by most documents.
    """

    snapshot: int
    whole: bool
    documents: int
    chunks: int
    edges: int
    saying: int
    isolated: int
    links: int
    links_known: int
    entities: Mapping[EntityKind, int]
    relations: Mapping[Relation, int]
    bands: Mapping[Relation, tuple[int, ...]]
    extractors: Mapping[str, int]
    hubs: tuple[Hub, ...]

    @property
    def edges_per_chunk(self) -> float:
        return self.edges / self.chunks if self.chunks else 0.0


async def graph_statistics(
    scope: Scope,
    *,
    graph: Graph,
    revisions: RevisionLedger,
    edges_max: int = EDGES_MAX,
    page: int = PAGE,
    hubs: int = HUBS,
) -> GraphStatistics:
    """Reads at most `edges_max` edges."""
    count, checked = _Count(), Checked(graph)
    after, whole = "", True
    while True:
        limit = min(page, edges_max - count.edges)
        if limit <= 0:
            whole = not await checked.edges(scope, after=after, limit=1)
            break
        found = await checked.edges(scope, after=after, limit=limit)
        await asyncio.to_thread(count.take, found)
        if len(found) < limit:
            break
        after = found[-1].edge_id
    documents, chunks = await revisions.held_in(scope)
    return await asyncio.to_thread(count.told, scope.snapshot, documents, chunks, whole=whole, hubs=hubs)


class _Count:
    """A row an edge, in columns."""

    def __init__(self) -> None:
        self._sources, self._targets, self._documents = array("Q"), array("Q"), array("Q")
        self._source_kinds, self._target_kinds, self._relations = array("B"), array("B"), array("B")
        self._bands = array("B")
        self._extractors: Counter[str] = Counter()
        self._mentioned = _Frequent(NAMES_KEPT)

    @property
    def edges(self) -> int:
        return len(self._relations)

    def take(self, edges: Sequence[Edge]) -> None:
        for edge in edges:
            target = _hash(edge.target.entity_id)
            self._sources.append(_hash(edge.source.entity_id))
            self._targets.append(target)
            self._documents.append(_hash(f"{EntityKind.DOCUMENT}:{edge.doc_id}"))
            self._source_kinds.append(_KINDS[edge.source.kind])
            self._target_kinds.append(_KINDS[edge.target.kind])
            self._relations.append(_RELATIONS[edge.relation])
            self._bands.append(bisect_right(BANDS, edge.confidence))
            self._extractors[edge.extractor] += 1
            if edge.relation is Relation.MENTIONS:
                self._mentioned.see(target, edge.target)

    def told(self, snapshot: int, documents: int, chunks: int, *, whole: bool, hubs: int) -> GraphStatistics:
        relations = _column(self._relations)
        saying = np.unique(_column(self._documents))
        known, linked = self._links(relations)
        bands = _column(self._bands)
        return GraphStatistics(
            snapshot=snapshot,
            whole=whole,
            documents=documents,
            chunks=chunks,
            edges=self.edges,
            saying=len(saying),
            isolated=max(0, documents - len(linked)),
            links=int(np.isin(relations, [_RELATIONS[one] for one in LINKS]).sum()),
            links_known=known,
            entities=self._entities(),
            relations={one: n for one, number in _RELATIONS.items() if (n := int((relations == number).sum()))},
            bands={
                one: tuple(int(n) for n in np.bincount(bands[relations == number], minlength=len(BANDS) + 1))
                for one, number in _RELATIONS.items()
                if (relations == number).any()
            },
            extractors=dict(self._extractors),
            hubs=self._hubs(relations, hubs),
        )

    def _entities(self) -> dict[EntityKind, int]:
        sources, targets = _column(self._sources), _column(self._targets)
        found: dict[EntityKind, int] = {}
        for kind, number in _KINDS.items():
            here = sources[_column(self._source_kinds) == number]
            there = targets[_column(self._target_kinds) == number]
            if count := len(np.unique(np.concatenate((here, there)))):
                found[kind] = count
        return found

    def _links(self, relations: npt.NDArray[Any]) -> tuple[int, Hashes]:
        """How many links lead to a document, and the documents that have one to or from another."""
        sources, targets, documents = _column(self._sources), _column(self._targets), _column(self._documents)
        kind = _KINDS[EntityKind.DOCUMENT]
        named = (relations == _RELATIONS[Relation.NAMES]) & (_column(self._source_kinds) == kind)
        order = np.argsort(targets[named], kind="stable")
        names, owners = targets[named][order], sources[named][order]
        link = np.isin(relations, [_RELATIONS[one] for one in LINKS])
        # "This one replaces that one" may be said the other way round, too.
        ends = np.concatenate((targets[link], sources[link]))
        own = np.concatenate((documents[link], documents[link]))
        first, last = np.searchsorted(names, ends, "left"), np.searchsorted(names, ends, "right")
        usable = (last > first) & (last - first <= NAMESAKES_MAX)
        direct = np.isin(ends, np.unique(documents))
        linked: list[Hashes] = []
        for step in range(NAMESAKES_MAX):
            at = usable & (first + step < last)
            leads_to = owners[(first + step)[at]]
            other = leads_to != own[at]
            linked += [leads_to[other], own[at][other]]
        other = direct & (ends != own)
        linked += [ends[other], own[other]]
        known = ((usable | direct) & (ends != own)).reshape(2, -1).any(axis=0)
        return int(known.sum()), np.unique(np.concatenate(linked))

    def _hubs(self, relations: npt.NDArray[Any], limit: int) -> tuple[Hub, ...]:
        at = relations == _RELATIONS[Relation.MENTIONS]
        targets, documents = _column(self._targets)[at], _column(self._documents)[at]
        names, mentions = np.unique(targets, return_counts=True)
        pairs = np.unique(np.stack((targets, documents), axis=1), axis=0)[:, 0] if len(targets) else targets
        by_documents = np.unique(pairs, return_counts=True)[1]
        found: list[Hub] = []
        for place in np.lexsort((names, -mentions, -by_documents)):
            if (entity := self._mentioned.entity(int(names[place]))) is not None:
                found.append(Hub(entity=entity, documents=int(by_documents[place]), mentions=int(mentions[place])))
            if len(found) >= limit:
                break
        return tuple(sorted(found, key=lambda one: (-one.documents, -one.mentions, one.entity.entity_id)))


class _Frequent:
    """Of all that is seen, the entities that are seen often: whatever is more than one in `kept` is among them."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._counts: dict[int, int] = {}
        self._entities: dict[int, Entity] = {}

    def see(self, hashed: int, entity: Entity) -> None:
        if hashed in self._counts:
            self._counts[hashed] += 1
        elif len(self._counts) < self._kept:
            self._counts[hashed] = 1
            self._entities[hashed] = entity
        else:
            # Each round takes back what as many sightings have given.
            self._counts = {one: count - 1 for one, count in self._counts.items() if count > 1}
            self._entities = {one: self._entities[one] for one in self._counts}

    def entity(self, hashed: int) -> Entity | None:
        return self._entities.get(hashed)


def _hash(entity_id: str) -> int:
    """64 bits, of this process: among millions of names hardly ever two have one."""
    return hash(entity_id) % (2 * _SIGNED)


def _column(values: array[int]) -> npt.NDArray[Any]:
    return np.frombuffer(values, dtype=np.uint64 if values.typecode == "Q" else np.uint8)
