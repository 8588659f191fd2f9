"""Turns that walk the graph: what they come to when it is down, slow or lying, taken again, and asked once more."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from test_kept_answers import Desk, hit
from tests.cost import ends_within
from world import KB, TENANT, World, asker, page

from firstline.domain import Edge, Level, Route, Turn
from firstline.engines.memory.graph import MemoryGraph
from firstline.errors import Unavailable
from firstline.questions.replay import Replay, replay
from firstline.questions.traverse import WalkLimits

PAGES = (
    page("export", "# Night Export\n\nThe Night Export is run by the Relay Agent every night at two.\n"),
    page("relay", "# Relay Agent\n\nThe Relay Agent is a small service. It was built by the Edge Team in Ghent.\n"),
    page("billing", "# Billing\n\nInvoices are sent by mail at the end of the month.\n"),
    page("plan", "# Relay Agent plan\n\nThe Relay Agent will be sold.\n", level=Level.RESTRICTED, title="Project Blue"),
)
QUESTION = "Who maintains the Night Export's agent?"
WALK = WalkLimits(budget_s=0.2)
Fault = Callable[[], Awaitable[list[Edge]]]


class Faulty(MemoryGraph):
    """Look-ups fail from number `begins` on."""

    fault: Fault | None = None
    begins = 1
    looked = 0

    async def named(self, *args: Any, **more: Any) -> list[Edge]:
        return await self._or(super().named(*args, **more))

    async def around(self, *args: Any, **more: Any) -> list[Edge]:
        return await self._or(super().around(*args, **more))

    async def _or(self, true: Any) -> list[Edge]:
        self.looked += 1
        found = await true
        return found if self.fault is None or self.looked < self.begins else await self.fault()


async def hang() -> list[Edge]:
    await asyncio.sleep(30)
    return []


async def down() -> list[Edge]:
    raise Unavailable("The graph's database does not answer.")


async def surprised() -> list[Edge]:
    raise ZeroDivisionError


def lying(world: World, **changes: Any) -> Fault:
    async def lie() -> list[Edge]:
        held = world.graph._edges.values()  # pyright: ignore[reportPrivateUsage]  (whatever it holds)
        return [replace(edge, **changes) for edge in held]

    return lie


FAULTS: dict[str, Callable[[World], Fault]] = {
    "hang": lambda world: hang,
    "down": lambda world: down,
    "surprised": lambda world: surprised,
    "another tenant": lambda world: lying(world, tenant="rival"),
    "another level": lambda world: lying(world, level=Level.RESTRICTED),
    "no number": lambda world: lying(world, confidence=math.nan),
}


async def opened() -> World:
    world = World(graph=Faulty(), walked=True)
    await world.ingest(*PAGES)
    return world


async def ask(world: World, question: str = QUESTION, session: str = "s", **changes: Any) -> Turn:
    made = await world.session(session)
    return await world.questions(walk=WALK, **changes).ask(session=made, principal=asker(), question=question)


async def again(world: World, turn: Turn) -> Replay:
    session = await world.conversations.session(turn.session_id, tenant=TENANT, user="u")
    assert session is not None
    journey = world.questions(walk=WalkLimits(budget_s=5))
    return await replay(turn, session, asker(), journey=journey, conversations=world.conversations)


def faulty(world: World) -> Faulty:
    assert isinstance(world.graph, Faulty)
    return world.graph


async def pages_of(world: World, turn: Turn) -> list[str]:
    from firstline.ports import Scope

    scope = Scope.of(asker(level=Level.RESTRICTED), kb=KB, snapshot=turn.snapshot)
    chunks = await world.knowledge.chunks([chunk_id for chunk_id, _ in turn.evidence], scope)
    return list(dict.fromkeys(chunk.doc_id for chunk in chunks))


async def test_a_question_about_something_of_something_walks_the_graph() -> None:
    world = await opened()
    turn = await ask(world)
    assert turn.plan is not None and turn.plan.route is Route.GRAPH
    assert "traverse" in turn.timings_ms and not turn.degraded
    assert {"export", "relay"} <= set(await pages_of(world, turn))
    assert "plan" not in await pages_of(world, turn), "restricted pages go by names too"


@pytest.mark.parametrize("name", FAULTS)
async def test_the_turn_goes_on_without_it_and_says_so(name: str) -> None:
    world = await opened()
    graph = faulty(world)
    graph.fault = FAULTS[name](world)
    assert await ends_within(lambda: ask(world, session=str(uuid.uuid4())), 3)
    turn = await ask(world)
    assert turn.degraded == {"traverse": f"{'late' if name == 'hang' else 'broken'}: the graph was not walked"}
    graph.fault = None
    plain = World()
    await plain.ingest(*PAGES)
    without = await ask(plain)
    assert (await pages_of(world, turn), turn.outcome) == (await pages_of(plain, without), without.outcome)
    assert (await again(world, turn)).same, "and its replay goes without it too"


@pytest.mark.parametrize("begins", [2, 3, 4, 8])
async def test_a_walk_that_was_cut_short_is_replayed_as_far_as_it_went(begins: int) -> None:
    world = await opened()
    graph = faulty(world)
    graph.fault, graph.begins = hang, begins
    turn = await ask(world)
    assert turn.degraded["traverse"].startswith("late: the graph was walked in part, as far as step ")
    graph.fault = None
    found = await again(world, turn)
    assert found.again.degraded == turn.degraded
    assert found.same, found.differences


async def test_asked_again_it_is_the_same_answer_from_the_cache_and_a_degraded_one_is_not_kept() -> None:
    desk = Desk(world=await opened())
    graph = faulty(desk.world)
    graph.fault = down
    degraded = await desk.ask(QUESTION)
    assert "traverse" in degraded.degraded
    graph.fault = None
    first, second = await desk.ask(QUESTION), await desk.ask(QUESTION)
    assert not hit(first) and not first.degraded
    assert (second.outcome, second.evidence, second.gates) == (first.outcome, first.evidence, first.gates)


async def test_why_a_page_was_found_or_not_is_told_of_the_ranking_that_was_read() -> None:
    world = await opened()
    turn = await ask(world)
    read = await pages_of(world, turn)
    journey = world.questions(walk=WALK)
    for doc_id in read:
        found = await journey.why_not(turn, doc_id, asker(), kb=KB)
        assert found.lost_at in ("", "gate"), found.verdict
        assert found.preferred_place is not None


FILLER = tuple(
    page(f"agent-{number}", f"# Agent {number}\n\nWho maintains agent {number}? The night export team {number} does.\n")
    for number in range(12)
)


async def test_a_page_that_only_the_graph_finds_is_read_and_told_of() -> None:
    world = World(walked=True)
    box = page("box", "# Blue Box\n\nA small service from Ghent.\n")
    weak = [page(f"weak-{number}", f"# Shelf {number}\n\nAn agent sleeps on shelf {number}.\n") for number in range(9)]
    export = page("export", "# Night Export\n\nThe Night Export is run by the Blue Box.\n")
    await world.ingest(export, box, *FILLER[:3], *weak)
    turn = await ask(world, documents_ranked=6)
    assert "box" in await pages_of(world, turn)
    found = await world.questions(walk=WALK, documents_ranked=6).why_not(turn, "box", asker(), kb=KB)
    assert found.lost_at in ("", "gate"), found.verdict
    assert found.preferred_place is not None
    world.walked = False
    without = await ask(world, session="t", documents_ranked=6)
    lost = await world.questions(walk=WALK, documents_ranked=6).why_not(without, "box", asker(), kb=KB)
    assert lost.lost_at == "documents_ranked"


async def test_who_gave_the_place_is_told_of_a_page_that_the_graph_pushed_out() -> None:
    world = World(walked=True)
    box = page("box", "# Blue Box\n\nA small service from Ghent.\n")
    await world.ingest(page("export", "# Night Export\n\nThe Night Export is run by the Blue Box.\n"), box, *FILLER)
    world.walked = False
    before = await world.questions().rank(principal=asker(), kb=KB, question=QUESTION, limit=6)
    world.walked = True
    after = await world.questions(walk=WALK).rank(principal=asker(), kb=KB, question=QUESTION, limit=6)
    assert [one.doc_id for one in before[:3]] == [one.doc_id for one in after[:3]], "the first stay"
    out = min({one.doc_id for one in before} - {one.doc_id for one in after})
    turn = await ask(world, documents_ranked=6)
    found = await world.questions(walk=WALK, documents_ranked=6).why_not(turn, out, asker(), kb=KB)
    assert found.lost_at == "traverse" and "graph" in found.verdict


async def test_what_completes_a_page_is_shown_although_the_graph_led_to_the_page() -> None:
    """Why a piece completes another one stands first among the reasons for it."""
    steps = "".join(f"{number}. Turn the key number {number} of the relay cabinet.\n" for number in range(1, 60))
    guide = page("guide", f"# Relay Cabinet\n\n{steps}")
    world = World(walked=True)
    await world.ingest(guide, *PAGES)
    journey = world.questions(walk=WALK)
    from firstline.ports import Scope
    from firstline.questions.page.apt import apt

    scope = Scope.of(asker(), kb=KB, snapshot=1)
    search = journey._search  # pyright: ignore[reportPrivateUsage]  (what the composer is given)
    ranked = await journey.rank(principal=asker(), kb=KB, question="Turn the key of the relay cabinet")
    plain = await search.read(ranked[:1], scope, question="How do I turn the key?")
    led = await search.read(ranked[:1], scope, question="How do I turn the key?", paths={"guide": ("a NAMES b",)})
    assert len(plain) > 1 and any(piece.path for piece in plain)
    assert all(piece.path[-1] == "a NAMES b" for piece in led)
    chosen = [[piece.chunk.chunk_id for piece in apt("How do I turn the key?", pieces)] for pieces in (plain, led)]
    assert chosen[0] == chosen[1] and len(chosen[0]) > 1
