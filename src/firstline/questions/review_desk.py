"""The reviewers' side: which turns wait, what one looked like, and what was found. What people write is redacted."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from firstline.domain import (
    Answered,
    Citation,
    Feedback,
    FeedbackReason,
    HandoffEntry,
    Judgement,
    Principal,
    Rating,
    ReviewItem,
    Session,
    Turn,
    Verdict,
    readable_message,
    turn_id_of,
)
from firstline.errors import Broken, FirstlineError, InvalidInput, NotFound
from firstline.ports import (
    BlobStore,
    Changed,
    ChangedAfter,
    ConversationLedger,
    FeedbackLedger,
    HandoffLedger,
    KnowledgeLedger,
    Redactor,
    Scope,
)
from firstline.questions.readable import readable
from firstline.questions.teaches import NEAR, teaches

logger = logging.getLogger(__name__)

UNREADABLE_ROUNDS_MAX: Final = 20
UNREADABLE_KEPT_MAX: Final = 1_000
CORRECTION_CHARS_MAX: Final = 4_000
REFERENCE_CHARS_MAX: Final = 20_000
TURNS_READ_MAX: Final = 200
DOCS_MAX: Final = 50
MUST_CONTAIN_MAX: Final = 20
PAGES_OFFERED: Final = 9
QUOTE_BYTES_MAX: Final = 4_000
LEASE_S: Final = 900.0
CHANGES_READ: Final = 500
CHANGES_ROUNDS_MAX: Final = 400
REFRESH_S_MAX: Final = 2.0
"""Changes left over by then are looked at the next time."""

LOOKED_BACK: Final = timedelta(days=30)
"""What is older when a queue is first looked at is not put into it."""

OVERLAP: Final = timedelta(minutes=3)
"""Turns being recorded become visible later than their time says; looking at one twice is harmless."""

GATES_ASK: Final = {
    "relevance": "are the pages found about this question",
    "unsure": "is the answer good enough to be shown with a disclaimer",
    "confidence": "is the answer good enough to be shown",
}
TURNS_LISTED: Final = "`firstline review --list` and GET /v1/review list turns."


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A document that the turn found or cited, best first."""

    doc_id: str
    title: str
    cited: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A cited span, as it stands in its document. `number` is the citation's number in the rendered reply."""

    number: int
    doc_id: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewFile:
    """A turn as a reviewer reads it. `turn` and `earlier` hold what the reviewer may see; `said` is what persons did
    with the conversation."""

    item: ReviewItem | None
    session: Session
    turn: Turn
    earlier: tuple[Turn, ...]
    quotes: tuple[Quote, ...]
    pages: tuple[Page, ...]
    feedback: Feedback | None
    said: tuple[HandoffEntry, ...]


def turn_named(name: str) -> tuple[str, int]:
    """Session and number. InvalidInput when it is not the name of a turn."""
    session_id, _, number = name.rpartition(".")
    if not session_id or not number.isdecimal() or len(number) > 9:
        raise InvalidInput(f"{name[:80]!r} does not name a turn.", remedy=f"It is SESSION.NUMBER; {TURNS_LISTED}")
    return session_id, int(number)


