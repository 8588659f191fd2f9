"""Stories of questions that were asked a moment ago."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.journeys.test_snapshots_and_forgetting import purger
from tests.journeys.world import KB, TENANT, Items, World, asker, page

from firstline.caches.caches import CACHES, Caches
from firstline.caches.embedding import KeptEmbedder
from firstline.caches.retrieval import KeptIndex
from firstline.caches.store import key_of
from firstline.documents.journey import Publish
from firstline.domain import (
    EVERYONE,
    Answered,
    Clarify,
    DocumentKind,
    Escalated,
    FaqEntry,
    Level,
    Session,
    Turn,
    question_key,
)
from firstline.errors import Unavailable
from firstline.ports import Vectors
from firstline.questions.journey import QuestionJourney
from firstline.questions.kept_answers import ALIKE, HIT, READ_BACK_MAX, KeptAnswers
from firstline.questions.replay import AsThen

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
QUESTION = "How do I rotate the log files?"
LOGS = page("logs", "# Log rotation\n\nRotate the log files with `lark rotate`. It closes the old file first.\n")
BACKUP = page("backup", "# Backup\n\nA backup of the cluster is taken every night and kept for a week.\n")
TEAM = frozenset({"team"})


@dataclass
class Slow:
    """An embedder that waits for `go`, counts, and fails when told to."""

    inner: Any
    calls: int = 0
    fails: int = 0
    go: asyncio.Event = field(default_factory=asyncio.Event)
    model_id: str = "toy"
    dimensions: int = 64

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        await self.go.wait()
        if self.calls <= self.fails:
            raise Unavailable("It is down.", remedy="Wait.")
        return await self.inner.embed(texts)


@dataclass
class Desk:
    """A world whose questions are answered through caches."""

    world: World = field(default_factory=World)
    caches: Caches = field(default_factory=lambda: Caches.of(dict.fromkeys(CACHES, 1)))
    alike_min: float = 0.0
    frame: tuple[str, ...] = ("test",)
    sessions: int = 0

    def journey(self, **changes: object) -> QuestionJourney:
        world = replace_engines(self.world, self.caches)
        journey = world.questions(**changes)
        journey._answers = KeptAnswers(  # pyright: ignore[reportPrivateUsage]  (the world makes journeys without)
            self.caches.answer, knowledge=self.world.knowledge, frame=self.frame, alike_min=self.alike_min
        )
        return journey

    async def session(self, session_id: str = "", *, tenant: str = TENANT, kb: str = KB, snapshot: int = 0) -> Session:
        self.sessions += 1
        made = Session(
            session_id=session_id or f"s{self.sessions}",
            tenant=tenant,
            kb=kb,
            user="u",
            created_at=datetime.now(UTC),
            snapshot=snapshot,
        )
        await self.world.conversations.create_session(made)
        return made

    async def ask(self, question: str = QUESTION, *, session: Session | None = None, **who: Any) -> Turn:
        session = session or await self.session(tenant=who.get("tenant", TENANT))
        return await self.journey().ask(session=session, principal=asker(**who), question=question)


def replace_engines(world: World, caches: Caches) -> World:
    """The same world, asked through the caches of searches and vectors."""
    other = World.__new__(World)
    other.__dict__.update(world.__dict__)
    other.index = KeptIndex(  # pyright: ignore[reportAttributeAccessIssue]  (the same port)
        world.index, caches.retrieval, knowledge=world.knowledge, frame=("test",)
    )
    other.embedder = KeptEmbedder(world.embedder, caches.embedding)  # pyright: ignore[reportAttributeAccessIssue]
    return other


def hit(turn: Turn) -> bool:
    return HIT in turn.timings_ms


def said(turn: Turn) -> str:
    return " ".join(claim.text for claim in turn.outcome.claims) if isinstance(turn.outcome, Answered) else ""


async def opened(*items: Any, **fields: Any) -> Desk:
    desk = Desk(**fields)
    await desk.world.ingest(*(items or (LOGS, BACKUP)))
    return desk


async def test_the_second_who_asks_gets_the_same_answer_as_a_turn_of_their_own():
    desk = await opened()
    first, second = await desk.ask(), await desk.ask()
    assert isinstance(first.outcome, Answered) and not hit(first) and hit(second)
    assert second.outcome == first.outcome
    assert (second.session_id, second.number) == ("s2", 1) and second.asked_at >= first.asked_at
    kept = ("triage", "plan", "evidence", "gates", "snapshot", "scope_hash", "settings_hash", "model_ids", "language")
    assert all(getattr(first, name) == getattr(second, name) for name in kept)
    assert [turn.outcome for turn in await desk.world.conversations.turns("s2", limit=9)] == [second.outcome]
    assert "retrieve" not in second.timings_ms and second.timings_ms["total"] < first.timings_ms["total"]


async def test_a_conversation_goes_on_from_a_kept_answer_as_from_any():
    desk, plain = await opened(), await opened()
    last: list[Turn] = []
    for one in (desk, desk, plain):
        session = await one.session()
        await one.ask(session=session)
        last.append(await one.ask("and how long is a backup kept?", session=session))
    assert not any(map(hit, last))
    assert last[0].outcome == last[1].outcome == last[2].outcome and last[1].plan == last[2].plan


async def test_only_a_message_that_opens_a_conversation_is_answered_from_it():
    desk = await opened()
    await desk.ask()
    session = await desk.session()
    await desk.ask("How long is a backup of the cluster kept?", session=session)
    assert not hit(await desk.ask(session=session))


@pytest.mark.parametrize(
    "other",
    [
        "How do I not rotate the log files?",
        "How do I rotate the log files",
        "How do I rotate the log files on 4.2?",
        "How do I rotate the log files of lark 2?",
        "Can I rotate the log files?",
        "How do I rotate the LOG files?",
        "How do I keep the log files?",
    ],
)
async def test_another_question_is_another_question(other: str):
    desk = await opened()
    await desk.ask()
    assert not hit(await desk.ask(other))


async def test_two_tenants_with_the_same_words_share_nothing():
    desk = await opened()
    elsewhere = page("logs", "# Log rotation\n\nRotate the log files with `umbra spin`. It is quick.\n")
    await desk.world.documents.ingest(Items(elsewhere), tenant="umbra", kb=KB, prune=())
    await desk.ask()
    other = await desk.ask(tenant="umbra")
    assert not hit(other) and "umbra spin" in said(other) and "lark" not in said(other)
    assert hit(await desk.ask()) and "umbra" not in said(await desk.ask())


async def test_who_may_see_more_or_less_is_asked_anew():
    closed = page("team", "# Log rotation of the team\n\nRotate the log files with `lark team`.\n", acl=TEAM)
    inside = page("inside", "# Log rotation inside\n\nRotate the log files with `lark inside`.\n", level=Level.INTERNAL)
    desk = await opened(LOGS, closed, inside)
    everyone = frozenset({EVERYONE})
    askers: list[dict[str, Any]] = [
        {"acl": everyone | TEAM, "level": Level.INTERNAL},
        {"acl": everyone | TEAM},
        {"level": Level.INTERNAL},
    ]
    for who in askers:
        assert not hit(await desk.ask(**who))
        assert hit(await desk.ask(**who))
    plain = await desk.ask()
    assert not hit(plain) and "team" not in said(plain) and "inside" not in said(plain)


async def test_another_settings_hash_another_model_or_other_gates_share_nothing():
    desk = await opened()
    await desk.ask()
    desk.frame = ("other",)
    assert not hit(await desk.ask())
    desk.frame = ("test",)
    assert hit(await desk.ask())
    asked = desk.journey()
    asked._in_force = replace_version(asked._in_force)  # pyright: ignore[reportPrivateUsage]
    turn = await asked.ask(session=await desk.session(), principal=asker(), question=QUESTION)
    assert turn.gates_version == 7 and not hit(turn)


def replace_version(in_force: Any) -> Any:
    class Seventh:
        async def deciding(self, snapshot: Any, models: Any) -> Any:
            return await in_force.deciding(snapshot, models)

        def version(self, snapshot: Any) -> int:
            return 7

    return Seventh()


async def test_a_new_snapshot_is_asked_anew_and_after_a_rollback_the_old_one_answers():
    desk = await opened()
    old = await desk.ask()
    await desk.world.ingest(page("logs", "# Log rotation\n\nRotate the log files with `lark spin`. It is quick.\n"))
    new = await desk.ask()
    assert not hit(new) and "lark spin" in said(new)
    await desk.world.knowledge.point_back(1, **WHERE)
    back = await desk.ask()
    assert hit(back) and back.outcome == old.outcome and back.snapshot == 1
    await desk.world.knowledge.point_on(2, **WHERE)
    assert "lark spin" in said(await desk.ask())


async def test_sessions_of_a_canary_share_nothing_with_the_others():
    desk = await opened()
    changed = page("logs", "# Log rotation\n\nRotate the log files with `lark spin`. It is quick.\n")
    await desk.world.documents.ingest(Items(changed), **WHERE, publish=Publish.NEVER)
    await desk.world.knowledge.try_out(2, **WHERE, share=0.5)
    for _ in range(2):
        for number in range(12):
            session = await desk.session(f"session {desk.sessions}-{number}")
            turn = await desk.ask(session=session)
            assert ("spin" in said(turn)) == (turn.snapshot == 2) and ("rotate`" in said(turn)) == (turn.snapshot == 1)
    assert desk.caches.answer.counts.hits == 22, "one each was worked out"


async def test_a_check_before_publishing_is_always_worked_out():
    desk = await opened()
    await desk.ask()
    assert not hit(await desk.ask(session=await desk.session(snapshot=1)))
    without = await desk.journey().ask(
        session=await desk.session(), principal=asker(), question=QUESTION, exclude=frozenset({"logs"})
    )
    assert not hit(without) and "rotate`" not in said(without)


async def test_a_closed_document_is_not_quoted_any_more():
    desk = await opened()
    await desk.ask()
    text = "# Log rotation\n\nRotate the log files with `lark rotate`. It closes the old file first.\n"
    await desk.world.ingest(page("logs", text, acl=TEAM))
    after = await desk.ask()
    assert not hit(after) and "lark rotate" not in said(after)


async def test_a_forgotten_document_is_not_quoted_any_more_by_whoever_forgot_it():
    desk = await opened()
    await desk.ask()
    await desk.world.knowledge.bury(["logs"], **WHERE, by="another process")
    after = await desk.ask()
    assert not hit(after) and "lark rotate" not in said(after)


async def test_what_is_read_back_alone_would_keep_a_hidden_page_from_being_shown():
    desk = await opened()
    await desk.ask()
    (entry,) = desk.caches.answer.newest(1)
    before = desk.world.knowledge.published

    async def same_mark(*, tenant: str, kb: str) -> Any:
        return replace(await before(tenant=tenant, kb=kb), forgotten=0)

    desk.world.knowledge.published = same_mark  # pyright: ignore[reportAttributeAccessIssue]
    assert hit(await desk.ask()) and entry.fit
    await desk.world.knowledge.bury(["logs"], **WHERE, by="t")
    after = await desk.ask()
    assert not hit(after) and "lark rotate" not in said(after)
    assert desk.caches.answer.counts.stale == 1


async def test_a_page_that_could_be_picked_is_not_offered_once_it_is_gone():
    desk = await opened(
        page("a", "# Alpha relay\n\nThe alpha relay stands in the north.\n"),
        page("b", "# Beta relay\n\nThe beta relay stands in the south.\n"),
    )
    question = "Where does the zebrawood relay stand in the garden of the king?"
    first = await desk.ask(question)
    assert isinstance(first.outcome, Clarify) and hit(await desk.ask(question))
    await purger(desk.world).forget(["a"], **WHERE, by="t")
    after = await desk.ask(question)
    assert not hit(after) and "Alpha" not in repr(after.outcome)


async def test_a_curated_answer_comes_first_and_is_not_kept():
    desk = await opened()
    await desk.ask()
    curated = page(
        "faq",
        "Ask the night shift.",
        title=QUESTION,
        kind=DocumentKind.FAQ,
        metadata={"question_key": question_key(QUESTION)},
    )
    await desk.world.ingest(curated)
    for _ in range(2):
        turn = await desk.ask()
        assert "night shift" in said(turn) and not hit(turn)


async def test_a_curated_answer_that_comes_back_is_evidence_at_once():
    desk = await opened(BACKUP)
    extra = {"question_key": "how are log files closed"}
    text = "Rotate the log files with `lark rotate`. It closes the old file first."
    await desk.world.ingest(page("faq", text, title="Log files", kind=DocumentKind.FAQ, metadata=extra))
    known: dict[str, Any] = {"doc_id": "faq", "owner": "", "cites": (), "changed_by": "t"}
    given = FaqEntry(**WHERE, **known, changed_at=datetime(2026, 1, 1, tzinfo=UTC), expires_at=None)
    assert "lark rotate" in said(await desk.ask())
    await desk.world.knowledge.put_faq(replace(given, expires_at=datetime(2000, 1, 1, tzinfo=UTC)))
    question = "How long is a backup of the cluster kept?"
    assert "lark rotate" not in said(await desk.ask())
    assert not hit(await desk.ask(question)) and hit(await desk.ask(question))
    await desk.world.knowledge.put_faq(given)
    assert "lark rotate" in said(await desk.ask()) and not hit(await desk.ask(question))


async def test_personal_first_messages_are_for_their_asker_alone():
    desk = await opened()
    mine = "My mail is anna.smith@mail.test. How do I rotate the log files?"
    yours = "My mail is bob.jones@mail.test. How do I rotate the log files?"
    for question in (mine, yours, mine):
        turn = await desk.ask(question)
        assert "mail.test" not in turn.question and not hit(turn)
    assert len(desk.caches.answer) == 0 and "mail.test" not in repr(desk.caches.answer.newest(9))
    assert not hit(await desk.ask("Order 48213: how do I rotate the log files?"))
    assert not hit(await desk.ask("Order 48214: how do I rotate the log files?")), "another number, another question"


async def test_who_is_handed_over_is_handed_over_each_time():
    desk = await opened()
    ids: set[str] = set()
    for _ in range(3):
        turn = await desk.ask("I want to talk to a person")
        assert isinstance(turn.outcome, Escalated) and not hit(turn)
        ids.add(turn.outcome.handoff.handoff_id)
    assert len(ids) == 3


async def test_an_answer_that_was_made_with_something_broken_is_not_kept():
    desk = await opened()
    slow = Slow(desk.world.embedder, fails=2)
    slow.go.set()
    desk.world.embedder = slow  # pyright: ignore[reportAttributeAccessIssue]
    assert "embed" in (await desk.ask()).degraded
    later = await desk.ask()
    while "embed" in later.degraded:
        later = await desk.ask()
    assert not hit(later) and hit(await desk.ask())


async def test_fifty_equal_questions_at_once_are_worked_out_once():
    desk = await opened()
    slow = Slow(desk.world.embedder)
    desk.world.embedder = slow  # pyright: ignore[reportAttributeAccessIssue]
    journey = desk.journey()
    sessions = [await desk.session() for _ in range(50)]
    asking = [asyncio.create_task(journey.ask(session=one, principal=asker(), question=QUESTION)) for one in sessions]
    await asyncio.sleep(0.05)
    slow.go.set()
    turns = await asyncio.gather(*asking)
    assert sum(map(hit, turns)) == 49 and len({repr(turn.outcome) for turn in turns}) == 1
    assert slow.calls == 1 and {turn.session_id for turn in turns} == {one.session_id for one in sessions}


async def test_whoever_asks_first_and_leaves_does_not_take_the_others_along():
    desk = await opened()
    slow = Slow(desk.world.embedder)
    desk.world.embedder = slow  # pyright: ignore[reportAttributeAccessIssue]
    journey = desk.journey()
    asking = [
        asyncio.create_task(journey.ask(session=await desk.session(), principal=asker(), question=QUESTION))
        for _ in range(3)
    ]
    await asyncio.sleep(0.05)
    asking[0].cancel()
    await asyncio.sleep(0.05)
    slow.go.set()
    turns = await asyncio.gather(*asking[1:])
    assert all(isinstance(turn.outcome, Answered) for turn in turns) and asking[0].cancelled()


async def test_nobody_can_change_what_the_next_one_gets():
    desk = await opened()
    first = await desk.ask()
    expected = repr(first.outcome)
    for turn in (first, await desk.ask()):
        assert isinstance(turn.outcome, Answered) and turn.plan is not None
        with pytest.raises((TypeError, AttributeError)):
            turn.outcome.claims[0].text = "poison"  # pyright: ignore[reportAttributeAccessIssue]
        if turn is not first:
            for mapping in (turn.plan.filters, turn.gates[0].features):
                with pytest.raises(TypeError):
                    mapping["x"] = 1  # pyright: ignore[reportIndexIssue]
        turn.timings_ms["total"] = -1.0  # pyright: ignore[reportIndexIssue]
    again = await desk.ask()
    assert hit(again) and repr(again.outcome) == expected and again.timings_ms["total"] > 0


async def test_calibration_and_replays_are_worked_out():
    desk = await opened()
    await desk.ask()
    held = desk.journey().held(0.0, conversations=desk.world.conversations)
    assert not hit(await held.ask(session=await desk.session(), principal=asker(), question=QUESTION))
    session = await desk.session()
    turn = await desk.ask(session=session)
    assert hit(turn)
    again = await desk.journey().replayed(turn, session, asker(), then=AsThen(turn, []))
    assert not hit(again) and again.outcome == turn.outcome and again.evidence == turn.evidence


async def test_by_meaning_nothing_is_shared_unless_it_is_asked_for():
    for alike_min, shared in ((0.0, False), (0.5, True), (1.1, False)):
        desk = await opened(alike_min=alike_min)
        await desk.ask("How do I rotate the log files?")
        turn = await desk.ask("how can we rotate log files")
        assert (ALIKE in turn.timings_ms) is shared and "lark rotate" in said(turn)
        assert desk.caches.answer.counts.alike == int(shared)


@pytest.mark.parametrize(
    "other",
    [
        "how can we not rotate log files",
        "how can we rotate log files on 4.2",
        "how can we rotate log files of server 2",
        "how can we keep log files",
        "can we rotate log files",
    ],
)
async def test_by_meaning_the_opposite_or_another_version_is_not_shared(other: str):
    desk = await opened(alike_min=0.01)
    await desk.ask("How do I rotate the log files?")
    assert ALIKE not in (await desk.ask(other)).timings_ms


async def test_by_meaning_what_is_gone_is_not_shared():
    desk = await opened(alike_min=0.5)
    await desk.ask("How do I rotate the log files?")
    assert ALIKE in (await desk.ask("how can we rotate log files")).timings_ms
    await desk.world.knowledge.bury(["logs"], **WHERE, by="t")
    turn = await desk.ask("how can I rotate my log files")
    assert ALIKE not in turn.timings_ms and "lark rotate" not in said(turn)
    assert ALIKE not in (await desk.ask("how can we rotate the log files", acl=frozenset({EVERYONE, "x"}))).timings_ms


async def test_by_meaning_nothing_is_shared_with_who_may_see_something_else():
    desk = await opened(alike_min=0.5)
    await desk.ask("How do I rotate the log files?")
    more = frozenset({EVERYONE, "x"})
    assert ALIKE not in (await desk.ask("how can we rotate log files", acl=more)).timings_ms
    await desk.world.ingest(page("more", "# More\n\nThere is more of it now, on a page of its own.\n"))
    assert ALIKE not in (await desk.ask("how can we rotate log files")).timings_ms, "another snapshot"


async def with_kept_alike(copies: int) -> Desk:
    """A desk that keeps so many answers to questions that ask alike, as if they had been asked at the same time."""
    desk = await opened(alike_min=0.5)
    await desk.ask()
    (kept,) = desk.caches.answer.newest(9)
    for number in range(copies - 1):
        desk.caches.answer.put(key_of(number), kept)
    return desk


async def test_by_meaning_what_others_ask_meanwhile_disturbs_nobody():
    desk = await with_kept_alike(3)
    read, looks = desk.world.knowledge.chunks, 0

    async def asked_meanwhile(wanted: Any, scope: Any) -> Any:
        nonlocal looks
        looks += 1
        if looks > 1:
            return await read(wanted, scope)
        desk.caches.answer.put(key_of("somebody else's"), desk.caches.answer.newest(1)[0])
        return []

    desk.world.knowledge.chunks = asked_meanwhile  # pyright: ignore[reportAttributeAccessIssue]
    turn = await desk.ask("how can we rotate log files")
    assert ALIKE in turn.timings_ms and "lark rotate" in said(turn) and looks == 2


async def test_by_meaning_a_question_reads_back_a_few_kept_answers_and_is_then_worked_out():
    desk = await with_kept_alike(40)
    read, looks = desk.world.knowledge.chunks, 0

    async def gone(wanted: Any, scope: Any) -> Any:
        nonlocal looks
        looks += 1
        return []

    answers = desk.journey()._answers  # pyright: ignore[reportPrivateUsage]
    work = answers.alike

    async def alike(asked: Any, trail: Any) -> Any:
        desk.world.knowledge.chunks = gone  # pyright: ignore[reportAttributeAccessIssue]
        found = await work(asked, trail)
        desk.world.knowledge.chunks = read
        return found

    journey = desk.journey()
    journey._answers.alike = alike  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    turn = await journey.ask(session=await desk.session(), principal=asker(), question="how can we rotate log files")
    assert ALIKE not in turn.timings_ms and "lark rotate" in said(turn) and looks == READ_BACK_MAX
