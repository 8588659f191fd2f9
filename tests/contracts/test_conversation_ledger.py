"""What every ConversationLedger promises."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from ledger_samples import Ledgers, escalated, handoff, session, turn

from firstline.domain import HANDOFF_MOVES, Handoff, HandoffState
from firstline.errors import Conflict, NotFound
from firstline.ports import ConversationLedger


async def test_a_session_is_its_users_own(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    assert await ledger.session(own.session_id, tenant=tenant, user=own.user) == own
    assert await ledger.session(own.session_id, tenant=tenant, user="another") is None
    assert await ledger.session(own.session_id, tenant="another", user=own.user) is None
    assert await ledger.session("unknown", tenant=tenant, user=own.user) is None
    assert await ledger.session("\x00\ud800", tenant=tenant, user=own.user) is None


async def test_a_session_id_is_taken_once(ledgers: Ledgers, tenant: str) -> None:
    first = session(tenant)
    await ledgers.conversations.create_session(first)
    with pytest.raises(Conflict):
        await ledgers.conversations.create_session(session("another", session_id=first.session_id))
    assert await ledgers.conversations.session(first.session_id, tenant=tenant, user=first.user) == first


async def test_turns_come_newest_last(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    written = [turn(own.session_id, number) for number in range(1, 13)]
    for one in [*written[6:], *written[:6]]:
        await ledger.append_turn(one, None)
    assert await ledger.turns(own.session_id, limit=100) == written
    assert await ledger.turns(own.session_id, limit=3) == written[-3:]
    assert await ledger.turns(own.session_id, limit=0) == []
    assert await ledger.turns("unknown", limit=3) == []


async def test_a_turn_number_is_taken_once_and_nothing_of_the_loser_stays(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    handed = [handoff(own.session_id) for _ in range(5)]
    results = await asyncio.gather(
        *(ledger.append_turn(escalated(one, 1), one) for one in handed), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 4 + ["NoneType"]
    (kept,) = await ledger.turns(own.session_id, limit=9)
    assert await ledger.handoffs(tenant=tenant, limit=9) == [getattr(kept.outcome, "handoff", None)]


async def test_a_handoff_id_that_is_taken_undoes_the_turn(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    handed = handoff(own.session_id)
    await ledger.append_turn(escalated(handed, 1), handed)
    with pytest.raises(Conflict):
        await ledger.append_turn(escalated(handed, 2), handed)
    assert [one.number for one in await ledger.turns(own.session_id, limit=9)] == [1]


async def test_a_turn_needs_its_session(ledgers: Ledgers) -> None:
    with pytest.raises(NotFound):
        await ledgers.conversations.append_turn(turn("unknown", 1), None)


async def test_a_question_with_control_characters_is_kept(ledgers: Ledgers, tenant: str) -> None:
    own = session(tenant)
    await ledgers.conversations.create_session(own)
    question = "a\x00b\x01\x1f\u202e\ud83d \U0001f600 c"
    await ledgers.conversations.append_turn(turn(own.session_id, 1, question=question), None)
    (kept,) = await ledgers.conversations.turns(own.session_id, limit=1)
    # An engine that cannot hold NUL and half surrogates shows the replacement character instead.
    assert kept.question in (question, "a\ufffdb\x01\x1f\u202e\ufffd \U0001f600 c")


async def test_the_open_handoff_is_the_newest_that_is_not_closed(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own, other = session(tenant), session(tenant)
    await ledger.create_session(own)
    await ledger.create_session(other)
    assert await ledger.open_handoff(own.session_id) is None
    handed = [handoff(own.session_id, turn=number, minutes=number) for number in (1, 2, 3)]
    for number, one in enumerate(handed, start=1):
        await ledger.append_turn(escalated(one, number), one)
    assert await ledger.open_handoff(own.session_id) == handed[2]
    assert await ledger.open_handoff(other.session_id) is None
    await move(ledger, handed[2], tenant, HandoffState.RESOLVED)
    assert await ledger.open_handoff(own.session_id) == handed[1]
    await move(ledger, handed[1], tenant, HandoffState.RETURNED)
    await move(ledger, handed[0], tenant, HandoffState.IN_PROGRESS)
    still = await ledger.open_handoff(own.session_id)
    assert still is not None
    assert (still.handoff_id, still.state) == (handed[0].handoff_id, HandoffState.IN_PROGRESS)


async def test_the_open_handoff_is_the_one_that_a_person_owns(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    older, newer = [handoff(own.session_id, turn=number, minutes=number) for number in (1, 2)]
    await ledger.append_turn(escalated(older, 1), older)
    await ledger.append_turn(escalated(newer, 2), newer)
    await move(ledger, older, tenant, HandoffState.ACKNOWLEDGED)
    assert await ledger.open_handoff(own.session_id) == replace(older, state=HandoffState.ACKNOWLEDGED)
    await move(ledger, newer, tenant, HandoffState.ACKNOWLEDGED)
    assert await ledger.open_handoff(own.session_id) == replace(newer, state=HandoffState.ACKNOWLEDGED)


async def test_a_handoff_is_looked_up_inside_its_tenant(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    handed = await handed_over(ledgers, tenant)
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == handed
    for where, which in (("another", handed.handoff_id), (tenant, "unknown"), (tenant, "\x00")):
        assert await ledger.handoff(which, tenant=where) is None
        with pytest.raises(NotFound):
            await ledger.set_handoff_state(which, tenant=where, state=HandoffState.ACKNOWLEDGED)
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == handed
    moved = await ledger.set_handoff_state(handed.handoff_id, tenant=tenant, state=HandoffState.ACKNOWLEDGED)
    assert moved == replace(handed, state=HandoffState.ACKNOWLEDGED)
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == moved
    assert await ledger.handoffs(tenant=tenant, limit=1) == [moved]
    (recorded,) = await ledger.turns(handed.session_id, limit=1)
    assert recorded == escalated(handed, 1), "the record says how it was"


@pytest.mark.parametrize("wanted", HandoffState)
@pytest.mark.parametrize("current", HandoffState)
async def test_a_handoff_moves_only_where_it_may(
    ledgers: Ledgers, tenant: str, current: HandoffState, wanted: HandoffState
) -> None:
    ledger = ledgers.conversations
    handed = await handed_over(ledgers, tenant)
    await move(ledger, handed, tenant, current)
    if wanted in HANDOFF_MOVES[current]:
        moved = await ledger.set_handoff_state(handed.handoff_id, tenant=tenant, state=wanted)
        assert moved.state is wanted
        return
    with pytest.raises(Conflict, match=f"is {current.value} cannot become {wanted.value}") as refused:
        await ledger.set_handoff_state(handed.handoff_id, tenant=tenant, state=wanted)
    assert all(state.value in refused.value.remedy for state in HANDOFF_MOVES[current])
    assert refused.value.remedy
    still = await ledger.handoff(handed.handoff_id, tenant=tenant)
    assert still is not None and still.state is current


async def test_of_many_that_acknowledge_one_does(ledgers: Ledgers, tenant: str) -> None:
    handed = await handed_over(ledgers, tenant)
    results = await asyncio.gather(
        *(
            ledgers.conversations.set_handoff_state(handed.handoff_id, tenant=tenant, state=HandoffState.ACKNOWLEDGED)
            for _ in range(8)
        ),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 7 + ["Handoff"]


async def test_handoffs_come_newest_first(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own, foreign = session(tenant), session(f"{tenant}-2")
    handed = [handoff(own.session_id, minutes=minutes) for minutes in (5, 9, 1, 9)]
    theirs = handoff(foreign.session_id)
    await ledger.create_session(own)
    await ledger.create_session(foreign)
    for number, one in enumerate(handed, start=1):
        await ledger.append_turn(escalated(one, number), one)
    await ledger.append_turn(escalated(theirs, 1), theirs)
    newest = [handed[3], handed[1], handed[0], handed[2]]
    assert await ledger.handoffs(tenant=tenant, limit=9) == newest
    assert await ledger.handoffs(tenant=tenant, limit=2) == newest[:2]
    assert await ledger.handoffs(tenant=f"{tenant}-2", limit=9) == [theirs]


async def handed_over(ledgers: Ledgers, tenant: str) -> Handoff:
    """A session's first turn, handed over."""
    own = session(tenant)
    await ledgers.conversations.create_session(own)
    handed = handoff(own.session_id)
    await ledgers.conversations.append_turn(escalated(handed, 1), handed)
    return handed


async def move(ledger: ConversationLedger, handed: Handoff, tenant: str, state: HandoffState) -> None:
    """Along the way from open to `state`."""
    way = [HandoffState.ACKNOWLEDGED, HandoffState.IN_PROGRESS, state]
    for step in [] if state is HandoffState.OPEN else way[: way.index(state) + 1]:
        await ledger.set_handoff_state(handed.handoff_id, tenant=tenant, state=step)
