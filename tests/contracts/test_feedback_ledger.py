"""What every FeedbackLedger promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ledger_samples import KB, NOON, escalated, handoff, session, turn

from firstline.domain import (
    Feedback,
    FeedbackReason,
    HandoffAct,
    Judgement,
    Rating,
    ReviewItem,
    ReviewReason,
    Session,
    Verdict,
)
from firstline.engines.memory.feedback import MemoryFeedbackLedger
from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import Conflict, NotFound
from firstline.ports import ChangedAfter, ConversationLedger, FeedbackLedger, HandoffLedger

LONG_AGO: ChangedAfter = (datetime(2000, 1, 1, tzinfo=UTC), "", 0)
LEASE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Three:
    feedback: FeedbackLedger
    conversations: ConversationLedger
    handoffs: HandoffLedger


@pytest.fixture(params=["memory", "postgres"])
async def three(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Three]:
    if request.param == "memory":
        conversations = MemoryConversationLedger()
        handoffs = MemoryHandoffLedger(conversations)
        feedback = MemoryFeedbackLedger(conversations, handoffs)
        yield Three(feedback=feedback, conversations=conversations, handoffs=handoffs)
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as opened:
        yield Three(feedback=opened.feedback, conversations=opened.conversations, handoffs=opened.handoffs)


async def asked(three: Three, tenant: str, turns: int = 1, *, user: str = "a user") -> Session:
    made = session(tenant, user=user)
    await three.conversations.create_session(made)
    for number in range(1, turns + 1):
        await three.conversations.append_turn(turn(made.session_id, number), None)
    return made


def rated(of: Session, number: int = 1, *, rating: Rating = Rating.DOWN, minutes: int = 5) -> Feedback:
    return Feedback(
        session_id=of.session_id,
        turn=number,
        rating=rating,
        reason=FeedbackReason.OUTDATED if rating is Rating.DOWN else None,
        correction="It is 5.0 now.",
        by=of.user,
        at=NOON + timedelta(minutes=minutes),
    )


def item(of: Session, number: int = 1, *, rank: float = 1.0) -> ReviewItem:
    return ReviewItem(
        tenant=of.tenant,
        kb=of.kb,
        session_id=of.session_id,
        turn=number,
        rank=rank,
        reasons=(ReviewReason.DISLIKED, ReviewReason.UNSURE),
        asked_at=NOON + timedelta(minutes=number),
    )


def judged(of: Session, number: int = 1, *, by: str = "ann", verdict: Verdict = Verdict.WRONG) -> Judgement:
    return Judgement(
        tenant=of.tenant,
        kb=of.kb,
        session_id=of.session_id,
        turn=number,
        verdict=verdict,
        docs=("a.md", "b.md"),
        reference="Restart it.",
        must_contain=("restart",),
        by=by,
        at=NOON + timedelta(hours=number),
        snapshot=3,
    )


async def put(three: Three, tenant: str, *items: ReviewItem) -> None:
    await three.feedback.put_queue(items, gone=[], tenant=tenant, seen_until=None)


async def test_the_newest_rating_of_a_turn_counts(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant, 2)
    await three.feedback.rate(rated(mine, 2))
    await three.feedback.rate(rated(mine, 1))
    await three.feedback.rate(rated(mine, 1))
    assert await three.feedback.ratings(mine.session_id) == [rated(mine, 1), rated(mine, 2)]
    better = rated(mine, 1, rating=Rating.UP, minutes=9)
    await three.feedback.rate(better)
    assert await three.feedback.ratings(mine.session_id) == [better, rated(mine, 2)]
    for missing in (rated(mine, 3), replace(rated(mine), session_id="nowhere")):
        with pytest.raises(NotFound):
            await three.feedback.rate(missing)


async def test_a_session_is_found_in_its_tenant(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant)
    assert await three.feedback.session_of(mine.session_id, tenant=tenant) == mine
    assert await three.feedback.session_of(mine.session_id, tenant=f"{tenant}-2") is None


async def test_changes_come_in_order_and_go_on_where_they_ended(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant, 3)
    await asked(three, f"{tenant}-2")
    await asked(three, tenant, user="evaluation")

    async def changes(after: ChangedAfter, limit: int = 10):
        return await three.feedback.changes(tenant=tenant, after=after, without_user="evaluation", limit=limit)

    first = await changes(LONG_AGO, 2)
    assert [one.turn.number for one in first] == [1, 2]
    assert (first[0].session, first[0].turn, first[0].feedback) == (mine, turn(mine.session_id, 1), None)
    last = first[-1]
    rest = await changes((last.at, last.turn.session_id, last.turn.number))
    assert [one.turn.number for one in rest] == [3]
    place = (rest[-1].at, rest[-1].turn.session_id, rest[-1].turn.number)
    assert await changes(place) == []
    # A rating makes an old turn news again.
    await three.feedback.rate(rated(mine, 1, minutes=60))
    again = await changes(place)
    assert [(one.turn.number, one.feedback) for one in again] == [(1, rated(mine, 1, minutes=60))]
    assert [one.turn.number for one in await changes(LONG_AGO)] == [1, 2, 3, 1]
    assert [one.turn.number for one in await changes(LONG_AGO, 3)] == [1, 2, 3], "nothing is passed over by a limit"


@pytest.mark.parametrize(
    ("acts", "answered"),
    [
        ((HandoffAct.TAKE,), None),
        ((HandoffAct.TAKE, HandoffAct.RETURN), False),
        ((HandoffAct.TAKE, HandoffAct.REPLY, HandoffAct.RETURN), True),
        ((HandoffAct.TAKE, HandoffAct.RESOLVE), True),
    ],
)
async def test_a_closed_handoff_says_whether_a_person_answered(
    three: Three, tenant: str, acts: tuple[HandoffAct, ...], answered: bool | None
) -> None:
    mine = session(tenant)
    await three.conversations.create_session(mine)
    handed = handoff(mine.session_id)
    await three.conversations.append_turn(escalated(handed, 1), handed)
    before = await three.feedback.turn(mine.session_id, 1, tenant=tenant)
    assert before is not None and not before.person_answered
    now = datetime.now(UTC) + timedelta(minutes=1)
    for act in acts:
        await three.handoffs.act(handed.handoff_id, tenant=tenant, act=act, by="ann", at=now, text="Done.")
    place = (before.at, mine.session_id, 1)
    news = await three.feedback.changes(tenant=tenant, after=place, without_user="", limit=10)
    assert [one.person_answered for one in news] == ([] if answered is None else [answered])
    after = await three.feedback.turn(mine.session_id, 1, tenant=tenant)
    assert after is not None and after.person_answered == bool(answered)


async def test_a_person_answered_the_turn_that_opened_a_handoff_and_the_latest_that_joined_it(
    three: Three, tenant: str
) -> None:
    mine = session(tenant)
    await three.conversations.create_session(mine)
    handed = handoff(mine.session_id, turn=2)
    await three.conversations.append_turn(turn(mine.session_id, 1), None)
    await three.conversations.append_turn(escalated(handed, 2), handed)
    for number in (3, 4):
        joined = replace(handed, turn=number)
        await three.conversations.append_turn(escalated(joined, number), joined)
    now = datetime.now(UTC) + timedelta(minutes=1)
    for act in (HandoffAct.TAKE, HandoffAct.RESOLVE):
        await three.handoffs.act(handed.handoff_id, tenant=tenant, act=act, by="ann", at=now, text="Done.")
    known = [await three.feedback.turn(mine.session_id, number, tenant=tenant) for number in range(1, 5)]
    assert [one.person_answered for one in known if one] == [False, True, False, True]
    last = known[3]
    assert last is not None
    place: ChangedAfter = (last.at, mine.session_id, 4)
    news = await three.feedback.changes(tenant=tenant, after=place, without_user="", limit=10)
    assert [(one.turn.number, one.person_answered) for one in news] == [(2, True), (4, True)]


async def test_the_queue_is_in_order_and_takes_news(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant, 4)
    other = await asked(three, f"{tenant}-2")
    assert await three.feedback.seen_until(tenant=tenant) is None
    await three.feedback.put_queue(
        [item(mine, 1, rank=2), item(mine, 2, rank=3), item(mine, 3, rank=2), item(mine, 4, rank=1)],
        gone=[],
        tenant=tenant,
        seen_until=NOON,
    )
    await put(three, other.tenant, item(other))

    async def numbers() -> list[int]:
        return [one.turn for one in await three.feedback.queue(tenant=tenant, limit=10)]

    assert await numbers() == [2, 3, 1, 4]
    assert await three.feedback.seen_until(tenant=tenant) == NOON
    later = replace(item(mine, 4, rank=9), reasons=(ReviewReason.SAMPLED,))
    await three.feedback.put_queue(
        [later], gone=[(mine.session_id, 2), (other.session_id, 1)], tenant=tenant, seen_until=None
    )
    assert await numbers() == [4, 3, 1]
    assert (await three.feedback.queue(tenant=tenant, limit=1)) == [later]
    assert await three.feedback.seen_until(tenant=tenant) == NOON
    assert len(await three.feedback.queue(tenant=other.tenant, limit=10)) == 1, "what is gone is gone of one tenant"


async def test_two_reviewers_never_get_the_same_turn(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant, 6)
    await put(three, tenant, *(item(mine, number, rank=number) for number in range(1, 7)))
    claims = await asyncio.gather(
        *(three.feedback.claim(tenant=tenant, by=by, limit=2, lease_s=LEASE_S) for by in ("ann", "bob", "cyd"))
    )
    got = [one.turn for claim in claims for one in claim]
    assert sorted(got) == [1, 2, 3, 4, 5, 6]
    assert all(claim == sorted(claim, key=lambda one: -one.rank) for claim in claims)
    # Who comes back gets what they had.
    assert await three.feedback.claim(tenant=tenant, by="ann", limit=2, lease_s=LEASE_S) == claims[0]
    assert await three.feedback.claim(tenant=tenant, by="dan", limit=9, lease_s=LEASE_S) == []
    with pytest.raises(Conflict, match="bob is reviewing"):
        await three.feedback.judge(judged(mine, claims[1][0].turn, by="ann"))
    await three.feedback.release(tenant=tenant, by="bob")
    assert await three.feedback.claim(tenant=tenant, by="dan", limit=9, lease_s=LEASE_S) == claims[1]


async def test_a_lease_ends_by_itself(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant)
    await put(three, tenant, item(mine))
    assert len(await three.feedback.claim(tenant=tenant, by="ann", limit=1, lease_s=0.05)) == 1
    await asyncio.sleep(0.1)
    assert len(await three.feedback.claim(tenant=tenant, by="bob", limit=1, lease_s=LEASE_S)) == 1


async def test_who_skips_is_not_asked_again(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant)
    await put(three, tenant, item(mine))

    async def claim(by: str) -> int:
        return len(await three.feedback.claim(tenant=tenant, by=by, limit=1, lease_s=LEASE_S))

    assert await claim("ann") == 1
    for _ in range(2):
        await three.feedback.skip(mine.session_id, 1, tenant=tenant, by="ann")
    await three.feedback.skip("nowhere", 1, tenant=tenant, by="ann")
    await put(three, tenant, item(mine, rank=7))
    assert await claim("ann") == 0
    assert await claim("bob") == 1


async def test_a_judged_turn_leaves_the_queue_for_good(three: Three, tenant: str) -> None:
    mine = await asked(three, tenant, 2)
    await put(three, tenant, item(mine, 1), item(mine, 2))
    await three.feedback.judge(judged(mine, 1))
    await put(three, tenant, item(mine, 1, rank=9))
    assert [one.turn for one in await three.feedback.queue(tenant=tenant, limit=10)] == [2]
    claimed = await three.feedback.claim(tenant=tenant, by="bob", limit=10, lease_s=LEASE_S)
    assert [one.turn for one in claimed] == [2]
    await three.feedback.judge(judged(mine, 2, by="bob"))
    again = judged(mine, 1, by="bob", verdict=Verdict.GOOD)
    await three.feedback.judge(again)
    own = await three.feedback.judgements(tenant=tenant, kb=KB, limit=10)
    assert own == [judged(mine, 2, by="bob"), again], "the newest judgement of a turn counts; newest first"
    assert await three.feedback.judgements(tenant=tenant, kb=KB, limit=1) == own[:1]
    assert await three.feedback.judgements(tenant=tenant, kb="other", limit=10) == []
    assert await three.feedback.judgements(tenant=f"{tenant}-2", kb=KB, limit=10) == []
    for missing in (judged(mine, 9), replace(judged(mine, 1), tenant=f"{tenant}-2")):
        with pytest.raises(NotFound):
            await three.feedback.judge(missing)
    assert await three.feedback.turn(mine.session_id, 1, tenant=f"{tenant}-2") is None
    assert await three.feedback.turn(mine.session_id, 9, tenant=tenant) is None


async def test_another_tenant_changes_nothing_and_sees_nothing(three: Three, tenant: str) -> None:
    other = f"{tenant}-2"
    mine = await asked(three, tenant)
    key = (mine.session_id, 1)
    await three.feedback.put_queue([item(mine)], gone=[], tenant=tenant, seen_until=NOON)
    claim = {"limit": 9, "lease_s": LEASE_S}
    assert await three.feedback.claim(tenant=other, by="eve", **claim) == []
    assert await three.feedback.queue(tenant=other, limit=9) == []
    assert await three.feedback.seen_until(tenant=other) is None
    assert await three.feedback.changes(tenant=other, after=LONG_AGO, without_user="", limit=9) == []
    await three.feedback.put_queue([], gone=[key], tenant=other, seen_until=None)
    await three.feedback.skip(*key, tenant=other, by="ann")
    assert await three.feedback.claim(tenant=tenant, by="ann", **claim) == [item(mine)], "nobody skipped it for her"
    await three.feedback.release(tenant=other, by="ann")
    await three.feedback.skip(*key, tenant=other, by="ann")
    assert await three.feedback.claim(tenant=tenant, by="bob", **claim) == [], "she holds it still"
    with pytest.raises(NotFound):
        await three.feedback.judge(replace(judged(mine), tenant=other))
    assert await three.feedback.session_of(mine.session_id, tenant=other) is None
    assert await three.feedback.turn(*key, tenant=other) is None
    await three.feedback.judge(judged(mine))
    assert await three.feedback.judgements(tenant=other, kb=KB, limit=9) == []
