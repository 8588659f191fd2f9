"""The graph follows the documents: published, gone back from, ended, forgotten, pruned, and after a crash."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.graph_incremental import KINDS, PAGES, TAGS, VERSIONS, Step, compare, random_steps
from hypothesis import given, settings
from hypothesis import strategies as st
from world import KB, TENANT, Items, World, asker, page

from firstline.documents.purge import Purger
from firstline.documents.redact import PatternRedactor
from firstline.documents.sweep import prune
from firstline.domain import Edge, Level, Relation
from firstline.engines.forgotten_graph import WithoutForgotten
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.errors import Unavailable
from firstline.ports import Scope

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
LINK = "# Guide\n\nSee the [Night Export](export.md) page. It fails with `NX-1042: queue is full`.\n"
EXPORT = "# Night Export\n\nThe export runs at two.\n"


def scope(number: int, *, tags: frozenset[str] = frozenset({"everyone"})) -> Scope:
    return replace(Scope.of(asker(level=Level.RESTRICTED), kb=KB, snapshot=number), acl_tags=tags)


async def edges(world: World, number: int, **seen: Any) -> list[Edge]:
    return await world.graph.edges(scope(number, **seen), limit=10_000)


def docs(found: list[Edge]) -> set[str]:
    return {edge.doc_id for edge in found}


def purger(world: World) -> Purger:
    return Purger(
        knowledge=world.knowledge,
        tombstones=world.knowledge,
        records=MemoryRecordLedger(world.conversations),
        snapshots=world.knowledge,
        index=world.index,
        blobs=world.blobs,
        redactor=PatternRedactor(),
        graph=world.graph,
    )


async def test_what_documents_say_is_there_with_their_snapshot_and_their_readers() -> None:
    world = World()
    await world.ingest(
        page("guide.md", LINK, acl=frozenset({"staff"}), level=Level.INTERNAL), page("export.md", EXPORT)
    )
    assert docs(await edges(world, 1)) == {"export.md"}
    found = await edges(world, 1, tags=frozenset({"staff"}))
    assert docs(found) == {"guide.md"}
    assert any(edge.relation is Relation.REFERENCES for edge in found)
    assert {(edge.acl, edge.level) for edge in found} == {(frozenset({"staff"}), Level.INTERNAL)}
    for edge in found:
        (chunk,) = await world.knowledge.chunks([edge.chunk_id], scope(1, tags=frozenset({"staff"})))
        assert chunk.doc_id == edge.doc_id


async def test_other_readers_of_the_same_text_see_its_edges_and_the_old_ones_do_not() -> None:
    world = World()
    await world.ingest(page("guide.md", LINK))
    before = await edges(world, 1)
    await world.ingest(page("guide.md", LINK, acl=frozenset({"staff"})))
    assert await edges(world, 2) == []
    after = await edges(world, 2, tags=frozenset({"staff"}))
    assert len(after) == len(before) > 0


async def test_a_run_that_only_removes_removes_edges_too() -> None:
    world = World()
    await world.ingest(page("guide.md", LINK), page("export.md", EXPORT))
    report = await world.documents.ingest(Items(), **WHERE, removed=["guide.md"], force=True)
    assert (report.removed, report.published) == (1, True)
    assert docs(await edges(world, 2)) == {"export.md"}
    assert docs(await edges(world, 1)) == {"guide.md", "export.md"}, "the earlier snapshot is as it was"


async def test_taking_the_same_again_gives_the_same_graph() -> None:
    world, again = World(), World()
    pages = [page("guide.md", LINK), page("export.md", EXPORT)]
    await world.ingest(*pages)
    await again.ingest(*pages)
    first = await edges(world, 1)
    assert first == await edges(again, 1), "edge by edge, with its ids"
    await world.ingest(*pages)
    assert first == await edges(world, 1)


async def test_a_graph_that_fails_leaves_nothing_acknowledged() -> None:
    world = World()
    await world.ingest(page("export.md", EXPORT))
    whole = world.graph.upsert

    async def down(edges: object) -> None:
        raise Unavailable("The graph is down.")

    world.graph.upsert = down  # pyright: ignore[reportAttributeAccessIssue]  (an engine that is down)
    with pytest.raises(Unavailable):
        await world.ingest(page("guide.md", LINK))
    assert (await world.knowledge.published(**WHERE)).number == 1
    world.graph.upsert = whole  # pyright: ignore[reportAttributeAccessIssue]  (and up again)
    await world.ingest(page("guide.md", LINK))
    assert docs(await edges(world, 2)) == {"export.md", "guide.md"}


async def test_forgotten_documents_are_out_of_the_graph_at_once_and_gone_after_the_purge() -> None:
    world = World()
    await world.ingest(page("guide.md", LINK), page("export.md", EXPORT))
    graph = WithoutForgotten(world.graph, world.knowledge)
    (named,) = {edge.source.entity_id for edge in await edges(world, 1) if edge.doc_id == "guide.md"} & {
        "document:guide.md"
    }
    assert await graph.known([named], scope(1)) == {named}
    stones = await purger(world).bury(["guide.md"], **WHERE, by="operator")
    assert "guide.md" in docs(await edges(world, 1)), "the engine itself knows nothing of tombstones"
    assert docs(await graph.edges(scope(1), limit=99)) == {"export.md"}
    every = tuple(Relation)
    assert await graph.around([named], scope(1), relations=every, limit_each=99) == []
    assert await graph.known([named, "document:export.md"], scope(1)) == {"document:export.md"}
    certificate = await purger(world).purge(stones, by="operator")
    (place,) = [one for one in certificate.places if one.name == "graph"]
    assert place.found > 0 and place.left == 0 and certificate.clean
    assert docs(await edges(world, 1)) == {"export.md"}


async def test_a_graph_that_does_not_forget_is_found_out() -> None:
    world = World()
    await world.ingest(page("guide.md", LINK))

    async def keep(**where: object) -> None:
        """Status 200, and everything is still there."""

    world.graph.purge = keep  # pyright: ignore[reportAttributeAccessIssue]  (a lying engine)
    certificate = await purger(world).forget(["guide.md"], **WHERE, by="operator")
    assert not certificate.clean
    assert {one.name for one in certificate.places if one.left} == {"graph"}


async def test_pruning_takes_edges_of_revisions_that_no_snapshot_holds() -> None:
    world = World()
    await world.ingest(page("guide.md", LINK))
    await world.ingest(page("guide.md", EXPORT))
    await prune(**WHERE, keep=1, snapshots=world.knowledge, index=world.index, blobs=world.blobs, graph=world.graph)
    assert await world.graph.count(**WHERE) == len(await edges(world, 2)) > 0


async def test_without_a_graph_documents_are_taken_all_the_same() -> None:
    world = World()
    world.graph = None  # pyright: ignore[reportAttributeAccessIssue]  (it is off)
    assert (await world.ingest(page("guide.md", LINK))).published
    certificate = await Purger(
        knowledge=world.knowledge,
        tombstones=world.knowledge,
        records=MemoryRecordLedger(world.conversations),
        snapshots=world.knowledge,
        index=world.index,
        blobs=world.blobs,
        redactor=PatternRedactor(),
    ).forget(["guide.md"], **WHERE, by="operator")
    assert certificate.clean


async def test_while_documents_wait_to_be_purged_the_best_few_are_still_as_many() -> None:
    world = World()
    hub = "See the [Night Export](export.md) page.\n"
    await world.ingest(*(page(f"p{number}.md", f"# Page {number}\n\n{hub}") for number in range(6)))
    (target, *_) = [edge.target.entity_id for edge in await edges(world, 1) if edge.relation is Relation.REFERENCES]
    graph = WithoutForgotten(MemoryGraph(), world.knowledge)
    await graph.upsert(await edges(world, 1))
    found = await graph.around([target], scope(1), relations=[Relation.REFERENCES], limit_each=2)
    assert len(found) == 2
    await world.knowledge.bury([edge.doc_id for edge in found], **WHERE, by="operator")
    rest = await graph.around([target], scope(1), relations=[Relation.REFERENCES], limit_each=2)
    assert len(rest) == 2 and docs(rest).isdisjoint(docs(found))


STEPS = st.builds(
    Step,
    kind=st.sampled_from(KINDS),
    pages=st.lists(st.integers(0, PAGES - 1), min_size=1, max_size=PAGES - 1, unique=True).map(tuple),
    version=st.integers(0, VERSIONS - 1),
    tag=st.integers(0, len(TAGS) - 1),
    writes=st.integers(1, 25),
)


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=10))
async def test_any_history_gives_the_graph_of_its_last_state(steps: list[Step]) -> None:
    found = await compare(steps)
    assert (found.differing, found.left_over) == (0, 0)


async def test_histories_that_the_figure_draws() -> None:
    draw = random.Random(7)  # noqa: S311  (histories, not secrets)
    found = [await compare(random_steps(draw)) for _ in range(3)]
    assert sum(one.edges for one in found) > 50, "they end with something in them"
    assert not any(one.differing or one.left_over for one in found)
