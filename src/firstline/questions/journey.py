"""A question's journey, and every branch of it.

    session -> FAQ -> triage -> spelling -> rewrite -> route -> retrieve -> prefer -> [traverse] -> [relevance gate]
            -> compose -> verify -> critique -> [confidence gate] -> Outcome -> record

A question holds ONE snapshot from its first lookup to its last citation. Expected outcomes are values; whatever goes
wrong on the way becomes an honest Escalated within the turn's deadline.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime

from firstline.domain import (
    NOTHING,
    PERSON_OWNS,
    Answered,
    Category,
    Coverage,
    Deflected,
    Escalated,
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
from firstline.errors import Unavailable
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    CommunityStore,
    ConversationLedger,
    Embedder,
    Graph,
    KnowledgeLedger,
    Redactor,
    Reranker,
    Scope,
    TriageClassifier,
    WordEncoder,
)
from firstline.questions.admission import Admission
from firstline.questions.advised.steps import WITHOUT_MODEL, Advised, as_recorded_in
from firstline.questions.asked import Asked, Message, OnClaims, OnRecorded, OnStatus, to_nobody
from firstline.questions.clarify import clarify
from firstline.questions.compose import compose
from firstline.questions.curated import curated_answer
from firstline.questions.cut_short import BEGIN_S_MIN, RECORD_S_MAX, cut_short, ledger_s_max
from firstline.questions.extracts import Composer, Extracts, FromExtracts, as_recorded, judge
from firstline.questions.faq import faq
from firstline.questions.gate import GateModel, confidence_features, relevance_features
from firstline.questions.gates_in_force import AS_GIVEN, GatesInForce, held_at, reads
from firstline.questions.handing_over import append, with_handoff
from firstline.questions.handoff import at_once
from firstline.questions.kept_answers import ANEW, Answers
from firstline.questions.limits import JourneyLimits, refuse_other_embedder
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.references import begins_anew, changes_subject
from firstline.questions.message.small_talk import small_talk
from firstline.questions.missed import SESSION_TURNS_MAX, Missed, missed
from firstline.questions.page.outright import asked_outright, of_another_code
from firstline.questions.prefer import copies_last
from firstline.questions.readable import readable
from firstline.questions.recorded import recorded
from firstline.questions.replies import with_open_replies
from firstline.questions.rewrite import exchange, rewrite
from firstline.questions.route import route
from firstline.questions.search import Search
from firstline.questions.session_locks import SessionLocks
from firstline.questions.settling import settle, weak
from firstline.questions.shown_before import leave_out, shown_again
from firstline.questions.sorting import sort
from firstline.questions.topics import rules_for
from firstline.questions.trail import Trail
from firstline.questions.triage import WITHOUT_CLASSIFIER
from firstline.questions.usual_causes import as_one, listed, without_causes
from firstline.questions.verify import verify
from firstline.questions.wording.links import with_allowed_links
from firstline.questions.writing.composer import FromRecord
from firstline.turn_context import in_turn

CLARIFYING_MAX = 2
"""Turns in a row that ask back."""


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
        in_force: GatesInForce = AS_GIVEN,
        answers: Answers = ANEW,
        graph: Graph | None = None,
        communities: CommunityStore | None = None,
        composer: Composer | None = None,
        advised: Advised = WITHOUT_MODEL,
        on_recorded: OnRecorded = to_nobody,
    ) -> None:
        """`english`: words (lower case) that are never taken for misspelt. `in_force` puts the thresholds that were
        calibrated for a knowledge base on `gates`. `answers` knows what was worked out a moment ago. `composer` writes
        what may be answered; None: the extracts are the answer. `advised`: steps that a model helps with.
        `on_recorded` hears of each turn."""
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
            graph=graph,
            communities=communities,
        )
        self._classifier = classifier
        self._redactor = redactor
        self._gates = gates
        self._in_force = in_force
        self._answers = answers
        self._composer, self._advised, self._on_recorded = composer or FromExtracts(), advised, on_recorded
        self._limits = limits
        self._admission = Admission(limits.turns_at_once)
        self._locks = SessionLocks()
        self._replays: Turn | None = None

    async def ask(
        self,
        *,
        session: Session,
        principal: Principal,
        question: str,
        on_status: OnStatus | None = None,
        on_claims: OnClaims | None = None,
        exclude: frozenset[str] = frozenset(),
    ) -> Turn:
        """Take one message to its outcome and record the turn.

        `on_status` hears the name of each step as it begins, `on_claims` what of an answer is verified already. Raises
        InvalidInput for an empty or too long message or another embedder than the knowledge base was made with, and
        Unavailable when not even the record can be written.
        """
        text = self._accepted(question)
        return await self._taken(
            Message(
                session=session,
                principal=principal,
                text=text,
                on_status=on_status,
                on_claims=on_claims,
                exclude=exclude,
            )
        )

    async def replayed(self, turn: Turn, session: Session, principal: Principal, *, then: ConversationLedger) -> Turn:
        """A recorded message taken once more, on its snapshot and gates, with the conversation as it was `then`. What
        was late or broken is again. Errors as in `ask`."""
        other = copy(self)
        other._conversations, other._replays, other._answers = then, turn, ANEW
        other._composer = FromRecord(turn.draft, chars_max=self._limits.answer_chars_max)
        other._advised, other._on_recorded = as_recorded_in(turn), to_nobody
        return await other._taken(Message(session=session, principal=principal, text=turn.question))

    async def _taken(self, message: Message) -> Turn:
        started = time.perf_counter()
        async with self._locks.of(message.session.session_id), self._admitted(started) as left_s:
            async with ledger_s_max(max(left_s, BEGIN_S_MIN)):
                asked, stands = await self._begun(message)
            waited_ms = (self._limits.turn_deadline_s - left_s) * 1000
            trail = Trail(stands=stands, then=asked.then, timings_ms={"wait": waited_ms}, began_s=started)
            left_s = min(left_s, self._limits.turn_deadline_s - (time.perf_counter() - started))
            with in_turn(asked.turn_id):
                outcome = await self._within_deadline(asked, trail, left_s=left_s)
                trail.timings_ms["total"] = (time.perf_counter() - started) * 1000
                async with ledger_s_max(RECORD_S_MAX):
                    return await self._record(asked, trail, outcome)

    async def _begun(self, message: Message) -> tuple[Asked, Handoff | None]:
        """The message with all that holds for its turn, and the session's hand-over that is not closed."""
        session, kept = message.session, self._limits.history_turns
        then = self._replays.degraded if self._replays else NOTHING
        history = tuple(await self._conversations.turns(session.session_id, limit=max(1, kept)))
        snapshot = await self._published(tenant=session.tenant, kb=session.kb, session=session)
        gates, unfit = await self._in_force.deciding(snapshot, self._gates)
        asked = Asked(
            session=session,
            principal=message.principal,
            question=message.text,
            number=history[-1].number + 1 if history else 1,
            history=history[-kept:] if kept else (),
            scope=Scope.of(message.principal, kb=session.kb, snapshot=snapshot.number, forgotten=snapshot.forgotten),
            exclude=message.exclude,
            on_status=message.on_status,
            on_claims=as_recorded(message.on_claims, self._limits.link_hosts),
            gates=reads(gates),
            gates_version=self._in_force.version(snapshot),
            unfit=unfit or then.get("gates", "").removeprefix("broken: "),
            then=then,
            communities=self._replays.plan.communities if self._replays and self._replays.plan else None,
        )
        return asked, await self._conversations.open_handoff(session.session_id)

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
        scope = Scope.of(principal, kb=kb, snapshot=snapshot.number, forgotten=snapshot.forgotten)
        spelt = await self._search.spelling(text, scope)
        plan = route(rewrite(spelt.text, earlier=[self._redactor.redact(turn).text for turn in history]))
        return await self._search.rank(plan, scope, Trail(), limit=limit, exclude=exclude)

    def held(self, threshold: float, *, conversations: ConversationLedger) -> QuestionJourney:
        """The same journey with every gate at this threshold, whatever is in force, and its record kept elsewhere: for
        calibration, which must not hand anything over to a person."""
        other = copy(self)
        other._gates, other._in_force = held_at(self._gates, threshold), AS_GIVEN
        other._conversations, other._answers, other._composer = conversations, ANEW, FromExtracts()
        other._advised, other._on_recorded = WITHOUT_MODEL, to_nobody
        return other

    async def readable(self, turn: Turn, principal: Principal, *, kb: str) -> Turn:
        """The turn as this principal may see it NOW: an answer whose citations it can no longer open is withheld."""
        found = await readable(turn, principal, kb=kb, knowledge=self._knowledge)
        return replace(found, outcome=with_allowed_links(found.outcome, self._limits.link_hosts))

    async def why_not(self, turn: Turn, doc_id: str, principal: Principal, *, kb: str) -> Missed:
        """Where this document was lost on the way of a recorded turn, or that there is none for this principal.

        As much work as a turn: it takes a place among them and ends at their deadline. Raises Unavailable then.
        """
        async with self._admitted(time.perf_counter()) as left_s:
            try:
                if left_s <= 0:
                    raise TimeoutError
                async with asyncio.timeout(left_s):
                    snapshot = await self._knowledge.published(tenant=principal.tenant, kb=kb)
                    return await missed(
                        turn,
                        doc_id,
                        principal,
                        kb=kb,
                        session=await self._conversations.turns(turn.session_id, limit=SESSION_TURNS_MAX),
                        knowledge=self._knowledge,
                        search=self._search,
                        gates=await self._in_force.of(snapshot, self._gates),
                    )
            except TimeoutError as error:
                raise Unavailable("The explanation was not ready in time.", remedy="Ask again in a moment.") from error

    # --- one message ------------------------------------------------------------------------------------------------

    async def _published(self, *, tenant: str, kb: str, session: Session | None = None) -> Snapshot:
        snapshot = await self._knowledge.published(tenant=tenant, kb=kb)
        refuse_other_embedder(snapshot, kb=kb, embedder_id=self._search.embedder_id)
        if (of := self._replays) is not None:
            return replace(snapshot, number=of.snapshot, gates_version=of.gates_version)
        if session is not None:
            return replace(snapshot, number=session.snapshot or snapshot.number_for(session.session_id))
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
        if trail.stands is not None and trail.stands.state in PERSON_OWNS:
            return Silent(handoff=trail.stands)
        if asked.unfit:
            trail.degraded["gates"] = f"broken: {asked.unfit}"
            return self._late(asked, trail)
        with cut_short(trail):
            if left_s <= 0:
                raise TimeoutError
            trail.ends_at_s = asyncio.get_running_loop().time() + left_s
            async with asyncio.timeout(left_s):
                return await self._outcome(asked, trail)
        return self._late(asked, trail)

    def _late(self, asked: Asked, trail: Trail) -> Outcome:
        """What can be said of a turn that was not finished: high stakes are acknowledged, the rest is handed over. What
        somebody has seen of an answer stays."""
        if trail.shown is not None:
            trail.not_handed_over()
            return trail.shown
        if trail.triage is None:
            trail.triage = sort(asked, WITHOUT_CLASSIFIER, self._limits.rules)
            if isinstance(early := self._early_outcome(asked, trail), HighStakes | Escalated):
                return early
        return self._escalate(asked, trail, Reason.PROVIDER_FAILURE)

    async def _outcome(self, asked: Asked, trail: Trail) -> Outcome:
        with trail.step("faq"):
            # No document can stand between somebody and a person.
            asks = not wants_person(asked.question)
            curated = await faq(asked.question, asked.scope, ledger=self._knowledge, blobs=self._blobs) if asks else ()
        if curated and curated[0].chunk.doc_id not in asked.exclude:
            trail.evidence = curated
            answer = curated_answer(asked.question, curated, chars_max=self._limits.answer_chars_max)
            if answer is not None:
                return answer
        return await self._answers.outcome(asked, trail, self._worked_out)

    async def _worked_out(self, asked: Asked, trail: Trail) -> Outcome:
        await asked.tell("triage")
        await self._triage(asked, trail)
        early = self._early_outcome(asked, trail) or await self._answers.alike(asked, trail)
        if early is not None:
            return early

        await asked.tell("retrieve")
        await self._find(asked, trail)
        ranked_max = self._limits.search.documents_ranked
        with trail.step("settle"):
            await settle(asked, trail, search=self._search, limit=ranked_max, rules=self._limits.rules)
        if (early := self._early_outcome(asked, trail)) is not None:
            return early
        go_back = without_causes(trail)
        outcome = await self._judged(asked, trail)
        if trail.usual and not isinstance(outcome, Answered):
            go_back()
            outcome = await self._judged(asked, trail)
        return outcome

    async def _judged(self, asked: Asked, trail: Trail) -> Outcome:
        """What the evidence is worth, and the answer that it allows."""
        with trail.step("gate"):
            ranked, evidence, sisters = as_one(trail)
            neighbour = await self._search.neighbour(ranked, asked.scope, asked.exclude | sisters)
            features = relevance_features(trail.standalone, ranked, evidence, neighbour=neighbour)
            relevance = asked.gates["relevance"](features)
        trail.gates.append(relevance)
        outright = asked_outright(trail.read_as, trail.plan, trail.evidence)
        passed = relevance.passed and not trail.story and not of_another_code(trail.read_as, trail.evidence)
        if not (passed or outright) or not trail.evidence:
            return self._weak(asked, trail)

        await asked.tell("compose")
        return await self._answer(asked, trail, features, outright=outright)

    async def _triage(self, asked: Asked, trail: Trail) -> None:
        """With the question's vector, which retrieval uses too; None when there is none to be had."""
        with trail.step("embed"):
            vectors = await self._search.vectors([asked.question], trail)
        with trail.step("triage"):
            if vectors is not None:
                trail.vector = vectors[0]
                trail.probabilities = self._classifier.classify(vectors[0], asked.question)
            trail.triage = sort(asked, trail.probabilities or WITHOUT_CLASSIFIER, self._limits.rules)
        trail.triage = await self._advised.triage(asked, trail, self._limits.rules)

    def _early_outcome(self, asked: Asked, trail: Trail) -> Outcome | None:
        """What needs no retrieval. High stakes come before a wish for a person: the acknowledgement differs."""
        found = trail.triage
        if found is None or not found.settled:
            return None
        rules = rules_for(asked.session.kb, self._limits.rules)
        if found.category is Category.HIGH_STAKES:
            said, offer = rules.told(found.intent, offer=self._limits.retention_offer)
            handed = at_once(asked, trail, Reason.HIGH_STAKES, now=datetime.now(UTC))
            return HighStakes(acknowledgement=said, offer=offer or None, handoff=handed)
        if found.intent is Intent.PERSON:
            return self._escalate(asked, trail, Reason.USER_ASKED)
        if found.category in (Category.NONSENSE, Category.IRRELEVANT):
            topics, said = rules.served or self._limits.topics, small_talk(asked.question)
            return Deflected(category=found.category, topics=topics, talk=said)
        if found.category is Category.OUT_OF_SCOPE:
            private = found.intent is Intent.PRIVATE_DATA
            return self._escalate(asked, trail, Reason.PRIVATE_DATA if private else Reason.UNSUPPORTED_CATEGORY)
        return None

    async def _find(self, asked: Asked, trail: Trail) -> None:
        with trail.step("spelling"):
            spelt = await self._search.spelling(asked.question, asked.scope)
            trail.read_as = spelt.text
        with trail.step("rewrite"):
            earlier = await with_open_replies(asked.history, asked.principal, asked.scope, knowledge=self._knowledge)
            plan = rewrite(spelt.text, earlier=[exchange(turn) for turn in earlier])
            trail.plan = replace(route(plan), corrections=spelt.corrections)
        trail.plan = await self._advised.plan(trail.plan, asked, trail)
        alone = trail.plan.queries[0].text == asked.question
        limit, own = self._limits.search.documents_ranked, trail.vector if alone else None
        found = await self._search.rank(trail.plan, asked.scope, trail, limit=limit, vector=own, exclude=asked.exclude)
        trail.ranked = copies_last(found, trail.copies)
        with trail.step("read"):
            trail.evidence = await self._search.read(
                trail.ranked, asked.scope, question=trail.plan.standalone, paths=trail.paths
            )
        await self._search.bring_usual_causes(trail, asked.scope, exclude=asked.exclude, build=asked.communities)

    def _weak(self, asked: Asked, trail: Trail) -> Outcome:
        """The relevance gate failed: ask once, and hand over when asking did not help."""
        if weak(asked, trail, self._limits.rules) and (early := self._early_outcome(asked, trail)) is not None:
            return early
        # A message that shares no word with the one before may be a new subject, or the detail that was asked for: it
        # is asked about once more, and never a third time.
        new_subject = begins_anew(trail.read_as) or changes_subject(trail.read_as, asked.earlier)
        if asked.back_in_a_row >= (CLARIFYING_MAX if new_subject else 1):
            return self._escalate(asked, trail, Reason.LOW_CONFIDENCE if trail.evidence else Reason.NO_VERIFIED_CONTEXT)
        return clarify(trail.read_as, trail.evidence)

    async def _answer(self, asked: Asked, trail: Trail, features: Mapping[str, float], *, outright: bool) -> Outcome:
        sought = trail.standalone
        with trail.step("compose"):
            aside = trail.sisters | trail.outdated
            room = self._limits.answer_chars_max
            draft = listed(trail, chars_max=room) or compose(sought, trail.evidence, chars_max=room, aside=aside)
            trail.left_out = draft.left_out
        with trail.step("verify"):
            verification = verify(draft, trail.evidence)
        with trail.step("critique"):
            judged = judge(trail, sought, verification.kept, trail.evidence)
        features = confidence_features(features, verification, judged)
        confidence, unsure = (asked.gates[name](features) for name in ("confidence", "unsure"))
        trail.gates += [unsure, confidence]
        if not verification.kept or (judged.coverage is Coverage.CANNOT and not outright):
            return self._escalate(asked, trail, Reason.NO_VERIFIED_CONTEXT)
        if judged.opposed or not (confidence.passed or unsure.passed or outright):
            return self._weak(asked, trail)
        if shown := shown_again(verification.kept, asked.question, asked.history):
            # The same once more helps nobody who went on: the other pages are judged by themselves.
            leave_out(shown, trail, judged_by=asked.gates)
            return await self._judged(asked, trail)
        if await self._advised.cannot(verification.kept, asked, trail) and not outright:
            return self._escalate(asked, trail, Reason.NO_VERIFIED_CONTEXT)
        sure = "embed" not in trail.degraded and (confidence.passed or outright)
        extracts = Extracts(claims=verification.kept, judged=judged, sure=sure, confidence=confidence.value)
        return await self._composer.answer(asked, trail, extracts)

    # --- hand-over and record ---------------------------------------------------------------------------------------

    def _escalate(self, asked: Asked, trail: Trail, reason: Reason) -> Escalated:
        return Escalated(handoff=at_once(asked, trail, reason, now=datetime.now(UTC)))

    async def _record(self, asked: Asked, trail: Trail, outcome: Outcome) -> Turn:
        outcome, new = await with_handoff(
            outcome,
            asked,
            trail,
            conversations=self._conversations,
            knowledge=self._knowledge,
            holding=self._search.holding,
            support=self._limits.support,
            now=datetime.now(UTC),
        )
        outcome = with_allowed_links(outcome, self._limits.link_hosts)
        turn = recorded(
            asked, trail, outcome, settings_hash=self._limits.settings_hash, model_ids=self._search.model_ids
        )
        await append(turn, new, conversations=self._conversations)
        self._on_recorded(turn, asked.session)
        return turn
