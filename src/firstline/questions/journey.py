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
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from firstline.domain import (
    PERSON_OWNS,
    Answered,
    Category,
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
    Snapshot,
    Turn,
    readable_message,
)
from firstline.errors import Conflict, FirstlineError, InvalidInput, Unavailable
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
from firstline.questions.asked import Asked, OnStatus
from firstline.questions.clarify import clarify
from firstline.questions.compose import compose
from firstline.questions.critique import critique
from firstline.questions.faq import faq
from firstline.questions.gate import GateModel, asked_outright, confidence_features, read, relevance_features
from firstline.questions.handoff import handoff
from firstline.questions.missed import SESSION_TURNS_MAX, Missed, missed
from firstline.questions.prefer import copies_last
from firstline.questions.readable import readable
from firstline.questions.recorded import recorded
from firstline.questions.references import begins_anew, changes_subject
from firstline.questions.replies import with_open_replies
from firstline.questions.rewrite import exchange, rewrite
from firstline.questions.search import Search, SearchLimits
from firstline.questions.session_locks import SessionLocks
from firstline.questions.small_talk import small_talk
from firstline.questions.trail import Trail
from firstline.questions.triage import WITHOUT_CLASSIFIER, triage
from firstline.questions.verify import verify

logger = logging.getLogger(__name__)

