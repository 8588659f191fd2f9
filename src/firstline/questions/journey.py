"""A question's journey, and every branch of it.

    session -> FAQ -> triage -> spelling -> rewrite -> retrieve -> prefer -> [relevance gate] -> compose -> verify
            -> critique -> [confidence gate] -> Outcome -> record

A question holds ONE snapshot from its first lookup to its last citation. Expected outcomes are values; whatever goes
wrong on the way becomes an honest Escalated within the turn's deadline.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from firstline.domain import (
    PERSON_OWNS,
    Answered,
    Category,
    Clarify,
    Completeness,
    Coverage,
    Deflected,
    Draft,
    Escalated,
    Evidence,
    Handoff,
    HighStakes,
    Intent,
    Outcome,
    Principal,
    RankedDocument,
    Reason,
    Session,
    Silent,
    Turn,
    readable_message,
)
from firstline.errors import Conflict, FirstlineError
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    ConversationLedger,
    Embedder,
    KnowledgeLedger,
    Redactor,
    Reranker,
    Scope,
    TriageClassifier,
    Vectors,
    WordEncoder,
)
from firstline.questions.admission import Admission
from firstline.questions.compose import compose
from firstline.questions.critique import critique
from firstline.questions.faq import faq
from firstline.questions.gate import GateModel, confidence_features, read, relevance_features
from firstline.questions.handoff import handoff
from firstline.questions.missed import Missed, missed
from firstline.questions.prefer import copies_last
from firstline.questions.rewrite import exchange, rewrite
from firstline.questions.search import Search, SearchLimits
from firstline.questions.trail import Trail
from firstline.questions.triage import WITHOUT_CLASSIFIER, triage
from firstline.questions.verify import verify

logger = logging.getLogger(__name__)

OnStatus = Callable[[str], Awaitable[None]]

SESSION_LOCKS_MAX = 10_000
CLARIFY_OPTIONS_MAX = 3
TURNS_AT_ONCE = 12
ACKNOWLEDGEMENT = "I understand, and I am passing this to a person right away."


@dataclass(frozen=True, kw_only=True, slots=True)
class JourneyLimits:
    """The journey's knobs, taken from the settings."""

    question_chars_max: int
    history_turns: int
    answer_chars_max: int
    turn_deadline_s: float
    search: SearchLimits
    topics: tuple[str, ...]
    retention_offer: str
    settings_hash: str
    turns_at_once: int = TURNS_AT_ONCE


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """One message on its way: who asked what, in which session, on which snapshot."""

    session: Session
    principal: Principal
    question: str
    number: int
    history: tuple[Turn, ...]
    scope: Scope
    exclude: frozenset[str]
    on_status: OnStatus | None

    @property
    def earlier(self) -> tuple[str, ...]:
        return tuple(turn.question for turn in self.history)


