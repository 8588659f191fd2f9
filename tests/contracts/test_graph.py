"""The graph: edges inside a scope, on every engine."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import subprocess
import sys
import uuid
from collections.abc import AsyncGenerator, Generator
from copy import deepcopy
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from bolt_server import DATABASE
from graph_samples import EVERY, KB, chunk_id, component, document, edge, scope
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_samples import stored

from firstline.domain import (
    FOREVER,
    Edge,
    Entity,
    EntityKind,
    GraphRule,
    Level,
    Relation,
    RuleKind,
    RulesRead,
    acting_for,
)
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.engines.neo4j import Neo4jGraph, open_neo4j
from firstline.engines.postgres import open_postgres
from firstline.engines.reviewed_graph import ReviewedGraph, RulesInForce
from firstline.errors import Broken, InvalidInput, Unavailable
from firstline.ports import Graph

HERE = Path(__file__).parent
ODD_NAMES = (
    "null",
    "It",
    "数据库网关",
    "Größe der Übertragung",
    'a "quoted" name',
    "it's `odd`",
    "{braces} and ${dollars}",
    "') DETACH DELETE n //",
    "'; DROP TABLE firstline.graph_edges; --",
    "%s %(tenant)s %",
    "back\\slash\nand a line",
    "a:b:c",
    "",
    "x" * 4096,
    "数" * 4096,
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def bolt(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[str, str]]:
    """Address and password of a server that speaks Bolt."""
    if find_spec("arcadedb_embedded") is None:
        missing = "arcadedb-embedded is missing: pip install -e '.[dev]'"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    folder, port, password = tmp_path_factory.mktemp("bolt"), free_port(), secrets.token_hex(12)
    command = [sys.executable, HERE / "bolt_server.py", folder, str(port), str(free_port()), password]
    with (folder / "said.txt").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=folder)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        # Its Java runtime writes to the same pipe.
        while b"READY" not in (line := process.stdout.readline()):
            assert line, (folder / "said.txt").read_text()[-2000:]
        yield f"bolt://127.0.0.1:{port}", password
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=15)


class OfOthers(MemoryKnowledgeLedger):
    """Every knowledge base has rules, about names that no test speaks of."""

    async def graph_rules(self, *, tenant: str, kb: str) -> RulesRead:
        said: dict[str, Any] = {"tenant": tenant, "kb": kb, "by": "ann", "at": datetime(2026, 5, 1, tzinfo=UTC)}
        return RulesRead(
            mark=1,
            rules=(
                GraphRule(kind=RuleKind.SAME, first="component:elsewhere", second="component:nowhere", **said),
                GraphRule(kind=RuleKind.APART, first="component:elsewhere", second="document:far.md", **said),
                GraphRule(kind=RuleKind.NOT_A_NAME, first="component:no name", **said),
            ),
        )


@pytest.fixture(params=["memory", "reviewed", "corrected", "postgres", "neo4j"])
async def graph(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Graph]:
    if request.param == "memory":
        yield MemoryGraph()
    elif request.param == "reviewed":
        yield ReviewedGraph(MemoryGraph(), RulesInForce(MemoryKnowledgeLedger()))
    elif request.param == "corrected":
        yield ReviewedGraph(MemoryGraph(), RulesInForce(OfOthers()))
    elif request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
            yield ledgers.graph
    else:
        address, password = request.getfixturevalue("bolt")
        async with open_neo4j(url=address, user="root", password=password, database=DATABASE) as opened:
            yield opened


async def test_an_edge_comes_back_as_it_went_in(graph: Graph, tenant: str) -> None:
    told = edge(
        tenant,
        source=Entity(kind=EntityKind.ERROR, key="e11000", name="E11000 duplicate key"),
        target=Entity(kind=EntityKind.ROOT_CAUSE, key="c1", name="Two writers"),
        relation=Relation.HAS_ROOT_CAUSE,
        confidence=0.9125,
        acl=frozenset({"everyone", "staff"}),
        level=Level.CUSTOMER,
        until=7,
    )
    await graph.upsert([told])
    assert await graph.edges(scope(tenant), limit=10) == [told]
    assert await graph.around([told.source.entity_id], scope(tenant), relations=EVERY, limit_each=5) == [told]
    assert await graph.around([told.target.entity_id], scope(tenant), relations=EVERY, limit_each=5) == [told]
    assert await graph.known([told.source.entity_id, told.target.entity_id, "error:other"], scope(tenant)) == {
        told.source.entity_id,
        told.target.entity_id,
    }
    assert await graph.count(tenant=tenant, kb=KB) == 1


async def test_what_comes_back_is_a_value_like_any_edge(graph: Graph, tenant: str) -> None:
    """However an engine builds it."""
    own, far = document("page.md"), component("Gateway", "gateway")
    told = [
        edge(tenant, "page.md", own, far),
        edge(tenant, "page.md", own, component("Night Export"), place=1, confidence=0.8),
        edge(tenant, "page.md", component("page.md"), far, place=2, confidence=0.7),
        edge(tenant, "other.md", own, far, confidence=0.6),
    ]
    await graph.upsert(told)
    found = await graph.around([own.entity_id, far.entity_id], scope(tenant), relations=EVERY, limit_each=9)
    assert found == told
    assert [repr(one) for one in found] == [repr(one) for one in told]
    assert set(found) == set(told)
    assert [replace(one, until=9) for one in found] == [replace(one, until=9) for one in told]
    assert deepcopy(found) == told
    with pytest.raises(FrozenInstanceError):
        found[0].confidence = 0.1  # pyright: ignore[reportAttributeAccessIssue]  (that it is refused is the test)


async def test_every_kind_and_relation_is_kept(graph: Graph, tenant: str) -> None:
    told = [
        edge(tenant, f"{kind}.md", Entity(kind=kind, key="k", name="n"), component("c"), relation=relation)
        for kind in EntityKind
        for relation in Relation
    ]
    await graph.upsert(told)
    assert await graph.edges(scope(tenant), limit=1000) == sorted(told, key=lambda one: one.edge_id)


@pytest.mark.parametrize(
    ("changes", "seen"),
    [
        ({}, True),
        ({"tenant": "another"}, False),
        ({"kb": "another"}, False),
        ({"acl_tags": frozenset[str]()}, False),
        ({"acl_tags": frozenset({"others"})}, False),
        ({"acl_tags": frozenset({"others", "staff"})}, True),
        ({"level_max": Level.CUSTOMER}, False),
        ({"level_max": Level.RESTRICTED}, True),
        ({"snapshot": 2}, False),
        ({"snapshot": 3}, True),
        ({"snapshot": 4}, True),
        ({"snapshot": 5}, False),
    ],
)
async def test_filters(graph: Graph, tenant: str, changes: dict[str, object], seen: bool) -> None:
    told = edge(tenant, relation=Relation.NAMES, acl=frozenset({"staff"}), level=Level.INTERNAL, since=3, until=5)
    await graph.upsert([told])
    asked = replace(scope(tenant, acl_tags=frozenset({"staff"}), level_max=Level.INTERNAL, snapshot=3), **changes)
    ends = [told.source.entity_id, told.target.entity_id]
    found = [told] if seen else []
    assert await graph.around(ends, asked, relations=EVERY, limit_each=9) == found
    assert await graph.named([told.target.entity_id], asked, limit_each=9) == found
    assert await graph.edges(asked, limit=9) == found
    assert await graph.edges(asked, limit=9, chunk_ids=[told.chunk_id]) == found
    assert await graph.known(ends, asked) == (set(ends) if seen else set())


async def test_an_empty_acl_is_nobody(graph: Graph, tenant: str) -> None:
    told = edge(tenant, acl=frozenset())
    await graph.upsert([told])
    asked = scope(tenant, acl_tags=frozenset({"", "everyone"}), level_max=Level.RESTRICTED)
    assert await graph.edges(asked, limit=9) == []
    assert await graph.known([told.target.entity_id], asked) == frozenset()
    assert await graph.count(tenant=tenant, kb=KB) == 1


async def test_written_twice_is_one_and_the_last_word_counts(graph: Graph, tenant: str) -> None:
    told = edge(tenant)
    again = replace(told, confidence=0.5, acl=frozenset({"staff"}), target=component("Gateway", "gateway"))
    await graph.upsert([told, told])
    await graph.upsert([told])
    await graph.upsert([again])
    assert await graph.count(tenant=tenant, kb=KB) == 1
    assert await graph.edges(scope(tenant), limit=9) == []
    assert await graph.edges(scope(tenant, acl_tags=frozenset({"staff"})), limit=9) == [again]
    await graph.upsert([])


async def test_many_write_one_entity_at_once(graph: Graph, tenant: str) -> None:
    told = [edge(tenant, f"{number}.md", place=place) for number in range(12) for place in range(4)]
    await asyncio.gather(*(graph.upsert(told[at : at + 4]) for at in range(0, 48, 4)), graph.upsert(told[:8]))
    found = await graph.around(["component:gateway"], scope(tenant), relations=EVERY, limit_each=99)
    assert sorted(one.edge_id for one in found) == sorted(one.edge_id for one in told)
    assert await graph.count(tenant=tenant, kb=KB) == 48


async def test_what_ends_goes_on_again(graph: Graph, tenant: str) -> None:
    first, second = edge(tenant), edge(tenant, place=1)
    await graph.upsert([first, second])
    await graph.set_until([first.chunk_id, chunk_id(tenant, "unknown"), "no id at all"], 2)
    assert await graph.edges(scope(tenant, snapshot=1), limit=9) == sorted(
        [replace(first, until=2), second], key=lambda one: one.edge_id
    )
    assert await graph.edges(scope(tenant, snapshot=2), limit=9) == [second]
    await graph.set_until([], 2)
    await graph.set_until([first.chunk_id], FOREVER)
    assert len(await graph.edges(scope(tenant, snapshot=2), limit=9)) == 2


async def test_deleting_takes_one_revision_and_nothing_else(graph: Graph, tenant: str) -> None:
    told = [edge(tenant, doc_id, since=since) for doc_id, since in [("a", 1), ("a", 2), ("b", 2)]]
    await graph.upsert(told)
    await graph.delete(tenant=tenant, kb=KB, doc_ids=["a", "unknown"], since=2)
    await graph.delete(tenant=f"{tenant}-other", kb=KB, doc_ids=["a", "b"], since=2)
    await graph.delete(tenant=tenant, kb="other", doc_ids=["a", "b"], since=2)
    await graph.delete(tenant=tenant, kb=KB, doc_ids=[], since=2)
    left = await graph.edges(scope(tenant, snapshot=9), limit=9)
    assert {(one.doc_id, one.since) for one in left} == {("a", 1), ("b", 2)}
    assert await graph.known(["document:a", "document:b"], scope(tenant, snapshot=9)) == {"document:a", "document:b"}
    await graph.delete(tenant=tenant, kb=KB, doc_ids=["a"], since=1)
    assert await graph.known(["document:a", "document:b"], scope(tenant, snapshot=9)) == {"document:b"}


async def test_purging_is_counted_before_and_read_back_after(graph: Graph, tenant: str) -> None:
    told = [edge(tenant, doc_id, since=since) for doc_id, since in [("a", 1), ("a", 2), ("a", 3), ("b", 1)]]
    await graph.upsert(told)
    where = {"tenant": tenant, "kb": KB}
    assert await graph.held(**where, doc_ids=["a"], upto=2) == 2
    assert await graph.held(**where, doc_ids=[], upto=2) == 0
    await graph.purge(tenant="another", kb=KB, doc_ids=["a"], upto=2)
    assert await graph.count(**where) == 4
    await graph.purge(**where, doc_ids=["a", "unknown"], upto=2)
    await graph.purge(**where, doc_ids=["a", "unknown"], upto=2)
    assert await graph.held(**where, doc_ids=["a"], upto=2) == 0
    assert await graph.held(**where, doc_ids=["a", "b"], upto=9) == 2
    await graph.purge(**where, doc_ids=["a", "b"], upto=9)
    assert await graph.count(**where) == 0
    await graph.upsert(told)
    assert await graph.count(**where) == 4


async def test_the_surest_few_of_each_entity_and_direction(graph: Graph, tenant: str) -> None:
    hub, other = component("hub"), component("other")
    out = [
        edge(tenant, "out.md", hub, component(f"o{number}"), confidence=confidence)
        for number, confidence in enumerate([0.5, 0.9, 0.9, 0.7, 0.9])
    ]
    back = [edge(tenant, f"{number}.md", None, hub, confidence=0.6 + number / 100) for number in range(5)]
    beside = [edge(tenant, "beside.md", other, component(f"b{number}"), confidence=0.1) for number in range(3)]
    loop = edge(tenant, "loop.md", hub, hub, confidence=0.99)
    await graph.upsert([*out, *back, *beside, loop])

    found = await graph.around([hub.entity_id, other.entity_id], scope(tenant), relations=EVERY, limit_each=3)

    def best(edges: list[Edge], count: int) -> list[Edge]:
        return sorted(edges, key=lambda one: (-one.confidence, one.edge_id))[:count]

    expected = [loop, *best(out, 2), *best(back, 2), *best(beside, 3)]
    assert found == best(expected, 99)
    assert await graph.around([other.entity_id], scope(tenant), relations=EVERY, limit_each=0) == []
    assert await graph.around([], scope(tenant), relations=EVERY, limit_each=3) == []
    assert await graph.around([hub.entity_id], scope(tenant), relations=(), limit_each=3) == []


async def test_relations_are_chosen_before_the_best_few_are(graph: Graph, tenant: str) -> None:
    hub = component("hub")
    many = [edge(tenant, f"{number}.md", None, hub, confidence=0.95) for number in range(40)]
    rare = edge(tenant, "fix.md", None, hub, relation=Relation.RESOLVES, confidence=0.6)
    unseen = [edge(tenant, f"u{number}.md", None, hub, acl=frozenset({"x"}), confidence=0.99) for number in range(40)]
    await graph.upsert([*many, rare, *unseen])
    asked = {Relation.RESOLVES, Relation.AFFECTS}
    assert await graph.around([hub.entity_id], scope(tenant), relations=asked, limit_each=2) == [rare]
    found = await graph.around([hub.entity_id], scope(tenant), relations=EVERY, limit_each=2)
    assert [one.confidence for one in found] == [0.95, 0.95]


async def test_names_lead_to_documents(graph: Graph, tenant: str) -> None:
    told = [
        edge(tenant, f"{number}.md", None, component("Pods", "pod"), relation=Relation.NAMES, confidence=number / 10)
        for number in range(1, 6)
    ]
    mention = edge(tenant, "m.md", None, component("pods", "pod"), confidence=1.0)
    elsewhere = edge(tenant, "n.md", component("pod"), component("node"), relation=Relation.NAMES)
    await graph.upsert([*told, mention, elsewhere])
    asked = ["component:pod", "component:none", "component:node", "no kind:at all", "nothing"]
    found = await graph.named(asked, scope(tenant), limit_each=2)
    assert found == [elsewhere, told[4], told[3]]
    assert await graph.named([], scope(tenant), limit_each=2) == []
    assert await graph.known(asked, scope(tenant)) == {"component:pod", "component:node"}


@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: name[:12])
async def test_any_name_is_a_name(graph: Graph, tenant: str, name: str) -> None:
    told = edge(tenant, "page.md", component(name), component(f"{name}!"), relation=Relation.NAMES, extractor=name[:9])
    beside = edge(tenant, "page.md", component("beside"), component("other"))
    await graph.upsert([told, beside])
    assert await graph.around([told.source.entity_id], scope(tenant), relations=EVERY, limit_each=5) == [told]
    assert await graph.named([told.target.entity_id], scope(tenant), limit_each=5) == [told]
    assert await graph.known([told.source.entity_id], scope(tenant)) == {told.source.entity_id}
    assert await graph.count(tenant=tenant, kb=KB) == 2


async def test_odd_ids_of_documents_and_tags(graph: Graph, tenant: str) -> None:
    for name in ODD_NAMES:
        if not name or len(name) > 100:
            continue
        told = edge(tenant, name, acl=frozenset({name}))
        await graph.upsert([told])
        asked = scope(tenant, acl_tags=frozenset({name}))
        assert await graph.edges(asked, limit=5) == [told]
        assert await graph.held(tenant=tenant, kb=KB, doc_ids=[name], upto=1) == 1
        await graph.purge(tenant=tenant, kb=KB, doc_ids=[name], upto=1)
        assert await graph.edges(asked, limit=5) == []


async def test_names_that_differ_in_case_alone_are_two(graph: Graph, tenant: str) -> None:
    told = [edge(tenant, f"{key}.md", None, component(key)) for key in ("Gateway", "gateway", "GATEWAY")]
    await graph.upsert(told)
    for one in told:
        assert await graph.around([one.target.entity_id], scope(tenant), relations=EVERY, limit_each=9) == [one]


async def test_circles_are_edges_like_others(graph: Graph, tenant: str) -> None:
    a, b = document("a"), document("b")
    told = [
        edge(tenant, "a", a, b, relation=Relation.REFERENCES),
        edge(tenant, "b", b, a, relation=Relation.REFERENCES),
        edge(tenant, "a", a, a, relation=Relation.REFERENCES),
    ]
    await graph.upsert(told)
    found = await graph.around([a.entity_id, b.entity_id, a.entity_id], scope(tenant), relations=EVERY, limit_each=9)
    assert found == sorted(told, key=lambda one: one.edge_id)


async def test_tenants_and_knowledge_bases_never_touch(graph: Graph, tenant: str) -> None:
    others = f"{tenant}-others"
    # Of the same chunk ids, too, and of names that would join when they were put together carelessly.
    ours = edge(tenant, source=component("shared"), target=component("ours"))
    theirs = replace(ours, tenant=others, target=component("theirs"))
    beside = replace(ours, kb="beside", target=component("beside"))
    same = replace(ours, tenant=others)
    await graph.upsert([ours, theirs, beside, same])
    assert await graph.around(["component:shared"], scope(tenant), relations=EVERY, limit_each=9) == [ours]
    assert await graph.edges(scope(tenant), limit=9) == [ours]
    assert await graph.edges(scope(tenant), limit=9, chunk_ids=[ours.chunk_id]) == [ours]
    assert await graph.known(["component:theirs", "component:beside"], scope(tenant)) == frozenset()
    await graph.purge(tenant=tenant, kb=KB, doc_ids=["page.md"], upto=9)
    assert [await graph.count(tenant=one, kb=KB) for one in (tenant, others)] == [0, 2]
    assert await graph.edges(scope(tenant, kb="beside"), limit=9) == [beside]


async def test_pages_of_edges(graph: Graph, tenant: str) -> None:
    told = sorted(
        (edge(tenant, f"{number}.md", relation=EVERY[number % len(EVERY)]) for number in range(23)),
        key=lambda one: one.edge_id,
    )
    hidden = [edge(tenant, f"h{number}.md", acl=frozenset({"x"})) for number in range(9)]
    await graph.upsert([*told, *hidden])
    found: list[Edge] = []
    for _ in range(9):
        page = await graph.edges(scope(tenant), after=found[-1].edge_id if found else "", limit=5)
        found += page
        if len(page) < 5:
            break
    assert found == told
    wanted = [told[3], told[7]]
    chunks = [one.chunk_id for one in wanted]
    assert await graph.edges(scope(tenant), limit=9, chunk_ids=[*chunks, hidden[0].chunk_id, "none"]) == wanted
    assert await graph.edges(scope(tenant), after=wanted[0].edge_id, limit=9, chunk_ids=chunks) == wanted[1:]
    assert await graph.edges(scope(tenant), limit=9, chunk_ids=[]) == []


async def test_a_page_with_ten_thousand_links(graph: Graph, tenant: str) -> None:
    links = 2_000 if isinstance(graph, Neo4jGraph) else 10_000
    told = [edge(tenant, "links.md", None, component(f"c{number}"), place=number % 7) for number in range(links)]
    await graph.upsert(told)
    assert await graph.count(tenant=tenant, kb=KB) == links
    found = await graph.around(["document:links.md"], scope(tenant), relations=EVERY, limit_each=5)
    assert found == sorted(told, key=lambda one: one.edge_id)[:5]


@pytest.mark.timeout(180)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_every_engine_agrees_with_the_reference(graph: Graph, tenant: str, data: st.DataObject) -> None:
    """Random writes; then every look-up of every scope says what the reference says."""
    own = f"{tenant}-{uuid.uuid4().hex}"
    reference = MemoryGraph()
    few = st.integers(0, 3)
    made = st.builds(
        lambda doc, a, b, relation, place, since, until, acl, level, sure: edge(
            own,
            f"d{doc}",
            component(f"e{a}"),
            component(f"e{b}"),
            relation=(Relation.NAMES, Relation.MENTIONS, Relation.RESOLVES)[relation % 3],
            place=place % 2,
            since=1 + since,
            until=FOREVER if until == 3 else 2 + until,
            acl=frozenset({"everyone"} if acl else {"staff"}),
            level=Level(level),
            confidence=sure / 3,
        ),
        *[few] * 10,
    )
    for _ in range(data.draw(st.integers(1, 4))):
        told = data.draw(st.lists(made, max_size=12))
        chunk = [one.chunk_id for one in told[:2]]
        since, deletes = data.draw(st.integers(1, 4)), data.draw(st.booleans())
        for one in (graph, reference):
            await one.upsert(told)
            await one.set_until(chunk, since + 1)
            if deletes:
                await one.delete(tenant=own, kb=KB, doc_ids=["d0", "d1"], since=since)
    ids = [f"component:e{number}" for number in range(4)]
    for tags in ({"everyone"}, {"everyone", "staff"}):
        asked = scope(
            own,
            snapshot=data.draw(st.integers(1, 4)),
            acl_tags=frozenset(tags),
            level_max=Level(data.draw(few)),
        )
        for limit in (1, 50):
            wanted = data.draw(st.sampled_from([EVERY, (Relation.RESOLVES,)]))
            assert await graph.around(ids, asked, relations=wanted, limit_each=limit) == await reference.around(
                ids, asked, relations=wanted, limit_each=limit
            )
            assert await graph.named(ids, asked, limit_each=limit) == await reference.named(
                ids, asked, limit_each=limit
            )
        assert await graph.edges(asked, limit=100) == await reference.edges(asked, limit=100)
        assert await graph.known(ids, asked) == await reference.known(ids, asked)
    assert await graph.count(tenant=own, kb=KB) == await reference.count(tenant=own, kb=KB)


async def test_a_server_that_is_not_there_is_told_as_such() -> None:
    with pytest.raises(Unavailable):
        async with open_neo4j(url=f"bolt://127.0.0.1:{free_port()}", user="u", password="p", database=""):
            pass
    with pytest.raises(InvalidInput):
        async with open_neo4j(url="postgresql://127.0.0.1", user="u", password="p", database=""):
            pass


async def test_a_wrong_password_is_told_and_not_repeated(bolt: tuple[str, str]) -> None:
    with pytest.raises(Broken) as caught:
        async with open_neo4j(url=bolt[0], user="root", password="not-the-password", database=DATABASE):
            pass
    assert "not-the-password" not in str(caught.value)


async def test_the_ledgers_own_graph_shows_nothing_of_what_is_buried(
    postgres_url: str, tmp_path: Path, tenant: str
) -> None:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        candidate = await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="e")
        await ledgers.knowledge.write([stored(tenant, name, since=candidate) for name in ("a.md", "b.md")])
        await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=candidate)
        told = [edge(tenant, name, since=candidate, relation=Relation.NAMES) for name in ("a.md", "b.md")]
        await ledgers.graph.upsert(told)
        asked, ids = scope(tenant, snapshot=candidate), ["document:a.md", "document:b.md", "component:gateway"]
        assert len(await ledgers.graph.edges(asked, limit=9)) == 2
        await ledgers.tombstones.bury(["a.md"], tenant=tenant, kb=KB, by="operator")
        left = [told[1]]
        assert await ledgers.graph.edges(asked, limit=9) == left
        assert await ledgers.graph.edges(asked, limit=9, chunk_ids=[one.chunk_id for one in told]) == left
        assert await ledgers.graph.around(ids, asked, relations=EVERY, limit_each=9) == left
        assert await ledgers.graph.named(ids, asked, limit_each=9) == left
        assert await ledgers.graph.known(ids, asked) == set(ids[1:])
        # Taken anew after that, it is there again.
        await ledgers.graph.upsert([edge(tenant, "a.md", since=candidate + 1, relation=Relation.NAMES)])
        assert len(await ledgers.graph.edges(replace(asked, snapshot=candidate + 1), limit=9)) == 2


async def test_behind_the_wall_a_tenant_sees_its_own_edges_alone(
    postgres_url: str, tmp_path: Path, tenant: str
) -> None:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        told = edge(tenant)
        with acting_for(tenant):
            await ledgers.graph.upsert([told])
            assert await ledgers.graph.edges(scope(tenant), limit=9) == [told]
        with acting_for(f"{tenant}-other"):
            assert await ledgers.graph.edges(scope(tenant), limit=9) == []
            assert await ledgers.graph.around(["component:gateway"], scope(tenant), relations=EVERY, limit_each=9) == []
            with pytest.raises(Broken):
                await ledgers.graph.upsert([replace(told, confidence=0.1)])
            await ledgers.graph.purge(tenant=tenant, kb=KB, doc_ids=["page.md"], upto=9)
        assert await ledgers.graph.edges(scope(tenant), limit=9) == [told]
