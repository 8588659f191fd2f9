"""A question's journey, and every branch of it.

    session -> FAQ -> triage -> rewrite -> retrieve -> [relevance gate] -> compose -> verify -> critique
            -> [confidence gate] -> Outcome -> record

A question holds ONE snapshot from its first lookup to its last citation. Expected outcomes are values; whatever goes
wrong on the way becomes an honest Escalated within the turn's deadline.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
    GateReading,
    Handoff,
    HighStakes,
    Intent,
    Outcome,
    Principal,
    RankedDocument,
    Reason,
    SearchPlan,
    Session,
    Silent,
    Triage,
    Turn,
)
from firstline.errors import Conflict, FirstlineError, InvalidInput
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    ConversationLedger,
    Embedder,
    KnowledgeLedger,
    Redactor,
    Scope,
    TriageClassifier,
    Vectors,
    WordEncoder,
)
from firstline.questions.compose import compose
from firstline.questions.critique import critique
from firstline.questions.faq import faq
from firstline.questions.gate import GateModel, confidence_features, read, relevance_features
from firstline.questions.handoff import handoff
from firstline.questions.retrieve import FusionWeights, read_evidence, retrieve
from firstline.questions.rewrite import rewrite
from firstline.questions.triage import triage
from firstline.questions.verify import verify

logger = logging.getLogger(__name__)

OnStatus = Callable[[str], Awaitable[None]]

SESSION_LOCKS_MAX = 10_000
CLARIFY_OPTIONS_MAX = 3
ACKNOWLEDGEMENT = "I understand, and I am passing this to a person right away."


@dataclass(frozen=True, kw_only=True, slots=True)
class JourneyLimits:
    """The journey's knobs, taken from the settings."""

    question_chars_max: int
    history_turns: int
    candidates: int
    documents_ranked: int
    evidence_chunks: int
    answer_chars_max: int
    turn_deadline_s: float
    weights: FusionWeights
    topics: tuple[str, ...]
    retention_offer: str
    settings_hash: str


