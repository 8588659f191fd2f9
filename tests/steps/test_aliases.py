"""Which names are nearly the same, and what is told of a graph to whoever looks after it?"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from firstline.domain import Edge, Entity, EntityKind, GraphRule, Level, Relation, RuleKind
from firstline.engines.memory.graph import MemoryGraph
from firstline.entity_names import name_key
from firstline.ports import Scope
from firstline.questions.aliases.alike import Likeness, Name, pairs, split
from firstline.questions.aliases.noticed import HUB_DOCUMENTS_MIN, Looked, Sort, looked

HERE = Scope(tenant="t", kb="k", acl_tags=frozenset({"everyone"}), level_max=Level.CUSTOMER, snapshot=1)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def found(*names: str, docs: frozenset[int] = frozenset({1})) -> list[tuple[str, str, Likeness]]:
    told = [Name(entity_id=f"component:{name}", written=name, docs=docs) for name in names]
    return [(one.first.written, one.second.written, one.why) for one in pairs(told)]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("Relays Agent", "Relay Agent"), Likeness.SPELLING),
        (("night-exports job", "NightExport Job"), Likeness.SPELLING),
        (("Café Router", "Cafe Router"), Likeness.SPELLING),
        (("VMIs", "VMI"), Likeness.SPELLING),
        (("PVC", "Persistent Volume Claim"), Likeness.ACRONYM),
        (("RS", "ReplicaSet"), Likeness.ACRONYM),
        (("MTUs", "Maximum Transmission Unit"), Likeness.ACRONYM),
        (("BOM", "Bill of Materials"), None),
        (("BM", "Bill of Materials"), Likeness.ACRONYM),
        (("Alertmanager", "Alertmanger"), Likeness.LETTER),
        (("flowlogs pipeline", "flowslogs pipeline"), Likeness.LETTER),
        (("Kubernettes Operator", "Kubernetes Operator"), Likeness.LETTER),
        (("log4j adapter", "log4k adapter"), None),
        (("Worker Node 1", "Worker Node 2"), None),
        (("Version 1.24 Gateway", "Version 1.25 Gateway"), None),
        (("Set Timeout", "Get Timeout"), None),
        (("Relay", "Delay"), None),
        (("Import Gateway", "Export Gateway"), None),
        (("TLS", "Transport Layer"), None),
        (("数据库网关", "数据库网管"), None),
    ],
)
def test_pairs(names: tuple[str, str], why: Likeness | None) -> None:
    for order in (names, names[::-1]):
        assert [one for _, _, one in found(*order)] == ([] if why is None else [why])


def test_two_letters_need_a_document_that_tells_of_both() -> None:
    told = [
        Name(entity_id="component:rs", written="RS", docs={1}),
        Name(entity_id="component:replicaset", written="ReplicaSet", docs={2}),
    ]
    assert pairs(told) == []


def test_an_acronym_of_many_names_tells_nothing() -> None:
    forms = [f"Persistent {word} Claim" for word in ("Volume", "Vector", "Value", "Visit")]
    assert found("PVC", *forms[:3]) != []
    assert [one for one in found("PVC", *forms) if one[2] is Likeness.ACRONYM] == []


def test_odd_names_are_names() -> None:
    odd = ["", " ", "null", "It", "x" * 4_096, "’", "%s", "a" * 70, "🗝", "\ud800"]
    assert found(*odd) == []
    assert split("") == ()


def test_many_names_take_no_square_of_time() -> None:
    names = [f"Cluster {chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)}port" for at in range(4_000)]
    assert isinstance(found(*names), list)


# --- a graph --------------------------------------------------------------------------------------------------------


def told(doc_id: str, name: str, relation: Relation = Relation.MENTIONS, **changes: Any) -> Edge:
    made = Edge(
        tenant="t",
        kb="k",
        source=Entity(kind=EntityKind.DOCUMENT, key=doc_id, name=doc_id),
        relation=relation,
        target=Entity(kind=EntityKind.COMPONENT, key=changes.pop("key", name_key(name)), name=name),
        doc_id=doc_id,
        chunk_id=f"{doc_id}#1",
        start=0,
        end=1,
        extractor="1",
        confidence=0.9,
        acl=frozenset({"everyone"}),
        level=Level.PUBLIC,
        since=1,
    )
    return replace(made, **changes)


EDGES = (
    told("edge.md", "Gateway", Relation.NAMES),
    told("mail.md", "Gateway", Relation.NAMES),
    told("a.md", "Persistent Volume Claim"),
    told("b.md", "PVC"),
    told("secret.md", "Persistent Voodoo Claim", level=Level.RESTRICTED),
    told("overview.md", "Message", Relation.NAMES),
    told("alpha.md", "Broker Units", key="alpha/brokerunit"),
    told("beta.md", "Brokers Unit", key="beta/brokersunit"),
    *(told(f"{at}.md", "Relay Agent") for at in range(HUB_DOCUMENTS_MIN)),
)


async def look(*rules: GraphRule, **changes: Any) -> Looked:
    graph = MemoryGraph()
    await graph.upsert(EDGES)
    return await looked(graph, HERE, rules=rules, ordinary={"message"}, **changes)


def rule(kind: RuleKind, first: str, second: str = "") -> GraphRule:
    return GraphRule(tenant="t", kb="k", kind=kind, first=first, second=second, by="ann", at=NOON)


def ends(seen: Looked, sort: Sort) -> list[str]:
    return [one.first.entity_id for one in seen.noticed if one.sort is sort]


async def test_what_is_noticed() -> None:
    seen = await look()
    assert (seen.edges, seen.cut) == (len(EDGES) - 1, False)
    assert ends(seen, Sort.SHARED) == ["component:gateway"]
    (alike,) = [one for one in seen.noticed if one.sort is Sort.ALIKE]
    assert alike.second is not None
    assert {alike.first.name, alike.second.name} == {"PVC", "Persistent Volume Claim"}, "and nothing of a secret"
    assert ends(seen, Sort.PLAIN) == ["component:message"]
    assert ends(seen, Sort.HUB) == ["component:relayagent"]
    assert [one.sort for one in seen.noticed] == list(Sort), "the sorts take turns"
    assert ends(await look(sorts=[Sort.HUB]), Sort.SHARED) == []


async def test_what_was_said_is_not_told_again() -> None:
    assert ends(await look(rule(RuleKind.SAME, "component:pvc", "component:persistentvolumeclaim")), Sort.ALIKE) == []
    assert ends(await look(rule(RuleKind.APART, "component:persistentvolumeclaim", "component:pvc")), Sort.ALIKE) == []
    assert ends(await look(rule(RuleKind.NOT_A_NAME, "component:message")), Sort.PLAIN) == []
    assert ends(await look(rule(RuleKind.NOT_A_NAME, "component:relayagent")), Sort.HUB) == []
    for other in (
        rule(RuleKind.APART, "component:gateway", "document:mail.md"),
        rule(RuleKind.APART, "document:mail.md", "document:edge.md"),
        rule(RuleKind.NOT_A_NAME, "component:gateway"),
    ):
        assert ends(await look(other), Sort.SHARED) == []


@pytest.mark.parametrize(("edges_max", "cut"), [(1, True), (len(EDGES) - 2, True), (len(EDGES) - 1, False)])
async def test_it_reads_so_many_and_says_so(edges_max: int, cut: bool) -> None:
    seen = await look(edges_max=edges_max)
    assert (seen.edges, seen.cut) == (edges_max, cut)


async def test_an_empty_graph_has_nothing_to_tell() -> None:
    seen = await looked(MemoryGraph(), HERE, rules=(), ordinary=())
    assert (seen.noticed, seen.edges, seen.cut) == ((), 0, False)
