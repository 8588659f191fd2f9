"""Both journeys on the memory engines, with a toy embedder: words are directions."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from firstline.documents.journey import DocumentJourney
from firstline.documents.redact import PatternRedactor
from firstline.domain import EVERYONE, DocumentKind, Failure, Level, Principal, Session, SourceItem
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.communities import MemoryCommunities
from firstline.engines.memory.feedback import MemoryFeedbackLedger
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger
from firstline.models.classifier import UniformClassifier
from firstline.models.words import EngineerWords
from firstline.ports import Reranker, TriageClassifier, Vectors
from firstline.questions.advised.steps import WITHOUT_MODEL, Advised
from firstline.questions.asked import OnRecorded, to_nobody
from firstline.questions.desk import HandoffDesk
from firstline.questions.extracts import Composer
from firstline.questions.gate import GateModel
from firstline.questions.journey import QuestionJourney
from firstline.questions.limits import JourneyLimits
from firstline.questions.message.terms import all_stems
from firstline.questions.retrieve import FusionWeights
from firstline.questions.review_desk import ReviewDesk
from firstline.questions.search import SearchLimits
from firstline.questions.traverse import WalkLimits

DIMENSIONS = 64
TENANT, KB = "acme", "docs"


class ToyEmbedder:
    """Every stem has a fixed direction; a text is their normalised sum."""

    model_id = "toy"
    dimensions = DIMENSIONS

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for stem in all_stems(text):
                seed = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:4], "big")
                row += np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows


class Items:
    """A source made of a list."""

    def __init__(self, *items: SourceItem | Failure | Exception) -> None:
        self._items = items

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for item in self._items:
            if isinstance(item, Exception):
                raise item
            yield item


def page(
    item_id: str,
    text: str,
    *,
    title: str = "",
    acl: frozenset[str] = frozenset({EVERYONE}),
    level: Level = Level.PUBLIC,
    kind: DocumentKind = DocumentKind.DOCUMENTATION,
    metadata: dict[str, str] | None = None,
) -> SourceItem:
    digest = hashlib.sha256(f"{text}{title}{sorted(acl)}{level}".encode()).hexdigest()
    return SourceItem(
        item_id=item_id,
        kind=kind,
        media_type="text/markdown",
        raw=text.encode(),
        title=title or item_id,
        metadata=metadata or {},
        acl=acl,
        level=level,
        content_hash=digest,
    )


def gate(name: str, threshold: float) -> GateModel:
    return GateModel(name=name, weights={"terms_held": 10.0}, bias=-5.0, threshold=threshold)


SEARCH: dict[str, object] = {
    "candidates": 50,
    "documents_ranked": 10,
    "evidence_chunks": 12,
    "weights": FusionWeights(words=1.0, dense=2.0, document=1.0),
    "embed_budget_s": 2.0,
    "search_budget_s": 2.0,
    "rerank_budget_s": 1.0,
    "rerank_passages": 50,
    "rerank_weight": 0.5,
    "walk": WalkLimits(),
}


def limits(**changes: object) -> JourneyLimits:
    """Test limits; a change is a field of JourneyLimits or of its SearchLimits."""
    search = {name: changes.pop(name, value) for name, value in SEARCH.items()}
    values: dict[str, object] = {
        "question_chars_max": 2_000,
        "history_turns": 6,
        "answer_chars_max": 1_500,
        "turn_deadline_s": 5.0,
        "search": SearchLimits(**search),  # pyright: ignore[reportArgumentType]  (a table of test values)
        "topics": ("drivers",),
        "retention_offer": "Two months free?",
        "settings_hash": "test",
        "turns_at_once": 12,
    }
    return JourneyLimits(**{**values, **changes})  # pyright: ignore[reportArgumentType]  (a table of test values)


@dataclass(kw_only=True)
class World:
    knowledge: MemoryKnowledgeLedger = field(default_factory=MemoryKnowledgeLedger)
    conversations: MemoryConversationLedger = field(default_factory=MemoryConversationLedger)
    index: MemoryIndex = field(default_factory=lambda: MemoryIndex(dimensions=DIMENSIONS))
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    graph: MemoryGraph = field(default_factory=MemoryGraph)
    walked: bool = False
    """Questions walk the graph too."""
    communities: MemoryCommunities | None = None
    """Questions about usual causes look here."""
    embedder: ToyEmbedder = field(default_factory=ToyEmbedder)
    reranker: Reranker | None = None
    composer: Composer | None = None
    """Writes the answers; None: they are the extracts."""
    advised: Advised = WITHOUT_MODEL
    """Steps that a model helps with."""
    classifier: TriageClassifier = field(default_factory=UniformClassifier)
    handoffs: MemoryHandoffLedger = field(init=False)
    feedback: MemoryFeedbackLedger = field(init=False)

    def __post_init__(self) -> None:
        self.handoffs = MemoryHandoffLedger(self.conversations)
        self.feedback = MemoryFeedbackLedger(self.conversations, self.handoffs)

    @property
    def desk(self) -> HandoffDesk:
        return HandoffDesk(
            conversations=self.conversations,
            handoffs=self.handoffs,
            knowledge=self.knowledge,
            redactor=PatternRedactor(),
        )

    @property
    def review(self) -> ReviewDesk:
        return ReviewDesk(
            feedback=self.feedback,
            conversations=self.conversations,
            handoffs=self.handoffs,
            knowledge=self.knowledge,
            blobs=self.blobs,
            redactor=PatternRedactor(),
            sample=0.0,
            without_user="evaluation",
        )

    @property
    def documents(self) -> DocumentJourney:
        return DocumentJourney(
            ledger=self.knowledge,
            index=self.index,
            blobs=self.blobs,
            embedder=self.embedder,
            words=EngineerWords(),
            redactor=PatternRedactor(),
            count_tokens=lambda text: max(1, len(text) // 4),
            chunk_tokens=200,
            batch_documents=2,
            graph=self.graph,
        )

    def questions(self, on_recorded: OnRecorded = to_nobody, **changes: object) -> QuestionJourney:
        return QuestionJourney(
            knowledge=self.knowledge,
            conversations=self.conversations,
            index=self.index,
            blobs=self.blobs,
            embedder=self.embedder,
            words=EngineerWords(),
            classifier=self.classifier,
            redactor=PatternRedactor(),
            reranker=self.reranker,
            gates={
                "relevance": gate("relevance", 0.3),
                "unsure": gate("unsure", 0.4),
                "confidence": gate("confidence", 0.5),
            },
            limits=limits(**changes),
            graph=self.graph if self.walked else None,
            communities=self.communities,
            composer=self.composer,
            advised=self.advised,
            on_recorded=on_recorded,
        )

    async def ingest(self, *items: SourceItem | Failure | Exception, prune: Sequence[str] = ()):
        return await self.documents.ingest(Items(*items), tenant=TENANT, kb=KB, prune=prune)

    async def session(self, session_id: str = "s") -> Session:
        session = Session(session_id=session_id, tenant=TENANT, kb=KB, user="u", created_at=datetime.now(UTC))
        await self.conversations.create_session(session)
        return session


def asker(
    *, level: Level = Level.PUBLIC, acl: frozenset[str] = frozenset({EVERYONE}), tenant: str = TENANT
) -> Principal:
    return Principal(tenant=tenant, user="u", acl_tags=acl, level=level)
