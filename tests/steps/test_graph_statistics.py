"""The graph in numbers: against a count by hand, and bounded."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from firstline.domain import FOREVER, Edge, Entity, EntityKind, Level, Relation
from firstline.engines.memory.graph import MemoryGraph
from firstline.ports import Scope
from firstline.questions import graph_statistics as statistics
from firstline.questions.graph_statistics import graph_statistics

SCOPE = Scope(tenant="acme", kb="docs", acl_tags=frozenset({"everyone"}), level_max=Level.INTERNAL, snapshot=1)


class Counted:
    """A ledger that says how many documents and chunks there are."""

    def __init__(self, documents: int, chunks: int) -> None:
        self._held = documents, chunks

    async def held_in(self, scope: Scope) -> tuple[int, int]:
        assert scope == SCOPE
        return self._held

    async def revisions(self, **_: Any) -> list[Any]:
        raise AssertionError("nobody asks")


def entity(told: str) -> Entity:
    kind, _, key = told.partition(":")
    return Entity(kind=EntityKind(kind), key=key, name=key.title())


def edge(doc: str, source: str, relation: Relation, target: str, *, confidence: float = 0.95, **at: Any) -> Edge:
    return Edge(
        tenant="acme",
        kb="docs",
        source=entity(source),
        relation=relation,
        target=entity(target),
        doc_id=doc,
        chunk_id=at.get("chunk", f"{doc}-1"),
        start=0,
        end=1,
        extractor=at.get("extractor", "2"),
        confidence=confidence,
        acl=at.get("acl", frozenset({"everyone"})),
        level=at.get("level", Level.PUBLIC),
        since=1,
        until=FOREVER,
    )


def small() -> list[Edge]:
    names, mentions, refers = Relation.NAMES, Relation.MENTIONS, Relation.REFERENCES
    return [
        edge("a", "document:a", names, "address:a.md"),
        edge("b", "document:b", names, "address:b.md"),
        edge("c", "document:c", names, "address:c.md"),
        edge("d", "document:d", names, "component:d"),
        edge("a", "document:a", refers, "address:b.md", confidence=0.7),
        edge("a", "document:a", refers, "address:a.md", confidence=0.69),
        edge("c", "document:c", refers, "address:nowhere", confidence=0.8),
        edge("e", "document:d", Relation.SUPERSEDES, "document:e", confidence=0.9),
        edge("a", "document:a", mentions, "error:e1"),
        edge("a", "document:a", mentions, "error:e1", chunk="a-2"),
        edge("b", "document:b", mentions, "error:e1", extractor="1"),
        edge("b", "document:b", mentions, "component:relay"),
        edge("c", "document:c", mentions, "error:hidden", level=Level.RESTRICTED),
        edge("c", "document:c", mentions, "error:hidden", acl=frozenset({"staff"}), chunk="c-2"),
    ]


async def counted(edges: list[Edge], *, documents: int = 7, **knobs: Any):
    graph = MemoryGraph()
    await graph.upsert(edges)
    return await graph_statistics(SCOPE, graph=graph, revisions=Counted(documents, 10), **knobs)


async def test_as_counted_by_hand() -> None:
    found = await counted(small(), page=3)
    assert (found.whole, found.edges, found.saying, found.edges_per_chunk) == (True, 12, 5, 1.2)
    assert found.relations == {
        Relation.NAMES: 4,
        Relation.MENTIONS: 4,
        Relation.REFERENCES: 3,
        Relation.SUPERSEDES: 1,
    }
    assert found.bands[Relation.REFERENCES] == (1, 1, 1, 0)
    assert found.bands[Relation.SUPERSEDES] == (0, 0, 0, 1)
    assert found.entities == {
        EntityKind.DOCUMENT: 5,
        EntityKind.ADDRESS: 4,
        EntityKind.COMPONENT: 2,
        EntityKind.ERROR: 1,
    }, "who may not see what says it does not learn that it is there"
    # A link to the page itself leads to a page that is known; d is replaced by the one that says so.
    assert (found.links, found.links_known) == (4, 3)
    # Of seven a, b, d and e are linked with others; c is not, and two say nothing.
    assert found.isolated == 3
    assert found.extractors == {"2": 11, "1": 1}
    assert [(hub.entity.entity_id, hub.entity.name, hub.documents, hub.mentions) for hub in found.hubs] == [
        ("error:e1", "E1", 2, 3),
        ("component:relay", "Relay", 1, 1),
    ]


async def test_an_empty_graph_is_counted_too() -> None:
    found = await counted([], documents=0)
    assert (found.edges, found.saying, found.isolated, found.links, found.hubs) == (0, 0, 0, 0, ())
    assert found.entities == found.relations == {} and found.edges_per_chunk == 0


async def test_with_a_limit_it_says_that_there_is_more() -> None:
    exactly = await counted(small(), edges_max=12, page=5)
    assert (exactly.whole, exactly.edges) == (True, 12)
    cut = await counted(small(), edges_max=11, page=5)
    assert (cut.whole, cut.edges) == (False, 11)


async def test_an_address_of_many_leads_to_none() -> None:
    many = [edge(f"m{n}", f"document:m{n}", Relation.NAMES, "address:index") for n in range(5)]
    link = edge("a", "document:a", Relation.REFERENCES, "address:index")
    assert (await counted([*many, link])).links_known == 0
    assert (await counted([*many[:4], link])).links_known == 1


class Endless:
    """Pages of edges that differ in everything, made when they are asked for."""

    def __init__(self, edges: int) -> None:
        self._left = edges

    async def edges(self, scope: Scope, *, after: str = "", limit: int, **_: Any) -> list[Edge]:
        count = min(limit, self._left)
        self._left -= count
        return list(self._made(count))

    def _made(self, count: int) -> Iterator[Edge]:
        for at in range(self._left, self._left + count):
            doc = f"folder/document-{at // 10}.md"
            name = f"component:thing{at}" if at % 4 else "component:hub"
            yield edge(doc, f"document:{doc}", Relation.MENTIONS, name, chunk=str(uuid.UUID(int=at)))


async def test_hubs_are_found_among_very_many_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of names that are seen once each, no more are kept than the limit says."""
    monkeypatch.setattr(statistics, "NAMES_KEPT", 500)
    graph: Any = Endless(8_000)
    found = await graph_statistics(SCOPE, graph=graph, revisions=Counted(800, 2_400), page=1_000, hubs=1_000)
    assert found.edges == 8_000 and found.entities[EntityKind.COMPONENT] == 6_001
    assert (found.hubs[0].entity.entity_id, found.hubs[0].mentions) == ("component:hub", 2_000)
    assert len(found.hubs) <= 500
