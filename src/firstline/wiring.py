"""The only file that names concrete classes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from firstline.documents.journey import DocumentJourney
from firstline.documents.redact import PatternRedactor
from firstline.engines.blobs import ObjectBlobs
from firstline.engines.memory.limits import MemoryLimits
from firstline.engines.postgres import PostgresLedgers, mark_data_folder, open_postgres
from firstline.engines.qdrant_edge import open_qdrant_edge
from firstline.models.classifier import open_classifier
from firstline.models.embedder import for_questions, open_embedder
from firstline.models.english import open_english
from firstline.models.reranker import open_reranker
from firstline.models.words import EngineerWords
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    ConversationLedger,
    Embedder,
    KeyLedger,
    KnowledgeLedger,
    RateLimiter,
)
from firstline.questions.gate import GateModel, load_gates
from firstline.questions.journey import JourneyLimits, QuestionJourney
from firstline.questions.retrieve import FusionWeights
from firstline.questions.search import SearchLimits
from firstline.settings import Settings

TOKENS_PER_CHARACTER = 1 / 4.2
"""English prose and code average 4 to 4.5 characters a token: near enough to size chunks, and free."""


@dataclass(frozen=True, kw_only=True)
class Firstline:
    """One open data folder: the engines and the two journeys on them."""

    settings: Settings
    knowledge: KnowledgeLedger
    conversations: ConversationLedger
    keys: KeyLedger
    index: ChunkIndex
    blobs: BlobStore
    embedder: Embedder
    limiter: RateLimiter
    questions: QuestionJourney
    documents: DocumentJourney
    ledgers: PostgresLedgers


@asynccontextmanager
async def open_ledgers(settings: Settings) -> AsyncGenerator[PostgresLedgers]:
    """The ledger alone: what keys, status and hand-overs need, without a model or an index."""
    folder = prepare_folder(settings.data_folder)
    async with open_postgres(data_folder=folder, database_url=settings.database_url) as ledgers:
        yield ledgers


@asynccontextmanager
async def open_firstline(settings: Settings, *, embedder: Embedder | None = None) -> AsyncGenerator[Firstline]:
    """Open a data folder, starting the embedded engines that are not running yet.

    `embedder` replaces the configured one (evaluation wraps it in a cache).
    """
    folder = prepare_folder(settings.data_folder)
    async with AsyncExitStack() as stack:
        ledgers = await stack.enter_async_context(open_postgres(data_folder=folder, database_url=settings.database_url))
        model = embedder or open_embedder(
            name=settings.embedder,
            model=settings.embedder_model,
            api_key=settings.embedder_api_key,
            threads=settings.embed_threads,
        )
        index = await stack.enter_async_context(open_qdrant_edge(folder=folder / "index", dimensions=model.dimensions))
        reranker = open_reranker(
            name=settings.reranker,
            model=settings.reranker_model,
            api_key=settings.reranker_api_key,
            threads=settings.embed_threads,
        )
        if reranker is not None:
            stack.push_async_callback(reranker.close)
        blobs = ObjectBlobs.local(folder / "blobs")
        words = EngineerWords()
        redactor = PatternRedactor()
        yield Firstline(
            settings=settings,
            knowledge=ledgers.knowledge,
            conversations=ledgers.conversations,
            keys=ledgers.keys,
            index=index,
            blobs=blobs,
            embedder=model,
            limiter=MemoryLimits(),
            questions=QuestionJourney(
                knowledge=ledgers.knowledge,
                conversations=ledgers.conversations,
                index=index,
                blobs=blobs,
                embedder=for_questions(model),
                words=words,
                classifier=open_classifier(embedder=model.model_id),
                redactor=redactor,
                gates=gates_of(settings),
                limits=limits_of(settings),
                reranker=reranker,
                english=open_english(),
            ),
            documents=DocumentJourney(
                ledger=ledgers.knowledge,
                index=index,
                blobs=blobs,
                embedder=model,
                words=words,
                redactor=redactor,
                count_tokens=count_tokens,
                chunk_tokens=settings.chunk_tokens,
                batch_documents=settings.ingest_batch_documents,
            ),
            ledgers=ledgers,
        )


def prepare_folder(folder: Path) -> Path:
    """Create and mark the data folder, for its owner alone. The error says why it cannot be used."""
    mark_data_folder(folder)
    return folder.resolve()


def count_tokens(text: str) -> int:
    """A cheap estimate of the embedder's tokens, for sizing chunks."""
    return max(1, round(len(text) * TOKENS_PER_CHARACTER))


def gates_of(settings: Settings) -> dict[str, GateModel]:
    """The shipped gates, with the thresholds that the settings override."""
    gates = load_gates()
    for name, override in (("relevance", settings.relevance_gate), ("confidence", settings.confidence_gate)):
        if override >= 0:
            gates[name] = replace(gates[name], threshold=override)
    return gates


def search_limits_of(settings: Settings) -> SearchLimits:
    return SearchLimits(
        candidates=settings.candidates,
        documents_ranked=settings.documents_ranked,
        evidence_chunks=settings.evidence_chunks,
        weights=FusionWeights(
            words=settings.weight_words,
            dense=settings.weight_dense,
            document=settings.weight_document,
            title=settings.weight_title,
        ),
        embed_budget_s=settings.embed_budget_s,
        search_budget_s=settings.search_budget_s,
        rerank_budget_s=settings.rerank_budget_s,
        rerank_passages=settings.rerank_passages,
        rerank_weight=settings.rerank_weight,
    )


def limits_of(settings: Settings) -> JourneyLimits:
    return JourneyLimits(
        question_chars_max=settings.question_chars_max,
        history_turns=settings.history_turns,
        answer_chars_max=settings.answer_chars_max,
        turn_deadline_s=settings.turn_deadline_s,
        search=search_limits_of(settings),
        topics=settings.topics,
        retention_offer=settings.retention_offer,
        settings_hash=settings.settings_hash,
        turns_at_once=settings.turns_at_once,
    )
