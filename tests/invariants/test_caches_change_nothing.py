"""With caches and without, the same conversations come to the same (invariants 1 to 3, for what is kept)."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.invariants.universe import QUESTIONS, TEAM, Universe, open_universe
from tests.journeys.test_kept_answers import Desk
from tests.journeys.world import KB, TENANT, World, asker, page

from firstline.domain import (
    EVERYONE,
    Answered,
    Escalated,
    FaqEntry,
    HighStakes,
    Level,
    Outcome,
    Principal,
    Session,
    Silent,
    Turn,
)

ASKERS = (
    asker(),
    asker(acl=frozenset({EVERYONE}) | TEAM),
    asker(level=Level.INTERNAL),
    asker(tenant="umbra"),
    asker(acl=frozenset()),
)
WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
SAME_MEANING = ("how do I rotate the log files?", "How do I  rotate the log files?", "How can I rotate my log files?")
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
WORDS = (*QUESTIONS, *SAME_MEANING)

Message = tuple[str, int, int, str]
"""What happens: a message (who, which session, what), or something done to the knowledge base."""

messages: st.SearchStrategy[Message] = st.tuples(
    st.just("ask"), st.integers(0, len(ASKERS) - 1), st.integers(0, 6), st.sampled_from(WORDS)
)
happenings: st.SearchStrategy[Message] = st.sampled_from(
    [
        ("bury", 0, 0, "logs.md"),
        ("bury", 0, 0, "drivers.md"),
        ("ingest", 0, 0, "changed"),
        ("ingest", 0, 0, "closed"),
        ("back", 0, 0, ""),
        ("canary", 0, 0, ""),
        ("expire", 0, 0, "logs.md"),
        ("bring back", 0, 0, "logs.md"),
    ]
)


@dataclass
class Side:
    """One of the two: a universe, with its sessions."""

    universe: Universe
    desk: Desk
    caching: bool
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])

    async def session(self, who: int, number: int) -> Session:
        name = f"{who}-{number}"
        if name not in self.sessions:
            tenant = ASKERS[who].tenant
            made = Session(session_id=name, tenant=tenant, kb=KB, user="u", created_at=datetime.now(UTC))
            await self.universe.world.conversations.create_session(made)
            self.sessions[name] = made
        return self.sessions[name]

    async def ask(self, who: int, number: int, question: str) -> Turn:
        journey = self.desk.journey() if self.caching else self.universe.world.questions()
        session = await self.session(who, number)
        return await journey.ask(session=session, principal=ASKERS[who], question=question)


async def two_sides() -> tuple[Side, Side]:
    sides: list[Side] = []
    for caching in (True, False):
        universe = await open_universe(World())
        sides.append(Side(universe, Desk(world=universe.world), caching))
    return sides[0], sides[1]


def told(outcome: Outcome) -> object:
    """What is said, without the ids and times of hand-overs."""
    match outcome:
        case Escalated(handoff=handoff, again=again) | HighStakes(handoff=handoff, again=again):
            return type(outcome).__name__, handoff.reason, handoff.summary, handoff.next_step, handoff.tried, again
        case Silent():
            return "silent"
        case _:
            return outcome


def compared(turn: Turn) -> object:
    return told(turn.outcome), turn.triage, turn.plan, turn.evidence, turn.gates, turn.snapshot, turn.language


def entry(doc_id: str, *, expires_at: datetime | None) -> FaqEntry:
    known: dict[str, Any] = {"owner": "", "cites": (), "changed_by": "t", "changed_at": LONG_AGO}
    return FaqEntry(**WHERE, **known, doc_id=doc_id, expires_at=expires_at)


async def done(world: World, what: str, which: str) -> None:
    if what == "bury":
        known = await world.knowledge.known_documents(which, **WHERE)
        if known:
            await world.knowledge.bury(known, **WHERE, by="t")
    elif what == "ingest":
        acl = TEAM if which == "closed" else frozenset({EVERYONE})
        text = f"# Log rotation\n\nRotate the log files with `lark {which}`.\n"
        await world.ingest(page("changing.md", text, acl=acl))
    elif what in ("expire", "bring back"):
        await world.knowledge.put_faq(entry(which, expires_at=LONG_AGO if what == "expire" else None))
    elif what == "canary":
        waiting = (await world.knowledge.status(**WHERE)).waiting
        if waiting:
            await world.knowledge.try_out(waiting[0], **WHERE, share=0.5)
    elif (await world.knowledge.published(**WHERE)).number > 1:
        await world.knowledge.point_back(None, **WHERE)


scripts = st.lists(st.one_of(messages, messages, messages, happenings), min_size=2, max_size=14)


@given(scripts)
@settings(max_examples=12, deadline=None)
async def test_conversations_come_to_the_same_with_and_without_caches(script: list[Message]):
    await come_to_the_same(script)


@pytest.mark.slow
@pytest.mark.timeout(600)
@given(scripts)
@settings(max_examples=400, deadline=None)
async def test_many_conversations_come_to_the_same_with_and_without_caches(script: list[Message]):
    await come_to_the_same(script)


async def come_to_the_same(script: list[Message]) -> None:
    kept, plain = await two_sides()
    for what, who, number, text in script:
        if what != "ask":
            for side in (kept, plain):
                await done(side.universe.world, what, text)
            continue
        with_caches, without = await kept.ask(who, number, text), await plain.ask(who, number, text)
        assert compared(with_caches) == compared(without)
        principal: Principal = ASKERS[who]
        if principal.tenant == TENANT and isinstance(with_caches.outcome, Answered):
            assert list(kept.universe.problems(with_caches, principal)) == []


async def test_a_second_round_of_every_question_by_everybody_is_the_same_and_comes_from_the_caches():
    kept, plain = await two_sides()
    for number in range(3):
        if number == 2:
            for tenant in {one.tenant for one in ASKERS}:
                kept.desk.caches.answer.drop(tenant=tenant)
        for who in range(len(ASKERS)):
            for at, question in enumerate(WORDS):
                one = await kept.ask(who, number * 100 + at, question)
                assert compared(one) == compared(await plain.ask(who, number * 100 + at, question))
    counts = {each.name: each.counts for each in kept.desk.caches}
    assert counts["answer"].hits > 20 and counts["embedding"].hits > 50 and counts["retrieval"].hits > 10