@dataclass(kw_only=True, slots=True)
class _Trail:
    """What a turn has come to so far: the record, filled step by step, so that a late turn still records it."""

    triage: Triage | None = None
    plan: SearchPlan | None = None
    evidence: tuple[Evidence, ...] = ()
    ranked: tuple[RankedDocument, ...] = ()
    gates: list[GateReading] = field(default_factory=list[GateReading])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def step(self, name: str):
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + spent


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
    ) -> None:
        self._knowledge = knowledge
        self._conversations = conversations
        self._index = index
        self._blobs = blobs
        self._embedder = embedder
        self._words = words
        self._classifier = classifier
        self._redactor = redactor
        self._gates = gates
        self._limits = limits
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
        async with self._lock(session.session_id):
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
            trail = _Trail()
            outcome = await self._within_deadline(asked, trail)
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
        plan = rewrite(text, earlier=[self._redactor.redact(turn).text for turn in history])
        return await self._retrieve(
            plan, Scope.of(principal, kb=kb, snapshot=snapshot.number), limit=limit, vector=None, exclude=exclude
        )

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

    # --- one message ------------------------------------------------------------------------------------------------

    def _accepted(self, question: str) -> str:
        """Redact first: from here on nobody sees what must not be stored (invariant 4)."""
        cleaned = "".join(" " if ord(c) < 32 and c not in "\n\t" else c for c in question).strip()
        cleaned = cleaned.encode("utf-8", errors="replace").decode("utf-8")
        if not cleaned:
            raise InvalidInput("The message is empty.", remedy="Type a question.")
        if len(cleaned) > self._limits.question_chars_max:
            raise InvalidInput(
                f"The message has {len(cleaned):,} characters; at most {self._limits.question_chars_max:,} are read.",
                remedy="Send the error message and the lines around it, not the whole log.",
            )
        return self._redactor.redact(cleaned).text

    async def _within_deadline(self, asked: _Asked, trail: _Trail) -> Outcome:
        try:
            async with asyncio.timeout(self._limits.turn_deadline_s):
                return await self._outcome(asked, trail)
        except TimeoutError:
            logger.warning("a turn reached its deadline")
            return self._escalate(asked, trail, Reason.PROVIDER_FAILURE)
        except FirstlineError as error:
            logger.warning("a turn failed: %s", error.code)
            return self._escalate(asked, trail, Reason.PROVIDER_FAILURE)

    async def _outcome(self, asked: _Asked, trail: _Trail) -> Outcome:
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
            features = relevance_features(_sought(asked, trail), trail.ranked, trail.evidence)
            relevance = read(self._gates["relevance"], features)
        trail.gates.append(relevance)
        if not relevance.passed or not trail.evidence:
            return self._weak(asked, trail)

        await _tell(asked, "compose")
        return self._answer(asked, trail, features)

    async def _triage(self, asked: _Asked, trail: _Trail) -> Vectors:
        with trail.step("embed"):
            vector = (await self._embedder.embed([asked.question]))[0]
        with trail.step("triage"):
            trail.triage = triage(
                asked.question, history=asked.earlier, probabilities=self._classifier.classify(vector)
            )
        return vector

    def _early_outcome(self, asked: _Asked, trail: _Trail) -> Outcome | None:
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

    async def _find(self, asked: _Asked, trail: _Trail, vector: Vectors) -> None:
        with trail.step("rewrite"):
            trail.plan = rewrite(asked.question, earlier=asked.earlier)
        alone = trail.plan.queries[0].text == asked.question
        with trail.step("retrieve"):
            trail.ranked = await self._retrieve(
                trail.plan,
                asked.scope,
                limit=self._limits.documents_ranked,
                vector=vector if alone else None,
                exclude=asked.exclude,
            )
        with trail.step("read"):
            trail.evidence = await read_evidence(
                trail.ranked,
                asked.scope,
                ledger=self._knowledge,
                blobs=self._blobs,
                limit=self._limits.evidence_chunks,
            )

    async def _retrieve(
        self, plan: SearchPlan, scope: Scope, *, limit: int, vector: Vectors | None, exclude: frozenset[str]
    ) -> tuple[RankedDocument, ...]:
        return await retrieve(
            plan,
            scope,
            index=self._index,
            embedder=self._embedder,
            words=self._words,
            weights=self._limits.weights,
            candidates=self._limits.candidates,
            documents=limit,
            vector=vector,
            exclude=exclude,
        )

    def _weak(self, asked: _Asked, trail: _Trail) -> Outcome:
        """The relevance gate failed: ask once, and hand over when asking did not help."""
        already_asked = bool(asked.history) and isinstance(asked.history[-1].outcome, Clarify)
        if trail.plan is not None and trail.plan.standalone == asked.question:
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

    def _answer(self, asked: _Asked, trail: _Trail, features: Mapping[str, float]) -> Outcome:
        sought = _sought(asked, trail)
        with trail.step("compose"):
            draft = compose(sought, trail.evidence, chars_max=self._limits.answer_chars_max)
        with trail.step("verify"):
            verification = verify(draft, trail.evidence)
        with trail.step("critique"):
            judged = critique(asked.question, verification.kept, trail.evidence)
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
        return Answered(completeness=completeness, claims=verification.kept, confidence=confidence.value)

    def _curated_answer(self, asked: _Asked, trail: _Trail, curated: tuple[Evidence, ...]) -> Answered | None:
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

    def _escalate(self, asked: _Asked, trail: _Trail, reason: Reason) -> Escalated:
        return Escalated(handoff=self._handoff(asked, trail, reason))

    def _handoff(self, asked: _Asked, trail: _Trail, reason: Reason) -> Handoff:
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

    async def _record(self, asked: _Asked, trail: _Trail, outcome: Outcome) -> Turn:
        turn = Turn(
            session_id=asked.session.session_id,
            number=asked.number,
            question=asked.question,
            asked_at=datetime.now(UTC),
            scope_hash=asked.principal.scope_hash,
            snapshot=asked.scope.snapshot,
            settings_hash=self._limits.settings_hash,
            model_ids=(self._embedder.model_id,),
            triage=trail.triage,
            plan=trail.plan,
            evidence=tuple((piece.chunk.chunk_id, piece.scores) for piece in trail.evidence),
            gates=tuple(trail.gates),
            outcome=outcome,
            timings_ms=dict(trail.timings_ms),
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


def _sought(asked: _Asked, trail: _Trail) -> str:
    """The words that evidence is judged by: the question, with the conversation when it leans on it."""
    return trail.plan.standalone if trail.plan else asked.question


async def _tell(asked: _Asked, step: str) -> None:
    if asked.on_status is not None:
        await asked.on_status(step)
