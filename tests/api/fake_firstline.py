"""A firstline on the memory engines with a scripted journey: the surface is tested without models."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np

from firstline.api.auth import new_key
from firstline.caches.caches import CACHES, Caches
from firstline.connectors.handover.deliver import Deliverer
from firstline.connectors.hashing import content_hash
from firstline.documents.announcing import Announcing
from firstline.documents.communities.build import CommunityBuilder, open_communities
from firstline.documents.journey import DocumentJourney
from firstline.documents.publish_faq import FaqDesk
from firstline.documents.purge import Purger
from firstline.documents.redact import PatternRedactor
from firstline.documents.working import Working
from firstline.domain import (
    EVERYONE,
    PERSON_OWNS,
    Answered,
    Category,
    Chunk,
    ChunkKind,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Deflected,
    Document,
    DocumentKind,
    Escalated,
    GateReading,
    Handoff,
    HandoffState,
    Intent,
    Level,
    Mood,
    Note,
    Outcome,
    Principal,
    Reason,
    Scores,
    Session,
    Silent,
    Turn,
    readable_message,
)
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.care import MemoryCareLedger
from firstline.engines.memory.changes import MemoryChangeLedger
from firstline.engines.memory.communities import MemoryCommunities
from firstline.engines.memory.deliveries import MemoryDeliveryLedger
from firstline.engines.memory.feedback import MemoryFeedbackLedger
from firstline.engines.memory.gates import MemoryGateLedger
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.jobs import MemoryJobs
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKeyLedger, MemoryKnowledgeLedger
from firstline.engines.memory.limits import MemoryLimits
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.engines.memory.sources import MemorySourceLedger
from firstline.model_wiring import OpenModels
from firstline.models.words import EngineerWords
from firstline.ports import Scope, StoredDocument, Vectors
from firstline.questions.aliases.desk import AliasDesk
from firstline.questions.care import CareDesk, FaqList
from firstline.questions.desk import HandoffDesk
from firstline.questions.missed import ChunkSeen, Missed, QuerySeen
from firstline.questions.review_desk import ReviewDesk
from firstline.settings import Settings

INTRO = "# Duplicate keys 🗝\n\n"
FIRST = "A duplicate key means that a row with this key exists already.\n\n"
STEPS = "1. Run `SHOW KEYS` to see it.\n2. Choose another key.\n\n"
LAST = "More about keys stands in the reference.\n"
TEXT = INTRO + FIRST + STEPS + LAST

NOTE = "This page is about version 4.1; you asked about 4.2."

SCORES = Scores(dense=0.8, words=3.0, document=0.7, fused=2.1)


@dataclass(kw_only=True)
class ScriptedJourney:
    """Answers by the words of the question; records like the real one."""

    knowledge: MemoryKnowledgeLedger
    conversations: MemoryConversationLedger
    chunks: dict[str, Chunk]
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    slow_s: float = 0.3

    async def ask(
        self,
        *,
        session: Session,
        principal: Principal,
        question: str,
        on_status: Callable[[str], Awaitable[None]] | None = None,
        on_claims: Callable[[Answered, str], Awaitable[None]] | None = None,
    ) -> Turn:
        readable_message(question, chars_max=Settings().question_chars_max)
        for step in ("triage", "retrieve", "compose"):
            if on_status:
                await on_status(step)
            await asyncio.sleep(0)
        if "slow" in question:
            await asyncio.sleep(self.slow_s)
        if "explode" in question:
            raise RuntimeError(f"the inside of {question}")
        turns = await self.conversations.turns(session.session_id, limit=1)
        number = turns[-1].number + 1 if turns else 1
        stands = await self.conversations.open_handoff(session.session_id)
        owned = stands is not None and stands.state in PERSON_OWNS
        outcome = Silent(handoff=stands) if stands and owned else self._outcome(question, session, number)
        turn = Turn(
            session_id=session.session_id,
            number=number,
            question=question,
            asked_at=datetime.now(UTC),
            scope_hash=principal.scope_hash,
            snapshot=1,
            settings_hash="0" * 16,
            model_ids=("scripted",),
            triage=None,
            plan=None,
            evidence=((self.chunks["steps"].chunk_id, SCORES),),
            gates=(GateReading(name="relevance", value=0.9, threshold=0.5),),
            outcome=outcome,
            timings_ms={"retrieve": 1.5, "total": 2.0},
        )
        await self.conversations.append_turn(turn, outcome.handoff if isinstance(outcome, Escalated) else None)
        self.finished.set()
        return turn

    async def readable(self, turn: Turn, principal: Principal, *, kb: str) -> Turn:
        if not isinstance(turn.outcome, Answered):
            return turn
        cited = [citation.chunk_id for claim in turn.outcome.claims for citation in claim.citations]
        visible = await self.knowledge.chunks(cited, Scope.of(principal, kb=kb, snapshot=turn.snapshot))
        if {chunk.chunk_id for chunk in visible}.issuperset(cited):
            return turn
        return replace(turn, outcome=Clarify(question="This answer is no longer available.", options=()))

    def _outcome(self, question: str, session: Session, number: int) -> Outcome:
        if "person" in question:
            return Escalated(handoff=_handoff(session, number, question))
        if "which" in question:
            return Clarify(question="Which of these do you mean?", options=("Duplicate keys", "Foreign keys"))
        if "weather" in question:
            return Deflected(category=Category.IRRELEVANT, topics=("keys", "backups"))
        hostile = "<img src=x onerror=\"document.title='owned'\"> [a](javascript:alert(1)) <script>1</script>"
        first = hostile if "hostile" in question else FIRST.strip()
        return Answered(
            completeness=Completeness.UNSURE if "unsure" in question else Completeness.PARTIAL,
            claims=(
                self._claim(first, ClaimKind.SENTENCE, "first", FIRST.strip()),
                self._claim("1. Run `SHOW KEYS` to see it.", ClaimKind.STEP, "steps", "1. Run `SHOW KEYS` to see it."),
                self._claim("2. Choose another key.", ClaimKind.STEP, "steps", "2. Choose another key."),
            ),
            confidence=0.9,
            notes=(Note.of_text(NOTE),) if "4.2" in question else (),
        )

    async def why_not(self, turn: Turn, doc_id: str, principal: Principal, *, kb: str) -> Missed:
        document = await self.knowledge.document(doc_id, Scope.of(principal, kb=kb, snapshot=turn.snapshot))
        if document is None:
            return Missed(doc_id=doc_id, title="", verdict="There is no such page for you.")
        return Missed(
            doc_id=doc_id,
            title=document.title,
            verdict="It was found.",
            queries=(QuerySeen(text=turn.question, weight=1.0, dense_place=1, words_place=None),),
            fused_place=1,
            preferred_place=1,
            gate=GateReading(name="relevance", value=0.9, threshold=0.5),
            lacks=("zebra",),
            chunks=(ChunkSeen(chunk_id="c", heading="Keys", dense=0.5, words=0.0, read=True),),
        )

    def _claim(self, text: str, kind: ClaimKind, chunk_name: str, span: str) -> Claim:
        chunk = self.chunks[chunk_name]
        start = TEXT.encode().index(span.encode())
        citation = Citation(
            chunk_id=chunk.chunk_id,
            doc_id=chunk.doc_id,
            blob=chunk.blob,
            start=start,
            end=start + len(span.encode()),
            title=chunk.title,
            url=chunk.url,
        )
        return Claim(text=text, kind=kind, citations=(citation,))


class LettersEmbedder:
    """Four numbers from a text's letters: equal texts point the same way."""

    model_id = "scripted"
    dimensions = 4

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.array([[text.count(letter) + 0.1 for letter in "aeio"] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@dataclass(kw_only=True)
class FakeFirstline:
    settings: Settings
    knowledge: MemoryKnowledgeLedger
    conversations: MemoryConversationLedger
    keys: MemoryKeyLedger
    index: MemoryIndex
    graph: MemoryGraph | None = field(default_factory=MemoryGraph)
    communities: CommunityBuilder | None = field(init=False)
    blobs: MemoryBlobs
    limiter: MemoryLimits
    questions: ScriptedJourney
    chunks: dict[str, Chunk]
    handoffs: MemoryHandoffLedger
    desk: HandoffDesk
    feedback: MemoryFeedbackLedger
    review: ReviewDesk
    knobs: dict[str, str] = field(default_factory=dict[str, str])
    deliverer: Deliverer = field(default_factory=lambda: Deliverer(ledger=MemoryDeliveryLedger(), channels=()))
    purger: Purger
    sources: MemorySourceLedger = field(default_factory=MemorySourceLedger)
    models: OpenModels | None = None
    caches: Caches = field(default_factory=lambda: Caches.of(dict.fromkeys(CACHES, 1)))
    sync: Any = None
    """Tests of sources put theirs here."""
    changes: MemoryChangeLedger = field(init=False)
    announcing: Announcing = field(init=False)
    working: Working = field(init=False)
    care: CareDesk = field(init=False)
    faq: FaqDesk = field(init=False)
    faq_list: FaqList = field(init=False)
    aliases: AliasDesk | None = field(init=False)
    documents: DocumentJourney = field(init=False)
    ledgers: Any = field(init=False)
    """Of the open ledgers, what routes read that no desk does."""

    def __post_init__(self) -> None:
        self.communities = open_communities(
            self.graph, MemoryCommunities(self.knowledge), knowledge=self.knowledge, blobs=self.blobs
        )
        stored = self.graph or MemoryGraph()
        self.aliases = AliasDesk(
            graph=stored,
            rules=self.knowledge,
            knowledge=self.knowledge,
            blobs=self.blobs,
            redactor=PatternRedactor(),
        )
        self.changes = MemoryChangeLedger(sources=self.sources)
        jobs = MemoryJobs()

        async def bury(doc_ids: Any, tenant: str, kb: str) -> object:
            return await self.purger.bury(doc_ids, tenant=tenant, kb=kb, by="a hook")

        async def nothing(*_: Any, **__: Any) -> None:
            return None

        self.announcing = Announcing(
            changes=self.changes, jobs=jobs, bury=bury, redactor=PatternRedactor(), hashed=content_hash
        )
        # Nothing is taken here: what is announced stays to be looked at.
        taking: Any = SimpleNamespace(take=nothing)
        self.working = Working(
            jobs=jobs, changes=self.changes, sources=MemorySourceLedger(), taking=taking, sync=nothing, purge=nothing
        )

        care = MemoryCareLedger(self.knowledge, self.conversations, self.feedback)
        embedder, redactor = LettersEmbedder(), PatternRedactor()
        self.faq_list = FaqList(care=care, blobs=self.blobs)
        self.care = CareDesk(
            care=care,
            feedback=self.feedback,
            blobs=self.blobs,
            embedder=embedder,
            redactor=redactor,
            without_user="evaluation",
        )
        self.ledgers = SimpleNamespace(revisions=self.knowledge)
        self.documents = documents = DocumentJourney(
            ledger=self.knowledge,
            index=self.index,
            blobs=self.blobs,
            embedder=embedder,
            words=EngineerWords(),
            redactor=redactor,
            count_tokens=len,
            chunk_tokens=1_000,
            batch_documents=2,
        )
        self.faq = FaqDesk(care=care, documents=documents, redactor=redactor)

    @property
    def snapshots(self) -> MemoryKnowledgeLedger:
        return self.knowledge

    @property
    def gates(self) -> MemoryGateLedger:
        return self.knowledge.gates

    async def token(self, *, expires_in: timedelta | None = None, **wanted: Any) -> str:
        """A new key's token; by default a customer's in tenant acme."""
        given: dict[str, Any] = {"name": "test", "tenant": "acme", "kb": "docs", "level": Level.CUSTOMER, **wanted}
        if expires_in is not None:
            given["expires_at"] = datetime.now(UTC) + expires_in
        key, token = new_key(**given)
        await self.keys.add_key(key)
        return token


async def open_fake(**changed: Any) -> FakeFirstline:
    settings = Settings(tenant="acme", topics=("keys", "backups"), **changed)
    knowledge, conversations, blobs = MemoryKnowledgeLedger(), MemoryConversationLedger(), MemoryBlobs()
    chunks = await _publish(knowledge, blobs)
    handoffs = MemoryHandoffLedger(conversations)
    feedback = MemoryFeedbackLedger(conversations, handoffs)
    return FakeFirstline(
        settings=settings,
        knowledge=knowledge,
        conversations=conversations,
        keys=MemoryKeyLedger(),
        index=MemoryIndex(dimensions=4),
        blobs=blobs,
        limiter=MemoryLimits(),
        questions=ScriptedJourney(knowledge=knowledge, conversations=conversations, chunks=chunks),
        chunks=chunks,
        handoffs=handoffs,
        desk=HandoffDesk(
            conversations=conversations, handoffs=handoffs, knowledge=knowledge, redactor=PatternRedactor()
        ),
        feedback=feedback,
        purger=Purger(
            knowledge=knowledge,
            tombstones=knowledge,
            records=MemoryRecordLedger(conversations),
            snapshots=knowledge,
            index=MemoryIndex(dimensions=4),
            blobs=blobs,
            redactor=PatternRedactor(),
        ),
        review=ReviewDesk(
            feedback=feedback,
            conversations=conversations,
            handoffs=handoffs,
            knowledge=knowledge,
            blobs=blobs,
            redactor=PatternRedactor(),
            sample=0.0,
            without_user="evaluation",
        ),
    )


async def _publish(knowledge: MemoryKnowledgeLedger, blobs: MemoryBlobs) -> dict[str, Chunk]:
    """Snapshot 1: a customer's page in three chunks, and an internal note in one."""
    candidate = await knowledge.open_candidate(tenant="acme", kb="docs", embedder_id="scripted")
    page = await blobs.put(TEXT.encode())
    document = Document(
        tenant="acme",
        kb="docs",
        doc_id="keys.md",
        kind=DocumentKind.DOCUMENTATION,
        title="Duplicate keys",
        url="https://docs.example/keys",
        blob=page,
        size_bytes=len(TEXT.encode()),
        content_hash="1",
        acl=frozenset({EVERYONE}),
        level=Level.CUSTOMER,
        since=candidate,
    )
    first, steps, last = len(INTRO.encode()), len((INTRO + FIRST).encode()), len((INTRO + FIRST + STEPS).encode())
    chunks = {
        "first": _chunk(document, 0, 0, steps),
        "steps": _chunk(document, 1, steps, last),
        "last": _chunk(document, 2, last, document.size_bytes),
    }
    assert first < steps < last
    secret = await blobs.put(b"Only for the team.")
    note = replace(document, doc_id="note.md", title="Note", url=None, blob=secret, size_bytes=18, level=Level.INTERNAL)
    notes = {"note": _chunk(note, 0, 0, 18)}
    await knowledge.write(
        [
            StoredDocument(document=document, chunks=tuple(chunks.values())),
            StoredDocument(document=note, chunks=tuple(notes.values())),
        ]
    )
    await knowledge.publish(tenant="acme", kb="docs", candidate=candidate)
    return chunks | notes


def _chunk(document: Document, ordinal: int, start: int, end: int) -> Chunk:
    return Chunk(
        chunk_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{document.doc_id}/{ordinal}")),
        tenant=document.tenant,
        kb=document.kb,
        doc_id=document.doc_id,
        blob=document.blob,
        ordinal=ordinal,
        start=start,
        end=end,
        kind=ChunkKind.SECTION,
        title=document.title,
        section_path=(document.title, "Resolving"),
        url=document.url,
        acl=document.acl,
        level=document.level,
        since=document.since,
    )


def _handoff(session: Session, number: int, question: str) -> Handoff:
    return Handoff(
        handoff_id=str(uuid.uuid4()),
        session_id=session.session_id,
        turn=number,
        reason=Reason.USER_ASKED,
        question=question,
        summary=question,
        intent=Intent.PERSON,
        entities=(),
        tried=(),
        language="en",
        mood=Mood.NEUTRAL,
        next_step="Greet them.",
        state=HandoffState.OPEN,
        created_at=datetime.now(UTC),
    )