class QuestionJourney:
    """Answers questions from published snapshots, or hands them over."""

    def __init__(
        self,
        *,
        knowledge: KnowledgeLedger,
        conversations: ConversationLedger,
        index: ChunkIndex,
        blobs: BlobStore,
        embedder: Embedder,
        words: WordEncoder,
        classifier: TriageClassifier,
        redactor: Redactor,
        gates: Mapping[str, GateModel],
        limits: JourneyLimits,
        reranker: Reranker | None = None,
        english: Collection[str] = frozenset(),
    ) -> None:
        """`english`: words (lower case) that are never taken for misspelt."""
        self._knowledge = knowledge
        self._conversations = conversations
        self._blobs = blobs
        self._search = Search(
            knowledge=knowledge,
            index=index,
            blobs=blobs,
            embedder=embedder,
            words=words,
            reranker=reranker,
            limits=limits.search,
            english=english,
        )
        self._classifier = classifier
        self._redactor = redactor
        self._gates = gates
        self._limits = limits
        self._admission = Admission(limits.turns_at_once)
        self._locks: OrderedDict[str, asyncio.Lock] = OrderedDict()

    async def ask(
        self,
        *,
        session: Session,
        principal: Principal,
        question: str,
        on_status: OnStatus | None = None,
        exclude: frozenset[str] = frozenset(),
    ) -> Turn:
        """Take one message to its outcome and record the turn.

        `on_status` hears the name of each step as it begins. Raises InvalidInput for an empty or too long message and
        Unavailable when not even the record can be written.
        """
        text = self._accepted(question)
        started = time.perf_counter()
        async with self._lock(session.session_id), self._admitted() as left_s:
            history = tuple(
                await self._conversations.turns(session.session_id, limit=max(1, self._limits.history_turns))
            )
            snapshot = await self._knowledge.published(tenant=session.tenant, kb=session.kb)
            asked = _Asked(
                session=session,
                principal=principal,
                question=text,
                number=history[-1].number + 1 if history else 1,
                history=history[-self._limits.history_turns :] if self._limits.history_turns else (),
                scope=Scope.of(principal, kb=session.kb, snapshot=snapshot.number),
                exclude=exclude,
                on_status=on_status,
            )
            trail = Trail(timings_ms={"wait": (self._limits.turn_deadline_s - left_s) * 1000})
            outcome = await self._within_deadline(asked, trail, left_s=left_s)
            trail.timings_ms["total"] = (time.perf_counter() - started) * 1000
            return await self._record(asked, trail, outcome)

    async def rank(
        self,
        *,
        principal: Principal,
        kb: str,
        question: str,
        history: Sequence[str] = (),
        limit: int = 10,
        exclude: frozenset[str] = frozenset(),
    ) -> tuple[RankedDocument, ...]:
        """Retrieval alone: rewrite and retrieve, without triage, gates or record. For search and evaluation."""
        text = self._accepted(question)
        snapshot = await self._knowledge.published(tenant=principal.tenant, kb=kb)
        scope = Scope.of(principal, kb=kb, snapshot=snapshot.number)
        spelt = await self._search.spelling(text, scope)
        plan = rewrite(spelt.text, earlier=[self._redactor.redact(turn).text for turn in history])
        return await self._search.rank(plan, scope, Trail(), limit=limit, exclude=exclude)

    async def readable(self, turn: Turn, principal: Principal, *, kb: str) -> Turn:
        """The turn as this principal may see it NOW: an answer whose citations it can no longer open is withheld."""
        if not isinstance(turn.outcome, Answered):
            return turn
        citations = [c for claim in turn.outcome.claims for c in claim.citations]
        cited = list(dict.fromkeys(c.chunk_id for c in citations))
        then = Scope.of(principal, kb=kb, snapshot=turn.snapshot)
        published = await self._knowledge.published(tenant=principal.tenant, kb=kb)
        now = Scope.of(principal, kb=kb, snapshot=published.number)
        # A document that was deleted or closed since must not come back by reloading an old answer.
        open_now = {
            doc_id
            for doc_id in {c.doc_id for c in citations}
            if await self._knowledge.document(doc_id, now) is not None
        }
        visible = {chunk.chunk_id for chunk in await self._knowledge.chunks(cited, then) if chunk.doc_id in open_now}
        if visible.issuperset(cited):
            return turn
        claims = tuple(claim for claim in turn.outcome.claims if all(c.chunk_id in visible for c in claim.citations))
        if claims:
            return replace(turn, outcome=replace(turn.outcome, claims=claims, completeness=Completeness.PARTIAL))
        return replace(
            turn, outcome=Clarify(question="This answer is no longer available. Please ask again.", options=())
        )

    async def why_not(self, turn: Turn, doc_id: str, principal: Principal, *, kb: str) -> Missed:
        """Where this document was lost on the way of a recorded turn, or that there is none for this principal."""
        return await missed(
            turn, doc_id, principal, kb=kb, knowledge=self._knowledge, search=self._search, gates=self._gates
        )

    # --- one message ------------------------------------------------------------------------------------------------

    def _accepted(self, question: str) -> str:
        """Redact first: from here on nobody sees what must not be stored (invariant 4)."""
        return self._redactor.redact(readable_message(question, chars_max=self._limits.question_chars_max)).text

    @asynccontextmanager
    async def _admitted(self) -> AsyncGenerator[float]:
        """Hold a place among the turns worked on; gives the seconds of the deadline that waiting for it has left."""
        began = time.perf_counter()
        async with self._admission.place(wait_s_max=self._limits.turn_deadline_s) as admitted:
            waited_s = time.perf_counter() - began
            yield self._limits.turn_deadline_s - waited_s if admitted else 0.0

    async def _within_deadline(self, asked: _Asked, trail: Trail, *, left_s: float) -> Outcome:
        try:
            if left_s <= 0:
                raise TimeoutError
            async with asyncio.timeout(left_s):
                return await self._outcome(asked, trail)
        except TimeoutError:
            logger.warning("a turn reached its deadline")
            return self._escalate(asked, trail, Reason.PROVIDER_FAILURE)
        except FirstlineError as error:
            logger.warning("a turn failed: %s", error.code)
            return self._escalate(asked, trail, Reason.PROVIDER_FAILURE)

    async def _outcome(self, asked: _Asked, trail: Trail) -> Outcome:
        owner = await self._conversations.open_handoff(asked.session.session_id)
        if owner is not None and owner.state in PERSON_OWNS:
            return Silent(handoff=owner)

        with trail.step("faq"):
            curated = await faq(asked.question, asked.scope, ledger=self._knowledge, blobs=self._blobs)
        if curated and curated[0].chunk.doc_id not in asked.exclude:
            answer = self._curated_answer(asked, trail, curated)
            if answer is not None:
                return answer

        await _tell(asked, "triage")
        vector = await self._triage(asked, trail)
        early = self._early_outcome(asked, trail)
        if early is not None:
            return early

        await _tell(asked, "retrieve")
        await self._find(asked, trail, vector)
        with trail.step("gate"):
            neighbour = await self._search.neighbour(trail.ranked, asked.scope, asked.exclude | trail.sisters)
            features = relevance_features(_sought(asked, trail), trail.ranked, trail.evidence, neighbour=neighbour)
            relevance = read(self._gates["relevance"], features)
        trail.gates.append(relevance)
        if not relevance.passed or not trail.evidence:
            return self._weak(asked, trail)

        await _tell(asked, "compose")
        return await self._answer(asked, trail, features)

    async def _triage(self, asked: _Asked, trail: Trail) -> Vectors | None:
        """The question's vector, which retrieval uses too; None when there is none to be had."""
        with trail.step("embed"):
            vectors = await self._search.vectors([asked.question], trail)
        with trail.step("triage"):
            probabilities = WITHOUT_CLASSIFIER if vectors is None else self._classifier.classify(vectors[0])
            trail.triage = triage(asked.question, history=asked.earlier, probabilities=probabilities)
        return None if vectors is None else vectors[0]

    def _early_outcome(self, asked: _Asked, trail: Trail) -> Outcome | None:
        """What needs no retrieval. High stakes come before a wish for a person: the acknowledgement differs."""
        found = trail.triage
        if found is None:
            return None
        if found.category is Category.HIGH_STAKES:
            offer = self._limits.retention_offer if found.intent is Intent.CANCELLATION else ""
            return HighStakes(
                acknowledgement=ACKNOWLEDGEMENT,
                offer=offer or None,
                handoff=self._handoff(asked, trail, Reason.HIGH_STAKES),
            )
        if found.intent is Intent.PERSON:
            return self._escalate(asked, trail, Reason.USER_ASKED)
        if found.category in (Category.NONSENSE, Category.IRRELEVANT):
            return Deflected(category=found.category, topics=self._limits.topics)
        if found.category is Category.OUT_OF_SCOPE:
            private = found.intent is Intent.PRIVATE_DATA
            return self._escalate(asked, trail, Reason.PRIVATE_DATA if private else Reason.UNSUPPORTED_CATEGORY)
        return None

    async def _find(self, asked: _Asked, trail: Trail, vector: Vectors | None) -> None:
        with trail.step("spelling"):
            spelt = await self._search.spelling(asked.question, asked.scope)
            trail.read_as = spelt.text
        with trail.step("rewrite"):
            plan = rewrite(spelt.text, earlier=[exchange(turn) for turn in asked.history])
            trail.plan = replace(plan, corrections=spelt.corrections)
        alone = trail.plan.queries[0].text == asked.question
        found = await self._search.rank(
            trail.plan,
            asked.scope,
            trail,
            limit=self._limits.search.documents_ranked,
            vector=vector if alone else None,
            exclude=asked.exclude,
        )
        trail.ranked = copies_last(found, trail.copies)
        with trail.step("read"):
            trail.evidence = await self._search.read(trail.ranked, asked.scope)

    def _weak(self, asked: _Asked, trail: Trail) -> Outcome:
        """The relevance gate failed: ask once, and hand over when asking did not help."""
        already_asked = bool(asked.history) and isinstance(asked.history[-1].outcome, Clarify)
        if trail.plan is not None and trail.plan.standalone == trail.read_as:
            # A new subject was never asked about, whatever the turn before came to.
            already_asked = False
        if already_asked:
            return self._escalate(asked, trail, Reason.LOW_CONFIDENCE if trail.evidence else Reason.NO_VERIFIED_CONTEXT)
        titles = tuple(dict.fromkeys(piece.chunk.title for piece in trail.evidence))[:CLARIFY_OPTIONS_MAX]
        if len(titles) > 1:
            question = (
                "I am not sure which of these you mean. Pick one, or tell me the exact error message, the version "
                "and what you were doing."
            )
            return Clarify(question=question, options=titles)
        return Clarify(
            question="Can you tell me more: the exact error message, the version, and what you were doing?", options=()
        )

    async def _answer(self, asked: _Asked, trail: Trail, features: Mapping[str, float]) -> Outcome:
        sought = _sought(asked, trail)
        with trail.step("compose"):
            draft = compose(sought, trail.evidence, chars_max=self._limits.answer_chars_max)
        with trail.step("verify"):
            verification = verify(draft, trail.evidence)
        with trail.step("critique"):
            judged = critique(trail.read_as, verification.kept, trail.evidence)
        confidence = read(self._gates["confidence"], confidence_features(features, verification, judged))
        unsure = read(self._gates["unsure"], confidence_features(features, verification, judged))
        trail.gates += [unsure, confidence]
        if not verification.kept or judged.coverage is Coverage.CANNOT:
            return self._escalate(asked, trail, Reason.NO_VERIFIED_CONTEXT)
        if not confidence.passed and not unsure.passed:
            return self._weak(asked, trail)
        if not confidence.passed:
            completeness = Completeness.UNSURE
        else:
            completeness = Completeness.FULL if judged.coverage is Coverage.FULLY else Completeness.PARTIAL
        notes = await self._search.notes(trail.plan, asked.scope, verification.kept, trail.evidence)
        if notes and completeness is Completeness.FULL:
            completeness = Completeness.PARTIAL
        return Answered(
            completeness=completeness,
            claims=verification.kept,
            confidence=confidence.value,
            notes=(*_readings(trail), *notes),
        )

    def _curated_answer(self, asked: _Asked, trail: Trail, curated: tuple[Evidence, ...]) -> Answered | None:
        trail.evidence = curated
        draft = Draft(
            claims=tuple(
                claim
                for piece in curated
                for claim in compose(asked.question, [piece], chars_max=self._limits.answer_chars_max).claims
            )
        )
        verification = verify(draft, curated)
        if not verification.kept or verification.dropped:
            return None
        return Answered(completeness=Completeness.FULL, claims=verification.kept, confidence=1.0)

    # --- hand-over and record ---------------------------------------------------------------------------------------

    def _escalate(self, asked: _Asked, trail: Trail, reason: Reason) -> Escalated:
        return Escalated(handoff=self._handoff(asked, trail, reason))

    def _handoff(self, asked: _Asked, trail: Trail, reason: Reason) -> Handoff:
        return handoff(
            handoff_id=str(uuid.uuid4()),
            session_id=asked.session.session_id,
            turn=asked.number,
            reason=reason,
            question=asked.question,
            earlier=asked.earlier,
            triage=trail.triage,
            evidence=trail.evidence,
            gates=trail.gates,
            created_at=datetime.now(UTC),
        )

    async def _record(self, asked: _Asked, trail: Trail, outcome: Outcome) -> Turn:
        turn = Turn(
            session_id=asked.session.session_id,
            number=asked.number,
            question=asked.question,
            asked_at=datetime.now(UTC),
            scope_hash=asked.principal.scope_hash,
            snapshot=asked.scope.snapshot,
            settings_hash=self._limits.settings_hash,
            model_ids=self._search.model_ids,
            triage=trail.triage,
            plan=trail.plan,
            evidence=tuple((piece.chunk.chunk_id, piece.scores) for piece in trail.evidence),
            gates=tuple(trail.gates),
            outcome=outcome,
            timings_ms=dict(trail.timings_ms),
            degraded=dict(trail.degraded),
        )
        new = outcome.handoff if isinstance(outcome, (Escalated, HighStakes)) else None
        try:
            await self._conversations.append_turn(turn, new)
        except Conflict as error:
            raise Conflict(
                "This conversation got another message at the same time.", remedy="Send the message again."
            ) from error
        return turn

    def _lock(self, session_id: str) -> asyncio.Lock:
        """Messages of one session are answered one after the other."""
        lock = self._locks.pop(session_id, None) or asyncio.Lock()
        self._locks[session_id] = lock
        while len(self._locks) > SESSION_LOCKS_MAX:
            oldest = next(iter(self._locks))
            if self._locks[oldest].locked():
                break
            del self._locks[oldest]
        return lock


def _sought(asked: _Asked, trail: Trail) -> str:
    """The words that evidence is judged by: the question, with the conversation when it leans on it."""
    return trail.plan.standalone if trail.plan else asked.question


def _readings(trail: Trail) -> tuple[str, ...]:
    return tuple(f"I read {written} as {read}." for written, read in trail.plan.corrections) if trail.plan else ()


async def _tell(asked: _Asked, step: str) -> None:
    if asked.on_status is not None:
        await asked.on_status(step)
