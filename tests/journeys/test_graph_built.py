"""The graph made anew from what the ledger holds: as if it had been there from the beginning."""

from __future__ import annotations

import contextlib
import random
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.graph_incremental import KINDS, PAGES, VERSIONS, History, Step, random_steps
from hypothesis import given, settings
from hypothesis import strategies as st
from world import KB, TENANT, Items, World, page

from firstline.documents.build_graph import GraphBuild, GraphBuilt
from firstline.documents.sweep import prune
from firstline.domain import FOREVER, GRAPH, GRAPH_OFF, Edge, Level
from firstline.engines.memory.graph import MemoryGraph
from firstline.errors import Conflict, NotFound

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
LINK = "# Guide\n\nSee the [Night Export](export.md) page. It fails with `NX-1042: queue is full`.\n"
EXPORT = "# Night Export\n\nThe export runs at two. Set `--night-only` for that.\n"


def build_of(world: Any, graph: MemoryGraph | None = None, **knobs: Any) -> GraphBuild:
    return GraphBuild(
        ledger=world.knowledge,
        revisions=world.knowledge,
        blobs=world.blobs,
        graph=graph or world.graph,
        **{"part_s": 0.0, **knobs},
    )


def held(graph: MemoryGraph) -> dict[str, Edge]:
    return {edge.edge_id: edge for edge in graph._edges.values()}  # pyright: ignore[reportPrivateUsage]  (all of them)


async def three_snapshots() -> World:
    """One page goes on, one changes, one ends, one gets other readers, one is seen by nobody."""
    world = World()
    await world.ingest(
        page("guide.md", LINK),
        page("export.md", EXPORT),
        page("gone.md", "# Gone\n\nSee `gone.yaml`.\n"),
        page("inner.md", "# Inner\n\nThe `ValveKeeper` stops.\n"),
        page("nobody.md", "# Nobody\n\nThe `HarborGate` stops.\n", acl=frozenset()),
    )
    await world.ingest(
        page("export.md", EXPORT + "\nThe Harbor Gateway closes it.\n"),
        page("inner.md", "# Inner\n\nThe `ValveKeeper` stops.\n", acl=frozenset({"staff"}), level=Level.INTERNAL),
    )
    await world.documents.ingest(Items(), **WHERE, removed=["gone.md"], force=True)
    return world


async def test_from_nothing_it_is_what_ingest_gave_in_every_snapshot_that_is_held() -> None:
    world = await three_snapshots()
    fresh = MemoryGraph()
    built = await build_of(world, fresh).build(**WHERE)
    assert held(fresh) == held(world.graph)
    assert {edge.until for edge in held(fresh).values()} >= {2, 3, FOREVER}, "ended ones are there for going back"
    assert built.missing == built.edges == len(held(fresh)) and not (built.wrong or built.extra)
    assert (built.revisions, built.documents, built.rewritten) == (7, 5, 7)
    again = await build_of(world, fresh).build(**WHERE)
    assert not again.differs and again.rewritten == 0, "the second one writes nothing"
    assert held(fresh) == held(world.graph)


async def test_a_check_counts_and_writes_nothing() -> None:
    world = await three_snapshots()
    whole = held(world.graph)
    assert not (await build_of(world).build(**WHERE, check=True)).differs
    await world.graph.delete(**WHERE, doc_ids=["guide.md"], since=1)
    lost = len(whole) - len(held(world.graph))
    found = await build_of(world).build(**WHERE, check=True)
    assert (found.missing, found.wrong, found.extra, found.rewritten) == (lost, 0, 0, 1)
    assert len(held(world.graph)) == len(whole) - lost


async def test_what_other_rules_said_is_written_over_and_what_they_said_too_much_goes() -> None:
    world = await three_snapshots()
    whole = held(world.graph)
    guide = next(edge for edge in whole.values() if edge.doc_id == "guide.md")
    older = replace(guide, extractor="0", confidence=0.5)
    extra = replace(guide, target=replace(guide.target, key="nothing", name="Nothing"))
    await world.graph.upsert([older, extra])
    found = await build_of(world).build(**WHERE)
    assert (found.missing, found.wrong, found.extra) == (0, 1, 1)
    assert held(world.graph) == whole


async def test_edges_for_other_readers_and_of_unknown_snapshots_go() -> None:
    world = await three_snapshots()
    whole = held(world.graph)
    guide = next(edge for edge in whole.values() if edge.doc_id == "guide.md")
    nobody = next(edge for edge in whole.values() if edge.doc_id == "nobody.md")
    await world.graph.upsert(
        [
            replace(guide, acl=frozenset({"everyone", "others"}), level=Level.RESTRICTED),
            replace(guide, chunk_id="left-over", since=9),
            replace(nobody, chunk_id="left-over", since=9),
        ]
    )
    found = await build_of(world).build(**WHERE)
    assert found.extra >= 3 and held(world.graph) == whole
    assert not (await build_of(world).build(**WHERE, check=True)).differs


async def test_what_is_kept_out_of_the_graph_stays_out() -> None:
    world = World()
    await world.ingest(page("guide.md", LINK), page("out.md", EXPORT, metadata={GRAPH: GRAPH_OFF}))
    fresh = MemoryGraph()
    await build_of(world, fresh).build(**WHERE)
    assert {edge.doc_id for edge in held(fresh).values()} == {"guide.md"}
    assert held(fresh) == held(world.graph)