class ReviewDesk:
    """Feedback and reviews, on every surface. `unreadable` names the turns that were left out because their record
    cannot be read."""

    def __init__(
        self,
        *,
        feedback: FeedbackLedger,
        conversations: ConversationLedger,
        handoffs: HandoffLedger,
        knowledge: KnowledgeLedger,
        blobs: BlobStore,
        redactor: Redactor,
        sample: float,
        without_user: str,
    ) -> None:
        """`sample` as in `teaches`. Turns of `without_user` (evaluation) are nobody's, and not reviewed."""
        self._feedback = feedback
        self._conversations = conversations
        self._handoffs = handoffs
        self._knowledge = knowledge
        self._blobs = blobs
        self._redactor = redactor
        self._sample = sample
        self._without_user = without_user
        self.unreadable: set[str] = set()

    async def rate(
        self, session_id: str, number: int, rating: Rating, reason: FeedbackReason | None, correction: str, *, by: str
    ) -> Feedback:
        """Keep what somebody thinks of a turn; the newest counts. The caller has checked whose session it is.

        NotFound when there is no such turn, InvalidInput for a reason that contradicts the rating or a text too long.
        """
        if rating is Rating.UP and reason is not None:
            raise InvalidInput("A good rating has no reason.", remedy="Leave `reason` out, or rate it down.")
        made = Feedback(
            session_id=session_id,
            turn=number,
            rating=rating,
            reason=reason,
            correction=self._clean(correction, CORRECTION_CHARS_MAX),
            by=by,
            at=datetime.now(UTC),
        )
        await self._feedback.rate(made)
        return made

    async def refresh(self, *, tenant: str) -> None:
        """Put what changed since the last time into the queue, and take out what is not worth a review any more."""
        seen_until = await self._feedback.seen_until(tenant=tenant)
        now = datetime.now(UTC)
        after: ChangedAfter = (seen_until or now - LOOKED_BACK, "", 0)
        ends_at = time.monotonic() + REFRESH_S_MAX
        for _ in range(CHANGES_ROUNDS_MAX):
            changed = await self._feedback.changes(
                tenant=tenant, after=after, without_user=self._without_user, limit=CHANGES_READ
            )
            items = [(one, teaches(one, sample=self._sample)) for one in changed]
            if changed:
                after = (changed[-1].at, changed[-1].turn.session_id, changed[-1].turn.number)
            await self._feedback.put_queue(
                [item for _, item in items if item is not None],
                gone=[(one.turn.session_id, one.turn.number) for one, item in items if item is None],
                tenant=tenant,
                seen_until=max(after[0] - OVERLAP, seen_until) if seen_until else after[0] - OVERLAP,
            )
            if not changed or time.monotonic() > ends_at:
                return

    async def waiting(self, *, tenant: str, limit: int) -> list[ReviewItem]:
        """The queue, what teaches most first, whoever holds it."""
        await self.refresh(tenant=tenant)
        return await self._feedback.queue(tenant=tenant, limit=limit)

    async def next(self, principal: Principal, *, by: str, limit: int) -> list[ReviewFile]:
        """The next turns for `by`, which nobody else gets for LEASE_S; what they hold already comes again."""
        await self.refresh(tenant=principal.tenant)
        for _ in range(UNREADABLE_ROUNDS_MAX):
            items = await self._feedback.claim(tenant=principal.tenant, by=by, limit=limit, lease_s=LEASE_S)
            files = [file for item in items if (file := await self._file_or_none(item, principal, by=by)) is not None]
            if files or not items:
                return files
        return []

    async def _file_or_none(self, item: ReviewItem, principal: Principal, *, by: str) -> ReviewFile | None:
        """None for a turn whose record cannot be read: it is counted in `unreadable`, and `by` gets others instead."""
        try:
            return await self._file(await self._turn(item.session_id, item.turn, principal), item, principal)
        except Broken as error:
            named = turn_id_of(item.session_id, item.turn)
            if len(self.unreadable) < UNREADABLE_KEPT_MAX:
                self.unreadable.add(named)
            logger.error("turn %s cannot be reviewed: %s", named, error.message)
            await self._feedback.skip(item.session_id, item.turn, tenant=principal.tenant, by=by)
            return None

    async def file(self, session_id: str, number: int, principal: Principal) -> ReviewFile:
        """One turn, whether it waits or not. NotFound when the tenant has none."""
        return await self._file(await self._turn(session_id, number, principal), None, principal)

    async def skip(self, session_id: str, number: int, *, tenant: str, by: str) -> None:
        await self._feedback.skip(session_id, number, tenant=tenant, by=by)

    async def release(self, *, tenant: str, by: str) -> None:
        await self._feedback.release(tenant=tenant, by=by)

    async def judge(
        self,
        session_id: str,
        number: int,
        verdict: Verdict,
        principal: Principal,
        *,
        by: str,
        docs: Sequence[str] = (),
        reference: str = "",
        must_contain: Sequence[str] = (),
    ) -> Judgement:
        """Keep what a reviewer found. Without `docs`, what was good or partly so rests on what was cited.

        InvalidInput for a document that is not there, where an answer is called good or partly so and nothing says
        what it rests on, and where one called good lacks what it must contain; NotFound and Conflict as in
        FeedbackLedger.judge.
        """
        known = await self._turn(session_id, number, principal)
        given = await self._known_documents(docs, known, principal, verdict)
        cited = cited_documents(known.turn) if verdict in (Verdict.GOOD, Verdict.PARTLY) else ()
        if verdict is Verdict.PARTLY and not (given or cited):
            raise InvalidInput(
                "Nothing was answered here, so nothing was partly right.",
                remedy="Judge it wrong and name the documents that hold the answer, or unanswerable.",
            )
        must = tuple(
            clean for text in must_contain[:MUST_CONTAIN_MAX] if (clean := self._clean(text, CORRECTION_CHARS_MAX))
        )
        if verdict is Verdict.GOOD and (lacks := _lacking(known.turn, must)):
            raise InvalidInput(
                f"The answer was called good, and does not hold {lacks[0]!r}.",
                remedy="Correct the text that an answer must hold, or judge the answer partly or wrong.",
            )
        published = await self._knowledge.published(tenant=principal.tenant, kb=known.session.kb)
        judgement = Judgement(
            tenant=principal.tenant,
            kb=known.session.kb,
            session_id=session_id,
            turn=number,
            verdict=verdict,
            docs=given or cited,
            reference=self._clean(reference, REFERENCE_CHARS_MAX),
            must_contain=must,
            by=by,
            at=datetime.now(UTC),
            # What was cited was read as it was then; what a reviewer names, as it is now.
            snapshot=published.number if given else known.turn.snapshot,
        )
        await self._feedback.judge(judgement)
        return judgement

    async def judged(self, *, tenant: str, kb: str, limit: int) -> list[tuple[Judgement, tuple[Turn, ...]]]:
        """Judgements, oldest first, each with its conversation up to the turn that was judged."""
        found = await self._feedback.judgements(tenant=tenant, kb=kb, limit=limit)
        return [(one, await self._until(one.session_id, one.turn)) for one in reversed(found)]

    async def _known_documents(
        self, docs: Sequence[str], known: Changed, principal: Principal, verdict: Verdict
    ) -> tuple[str, ...]:
        wanted = tuple(dict.fromkeys(doc.strip() for doc in docs if doc.strip()))
        if wanted and verdict is Verdict.UNANSWERABLE:
            raise InvalidInput(
                "What has no answer has no documents.", remedy="Leave the documents out, or judge it wrong."
            )
        if len(wanted) > DOCS_MAX:
            raise InvalidInput(f"{len(wanted)} documents are too many.", remedy=f"Name at most {DOCS_MAX}.")
        published = await self._knowledge.published(tenant=principal.tenant, kb=known.session.kb)
        scope = Scope.of(principal, kb=known.session.kb, snapshot=published.number)
        there = {document.doc_id for document in await self._knowledge.documents(wanted, scope)}
        for doc in wanted:
            if doc not in there:
                raise InvalidInput(
                    f"There is no document {doc[:200]!r} in {known.session.kb!r} that you may see.",
                    remedy="Use ids as `firstline ask --explain` and the review's own list of pages print them.",
                )
        return wanted

    async def _turn(self, session_id: str, number: int, principal: Principal) -> Changed:
        found = await self._feedback.turn(session_id, number, tenant=principal.tenant)
        if found is None:
            raise NotFound("There is no such turn.", remedy=TURNS_LISTED)
        return found

    async def _until(self, session_id: str, number: int) -> tuple[Turn, ...]:
        turns = await self._conversations.turns(session_id, limit=TURNS_READ_MAX)
        return tuple(turn for turn in turns if turn.number <= number)

    async def _file(self, known: Changed, item: ReviewItem | None, principal: Principal) -> ReviewFile:
        kb = known.session.kb
        turns = await self._until(known.turn.session_id, known.turn.number)
        seen = [await readable(turn, principal, kb=kb, knowledge=self._knowledge) for turn in turns]
        shown = next((turn for turn in seen if turn.number == known.turn.number), None)
        if shown is None:
            shown = await readable(known.turn, principal, kb=kb, knowledge=self._knowledge)
        return ReviewFile(
            item=item,
            session=known.session,
            turn=shown,
            earlier=tuple(turn for turn in seen if turn.number < known.turn.number),
            quotes=await self._quotes(shown),
            pages=await self._pages(known.turn, principal, kb),
            feedback=known.feedback,
            said=tuple(await self._handoffs.said(known.turn.session_id)),
        )

    async def _quotes(self, turn: Turn) -> tuple[Quote, ...]:
        """Of citations that the reviewer may open, numbered as `render` numbers them."""
        if not isinstance(turn.outcome, Answered):
            return ()
        places: dict[tuple[str, int, int], Citation] = {}
        for claim in turn.outcome.claims:
            for each in claim.citations:
                places.setdefault((each.chunk_id, each.start, each.end), each)
        quotes: list[Quote] = []
        for number, each in enumerate(places.values(), start=1):
            try:
                end = min(each.end, each.start + QUOTE_BYTES_MAX)
                text = (await self._blobs.get_range(each.blob, each.start, end)).decode("utf-8", errors="replace")
            except FirstlineError:
                text = "(the text is not there any more)"
            quotes.append(Quote(number=number, doc_id=each.doc_id, title=each.title, text=text))
        return tuple(quotes)

    async def _pages(self, turn: Turn, principal: Principal, kb: str) -> tuple[Page, ...]:
        """Those that are still there: what was deleted must not come back by a review."""
        cited = cited_documents(turn)
        then = Scope.of(principal, kb=kb, snapshot=turn.snapshot)
        found = await self._knowledge.chunks([chunk_id for chunk_id, _ in turn.evidence], then)
        published = await self._knowledge.published(tenant=principal.tenant, kb=kb)
        now = Scope.of(principal, kb=kb, snapshot=published.number)
        doc_ids = list(dict.fromkeys((*cited, *(chunk.doc_id for chunk in found))))
        return tuple(
            Page(doc_id=document.doc_id, title=document.title, cited=document.doc_id in cited)
            for document in await self._knowledge.documents(doc_ids[:PAGES_OFFERED], now)
        )

    def _clean(self, text: str, chars_max: int) -> str:
        return self._redactor.redact(readable_message(text, chars_max=chars_max)).text if text.strip() else ""


def cited_documents(turn: Turn) -> tuple[str, ...]:
    """Documents that the answer rests on, each once; none when it was no answer."""
    if not isinstance(turn.outcome, Answered):
        return ()
    return tuple(dict.fromkeys(each.doc_id for claim in turn.outcome.claims for each in claim.citations))


def _lacking(turn: Turn, texts: Sequence[str]) -> tuple[str, ...]:
    """What the turn's answer does not say, letter case aside, as a case is scored; of what is no answer nothing is."""
    if not isinstance(turn.outcome, Answered):
        return ()
    said = "\n".join(claim.text for claim in turn.outcome.claims).casefold()
    return tuple(text for text in texts if text.casefold() not in said)


def gates_in_words(turn: Turn) -> tuple[str, ...]:
    """What each gate of the turn asked, read and decided."""
    return tuple(
        f"{GATES_ASK.get(gate.name, gate.name)}: {gate.value:.2f}, needed {gate.threshold:.2f}, "
        f"{'passed' if gate.passed else 'failed'}{' narrowly' if abs(gate.value - gate.threshold) <= NEAR else ''}"
        for gate in turn.gates
    )
