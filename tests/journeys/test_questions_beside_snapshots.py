"""Snapshots are published, taken back, undone and pruned while questions run: each keeps what it began with."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from tests.journeys.test_snapshots_and_forgetting import WHERE
from tests.journeys.world import TENANT, Items, ToyEmbedder, World, asker, page

from firstline.documents.journey import DocumentJourney, Publish
from firstline.documents.sweep import prune
from firstline.domain import Answered, Turn
from firstline.ports import Hit, IndexQuery, Vectors

QUESTION = "How do I frobnicate the widget?"
IN_FLIGHT_S = 0.4
"""Longer than a question takes here."""


def frob(version: int) -> Any:
    return page("frob", f"# Frobnicate\n\nTo frobnicate the widget, run the frob command number {version}.")


def documents(world: World, in_flight_s: float) -> DocumentJourney:
    made = world.documents
    made._questions_end = partial(asyncio.sleep, in_flight_s)
    return made


def told(turn: Turn) -> str:
    assert isinstance(turn.outcome, Answered), f"snapshot {turn.snapshot}: {turn.outcome}"
    return " ".join(claim.text for claim in turn.outcome.claims)


async def in_the_middle(world: World, monkeypatch: pytest.MonkeyPatch, meanwhile: Any) -> Turn:
    """Ask; once the chunks are found, do this, and go on while it is under way."""
    search, tasks = world.index.search, list[asyncio.Task[Any]]()

    async def searched(query: IndexQuery) -> list[Hit]:
        found = await search(query)
        if not tasks:
            tasks.append(asyncio.create_task(meanwhile()))
            await asyncio.sleep(0.1)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(world.index, "search", searched)
        turn = await world.questions().ask(session=await world.session(), principal=asker(), question=QUESTION)
    await tasks[0]
    return turn


async def test_a_question_keeps_its_snapshot_while_that_is_undone(monkeypatch: pytest.MonkeyPatch):
    world = World()
    journey = documents(world, IN_FLIGHT_S)
    await journey.ingest(Items(frob(1)), **WHERE)
    await journey.ingest(Items(frob(2)), **WHERE)

    async def goes_back_and_on() -> None:
        await world.knowledge.point_back(1, **WHERE)
        await journey.ingest(Items(page("other", "Other.")), **WHERE)

    turn = await in_the_middle(world, monkeypatch, goes_back_and_on)
    assert turn.snapshot == 2 and "number 2" in told(turn)
    later = await world.questions().ask(session=await world.session("t"), principal=asker(), question=QUESTION)
    assert later.snapshot == 3 and "number 1" in told(later)


async def test_a_question_keeps_its_snapshot_while_that_is_pruned(monkeypatch: pytest.MonkeyPatch):
    world = World()
    journey = documents(world, IN_FLIGHT_S)
    await journey.ingest(Items(frob(1)), **WHERE)

    async def goes_on_and_prunes() -> None:
        await journey.ingest(Items(frob(2)), **WHERE)
        where = {"snapshots": world.knowledge, "index": world.index, "blobs": world.blobs}
        await prune(**WHERE, keep=1, **where, questions_end=partial(asyncio.sleep, IN_FLIGHT_S))

    turn = await in_the_middle(world, monkeypatch, goes_on_and_prunes)
    assert turn.snapshot == 1 and "number 1" in told(turn)
    assert await world.index.count(**WHERE) == 1


class Slow(ToyEmbedder):
    """A question is under way for a while, an ingest is not."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(0.005)
        return await super().embed(texts)


async def test_no_question_fails_while_snapshots_come_and_go():
    world = World(embedder=Slow())
    journey = documents(world, 0.15)
    await journey.ingest(Items(frob(0), page("other", "Other.")), **WHERE)
    turns: list[Turn] = []

    async def asks(who: int) -> None:
        questions = world.questions()
        for number in range(10_000):
            session = await world.session(f"s-{who}-{number}")
            turns.append(await questions.ask(session=session, principal=asker(), question=QUESTION))
            await asyncio.sleep(0)

    asking = [asyncio.create_task(asks(who)) for who in range(3)]
    expected = {1: 0}
    for version in range(1, 9):
        base = expected[(await world.knowledge.published(**WHERE)).number]
        report = await journey.ingest(Items(frob(version)), **WHERE, publish=Publish.NEVER)
        expected[report.snapshot] = version
        await world.knowledge.point_on(report.snapshot, **WHERE)
        await asyncio.sleep(0.03)
        if version % 2:
            await world.knowledge.point_back(None, **WHERE)
            await asyncio.sleep(0.01)
            undone = await journey.ingest(Items(page("other", f"Other {version}.")), **WHERE)
            expected[undone.snapshot] = base
        if version % 3 == 0:
            where = {"snapshots": world.knowledge, "index": world.index, "blobs": world.blobs}
            await prune(**WHERE, keep=1, **where, questions_end=partial(asyncio.sleep, 0.15))
    for one in asking:
        one.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await one
    assert len(turns) > 50 and len({turn.snapshot for turn in turns}) > 5
    for turn in turns:
        assert turn.session_id and f"number {expected[turn.snapshot]}." in told(turn), TENANT
