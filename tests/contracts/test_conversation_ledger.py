"""What every ConversationLedger promises."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from ledger_samples import NOON, Ledgers, escalated, handoff, session, turn

from firstline.domain import Handoff, HandoffAct, HandoffState
from firstline.errors import Conflict, NotFound
from firstline.ports import HandoffLedger


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


async def test_a_handoff_id_of_another_session_undoes_the_turn(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    handed = await handed_over(ledgers, tenant)
    other = session(tenant)
    await ledger.create_session(other)
    stolen = replace(handed, session_id=other.session_id)
    with pytest.raises(Conflict):
        await ledger.append_turn(escalated(stolen, 1), stolen)
    assert await ledger.turns(other.session_id, limit=9) == []
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == handed


async def test_a_handoff_that_stands_gets_the_new_payload_and_moves_nowhere(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    handed = await handed_over(ledgers, tenant)
    await move(ledgers.handoffs, handed, tenant, HandoffState.ACKNOWLEDGED)
    later = replace(handed, turn=2, question="And now?", created_at=NOON + timedelta(hours=1))
    await ledger.append_turn(escalated(later, 2), later)
    stands = replace(later, created_at=handed.created_at, state=HandoffState.ACKNOWLEDGED, owner=OWNER)
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == stands
    assert await ledger.handoffs(tenant=tenant, limit=9) == [stands]
    await move(ledgers.handoffs, handed, tenant, HandoffState.RESOLVED, at=HandoffState.ACKNOWLEDGED)
    with pytest.raises(Conflict):
        await ledger.append_turn(escalated(later, 3), later)
    assert [one.number for one in await ledger.turns(handed.session_id, limit=9)] == [1, 2]


async def test_closed_handoffs_are_told_by_when_they_were_closed(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    handed = [handoff(own.session_id, turn=number, minutes=-number) for number in (1, 2, 3)]
    for number, one in enumerate(handed, start=1):
        await ledger.append_turn(escalated(one, number), one)
    for minutes, one in enumerate(handed[:2]):
        await move(ledgers.handoffs, one, tenant, HandoffState.RETURNED, when=NOON + timedelta(minutes=minutes))
    closed = await ledger.closed_handoffs(own.session_id, since=NOON)
    assert [one.handoff_id for one in closed] == [handed[1].handoff_id, handed[0].handoff_id]
    later = await ledger.closed_handoffs(own.session_id, since=NOON + timedelta(seconds=30))
    assert [one.handoff_id for one in later] == [handed[1].handoff_id]
    assert await ledger.closed_handoffs("another", since=NOON) == []


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
    await move(ledgers.handoffs, handed[2], tenant, HandoffState.RESOLVED)
    assert await ledger.open_handoff(own.session_id) == handed[1]
    await move(ledgers.handoffs, handed[1], tenant, HandoffState.RETURNED)
    await move(ledgers.handoffs, handed[0], tenant, HandoffState.IN_PROGRESS)
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
    await move(ledgers.handoffs, older, tenant, HandoffState.ACKNOWLEDGED)
    assert await ledger.open_handoff(own.session_id) == replace(older, state=HandoffState.ACKNOWLEDGED, owner=OWNER)
    await move(ledgers.handoffs, newer, tenant, HandoffState.ACKNOWLEDGED)
    assert await ledger.open_handoff(own.session_id) == replace(newer, state=HandoffState.ACKNOWLEDGED, owner=OWNER)


async def test_a_handoff_is_looked_up_inside_its_tenant(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    handed = await handed_over(ledgers, tenant)
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == handed
    for where, which in (("another", handed.handoff_id), (tenant, "unknown"), (tenant, "\x00")):
        assert await ledger.handoff(which, tenant=where) is None
    await move(ledgers.handoffs, handed, tenant, HandoffState.ACKNOWLEDGED)
    moved = replace(handed, state=HandoffState.ACKNOWLEDGED, owner=OWNER)
    assert await ledger.handoff(handed.handoff_id, tenant=tenant) == moved
    assert await ledger.handoffs(tenant=tenant, limit=1) == [moved]
    (recorded,) = await ledger.turns(handed.session_id, limit=1)
    assert recorded == escalated(handed, 1), "the record says how it was"


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


async def test_an_old_open_handoff_is_listed_however_many_are_newer(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.conversations
    own = session(tenant)
    await ledger.create_session(own)
    waiting = handoff(own.session_id, minutes=0)
    taken = [handoff(own.session_id, minutes=minutes) for minutes in (1, 2, 3)]
    for number, one in enumerate([waiting, *taken], start=1):
        await ledger.append_turn(escalated(one, number), one)
    for one in taken:
        await ledgers.handoffs.act(one.handoff_id, tenant=tenant, act=HandoffAct.TAKE, by="ann", at=NOON)
    states = frozenset({HandoffState.OPEN})
    assert await ledger.handoffs(tenant=tenant, limit=1, states=states) == [waiting]
    assert await ledger.handoffs(tenant=f"{tenant}-2", limit=1, states=states) == []


async def handed_over(ledgers: Ledgers, tenant: str) -> Handoff:
    """A session's first turn, handed over."""
    own = session(tenant)
    await ledgers.conversations.create_session(own)
    handed = handoff(own.session_id)
    await ledgers.conversations.append_turn(escalated(handed, 1), handed)
    return handed


OWNER = "a person"
WAY = {
    HandoffState.OPEN: (),
    HandoffState.ACKNOWLEDGED: (HandoffAct.TAKE,),
    HandoffState.IN_PROGRESS: (HandoffAct.TAKE, HandoffAct.REPLY),
    HandoffState.RESOLVED: (HandoffAct.TAKE, HandoffAct.RESOLVE),
    HandoffState.RETURNED: (HandoffAct.TAKE, HandoffAct.RETURN),
}


async def move(
    ledger: HandoffLedger,
    handed: Handoff,
    tenant: str,
    state: HandoffState,
    *,
    at: HandoffState = HandoffState.OPEN,
    when: datetime = NOON,
) -> None:
    """Along the way from `at` to `state`."""
    for act in WAY[state][len(WAY[at]) :]:
        await ledger.act(handed.handoff_id, tenant=tenant, act=act, by=OWNER, at=when, text="Done.")
