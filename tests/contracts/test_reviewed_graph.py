"""The graph under rules: what merges and splits show, and that taking them back leaves nothing of them."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from graph_samples import EVERY, KB, component, document, edge, scope
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstline.domain import Edge, GraphRule, Relation, RuleKind, RulesRead
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.postgres import open_postgres
from firstline.engines.reviewed_graph import FRESH_S, ReviewedGraph, RulesInForce
from firstline.ports import Graph, Scope

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RS, REPLICASET, POD = "component:rs", "component:replicaset", "component:pod"


class Said:
    """A ledger of rules for one test, with its own clock."""

    def __init__(self, *rules: GraphRule) -> None:
        self.rules = rules
        self.mark = 1
        self.reads = 0
        self.now = 0.0

    async def graph_rules(self, **_: str) -> RulesRead:
        self.reads += 1
        return RulesRead(mark=self.mark, rules=self.rules)

    def over(self, graph: Graph) -> ReviewedGraph:
        rules: Any = self
        return ReviewedGraph(graph, RulesInForce(rules, clock=lambda: self.now))


def same(first: str, second: str) -> GraphRule:
    return GraphRule(tenant="t", kb=KB, kind=RuleKind.SAME, first=first, second=second, by="ann", at=NOON)


def apart(name: str, other: str) -> GraphRule:
    return GraphRule(tenant="t", kb=KB, kind=RuleKind.APART, first=name, second=other, by="ann", at=NOON)


def nameless(name: str) -> GraphRule:
    return GraphRule(tenant="t", kb=KB, kind=RuleKind.NOT_A_NAME, first=name, by="ann", at=NOON)


@pytest.fixture(params=["memory", "postgres"])
async def graph(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Graph]:
    if request.param == "memory":
        yield MemoryGraph()
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
        yield ledgers.graph


def names(tenant: str, doc_id: str, key: str, **changes: Any) -> Edge:
    return edge(tenant, doc_id, document(doc_id), component(key), relation=Relation.NAMES, **changes)


def mentions(tenant: str, doc_id: str, key: str, **changes: Any) -> Edge:
    return edge(tenant, doc_id, document(doc_id), component(key), **changes)


def docs(edges: Sequence[Edge]) -> list[str]:
    return sorted(one.doc_id for one in edges)


async def test_asking_for_one_asks_for_both_under_the_id_asked_for(graph: Graph, tenant: str) -> None:
    await graph.upsert(
        [names(tenant, "replicaset.md", "replicaset"), mentions(tenant, "a.md", "rs"), mentions(tenant, "b.md", "pod")]
    )
    seen = Said(same(RS, REPLICASET)).over(graph)
    here = scope(tenant)
    (named,) = await seen.named([RS], here, limit_each=5)
    assert (named.target.entity_id, named.doc_id) == (RS, "replicaset.md")
    around = await seen.around([RS], here, relations=EVERY, limit_each=5)
    assert docs(around) == ["a.md", "replicaset.md"]
    assert {one.target.entity_id for one in around} == {RS}
    both = await seen.named([RS, REPLICASET, POD], here, limit_each=5)
    assert {(one.target.entity_id, one.doc_id) for one in both} == {
        (RS, "replicaset.md"),
        (REPLICASET, "replicaset.md"),
    }
    assert await seen.known([RS, REPLICASET, "component:none"], here) == {RS, REPLICASET}
    (away,) = await seen.around(["document:a.md"], here, relations=EVERY, limit_each=5)
    assert away.target.entity_id == RS, "another end keeps the id that its document says"
    assert await seen.edges(here, limit=9) == await graph.edges(here, limit=9), "a listing is of what is stored"


async def test_a_name_that_the_scope_does_not_see_is_one_with_nothing(graph: Graph, tenant: str) -> None:
    """Who guesses the name of a secret must not be led to what it is."""
    await graph.upsert(
        [names(tenant, "page.md", "relay"), mentions(tenant, "plan.md", "bluebird", acl=frozenset({"board"}))]
    )
    seen = Said(same("component:relay", "component:bluebird")).over(graph)
    asked = ["component:bluebird"]
    public, board = scope(tenant), scope(tenant, acl_tags=frozenset({"everyone", "board"}))
    assert await seen.named(asked, public, limit_each=5) == []
    assert await seen.around(asked, public, relations=EVERY, limit_each=5) == []
    assert await seen.known(asked, public) == frozenset()
    assert docs(await seen.around(["component:relay"], public, relations=EVERY, limit_each=5)) == ["page.md"]
    assert docs(await seen.named(asked, board, limit_each=5)) == ["page.md"]


async def test_chains_and_circles_are_one(graph: Graph, tenant: str) -> None:
    await graph.upsert([mentions(tenant, f"{key}.md", key) for key in "abcd"])
    ring = [same(f"component:{one}", f"component:{two}") for one, two in ("ab", "bc", "cd", "da")]
    for rules in (ring, ring[:3]):
        seen = Said(*rules).over(graph)
        for key in "abcd":
            found = await seen.around([f"component:{key}"], scope(tenant), relations=EVERY, limit_each=9)
            assert docs(found) == ["a.md", "b.md", "c.md", "d.md"]


async def test_limits_and_order_hold_over_all_that_are_one(graph: Graph, tenant: str) -> None:
    told = [mentions(tenant, f"r{at}.md", "rs", confidence=0.5 + at / 100) for at in range(9)]
    told += [mentions(tenant, f"s{at}.md", "replicaset", confidence=0.505 + at / 100) for at in range(9)]
    # The same chunk says both names: under one of them that is one thing said.
    told += [mentions(tenant, "both.md", key, confidence=0.99) for key in ("rs", "replicaset")]
    await graph.upsert(told)
    seen = Said(same(RS, REPLICASET)).over(graph)
    for limit in (1, 2, 3, 7, 19, 30):
        found = await seen.around([RS], scope(tenant), relations=EVERY, limit_each=limit)
        best = sorted({one.doc_id: one for one in told}.values(), key=lambda one: -one.confidence)[:limit]
        assert [one.doc_id for one in found] == [one.doc_id for one in best]
        assert found == sorted(found, key=lambda one: (-one.confidence, one.edge_id))
    assert await seen.around([RS], scope(tenant), relations=EVERY, limit_each=0) == []


async def test_a_name_does_not_mean_this_document(graph: Graph, tenant: str) -> None:
    await graph.upsert([names(tenant, f"{at}.md", "gateway", confidence=0.5 + at / 100) for at in range(9)])
    await graph.upsert([mentions(tenant, "8.md", "gateway")])
    seen = Said(*(apart("component:gateway", f"document:{at}.md") for at in (8, 7, 6))).over(graph)
    found = await seen.named(["component:gateway"], scope(tenant), limit_each=2)
    assert [one.doc_id for one in found] == ["5.md", "4.md"], "others come in the places of those taken out"
    around = await seen.around(["component:gateway"], scope(tenant), relations=EVERY, limit_each=20)
    assert docs(around) == ["0.md", "1.md", "2.md", "3.md", "4.md", "5.md", "8.md"], "what it mentions, it mentions"
    assert await seen.known(["component:gateway", "document:8.md", "document:7.md"], scope(tenant)) == {
        "component:gateway",
        "document:8.md",
    }


async def test_what_is_no_name_leads_nowhere(graph: Graph, tenant: str) -> None:
    await graph.upsert(
        [
            names(tenant, "overview.md", "overview"),
            mentions(tenant, "a.md", "overview"),
            mentions(tenant, "a.md", "pod"),
        ]
    )
    seen = Said(nameless("component:overview")).over(graph)
    asked = ["component:overview", "document:overview.md", POD]
    assert await seen.known(asked, scope(tenant)) == {POD}
    assert await seen.named(asked, scope(tenant), limit_each=5) == []
    around = await seen.around([*asked, "document:a.md"], scope(tenant), relations=EVERY, limit_each=1)
    assert [(one.source.entity_id, one.target.entity_id) for one in around] == [("document:a.md", POD)]


async def test_two_of_one_kind_kept_apart_change_no_look_up(graph: Graph, tenant: str) -> None:
    await graph.upsert([mentions(tenant, "a.md", "rs"), mentions(tenant, "b.md", "replicaset")])
    seen = Said(apart(RS, REPLICASET)).over(graph)
    assert docs(await seen.around([RS], scope(tenant), relations=EVERY, limit_each=9)) == ["a.md"]


async def test_rules_are_read_once_per_change() -> None:
    said = Said(nameless(POD))
    graph = MemoryGraph()
    await graph.upsert([mentions("t", "a.md", "pod")])
    seen = said.over(graph)

    async def known(forgotten: int) -> bool:
        return bool(await seen.known([POD], scope("t", forgotten=forgotten)))

    assert not await known(1) and not await known(1) and not await known(0)
    assert said.reads == 1
    said.now += 10 * FRESH_S
    assert not await known(1) and said.reads == 1, "the question's mark says that nothing has changed"
    said.rules, said.mark = (), 2
    assert await known(2) and said.reads == 2, "the next question knows of the change"
    said.rules, said.mark = (nameless(POD),), 3
    assert await known(0) and said.reads == 2
    said.now += FRESH_S
    assert not await known(0) and said.reads == 3, "and whoever has no mark does in a second"


NAMES = [f"component:n{at}" for at in range(5)]
DOCS = [f"d{at}.md" for at in range(4)]
RULES = st.one_of(
    st.builds(same, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds(apart, st.sampled_from(NAMES), st.sampled_from(DOCS).map("document:{}".format)),
    st.builds(nameless, st.sampled_from(NAMES)),
)


def drawn(doc: str, name: str, relation: Relation, confidence: float, place: int) -> Edge:
    target = component(name.partition(":")[2])
    return edge("t", doc, document(doc), target, relation=relation, place=place, confidence=confidence)


EDGES = st.lists(
    st.builds(
        drawn,
        st.sampled_from(DOCS),
        st.sampled_from(NAMES),
        st.sampled_from([Relation.NAMES, Relation.MENTIONS]),
        st.sampled_from([0.5, 0.7, 0.9]),
        st.integers(0, 2),
    ),
    max_size=25,
)


def expected(edges: Sequence[Edge], rules: Sequence[GraphRule], asked: str) -> set[tuple[str, Relation, str]]:
    """What stands around one name, worked out the long way round: (document, relation, chunk)."""
    none = {rule.first for rule in rules if rule.kind is RuleKind.NOT_A_NAME}
    out = {(rule.first, rule.second) for rule in rules if rule.kind is RuleKind.APART}
    means = {asked}
    for _ in rules:
        for rule in rules:
            if rule.kind is RuleKind.SAME and means & {rule.first, rule.second}:
                means |= {rule.first, rule.second}
    if not any(one.target.entity_id == asked for one in edges):
        means = {asked}
    return (
        set()
        if asked in none
        else {
            (one.doc_id, one.relation, one.chunk_id)
            for one in edges
            if one.target.entity_id in means - none
            and not (one.relation is Relation.NAMES and (one.target.entity_id, f"document:{one.doc_id}") in out)
        }
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edges=EDGES, rules=st.lists(RULES, max_size=6), limit=st.integers(1, 6))
async def test_any_rules_show_what_they_say_and_undone_they_leave_nothing(
    edges: list[Edge], rules: list[GraphRule], limit: int
) -> None:
    graph = MemoryGraph()
    await graph.upsert(edges)
    said = Said(*rules)
    seen, here = (
        said.over(graph),
        Scope(tenant="t", kb=KB, acl_tags=frozenset({"everyone"}), level_max=scope("t").level_max, snapshot=1),
    )
    asked = [*NAMES, *(f"document:{doc}" for doc in DOCS)]
    for name in NAMES:
        found = await seen.around([name], here, relations=EVERY, limit_each=limit)
        every = await seen.around([name], here, relations=EVERY, limit_each=99)
        assert found == every[:limit]
        whole = expected(await graph.edges(here, limit=99), rules, name)
        assert {(one.doc_id, one.relation, one.chunk_id) for one in every} == whole
        assert {one.target.entity_id for one in every} <= {name}
        assert (name in await seen.known([name], here)) == bool(whole)
        named = await seen.named([name], here, limit_each=limit)
        assert named == [one for one in every if one.relation is Relation.NAMES][:limit]
    together = await seen.around(asked, here, relations=EVERY, limit_each=limit)
    assert len({one.edge_id for one in together}) == len(together)
    for one in await seen.named(NAMES, here, limit_each=limit):
        assert one in await seen.named([one.target.entity_id], here, limit_each=limit)

    order = list(rules)
    random.Random(len(edges)).shuffle(order)  # noqa: S311  (an order, not a secret)
    for rule in order:  # taken back one after the other, in any order
        said.rules = tuple(one for one in said.rules if one is not rule)
        said.mark += 1
        await seen.known(NAMES, scope("t", forgotten=said.mark))
    assert said.rules == ()
    assert await seen.around(asked, here, relations=EVERY, limit_each=limit) == await graph.around(
        asked, here, relations=EVERY, limit_each=limit
    )
    assert await seen.named(NAMES, here, limit_each=limit) == await graph.named(NAMES, here, limit_each=limit)
    assert await seen.known(asked, here) == await graph.known(asked, here)
