"""Parts of the graph, and how they are divided: pure functions of the edges."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from firstline.documents.communities.cluster import clusters
from firstline.documents.communities.parts import Part, is_looked_at, parts_of
from firstline.documents.communities.summary import Said, summaries, worded
from firstline.domain import Edge, Entity, EntityKind, Level, Relation, ToldKind

EVERYBODY, STAFF = frozenset({"everyone"}), frozenset({"staff"})


def entity(kind: EntityKind, key: str) -> Entity:
    return Entity(kind=kind, key=key, name=key)


def told(number: int, error: str, parts: Iterable[str] = ("relay",), **access: Any) -> list[Edge]:
    """What a ticket says: its error, what it mentions, its cause and its cure."""
    doc_id = f"t{number}"
    chunks = [str(uuid.UUID(int=number * 4 + place + 1)) for place in range(4)]

    def edge(source: Entity, relation: Relation, target: Entity, chunk: int) -> Edge:
        place = {"acl": EVERYBODY, "level": Level.PUBLIC, **access}
        return Edge(
            tenant="a",
            kb="d",
            source=source,
            relation=relation,
            target=target,
            doc_id=doc_id,
            chunk_id=chunks[chunk],
            start=chunk * 100,
            end=chunk * 100 + 20,
            extractor="1",
            confidence=0.9,
            since=1,
            **place,
        )

    own, wrong = entity(EntityKind.DOCUMENT, doc_id), entity(EntityKind.ERROR, error)
    symptom, cause, cure = (
        entity(kind, chunks[place])
        for kind, place in ((EntityKind.SYMPTOM, 1), (EntityKind.ROOT_CAUSE, 2), (EntityKind.RESOLUTION, 3))
    )
    return [
        edge(own, Relation.NAMES, entity(EntityKind.COMPONENT, doc_id), 0),
        edge(own, Relation.MENTIONS, wrong, 1),
        *(edge(own, Relation.MENTIONS, entity(EntityKind.COMPONENT, part), 1) for part in parts),
        edge(wrong, Relation.HAS_ROOT_CAUSE, cause, 2),
        edge(symptom, Relation.HAS_ROOT_CAUSE, cause, 2),
        edge(cure, Relation.RESOLVES, wrong, 3),
    ]


def made(edges: list[Edge]) -> list[Part]:
    return parts_of(edges, {(edge.acl, edge.level) for edge in edges})


def test_the_order_of_edges_changes_nothing() -> None:
    edges = [edge for number in range(40) for edge in told(number, f"e{number % 5}", [f"c{number % 3}"])]
    first = made(edges)
    random.Random(5).shuffle(edges)  # noqa: S311  (an order, not a secret)
    again = made(edges)
    assert first == again
    assert [clusters(part) for part in first] == [clusters(part) for part in again]


def test_what_tells_nothing_and_what_stands_alone_is_no_part() -> None:
    page = [edge for edge in told(1, "e1") if edge.relation in (Relation.NAMES, Relation.MENTIONS)]
    assert made(page) == []
    assert made(told(1, "e1")) == []
    assert made([]) == []
    assert len(made([*told(1, "e1"), *told(2, "e1")])) == 1
    assert len(made([*told(1, "e1", ["a"]), *told(2, "e2", ["b"])])) == 0, "they have nothing in common"


def test_structure_links_and_versions_are_not_looked_at() -> None:
    page, other = entity(EntityKind.DOCUMENT, "p"), entity(EntityKind.ADDRESS, "x")
    (edge, *_) = told(1, "e1")
    for relation in (Relation.PART_OF, Relation.NEXT, Relation.REFERENCES, Relation.APPLIES_TO):
        assert not is_looked_at(replace(edge, source=page, relation=relation, target=other))
    version = entity(EntityKind.VERSION, "4.1")
    assert not is_looked_at(replace(edge, source=page, relation=Relation.MENTIONS, target=version))


def test_each_audience_has_its_own_part_unless_a_wider_one_has_the_same() -> None:
    public = [edge for number in range(3) for edge in told(number, "e1", ["a"])]
    (only,) = parts_of(
        public,
        {(EVERYBODY, Level.PUBLIC), (EVERYBODY, Level.RESTRICTED)},
    )
    assert (only.acl, only.level) == (EVERYBODY, Level.PUBLIC)
    inner = told(9, "e1", ["a"], level=Level.RESTRICTED)
    parts = made([*public, *inner])
    assert {part.level: len(part.edges) for part in parts} == {
        Level.PUBLIC: len(public),
        Level.RESTRICTED: 4 * len(inner),
    }
    # Who has the tag of one document alone may not see the others: what is for both tags is for each of them.
    both = [edge for number in range(2) for edge in told(number, "e1", acl=EVERYBODY | STAFF)]
    staff = [edge for number in range(2, 4) for edge in told(number, "e1", acl=STAFF)]
    found = {part.acl: {edge.doc_id for edge in part.edges} for part in made([*both, *staff])}
    assert found == {EVERYBODY | STAFF: {"t0", "t1"}, STAFF: {"t0", "t1", "t2", "t3"}}
    assert parts_of(told(1, "e", acl=frozenset()), {(frozenset(), Level.PUBLIC)}) == []


def test_a_thousand_tickets_of_one_error_are_one_matter() -> None:
    edges = [edge for number in range(600) for edge in told(number, "e1", [f"c{number}"])]
    edges += [edge for number in range(600, 640) for edge in told(number, "e2", [f"c{number}"])]
    first, *more = sorted((group for part in made(edges) for group in clusters(part)), key=len, reverse=True)
    assert "error:e1" in first and "error:e2" not in first
    assert sum(node.startswith("document:") for node in first) == 600
    assert ["error:e2" in group for group in more] == [True]


def test_names_causes_and_cures_are_cited_spans_and_copies_count_once() -> None:
    edges = [edge for number in range(4) for edge in told(number, "e1")]
    (part,) = made(edges)
    said = {
        edge.edge_id: Said(
            words="E1" if edge.relation is Relation.MENTIONS else f"Cause {edge.doc_id in ('t0', 't1', 't3')}.",
            content="same" if edge.doc_id in ("t0", "t3") else edge.doc_id,
        )
        for edge in worded(part.edges)
    }
    (one,) = summaries(part, clusters(part), said, tenant="a", kb="d", since=1)
    causes = [(each.text, each.documents) for each in one.community.of_kind(ToldKind.CAUSE)]
    assert causes == [("Cause True.", 2), ("Cause False.", 1)]
    by_chunk = {edge.chunk_id: edge for edge in part.edges}
    for each in one.community.told:
        assert each.documents == len(each.tellings) == len({at.doc_id for at in each.tellings})
        assert all(by_chunk[at.chunk_id].doc_id == at.doc_id for at in each.tellings)
    assert "error:e1" in one.entity_ids
    # What its audience may not read is told by nobody.
    assert summaries(part, clusters(part), {}, tenant="a", kb="d", since=1) == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_hundred_thousand_edges(capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(1)  # noqa: S311  (names that few and many mention, not a secret)
    edges: list[Edge] = []
    number = 0
    while len(edges) < 200_000:
        things = {f"c{int(draw.paretovariate(0.5)) % 5_000}" for _ in range(5)}
        edges += told(number, f"e{int(draw.paretovariate(0.7)) % 2_000}", sorted(things))
        number += 1
    began = time.process_time()
    found = 0
    for part in made(edges):
        said = {edge.edge_id: Said(words=f"{edge.chunk_id}", content=edge.doc_id) for edge in worded(part.edges)}
        found += len(summaries(part, clusters(part), said, tenant="a", kb="d", since=1))
    took = time.process_time() - began
    with capsys.disabled():
        print(f"\n{len(edges):,} edges of {number:,} tickets: {found} communities in {took:.1f} s of one core")
    assert found > 100
    assert took < 120, "half a minute is what it takes on a shared core"