OUT_OF_DATE = "This page is marked as replaced by a newer one, which does not seem to say this."
CLARIFYING_MAX = 2
"""Turns in a row that ask back."""
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
    turns_at_once: int


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
        self._locks = SessionLocks()

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

        `on_status` hears the name of each step as it begins. Raises InvalidInput for an empty or too long message or
        another embedder than the knowledge base's, and
        Unavailable when not even the record can be written.
        """
        text = self._accepted(question)
        started = time.perf_counter()
        async with self._locks.of(session.session_id), self._admitted(started) as left_s:
            history = tuple(
                await self._conversations.turns(session.session_id, limit=max(1, self._limits.history_turns))
            )
            snapshot = await self._published(tenant=session.tenant, kb=session.kb)
            asked = Asked(
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
        snapshot = await self._published(tenant=principal.tenant, kb=kb)
        scope = Scope.of(principal, kb=kb, snapshot=snapshot.number)
        spelt = await self._search.spelling(text, scope)
        plan = rewrite(spelt.text, earlier=[self._redactor.redact(turn).text for turn in history])
        return await self._search.rank(plan, scope, Trail(), limit=limit, exclude=exclude)

    async def readable(self, turn: Turn, principal: Principal, *, kb: str) -> Turn:
        """The turn as this principal may see it NOW: an answer whose citations it can no longer open is withheld."""
        return await readable(turn, principal, kb=kb, knowledge=self._knowledge)

    async def why_not(self, turn: Turn, doc_id: str, principal: Principal, *, kb: str) -> Missed:
        """Where this document was lost on the way of a recorded turn, or that there is none for this principal.

        As much work as a turn: it takes a place among them and ends at their deadline. Raises Unavailable then.
        """
        async with self._admitted(time.perf_counter()) as left_s:
            try:
                if left_s <= 0:
                    raise TimeoutError
                async with asyncio.timeout(left_s):
                    return await missed(
                        turn,
                        doc_id,
                        principal,
                        kb=kb,
                        session=await self._conversations.turns(turn.session_id, limit=SESSION_TURNS_MAX),
                        knowledge=self._knowledge,
                        search=self._search,
                        gates=self._gates,
                    )
            except TimeoutError as error:
                raise Unavailable("The explanation was not ready in time.", remedy="Ask again in a moment.") from error

    # --- one message ------------------------------------------------------------------------------------------------

    async def _published(self, *, tenant: str, kb: str) -> Snapshot:
        """InvalidInput when its vectors are another embedder's: cosines between two models mean nothing."""
        snapshot = await self._knowledge.published(tenant=tenant, kb=kb)
        if snapshot.documents and snapshot.embedder_id not in (None, self._search.embedder_id):
            raise InvalidInput(
                f"The vectors of the knowledge base {kb!r} were made by {snapshot.embedder_id}, and questions are "
                f"embedded by {self._search.embedder_id}.",
                remedy="Set `embedder` back to the one it was made with, or ingest again into a new knowledge base.",
            )
        return snapshot

    def _accepted(self, question: str) -> str:
        """Redact first: from here on nobody sees what must not be stored (invariant 4)."""
        return self._redactor.redact(readable_message(question, chars_max=self._limits.question_chars_max)).text

    @asynccontextmanager
    async def _admitted(self, started: float) -> AsyncGenerator[float]:
        """Hold a place among the turns worked on; gives the seconds of the deadline that waiting has left. `started`:
        when the message came, before it waited for those of its session."""
        left_s = self._limits.turn_deadline_s - (time.perf_counter() - started)
        async with self._admission.place(wait_s_max=max(0.0, left_s)) as admitted:
            yield self._limits.turn_deadline_s - (time.perf_counter() - started) if admitted else 0.0

    async def _within_deadline(self, asked: Asked, trail: Trail, *, left_s: float) -> Outcome:
        # Before anything else, the deadline included: while a person owns the session the bot is silent.
        owner = await self._conversations.open_handoff(asked.session.session_id)
        if owner is not None and owner.state in PERSON_OWNS:
            return Silent(handoff=owner)
        try:
            if left_s <= 0:
                raise TimeoutError
            async with asyncio.timeout(left_s):
                return await self._outcome(asked, trail)
        except TimeoutError:
            logger.warning("a turn reached its deadline")
        except FirstlineError as error:
            logger.warning("a turn failed: %s", error.code)
        return self._late(asked, trail)

    def _late(self, asked: Asked, trail: Trail) -> Outcome:
        """What can be said of a turn that was not finished: high stakes are acknowledged, the rest is handed over."""
        if trail.triage is None:
            trail.triage = triage(asked.question, history=asked.earlier, probabilities=WITHOUT_CLASSIFIER)
            early = self._early_outcome(asked, trail)
            if isinstance(early, HighStakes):
                return early
        return self._escalate(asked, trail, Reason.PROVIDER_FAILURE)

    async def _outcome(self, asked: Asked, trail: Trail) -> Outcome:
        with trail.step("faq"):
            curated = await faq(asked.question, asked.scope, ledger=self._knowledge, blobs=self._blobs)
        if curated and curated[0].chunk.doc_id not in asked.exclude:
            answer = self._curated_answer(asked, trail, curated)
            if answer is not None:
                return answer

        await asked.tell("triage")
        vector = await self._triage(asked, trail)
        early = self._early_outcome(asked, trail)
        if early is not None:
            return early

        await asked.tell("retrieve")
        await self._find(asked, trail, vector)
        with trail.step("gate"):
            neighbour = await self._search.neighbour(trail.ranked, asked.scope, asked.exclude | trail.sisters)
            features = relevance_features(_sought(asked, trail), trail.ranked, trail.evidence, neighbour=neighbour)
            relevance = read(self._gates["relevance"], features)
        trail.gates.append(relevance)
        outright = asked_outright(trail.read_as, trail.evidence)
        if not (relevance.passed or outright) or not trail.evidence:
            return self._weak(asked, trail)

        await asked.tell("compose")
        return await self._answer(asked, trail, features, outright=outright)

    async def _triage(self, asked: Asked, trail: Trail) -> Vectors | None:
        """The question's vector, which retrieval uses too; None when there is none to be had."""
        with trail.step("embed"):
            vectors = await self._search.vectors([asked.question], trail)
        with trail.step("triage"):
            probabilities = WITHOUT_CLASSIFIER if vectors is None else self._classifier.classify(vectors[0])
            trail.triage = triage(asked.question, history=asked.earlier, probabilities=probabilities)
        return None if vectors is None else vectors[0]

    def _early_outcome(self, asked: Asked, trail: Trail) -> Outcome | None:
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
            talk = small_talk(asked.question)
            return Deflected(category=found.category, topics=self._limits.topics, talk=talk)
        if found.category is Category.OUT_OF_SCOPE:
            private = found.intent is Intent.PRIVATE_DATA
            return self._escalate(asked, trail, Reason.PRIVATE_DATA if private else Reason.UNSUPPORTED_CATEGORY)
        return None

    async def _find(self, asked: Asked, trail: Trail, vector: Vectors | None) -> None:
        with trail.step("spelling"):
            spelt = await self._search.spelling(asked.question, asked.scope)
            trail.read_as = spelt.text
        with trail.step("rewrite"):
            earlier = await with_open_replies(asked.history, asked.principal, asked.scope, knowledge=self._knowledge)
            plan = rewrite(spelt.text, earlier=[exchange(turn) for turn in earlier])
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

    def _weak(self, asked: Asked, trail: Trail) -> Outcome:
        """The relevance gate failed: ask once, and hand over when asking did not help."""
        # A message that shares no word with the one before may be a new subject, or the detail that was asked for: it
        # is asked about once more, and never a third time.
        new_subject = begins_anew(trail.read_as) or changes_subject(trail.read_as, asked.earlier)
        if asked.back_in_a_row >= (CLARIFYING_MAX if new_subject else 1):
            return self._escalate(asked, trail, Reason.LOW_CONFIDENCE if trail.evidence else Reason.NO_VERIFIED_CONTEXT)
        return clarify(trail.evidence)

    async def _answer(self, asked: Asked, trail: Trail, features: Mapping[str, float], *, outright: bool) -> Outcome:
        sought = _sought(asked, trail)
        with trail.step("compose"):
            draft = compose(sought, trail.evidence, chars_max=self._limits.answer_chars_max)
        with trail.step("verify"):
            verification = verify(draft, trail.evidence)
        with trail.step("critique"):
            judged = critique(trail.read_as, verification.kept, trail.evidence)
            if judged.coverage is Coverage.CANNOT and sought != trail.read_as:
                # "And in 4.4?" has no word that an answer must hold: the conversation's words are what was asked.
                judged = critique(sought, verification.kept, trail.evidence)
        features = confidence_features(features, verification, judged)
        confidence, unsure = (read(self._gates[name], features) for name in ("confidence", "unsure"))
        trail.gates += [unsure, confidence]
        if not verification.kept or judged.coverage is Coverage.CANNOT:
            return self._escalate(asked, trail, Reason.NO_VERIFIED_CONTEXT)
        if judged.opposed or not (confidence.passed or unsure.passed or outright):
            return self._weak(asked, trail)
        # The gates were set with vectors: without them they are no ground for certainty.
        if "embed" in trail.degraded or not (confidence.passed or outright):
            completeness = Completeness.UNSURE
        else:
            completeness = Completeness.FULL if judged.coverage is Coverage.FULLY else Completeness.PARTIAL
        notes = await self._search.notes(trail.plan, asked.scope, verification.kept, trail.evidence)
        if verification.kept[0].citations[0].doc_id in trail.outdated:
            notes = (*notes, OUT_OF_DATE)
        if notes and completeness is Completeness.FULL:
            completeness = Completeness.PARTIAL
        return Answered(
            completeness=completeness,
            claims=verification.kept,
            confidence=confidence.value,
            notes=(*_readings(trail), *notes),
        )

    def _curated_answer(self, asked: Asked, trail: Trail, curated: tuple[Evidence, ...]) -> Answered | None:
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

    def _escalate(self, asked: Asked, trail: Trail, reason: Reason) -> Escalated:
        return Escalated(handoff=self._handoff(asked, trail, reason))

    def _handoff(self, asked: Asked, trail: Trail, reason: Reason) -> Handoff:
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

    async def _record(self, asked: Asked, trail: Trail, outcome: Outcome) -> Turn:
        turn = recorded(
            asked, trail, outcome, settings_hash=self._limits.settings_hash, model_ids=self._search.model_ids
        )
        new = outcome.handoff if isinstance(outcome, (Escalated, HighStakes)) else None
        try:
            await self._conversations.append_turn(turn, new)
        except Conflict as error:
            raise Conflict(
                "This conversation got another message at the same time.", remedy="Send the message again."
            ) from error
        return turn


def _sought(asked: Asked, trail: Trail) -> str:
    """The words that evidence is judged by: the question, with the conversation when it leans on it."""
    return trail.plan.standalone if trail.plan else asked.question


def _readings(trail: Trail) -> tuple[str, ...]:
    return tuple(f"I read {written} as {read}." for written, read in trail.plan.corrections) if trail.plan else ()
