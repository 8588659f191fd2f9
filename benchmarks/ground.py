"""Both journeys on the reference engines, the graph among them, over documents of public data."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from benchmarks.in_memory import ingest_in_memory
from benchmarks.workbench import CACHE, DATA_KB
from firstline.documents.redact import PatternRedactor
from firstline.domain import EVERYONE, Chunk, Document, Level, Principal, Session
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger
from firstline.evals.datasets import DataSource
from firstline.models.cached import CachedEmbedder
from firstline.models.classifier import open_classifier
from firstline.models.embedder import open_embedder
from firstline.models.english import open_english
from firstline.models.words import EngineerWords
from firstline.ports import KnowledgeLedger, Scope
from firstline.questions.journey import QuestionJourney
from firstline.questions.retrieve import read_passages
from firstline.questions.traverse import WalkLimits, traverse
from firstline.settings import load_settings
from firstline.wiring import gates_of, limits_of

TENANT: Final = "eval"
ASKER: Final = Principal(tenant=TENANT, user="eval", acl_tags=frozenset({EVERYONE}), level=Level.PUBLIC)
UNHURRIED_S: Final = 60.0
"""What is measured is what the graph leads to, not how fast the reference engine is."""


class Ground:
    """A knowledge base in memory. `documents` by id; `chunks` of each, in reading order."""

    @classmethod
    async def filled(cls, source: DataSource) -> Ground:
        made = cls()
        await made._fill(source)
        return made

    def __init__(self) -> None:
        plain = load_settings()
        inner = open_embedder(
            name=plain.embedder, model=plain.embedder_model, api_key=plain.embedder_api_key, threads=plain.embed_threads
        )
        self._settings = plain
        self._embedder = CachedEmbedder(inner, CACHE / "embeddings")
        self._classifier = open_classifier(embedder=inner.model_id)
        self._index = MemoryIndex(dimensions=inner.dimensions)
        self._blobs = MemoryBlobs()
        self._words = EngineerWords()
        self.ledger = MemoryKnowledgeLedger()
        self._graph = MemoryGraph()
        self.english = open_english()
        self._conversations = MemoryConversationLedger()
        self.documents: Mapping[str, Document] = {}
        self.chunks: dict[str, Sequence[Chunk]] = {}
        self.scope = Scope.of(ASKER, kb=DATA_KB, snapshot=0)

    async def _fill(self, source: DataSource) -> None:
        snapshot = await ingest_in_memory(
            source,
            tenant=TENANT,
            ledger=self.ledger,
            index=self._index,
            blobs=self._blobs,
            embedder=self._embedder,
            words=self._words,
            settings=self._settings,
            graph=self._graph,
        )
        self.scope = Scope.of(ASKER, kb=DATA_KB, snapshot=snapshot)
        self.documents = await self.ledger.current(tenant=TENANT, kb=DATA_KB)
        for doc_id in self.documents:
            self.chunks[doc_id] = await self.ledger.document_chunks(doc_id, self.scope)

    def journey(self, *, graph: bool, knowledge: KnowledgeLedger | None = None) -> QuestionJourney:
        """The product's, its gates open. `knowledge` stands in for the ledger, for experiments."""
        settings = self._settings.model_copy(
            update={
                "relevance_gate": 0.0,
                "confidence_gate": 0.0,
                "traverse_budget_s": UNHURRIED_S,
                "turn_deadline_s": 300.0,
            }
        )
        return QuestionJourney(
            knowledge=knowledge or self.ledger,
            conversations=self._conversations,
            index=self._index,
            blobs=self._blobs,
            embedder=self._embedder,
            words=self._words,
            classifier=self._classifier,
            redactor=PatternRedactor(),
            gates=gates_of(settings),
            limits=limits_of(settings),
            english=self.english,
            graph=self._graph if graph else None,
        )

    async def led_to(self, question: str) -> list[str]:
        """Ids of the documents that the graph alone leads to, from the names in the question; heaviest first."""

        async def passages(chunk_ids: Sequence[str], scope: Scope) -> Mapping[str, str]:
            return await read_passages(chunk_ids, scope, ledger=self.ledger, blobs=self._blobs)

        walked = await traverse(
            question,
            (),
            self.scope,
            graph=self._graph,
            passages=passages,
            limits=WalkLimits(budget_s=UNHURRIED_S),
            ordinary=self.english,
        )
        return [one.doc_id for one in walked.reached]

    async def evidence(self, journey: QuestionJourney, question: str) -> list[Chunk]:
        """The chunks that a turn had for its answer."""
        session = Session(
            session_id=str(uuid.uuid4()), tenant=TENANT, kb=DATA_KB, user=ASKER.user, created_at=datetime.now(UTC)
        )
        await self._conversations.create_session(session)
        turn = await journey.ask(session=session, principal=ASKER, question=question)
        return await self.ledger.chunks([chunk_id for chunk_id, _ in turn.evidence], self.scope)