async def test_front_matter_and_metadata_are_read_from_the_ledger() -> None:
    world = World()
    said = "---\naliases: [Relay Book]\nproduct: Harbor\nsuperseded_by: new.md\n---\n# Gateway\n\nIt is old.\n"
    await world.ingest(page("old.md", said, metadata={"component": "Berth"}))
    fresh = MemoryGraph()
    await build_of(world, fresh).build(**WHERE)
    keys = {edge.target.key for edge in held(fresh).values()}
    assert {"relaybook", "harbor", "berth"} <= keys
    assert held(fresh) == held(world.graph)


async def test_a_text_that_is_gone_is_named_and_its_edges_are_left_alone() -> None:
    world = await three_snapshots()
    document = (await world.knowledge.current(**WHERE))["guide.md"]
    await world.blobs.delete(document.blob)
    whole = held(world.graph)
    found = await build_of(world).build(**WHERE)
    assert (found.unread, found.unread_ids) == (1, ["guide.md"])
    assert held(world.graph) == whole and not found.differs


async def test_forgotten_while_it_is_written_nothing_is_left_of_it() -> None:
    world = await three_snapshots()
    fresh = MemoryGraph()
    upsert = fresh.upsert

    async def slow(edges: Any) -> None:
        await world.knowledge.bury(["guide.md"], **WHERE, by="somebody")
        # The purge had looked here before: nothing was there.
        await upsert(edges)

    fresh.upsert = slow  # pyright: ignore[reportAttributeAccessIssue]  (somebody else comes between)
    await build_of(world, fresh).build(**WHERE)
    assert "guide.md" not in {edge.doc_id for edge in held(fresh).values()}


async def test_pruned_snapshots_get_no_edges() -> None:
    world = await three_snapshots()
    await prune(**WHERE, keep=1, snapshots=world.knowledge, index=world.index, blobs=world.blobs, graph=world.graph)
    fresh = MemoryGraph()
    await build_of(world, fresh).build(**WHERE)
    assert held(fresh) == held(world.graph)
    assert {edge.until for edge in held(fresh).values()} == {FOREVER}


async def test_killed_and_run_again_it_is_the_same() -> None:
    world = await three_snapshots()
    for at in range(1, 12):
        fresh, left = MemoryGraph(), at

        class Killed(BaseException):
            pass

        def dying(whole: Any) -> Any:
            async def write(*given: Any, **named: Any) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    raise Killed
                await whole(*given, **named)

            return write

        dead = MemoryGraph()
        dead._edges, dead._sources, dead._targets = fresh._edges, fresh._sources, fresh._targets  # pyright: ignore[reportPrivateUsage]
        dead.upsert, dead.delete = dying(dead.upsert), dying(dead.delete)
        with contextlib.suppress(Killed):
            await build_of(world, dead).build(**WHERE)
        await build_of(world, fresh).build(**WHERE)
        assert held(fresh) == held(world.graph), at


async def test_the_knowledge_base_is_held_in_parts_and_never_beside_a_run() -> None:
    world = await three_snapshots()
    free: list[bool] = []

    def progress(_: GraphBuilt) -> None:
        free.append((TENANT, KB) not in world.knowledge._held)  # pyright: ignore[reportPrivateUsage]

    await build_of(world, MemoryGraph()).build(**WHERE, on_progress=progress)
    assert free and not any(free)
    async with world.knowledge.ingest_lock(**WHERE):
        with pytest.raises(Conflict):
            await build_of(world).build(**WHERE)
    with pytest.raises(NotFound):
        await build_of(world).build(tenant=TENANT, kb="other")


STEPS = st.lists(
    st.builds(
        Step,
        kind=st.sampled_from(KINDS),
        pages=st.lists(st.integers(0, PAGES - 1), min_size=1, max_size=4, unique=True).map(tuple),
        version=st.integers(0, VERSIONS - 1),
        tag=st.integers(0, 1),
        writes=st.integers(1, 20),
    ),
    min_size=1,
    max_size=8,
)


async def equal_after(steps: list[Step]) -> None:
    history = History()
    for step in steps:
        await history.take(step)
    # What a run that died has left is cleared when the next one opens the candidate.
    await history.take(Step(kind="write", pages=(0,), version=1))
    if "docs" not in await history.knowledge.knowledge_bases(tenant="acme"):
        return
    fresh = MemoryGraph()
    await build_of(history, fresh).build(tenant="acme", kb="docs")
    shown = await history.knowledge.revisions(tenant="acme", kb="docs", limit=10_000)
    places = {(one.document.doc_id, one.document.since) for one in shown}
    whole = held(history.graph)  # pyright: ignore[reportArgumentType]  (it is one in memory)
    assert held(fresh) == {key: edge for key, edge in whole.items() if (edge.doc_id, edge.since) in places}


@given(STEPS)
@settings(max_examples=25, deadline=None)
async def test_after_any_history_it_is_what_ingest_gave(steps: list[Step]) -> None:
    await equal_after(steps)


@pytest.mark.parametrize("seed", range(4))
async def test_after_long_histories_too(seed: int) -> None:
    await equal_after(list(random_steps(random.Random(seed))))  # noqa: S311  (a seed, so that it is the same each time)
