"""From what a question names to what that leads to, on a graph of a few documents."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from firstline.domain import EVERYONE, Edge, Entity, EntityKind, Level, RankedDocument, Relation, Scores
from firstline.engines.memory.graph import MemoryGraph
from firstline.entity_names import name_key
from firstline.ports import Scope
from firstline.questions.traverse import FIRST_HOP, NAMED, Walked, WalkLimits, traverse
from firstline.questions.walk.joined import joined
from firstline.questions.walk.names import NAMESAKES_MAX, names_in

SCOPE = Scope(tenant="acme", kb="docs", acl_tags=frozenset({EVERYONE}), level_max=Level.PUBLIC, snapshot=3)
TEXTS = {
    "export": "Night Export\nThe Night Export is run by the Relay Agent, which is part of Core.",
    "relay": "Relay Agent\nIt was built by the Edge Team in 2019.",
    "edge": "Edge Team\nThey sit in Ghent.",
    "core": "Core\nNothing to say.",
    "unrelated": "Billing\nInvoices are sent by mail.",
}


def document(doc_id: str) -> Entity:
    return Entity(kind=EntityKind.DOCUMENT, key=doc_id, name=TEXTS.get(doc_id, doc_id).partition("\n")[0])


def component(name: str, kind: EntityKind = EntityKind.COMPONENT) -> Entity:
    return Entity(kind=kind, key=name_key(name), name=name)


def edge(source: Entity, relation: Relation, target: Entity, doc_id: str, **changes: object) -> Edge:
    values: dict[str, object] = {
        "tenant": "acme",
        "kb": "docs",
        "source": source,
        "relation": relation,
        "target": target,
        "doc_id": doc_id,
        "chunk_id": f"{doc_id}-0",
        "start": 0,
        "end": 1,
        "extractor": "1",
        "confidence": 0.9,
        "acl": frozenset({EVERYONE}),
        "level": Level.PUBLIC,
        "since": 1,
    }
    return Edge(**{**values, **changes})  # pyright: ignore[reportArgumentType]  (a table of test values)


def named(doc_id: str, name: str = "", **changes: object) -> Edge:
    own = document(doc_id)
    return edge(own, Relation.NAMES, component(name or own.name), doc_id, **changes)


async def graph_of(*more: Edge) -> MemoryGraph:
    graph = MemoryGraph()
    await graph.upsert([*(named(doc_id) for doc_id in TEXTS), *more])
    return graph


async def passages(chunk_ids: Sequence[str], scope: Scope) -> Mapping[str, str]:
    return {one: TEXTS[one.removesuffix("-0")] for one in chunk_ids if one.removesuffix("-0") in TEXTS}


async def walk(
    question: str,
    graph: MemoryGraph,
    found: Sequence[RankedDocument] = (),
    *,
    limits: WalkLimits | None = None,
    exclude: Collection[str] = (),
    scope: Scope = SCOPE,
) -> Walked:
    return await traverse(
        question,
        found,
        scope,
        graph=graph,
        passages=passages,
        limits=limits or WalkLimits(budget_s=5),
        ordinary={"core", "team"},
        exclude=exclude,
    )


def ranked(doc_id: str, score: float) -> RankedDocument:
    scores = Scores(dense=score / 3, words=0.0, document=0.0, fused=score)
    return RankedDocument(doc_id=doc_id, score=score, hits=((f"{doc_id}-0", scores),))


async def test_one_page_leads_to_the_next_and_says_how() -> None:
    walked = await walk("Who built the Night Export's agent?", await graph_of())
    by_id = {one.doc_id: one for one in walked.reached}
    assert walked.begun and walked.whole
    assert next(iter(by_id)) == "export" and by_id["export"].weight == NAMED
    assert by_id["relay"].path == ("the question NAMES “Night Export”", "“Night Export” MENTIONS “Relay Agent”")
    assert 0 < by_id["edge"].weight < by_id["relay"].weight < by_id["export"].weight
    assert "unrelated" not in by_id


async def test_a_hop_limit_is_kept() -> None:
    walked = await walk("Night Export?", await graph_of(), limits=WalkLimits(hops=1, budget_s=5))
    assert {one.doc_id for one in walked.reached} >= {"export", "relay"}
    assert "edge" not in {one.doc_id for one in walked.reached}


async def test_without_a_known_name_nothing_has_begun() -> None:
    walked = await walk("What is the owner of the thing?", await graph_of(), [ranked("core", 2.0), ranked("edge", 1.0)])
    assert not walked.begun


async def test_what_the_scope_hides_leads_nowhere() -> None:
    graph = await graph_of(
        named("secret", "Vault Relay", level=Level.RESTRICTED), named("other", "Lost Relay", acl=frozenset[str]())
    )
    for name in ("Vault Relay", "Lost Relay"):
        assert not (await walk(f"What is {name}'s owner?", graph)).reached
    elsewhere = replace(SCOPE, tenant="rival")
    assert not (await walk("Night Export's owner?", graph, scope=elsewhere)).reached
    assert not (await walk("Night Export's owner?", graph, scope=replace(SCOPE, snapshot=0))).reached


async def test_what_is_left_out_is_as_if_it_did_not_exist() -> None:
    walked = await walk("Night Export's owner?", await graph_of(), exclude={"relay"})
    assert {"relay", "edge"}.isdisjoint(one.doc_id for one in walked.reached)


async def test_the_namesake_of_what_is_left_out_counts_fully() -> None:
    graph = await graph_of(named("gate-a", "Main Gate"), named("gate-b", "Main Gate"))
    found = [ranked("gate-a", 2.0), ranked("gate-b", 1.0)]
    walked = await walk("The Main Gate's owner?", graph, found, exclude={"gate-a"})
    assert {one.doc_id: one.weight for one in walked.reached}["gate-b"] == NAMED


async def test_a_name_that_everybody_goes_by_tells_nothing() -> None:
    graph = await graph_of(*(named(f"guide-{number}", "Guide Book") for number in range(NAMESAKES_MAX + 1)))
    assert not (await walk("The Guide Book's owner?", graph)).begun


async def test_namesakes_are_all_reached_and_the_one_found_counts_fully() -> None:
    graph = await graph_of(named("gate-a", "Main Gate"), named("gate-b", "Main Gate"))
    walked = await walk("The Main Gate's owner?", graph, [ranked("gate-b", 2.0), ranked("core", 1.0)])
    weights = {one.doc_id: one.weight for one in walked.reached}
    assert weights["gate-b"] == NAMED and 0 < weights["gate-a"] < NAMED


async def test_links_are_followed_and_a_circle_ends() -> None:
    here, there = (Entity(kind=EntityKind.ADDRESS, key=key, name=key) for key in ("docs/export", "docs/billing"))
    graph = await graph_of(
        edge(document("export"), Relation.NAMES, here, "export"),
        edge(document("unrelated"), Relation.NAMES, there, "unrelated"),
        edge(document("export"), Relation.REFERENCES, there, "export"),
        edge(document("unrelated"), Relation.REFERENCES, here, "unrelated"),
    )
    walked = await walk("Night Export's owner?", graph, limits=WalkLimits(hops=9, budget_s=5))
    reached = {one.doc_id: one for one in walked.reached}
    assert reached["unrelated"].path[-1] == "“Night Export” REFERENCES “Billing”"
    assert reached["unrelated"].weight <= NAMED * FIRST_HOP


async def test_a_code_leads_to_what_tells_its_cause_and_its_cure() -> None:
    code = component("LK-1205", EntityKind.ERROR)
    cause = Entity(kind=EntityKind.ROOT_CAUSE, key="relay-0", name="A full queue")
    cure = Entity(kind=EntityKind.RESOLUTION, key="core-0", name="Empty the queue")
    graph = await graph_of(
        edge(code, Relation.HAS_ROOT_CAUSE, cause, "relay"), edge(cure, Relation.RESOLVES, code, "core")
    )
    walked = await walk("What causes LK-1205 and how is it fixed?", graph)
    reached = {one.doc_id: one for one in walked.reached}
    assert reached["relay"].path == ("“LK-1205” HAS_ROOT_CAUSE “A full queue”",)
    assert reached["core"].path == ("“Empty the queue” RESOLVES “LK-1205”",)
    assert reached["core"].chunk_ids == ("core-0",)


async def test_what_hardly_anybody_mentions_joins_two_pages() -> None:
    graph = await graph_of(
        *(edge(document(one), Relation.MENTIONS, component("Relay Agent"), one) for one in ("core", "edge"))
    )
    assert {"core", "edge"} <= {one.doc_id for one in (await walk("Night Export's owner?", graph)).reached}


async def test_what_is_slow_is_left_and_what_was_reached_stays() -> None:
    class Slow(MemoryGraph):
        async def around(self, *args: object, **more: object) -> list[Edge]:
            await asyncio.sleep(5)
            return []

    graph = Slow()
    await graph.upsert([named(doc_id) for doc_id in TEXTS])
    walked = await walk("Night Export's owner?", graph, limits=WalkLimits(budget_s=0.2))
    assert not walked.whole
    assert {one.doc_id for one in walked.reached} >= {"export", "relay"}


async def test_a_longer_name_hides_the_shorter_one_inside() -> None:
    graph = await graph_of(named("a", "Relay"), named("b", "Relay Agent Kit"))
    (found,) = await names_in(["the Relay Agent Kit and a Relay"], SCOPE, graph=graph)
    assert [name.written for name in found] == ["Relay Agent Kit", "Relay"]


@pytest.mark.parametrize("limit", [1, 4, 10])
def test_joining_keeps_the_first_and_scores_in_their_places(limit: int) -> None:
    found = [ranked(doc_id, score) for doc_id, score in zip("abcdef", (6.0, 5.0, 4.0, 3.0, 2.0, 1.0), strict=True)]
    merged = joined(found, {"f": 1.0, "new": 0.5}, {"new": ("new-0",), "f": ("f-7",)}, limit=limit)
    assert [one.doc_id for one in merged] == ["a", "b", "c", "f", "new", "d", "e"][:limit]
    assert [one.score for one in merged] == [6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 1.0][:limit]
    if limit > 3:
        assert [chunk_id for chunk_id, _ in merged[3].hits] == ["f-0", "f-7"]


def test_without_paths_the_ranking_stands() -> None:
    found = (ranked("a", 3.0), ranked("b", 2.0))
    assert joined(found, {}, {}, limit=5) == found


async def test_a_code_that_everybody_tells_of_leads_to_nobody_who_was_not_found() -> None:
    code = component("LK-1205", EntityKind.ERROR)
    cures = [Entity(kind=EntityKind.RESOLUTION, key=f"{doc_id}-0", name="Empty the queue") for doc_id in TEXTS]
    graph = await graph_of(
        *(edge(cure, Relation.RESOLVES, code, doc_id) for cure, doc_id in zip(cures, TEXTS, strict=True))
    )
    found = [ranked("core", 2.0), ranked("edge", 1.0)]
    walked = await walk("What resolves LK-1205?", graph, found, limits=WalkLimits(hops=0, budget_s=5))
    told = {one.doc_id: one for one in walked.reached if one.path}
    assert set(told) == {"core", "edge"}
    assert told["core"].chunk_ids == ("core-0",)
    assert [one.doc_id for one in joined(found, {"edge": 0.0}, {}, limit=5)] == ["core", "edge"]


@pytest.mark.parametrize("written", ["core", "Core", "cores"])
async def test_one_ordinary_word_names_nothing(written: str) -> None:
    graph = await graph_of()
    (found,) = await names_in([f"Is the {written} part of it?"], SCOPE, graph=graph, ordinary={"core", "cores"})
    assert found == ()
    (found,) = await names_in([f"Is the {written} part of it?"], SCOPE, graph=graph)
    assert [name.edges[0].doc_id for name in found] == ["core"]


def test_no_more_than_a_few_come_for_their_paths() -> None:
    found = [ranked(doc_id, 9.0 - place) for place, doc_id in enumerate("abcdefgh")]
    led = {f"new-{number}": 1.0 - number / 10 for number in range(8)}
    merged = joined(found, led, {}, limit=8)
    assert [one.doc_id for one in merged] == ["a", "b", "c", "new-0", "new-1", "new-2", "new-3", "d"]
