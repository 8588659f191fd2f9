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
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.engines.qdrant_edge import open_qdrant_edge
from firstline.errors import Broken
from firstline.models.classifier import open_classifier
from firstline.models.embedder import open_embedder
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
                embedder=model,
                words=words,
                classifier=open_classifier(embedder=model.model_id),
                redactor=redactor,
                gates=gates_of(settings),
                limits=limits_of(settings),
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
    """Create the data folder, for its owner alone. Broken says why it cannot be used."""
    try:
        if not folder.exists():
            folder.mkdir(parents=True, mode=0o711)
        return folder.resolve()
    except OSError as error:
        raise Broken(
            f"The data folder {folder} cannot be used: {error.strerror}.", remedy="Choose another with --data."
        ) from error


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


def limits_of(settings: Settings) -> JourneyLimits:
    return JourneyLimits(
        question_chars_max=settings.question_chars_max,
        history_turns=settings.history_turns,
        candidates=settings.candidates,
        documents_ranked=settings.documents_ranked,
        evidence_chunks=settings.evidence_chunks,
        answer_chars_max=settings.answer_chars_max,
        turn_deadline_s=settings.turn_deadline_s,
        weights=FusionWeights(
            words=settings.weight_words, dense=settings.weight_dense, document=settings.weight_document
        ),
        topics=settings.topics,
        retention_offer=settings.retention_offer,
        settings_hash=settings.settings_hash,
    )
