"""What every CareLedger promises: entries of curated answers, what was asked; and that what expired is not found."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ledger_samples import KB, NOON, escalated, handoff, ids, published, scope, session, stored, turn

from firstline.domain import (
    EXACT,
    Answered,
    AskedAs,
    Asks,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    DocumentKind,
    FaqCitation,
    FaqEntry,
    Feedback,
    FeedbackReason,
    Judgement,
    Level,
    Rating,
    Reason,
    Route,
    Scores,
    SearchPlan,
    Session,
    Turn,
    Verdict,
)
from firstline.engines.memory.care import MemoryCareLedger
from firstline.engines.memory.feedback import MemoryFeedbackLedger
from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import NotFound
from firstline.ports import CareLedger, ConversationLedger, FeedbackLedger, KnowledgeLedger, Marks, TombstoneLedger

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
PAST = datetime.now(UTC) - timedelta(minutes=1)
FUTURE = datetime.now(UTC) + timedelta(days=1)
SOME = Scores(dense=0.5, words=2.0, document=0.4, fused=0.9)
KEY = {"question_key": "which port"}


@dataclass(frozen=True, kw_only=True)
class Opened:
    care: CareLedger
    knowledge: KnowledgeLedger
    tombstones: TombstoneLedger
    conversations: ConversationLedger
    feedback: FeedbackLedger


@pytest.fixture(params=["memory", "postgres"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Opened]:
    if request.param == "memory":
        knowledge, conversations = MemoryKnowledgeLedger(), MemoryConversationLedger()
        feedback = MemoryFeedbackLedger(conversations, MemoryHandoffLedger(conversations))
        care = MemoryCareLedger(knowledge, conversations, feedback)
        yield Opened(
            care=care, knowledge=knowledge, tombstones=knowledge, conversations=conversations, feedback=feedback
        )
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
        yield Opened(
            care=ledgers.care,
            knowledge=ledgers.knowledge,
            tombstones=ledgers.tombstones,
            conversations=ledgers.conversations,
            feedback=ledgers.feedback,
        )


def entry(tenant: str, doc_id: str = "faq#1", *, expires_at: datetime | None = None, cites: str = "") -> FaqEntry:
    return FaqEntry(
        tenant=tenant,
        kb=KB,
        doc_id=doc_id,
        owner="Support “A”",
        expires_at=expires_at,
        cites=tuple(FaqCitation(doc_id=one, blob=f"blob of {one}") for one in cites.split()),
        changed_by="an operator",
        changed_at=PAST,
    )


async def test_an_entry_comes_back_as_it_was_put(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "faq#1", since=1, kind=DocumentKind.FAQ))
    first = entry(tenant, "faq#1", expires_at=FUTURE, cites="a b")
    await opened.care.put_faq(entry(tenant, "faq#0"))
    await opened.care.put_faq(entry(tenant))
    await opened.care.put_faq(first)
    assert await opened.care.faq_entries(tenant=tenant, kb=KB) == [entry(tenant, "faq#0"), first]
    assert await opened.care.faq_entries(tenant=tenant, kb="other") == []
    assert await opened.care.faq_entries(tenant="nobody", kb=KB) == []
    await opened.care.drop_faq("faq#0", tenant=tenant, kb=KB)
    await opened.care.drop_faq("faq#0", tenant=tenant, kb=KB)
    await opened.care.drop_faq("faq#1", tenant="nobody", kb=KB)
    assert await opened.care.faq_entries(tenant=tenant, kb=KB) == [first]


async def test_of_two_who_change_an_entry_at_once_one_is_told(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "faq#1", since=1, kind=DocumentKind.FAQ))
    first, expired = entry(tenant, cites="a"), entry(tenant, expires_at=PAST, cites="a")
    assert not await opened.care.swap_faq(first, before=expired), "nothing is known yet"
    assert await opened.care.swap_faq(first, before=None)
    assert not await opened.care.swap_faq(expired, before=None)
    assert await opened.care.swap_faq(expired, before=first)
    assert not await opened.care.swap_faq(replace(first, owner="another"), before=first)
    assert await opened.care.faq_entries(tenant=tenant, kb=KB) == [expired]
    with pytest.raises(NotFound, match="no knowledge base"):
        await opened.care.swap_faq(entry(f"{tenant}-2"), before=None)


async def test_what_is_cached_does_not_outlive_the_end_or_return_of_an_answer(opened: Opened, tenant: str) -> None:
    """What was worked out with it, or without it, is worked out anew: the mark of the knowledge base rises."""
    await published(opened.knowledge, tenant, stored(tenant, "faq#1", since=1, kind=DocumentKind.FAQ))
    await published(opened.knowledge, f"{tenant}-2", stored(f"{tenant}-2", "faq#1", since=1))

    async def mark(of: str = tenant) -> int:
        return (await opened.knowledge.published(tenant=of, kb=KB)).forgotten

    last, elsewhere = await mark(), await mark(f"{tenant}-2")
    steps = [(None, False), (FUTURE, False), (PAST, True), (LONG_AGO, False), (FUTURE, True), (PAST, True)]
    for expires_at, rises in steps:
        await opened.care.put_faq(entry(tenant, expires_at=expires_at))
        now = await mark()
        assert (now > last) is rises
        last = now
    await opened.care.swap_faq(entry(tenant), before=entry(tenant))
    assert await mark() == last, "nothing was changed"
    await opened.care.swap_faq(entry(tenant), before=entry(tenant, expires_at=PAST))
    assert await mark() > last
    assert await mark(f"{tenant}-2") == elsewhere


async def test_nothing_is_known_of_a_knowledge_base_that_is_not_there(opened: Opened, tenant: str) -> None:
    with pytest.raises(NotFound, match="no knowledge base"):
        await opened.care.put_faq(entry(tenant))


async def test_what_has_expired_is_in_no_lookup_of_any_snapshot(opened: Opened, tenant: str) -> None:
    answer = stored(tenant, "faq#1", since=1, kind=DocumentKind.FAQ, metadata=KEY)
    other = stored(tenant, "faq#2", since=1, kind=DocumentKind.FAQ, metadata=KEY)
    await published(opened.knowledge, tenant, answer, other)
    look, ledger = scope(tenant, 1), opened.knowledge

    async def seen() -> tuple[object, ...]:
        found = await ledger.faq("which port", look)
        return (
            found.doc_id if found else None,
            len(await ledger.chunks(ids(answer), look)),
            len(await ledger.document_chunks("faq#1", look)),
            await ledger.document("faq#1", look) is not None,
            [one.doc_id for one in await ledger.documents(["faq#1", "faq#2"], look)],
            len(await ledger.neighbours(answer.chunks[0], look, before=0, after=2)),
        )

    there = ("faq#1", 3, 3, True, ["faq#1", "faq#2"], 3)
    assert await seen() == there
    await opened.care.put_faq(entry(tenant, expires_at=FUTURE))
    assert await seen() == there
    await opened.care.put_faq(entry(tenant, expires_at=PAST))
    # The other answer to the question is given then.
    assert await seen() == ("faq#2", 0, 0, False, ["faq#2"], 0)
    # An ingest still knows the document, and whoever looks after it sees it.
    assert "faq#1" in await ledger.current(tenant=tenant, kb=KB)
    listed = await opened.care.published_documents(tenant=tenant, kb=KB, limit=9)
    assert [one.doc_id for one in listed] == ["faq#1", "faq#2"]
    await opened.care.put_faq(entry(tenant))
    assert await seen() == there


async def test_expired_entries_are_counted_by_tenant(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "faq#1", since=1))
    before = await opened.care.faq_expired(tenant=None)
    await opened.care.put_faq(entry(tenant, expires_at=PAST))
    await opened.care.put_faq(entry(tenant, "faq#2", expires_at=FUTURE))
    await opened.care.put_faq(entry(tenant, "faq#3"))
    # Of one that no published snapshot holds there is nothing to be used.
    await opened.care.put_faq(entry(tenant, "faq#4", expires_at=PAST))
    assert await opened.care.faq_expired(tenant=tenant) == 1
    assert await opened.care.faq_expired(tenant="nobody") == 0
    assert await opened.care.faq_expired(tenant=None) == before + 1


async def test_a_purged_answer_and_a_purged_page_leave_no_name(opened: Opened, tenant: str) -> None:
    pages = [stored(tenant, name, since=1) for name in ("faq#1", "faq#2", "secret.md", "page.md")]
    await published(opened.knowledge, tenant, *pages)
    await opened.care.put_faq(entry(tenant, "faq#1", expires_at=PAST))
    await opened.care.put_faq(entry(tenant, "faq#2", cites="page.md secret.md"))
    for stone in await opened.tombstones.bury(["faq#1", "secret.md"], tenant=tenant, kb=KB, by="me"):
        await opened.tombstones.purged(stone)
    (left,) = await opened.care.faq_entries(tenant=tenant, kb=KB)
    assert left.doc_id == "faq#2"
    assert left.cites == (FaqCitation(doc_id="page.md", blob="blob of page.md"), FaqCitation(doc_id="", blob=""))


async def test_published_documents_are_those_of_the_pointer(opened: Opened, tenant: str) -> None:
    await published(
        opened.knowledge,
        tenant,
        stored(tenant, "a.md", since=1, acl=frozenset(), level=Level.RESTRICTED),
        stored(tenant, "b", since=1, kind=DocumentKind.FAQ),
        stored(tenant, "C.md", since=1),
    )
    await opened.knowledge.write([stored(tenant, "candidate.md", since=2)])
    await opened.tombstones.bury(["C.md"], tenant=tenant, kb=KB, by="me")

    async def listed(**given: object) -> list[str]:
        wanted: dict[str, object] = {"limit": 9, **given}
        found = await opened.care.published_documents(tenant=tenant, kb=KB, **wanted)  # pyright: ignore[reportArgumentType]  (a table of test values)
        return [one.doc_id for one in found]

    assert await listed() == ["a.md", "b"]
    assert await listed(limit=1) == ["a.md"]
    assert await listed(kinds=frozenset({DocumentKind.FAQ})) == ["b"]
    assert await listed(doc_ids=["a.md", "C.md", "x"]) == ["a.md"]
    assert await listed(doc_ids=[]) == []
    places = await opened.care.published_places(tenant=tenant, kb=KB, limit=9)
    assert places == [("a.md", "https://docs.example/a.md"), ("b", "https://docs.example/b")]
    assert await opened.care.published_places(tenant="nobody", kb=KB, limit=9) == []


def answered(of: Session, number: int, *, completeness: Completeness = Completeness.FULL, doc_id: str = "a.md") -> Turn:
    cited = Citation(chunk_id="c", doc_id=doc_id, blob="b", start=0, end=2, title="A", url=None)
    claim = Claim(text="Do it.", kind=ClaimKind.SENTENCE, citations=(cited,))
    outcome = Answered(completeness=completeness, claims=(claim,), confidence=0.9)
    return turn(of.session_id, number, question=f"How {number}?", outcome=outcome)


async def conversation(opened: Opened, tenant: str, *, user: str = "a user") -> Session:
    made = session(tenant, user=user)
    await opened.conversations.create_session(made)
    return made


async def test_turns_are_read_as_what_they_came_to(opened: Opened, tenant: str) -> None:
    of = await conversation(opened, tenant)
    handed = replace(handoff(of.session_id), reason=Reason.NO_VERIFIED_CONTEXT)
    person = replace(handoff(of.session_id), reason=Reason.USER_ASKED)
    plan = SearchPlan(queries=(), standalone="How, on Linux?", carried=(), filters={}, route=Route.CLASSIC)
    turns = [
        answered(of, 1),
        answered(of, 2, completeness=Completeness.UNSURE),
        turn(of.session_id, 3, outcome=Clarify(asks=Asks.DETAIL)),
        turn(of.session_id, 4, outcome=Clarify(asks=Asks.LANGUAGE)),
        escalated(handed, 5),
        escalated(person, 6),
        turn(of.session_id, 7),
        replace(answered(of, 8), evidence=tuple((f"c{at}", SOME) for at in range(5)), plan=plan),
        replace(answered(of, 9), evidence=(("c1", EXACT), ("c2", EXACT))),
    ]
    for one in turns:
        await opened.conversations.append_turn(one, None)
    found = await opened.care.asked(tenant=tenant, kb=KB, since=LONG_AGO, without_user="nobody", limit=99)
    by_number = {one.number: one for one in found}
    assert [by_number[number].became for number in range(1, 10)] == [
        AskedAs.ANSWERED,
        AskedAs.UNSURE,
        AskedAs.ASKED_BACK,
        AskedAs.OTHER,
        AskedAs.ESCALATED,
        AskedAs.OTHER,
        AskedAs.OTHER,
        AskedAs.ANSWERED,
        AskedAs.ANSWERED,
    ]
    assert by_number[1].asked_at == NOON + timedelta(minutes=1) and by_number[1].session_id == of.session_id
    assert by_number[8].question == "How, on Linux?" and by_number[1].question == "How 1?"
    assert by_number[8].nearest == ("c0", "c1", "c2") and by_number[1].nearest == ()
    # Equal answers with equal citations are told to be equal; what is no answer has none.
    assert by_number[1].answer == by_number[2].answer == by_number[8].answer != ""
    assert by_number[3].answer == by_number[5].answer == ""
    assert [number for number, one in by_number.items() if one.curated] == [9]


async def test_turns_are_limited_to_place_time_user_and_number(opened: Opened, tenant: str) -> None:
    of, evaluation = await conversation(opened, tenant), await conversation(opened, tenant, user="evaluation")
    for number in (1, 2, 3):
        await opened.conversations.append_turn(answered(of, number), None)
    await opened.conversations.append_turn(answered(evaluation, 1), None)

    async def numbers(
        *, kb: str = KB, of_tenant: str = tenant, since: datetime = LONG_AGO, limit: int = 9
    ) -> list[int]:
        found = await opened.care.asked(tenant=of_tenant, kb=kb, since=since, without_user="evaluation", limit=limit)
        return [one.number for one in found]

    assert await numbers() == [3, 2, 1]
    assert await numbers(limit=2) == [3, 2]
    assert await numbers(since=NOON + timedelta(minutes=2)) == [3, 2]
    assert await numbers(kb="other") == await numbers(of_tenant="nobody") == []


async def test_chunks_lead_to_documents_that_are_not_forgotten(opened: Opened, tenant: str) -> None:
    one, other = stored(tenant, "a.md", since=1), stored(tenant, "b.md", since=1)
    await published(opened.knowledge, tenant, one, other)
    wanted = [*ids(one, other), "no id", "00000000-0000-0000-0000-000000000000"]
    found = await opened.care.documents_of(wanted, tenant=tenant, kb=KB)
    assert found == {**dict.fromkeys(ids(one), "a.md"), **dict.fromkeys(ids(other), "b.md")}
    assert await opened.care.documents_of(wanted, tenant="nobody", kb=KB) == {}
    await opened.tombstones.bury(["b.md"], tenant=tenant, kb=KB, by="me")
    assert set((await opened.care.documents_of(wanted, tenant=tenant, kb=KB)).values()) == {"a.md"}


async def test_pages_are_blamed_for_answers_that_were_wrong(opened: Opened, tenant: str) -> None:
    of = await conversation(opened, tenant)
    for number, doc_id in enumerate(["a.md", "a.md", "b.md", "c.md", "d.md"], start=1):
        await opened.conversations.append_turn(answered(of, number, doc_id=doc_id), None)

    async def rate(number: int, rating: Rating, reason: FeedbackReason | None) -> None:
        given = Feedback(
            session_id=of.session_id, turn=number, rating=rating, reason=reason, correction="", by="u", at=NOON
        )
        await opened.feedback.rate(given)

    await rate(1, Rating.DOWN, FeedbackReason.OUTDATED)
    await rate(2, Rating.DOWN, FeedbackReason.WRONG)
    await rate(3, Rating.DOWN, FeedbackReason.UNCLEAR)
    await rate(5, Rating.UP, None)
    for number, verdict in ((2, Verdict.WRONG), (4, Verdict.WRONG), (5, Verdict.GOOD)):
        await opened.feedback.judge(judged(tenant, of, number, verdict))

    async def blamed(since: datetime = LONG_AGO, user: str = "nobody") -> dict[str, int]:
        return await opened.care.blamed(tenant=tenant, kb=KB, since=since, without_user=user)

    assert await blamed() == {"a.md": 2, "c.md": 1}
    assert await blamed(NOON + timedelta(minutes=2)) == {"a.md": 1, "c.md": 1}
    assert await blamed(user="a user") == {}
    assert await opened.care.blamed(tenant="nobody", kb=KB, since=LONG_AGO, without_user="x") == {}


def judged(tenant: str, of: Session, number: int, verdict: Verdict) -> Judgement:
    return Judgement(
        tenant=tenant,
        kb=KB,
        session_id=of.session_id,
        turn=number,
        verdict=verdict,
        docs=(),
        reference="",
        must_contain=(),
        snapshot=1,
        by="r",
        at=NOON,
    )


async def test_an_owner_is_forgotten_and_so_is_a_whole_tenant(postgres_url: str, tmp_path: Path, tenant: str) -> None:
    """On Postgres alone: the memory engines keep no records of this kind."""
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        await published(ledgers.knowledge, tenant, stored(tenant, "faq#1", since=1))
        await published(ledgers.knowledge, f"{tenant}-2", stored(f"{tenant}-2", "faq#1", since=1))
        for owner in (tenant, f"{tenant}-2"):
            await ledgers.care.put_faq(replace(entry(owner), owner="Jane Roe", changed_by="jane roe"))
            await ledgers.care.put_faq(replace(entry(owner, "faq#2"), owner="docs team"))
        marks = Marks(texts=frozenset({"Jane Roe"}))
        assert (await ledgers.records.quoting(marks, tenant=tenant))["owners of curated answers"] == 1
        await ledgers.records.scrub(marks, tenant=tenant)
        assert (await ledgers.records.quoting(marks, tenant=tenant))["owners of curated answers"] == 0
        entries = await ledgers.care.faq_entries(tenant=tenant, kb=KB)
        assert "jane" not in repr(entries).lower() and entries[1].owner == "docs team"
        await ledgers.records.forget_tenant(tenant)
        assert await ledgers.care.faq_entries(tenant=tenant, kb=KB) == []
        assert len(await ledgers.care.faq_entries(tenant=f"{tenant}-2", kb=KB)) == 2
