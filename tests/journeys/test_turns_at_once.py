"""Many people at once: a few turns at a time, and nobody waits past the deadline for nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.journeys.world import World, asker, page

from firstline.domain import Answered, Escalated, HandoffAct, HighStakes, Reason, Silent


async def ready() -> World:
    world = World()
    await world.ingest(page("logs", "# Rotate logs\n\nRun `larkctl rotate` to rotate the logs."))
    return world


async def test_turns_wait_for_a_place_and_say_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await ready()
    search = world.index.search
    under_way = most = 0

    async def watched(query: Any) -> Any:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return await search(query)

    monkeypatch.setattr(world.index, "search", watched)
    questions = world.questions(turns_at_once=2)
    sessions = [await world.session(f"s{number}") for number in range(6)]
    turns = await asyncio.gather(
        *(questions.ask(session=session, principal=asker(), question="rotate logs") for session in sessions)
    )
    assert most == 2
    assert all(isinstance(turn.outcome, Answered) for turn in turns)
    assert turns[0].timings_ms["wait"] < 5
    assert turns[-1].timings_ms["wait"] > 10


async def test_who_finds_no_place_before_the_deadline_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await ready()

    async def stuck(query: object) -> None:
        await asyncio.sleep(10)

    monkeypatch.setattr(world.index, "search", stuck)
    questions = world.questions(turns_at_once=1, turn_deadline_s=0.1)
    sessions = [await world.session(name) for name in ("first", "second")]
    began = asyncio.get_running_loop().time()
    turns = await asyncio.gather(
        *(questions.ask(session=session, principal=asker(), question="rotate logs") for session in sessions)
    )
    assert asyncio.get_running_loop().time() - began < 1
    for turn in turns:
        assert isinstance(turn.outcome, Escalated)
        assert turn.outcome.handoff.reason is Reason.PROVIDER_FAILURE
    assert await world.conversations.turns("second", limit=1)


async def test_under_load_the_bot_stays_silent_where_a_person_owns_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await ready()
    questions = world.questions(turns_at_once=1, turn_deadline_s=0.05)
    owned, other = await world.session("owned"), await world.session("other")
    turn = await questions.ask(session=owned, principal=asker(), question="I want to talk to a human please")
    assert isinstance(turn.outcome, Escalated)
    handoff_id = turn.outcome.handoff.handoff_id
    await world.desk.act(handoff_id, HandoffAct.TAKE, tenant=owned.tenant, by="a person")

    async def stuck(query: Any) -> Any:
        await asyncio.sleep(30)

    monkeypatch.setattr(world.index, "search", stuck)
    busy = asyncio.create_task(questions.ask(session=other, principal=asker(), question="rotate logs"))
    await asyncio.sleep(0.01)
    silent = await questions.ask(session=owned, principal=asker(), question="are you there?")
    await busy

    assert isinstance(silent.outcome, Silent)
    assert len(await world.conversations.handoffs(tenant=owned.tenant, limit=10)) == 2, (
        "of the person and of the busy turn"
    )


async def test_under_load_high_stakes_are_still_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await ready()
    questions = world.questions(turns_at_once=1, turn_deadline_s=0.05)

    async def stuck(query: Any) -> Any:
        await asyncio.sleep(30)

    monkeypatch.setattr(world.index, "search", stuck)
    busy = asyncio.create_task(
        questions.ask(session=await world.session("other"), principal=asker(), question="rotate logs")
    )
    await asyncio.sleep(0.01)
    turn = await questions.ask(
        session=await world.session(), principal=asker(), question="I want to cancel my subscription"
    )
    await busy

    assert isinstance(turn.outcome, HighStakes)
