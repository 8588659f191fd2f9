"""The only file that names concrete classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from firstline.caches.caches import CACHES, Caches
from firstline.caches.embedding import KeptEmbedder
from firstline.caches.records import RecordsAndCaches
from firstline.caches.reranking import KeptReranker
from firstline.caches.retrieval import KeptIndex
from firstline.connectors.handover.channels import open_channels
from firstline.connectors.handover.deliver import Deliverer
from firstline.document_wiring import announcing_of, changes_wait, sync_of, working_of
from firstline.documents.announcing import Announcing
from firstline.documents.communities.build import CommunityBuilder, open_communities
from firstline.documents.faq_entries import FaqEntries
from firstline.documents.journey import DocumentJourney, Policy
from firstline.documents.parse.ocr import OcrCommand
from firstline.documents.publish_faq import FaqDesk
from firstline.documents.purge import Purger
from firstline.documents.redact import PatternRedactor, own_pattern
from firstline.documents.sync import SourceSync
from firstline.documents.working import Working
from firstline.domain import ModelRole
from firstline.engines.blobs import ObjectBlobs
from firstline.engines.forgotten_graph import WithoutForgotten
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.engines.memory.limits import MemoryLimits
from firstline.engines.neo4j import open_neo4j
from firstline.engines.otlp import open_traces
from firstline.engines.postgres import PostgresLedgers, mark_data_folder, open_postgres
from firstline.engines.qdrant_edge import open_qdrant_edge
from firstline.engines.reviewed_graph import ReviewedGraph, RulesInForce
from firstline.errors import InvalidInput
from firstline.evals.run import USER as EVALUATION
from firstline.kept_keys import kept_key
from firstline.model_wiring import OpenModels, advised_of, alike_of, open_models
from firstline.models.classifier import open_classifier
from firstline.models.embedder import for_questions, open_embedder
from firstline.models.english import open_english
from firstline.models.names import open_name_finder
from firstline.models.reranker import open_reranker
from firstline.models.words import EngineerWords
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    ConversationLedger,
    DeliveryChannel,
    Embedder,
    FeedbackLedger,
    GateLedger,
    Graph,
    HandoffLedger,
    KeyLedger,
    KnowledgeLedger,
    RateLimiter,
    Redactor,
    SnapshotLedger,
    SourceLedger,
    TextFromImage,
)
from firstline.questions.aliases.desk import AliasDesk
from firstline.questions.care import CareDesk, FaqList
from firstline.questions.desk import HandoffDesk
from firstline.questions.extracts import Composer, FromExtracts
from firstline.questions.gates_in_force import RETRIEVAL_VERSION, GatesInForce, refusals
from firstline.questions.journey import QuestionJourney
from firstline.questions.kept_answers import KeptAnswers
from firstline.questions.prompted import prompt_ids
from firstline.questions.review_desk import ReviewDesk
from firstline.questions.wording.voice import Wording, open_wording
from firstline.questions.writing.composer import ByModel
from firstline.settings import Settings
from firstline.shaping import channel_settings_of, gates_of, knobs_of, limits_of, overridden_gates, trace_settings_of

WIDGET_SECRET_BYTES_MIN = 16
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
    deliverer: Deliverer
    ledgers: PostgresLedgers
    handoffs: HandoffLedger
    desk: HandoffDesk
    gates: GateLedger
    knobs: Mapping[str, str]
    feedback: FeedbackLedger
    review: ReviewDesk
    sources: SourceLedger
    sync: SourceSync
    snapshots: SnapshotLedger
    purger: Purger
    announcing: Announcing
    working: Working
    caches: Caches
    care: CareDesk
    faq: FaqDesk
    faq_list: FaqList
    graph: Graph | None
    """As people have corrected it. Listings and writes are of what is stored."""
    aliases: AliasDesk | None
    communities: CommunityBuilder | None
    models: OpenModels | None
    questions_apart: Callable[[ConversationLedger], QuestionJourney]
    """The journey with its record kept elsewhere: nobody is told of what it hands over."""


@asynccontextmanager
async def open_ledgers(settings: Settings) -> AsyncGenerator[PostgresLedgers]:
    """The ledger alone: what keys, status and hand-overs need, without a model or an index."""
    folder = prepare_folder(settings.data_folder)
    names = [channel.name for channel in channels_of(settings)]
    async with open_postgres(data_folder=folder, database_url=settings.database_url, channels=names) as ledgers:
        yield ledgers


@asynccontextmanager
async def open_firstline(
    settings: Settings, *, embedder: Embedder | None = None, serves: bool = False
) -> AsyncGenerator[Firstline]:
    """Open a data folder, starting the embedded engines that are not running yet.

    `embedder` replaces the configured one (evaluation wraps it in a cache). `serves`: this process answers questions
    while it takes documents.
    """
    async with AsyncExitStack() as stack:
        ledgers = await stack.enter_async_context(open_ledgers(settings))
        folder = settings.data_folder.resolve()
        model = embedder or open_embedder(
            name=settings.embedder,
            model=settings.embedder_model,
            api_key=settings.embedder_api_key,
            threads=settings.embed_threads,
        )
        index = await stack.enter_async_context(open_qdrant_edge(folder=folder / "index", dimensions=model.dimensions))
        graph = await stack.enter_async_context(open_graph(settings, ledgers))
        reviewed = None if graph is None else ReviewedGraph(graph, RulesInForce(ledgers.graph_rules))
        english = open_english()
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
        redactor = redactor_of(settings)
        classifier = open_classifier(embedder=model.model_id)
        knobs = knobs_of(
            settings,
            embedder=model.model_id,
            reranker="none" if reranker is None else reranker.model_id,
            classifier=classifier.model_id,
        )
        documents = DocumentJourney(
            ledger=ledgers.knowledge,
            index=index,
            blobs=blobs,
            embedder=model,
            words=words,
            redactor=redactor,
            count_tokens=count_tokens,
            chunk_tokens=settings.chunk_tokens,
            batch_documents=settings.ingest_batch_documents,
            ocr=ocr_of(settings),
            quarantine=ledgers.quarantine,
            policy=Policy(bulk_share=settings.bulk_share, wipe_share=settings.wipe_share),
            golden=partial(has_golden, settings, ledgers),
            changes_wait=partial(changes_wait, ledgers),
            questions_end=partial(questions_end, settings, ledgers, serves=serves),
            extract_graph=settings.extract_graph,
            graph=graph,
        )
        caches = Caches.of({kind: getattr(settings, f"cache_{kind}_mb") for kind in CACHES})
        models = open_models(settings.models, caches.model)
        if models is not None:
            stack.push_async_callback(models.close)
            if serves:
                stack.callback(asyncio.create_task(models.load(), name="models-load").cancel)
        communities = open_communities(
            graph if settings.graph_communities else None,
            ledgers.communities,
            knowledge=ledgers.knowledge,
            blobs=blobs,
            alike=alike_of(settings, models),
        )
        purger = Purger(
            knowledge=ledgers.knowledge,
            tombstones=ledgers.tombstones,
            records=RecordsAndCaches(ledgers.records, caches),
            snapshots=ledgers.snapshots,
            index=index,
            blobs=blobs,
            redactor=redactor,
            forget_cached=(caches.forget,),
            graph=graph,
            communities=ledgers.communities,
        )
        sync = sync_of(settings, ledgers, documents)
        traces = await stack.enter_async_context(open_traces(trace_settings_of(settings)))
        model_ids = (model.model_id, "" if reranker is None else reranker.model_id, classifier.model_id)
        questions = partial(
            QuestionJourney,
            knowledge=ledgers.knowledge,
            index=KeptIndex(
                index, caches.retrieval, knowledge=ledgers.knowledge, frame=(RETRIEVAL_VERSION, model.model_id)
            ),
            blobs=blobs,
            embedder=KeptEmbedder(for_questions(model), caches.embedding),
            words=words,
            classifier=classifier,
            redactor=redactor,
            gates=gates_of(settings),
            limits=limits_of(settings),
            reranker=None if reranker is None else KeptReranker(reranker, caches.rerank),
            graph=reviewed,
            communities=communities and communities.store,
            english=english,
            answers=KeptAnswers(
                caches.answer,
                knowledge=ledgers.knowledge,
                frame=(RETRIEVAL_VERSION, settings.settings_hash, *model_ids, *prompt_ids()),
                alike_min=settings.cache_answer_alike,
            ),
            composer=composer_of(settings, models, redactor),
            advised=advised_of(settings, models, lambda text: redactor.redact(text).text),
            in_force=GatesInForce(ledger=ledgers.gates, knobs=knobs, overridden=overridden_gates(settings)),
        )
        yield Firstline(
            settings=settings,
            knowledge=ledgers.knowledge,
            conversations=ledgers.conversations,
            keys=ledgers.keys,
            index=index,
            blobs=blobs,
            embedder=model,
            limiter=MemoryLimits(),
            questions=questions(conversations=ledgers.conversations, on_recorded=traces),
            documents=documents,
            deliverer=Deliverer(ledger=ledgers.deliveries, channels=channels_of(settings)),
            ledgers=ledgers,
            handoffs=ledgers.handoffs,
            desk=desk_of(settings, ledgers),
            gates=ledgers.gates,
            knobs=knobs,
            feedback=ledgers.feedback,
            review=review_desk_of(settings, ledgers),
            sources=ledgers.sources,
            sync=sync,
            snapshots=ledgers.snapshots,
            purger=purger,
            announcing=announcing_of(ledgers, purger, redactor),
            working=working_of(ledgers, documents, sync, purger, communities),
            caches=caches,
            care=care_of(settings, ledgers, model),
            faq=FaqDesk(care=ledgers.care, documents=documents, redactor=redactor),
            faq_list=faq_list_of(settings, ledgers),
            graph=reviewed,
            communities=communities,
            aliases=AliasDesk(
                graph=graph,
                rules=ledgers.graph_rules,
                knowledge=ledgers.knowledge,
                blobs=blobs,
                redactor=redactor,
                ordinary=english,
            )
            if graph
            else None,
            models=models,
            questions_apart=lambda conversations: questions(conversations=conversations),
        )


def composer_of(settings: Settings, models: OpenModels | None, redactor: Redactor) -> Composer:
    """InvalidInput when a model should write answers and none is configured for it."""
    if settings.answers_by == "extracts":
        return FromExtracts()
    if models is None or not models.language.model_id(ModelRole.LARGE):
        raise InvalidInput(
            "The setting 'answers_by' is 'model', and no model is configured that writes answers.",
            remedy="Name one: `chain` in [models.large] (docs/models.md), or set `answers_by` to `extracts`.",
        )
    return ByModel(models.language, redact=lambda text: redactor.redact(text).text, chars_max=settings.answer_chars_max)


@asynccontextmanager
async def open_graph(settings: Settings, ledgers: PostgresLedgers) -> AsyncGenerator[Graph | None]:
    if settings.graph != "neo4j":
        yield ledgers.graph if settings.graph == "ledger" else None
        return
    who = {"user": settings.graph_user, "password": settings.graph_password}
    async with open_neo4j(url=settings.graph_url, database=settings.graph_database, **who) as opened:
        yield WithoutForgotten(opened, ledgers.tombstones)


def prepare_folder(folder: Path) -> Path:
    """Create and mark the data folder, for its owner alone. The error says why it cannot be used."""
    mark_data_folder(folder)
    return folder.resolve()


def care_of(settings: Settings, ledgers: PostgresLedgers, embedder: Embedder) -> CareDesk:
    """What those who look after the content read needs an embedder and no index."""
    return CareDesk(
        care=ledgers.care,
        feedback=ledgers.feedback,
        blobs=ObjectBlobs.local(settings.data_folder.resolve() / "blobs"),
        embedder=embedder,
        redactor=redactor_of(settings),
        without_user=EVALUATION,
    )


@asynccontextmanager
async def open_care(settings: Settings) -> AsyncGenerator[CareDesk]:
    """The care desk alone."""
    async with open_ledgers(settings) as ledgers:
        model = open_embedder(
            name=settings.embedder,
            model=settings.embedder_model,
            api_key=settings.embedder_api_key,
            threads=settings.embed_threads,
        )
        yield care_of(settings, ledgers, model)


def faq_list_of(settings: Settings, ledgers: PostgresLedgers) -> FaqList:
    return FaqList(care=ledgers.care, blobs=ObjectBlobs.local(settings.data_folder.resolve() / "blobs"))


def faq_entries_of(ledgers: PostgresLedgers) -> FaqEntries:
    """Owners and expiry alone need no model and no index."""
    return FaqEntries(care=ledgers.care)


def desk_of(settings: Settings, ledgers: PostgresLedgers) -> HandoffDesk:
    """What persons do with hand-overs needs no model and no index."""
    return HandoffDesk(
        conversations=ledgers.conversations,
        handoffs=ledgers.handoffs,
        knowledge=ledgers.knowledge,
        redactor=redactor_of(settings),
    )


def redactor_of(settings: Settings) -> PatternRedactor:
    """With the operator's own patterns. The name finder is opened with it (some 20 ms)."""
    own = [own_pattern(name, expression) for name, expression in settings.redact_patterns.items()]
    return PatternRedactor(names=open_name_finder(), own=own)


def ocr_of(settings: Settings) -> TextFromImage | None:
    """What reads pages that are pictures; None: nobody does."""
    return OcrCommand(settings.ocr_command, seconds=settings.ocr_page_s) if settings.ocr_command else None


def review_desk_of(settings: Settings, ledgers: PostgresLedgers) -> ReviewDesk:
    """What reviewers do needs no model and no index either."""
    return ReviewDesk(
        feedback=ledgers.feedback,
        conversations=ledgers.conversations,
        handoffs=ledgers.handoffs,
        knowledge=ledgers.knowledge,
        blobs=ObjectBlobs.local(settings.data_folder.resolve() / "blobs"),
        redactor=redactor_of(settings),
        sample=settings.review_sample,
        without_user=EVALUATION,
    )


async def questions_end(settings: Settings, ledgers: PostgresLedgers, *, serves: bool = False) -> None:
    """Returns once the questions that are under way have ended, by their deadline: at once when nobody else is
    connected and this process answers none."""
    if serves or await ledgers.database.has_company():
        await asyncio.sleep(settings.turn_deadline_s)


async def has_golden(settings: Settings, ledgers: PostgresLedgers, tenant: str, kb: str) -> bool:
    """Whether a bulk change of this knowledge base can be judged: a file of cases, or turns that people judged."""
    if settings.golden_cases:
        return True
    return bool(await ledgers.feedback.judgements(tenant=tenant, kb=kb, limit=1))


def certificate_key(settings: Settings) -> bytes:
    """What certificates of forgetting are signed with: made with the first one, and kept in the data folder."""
    return kept_key(prepare_folder(settings.data_folder) / "certificate.key")


def widget_secret(settings: Settings) -> bytes:
    """What widget tokens are signed with: the setting, else made with the first one and kept in the data folder."""
    given = settings.widget_secret.encode()
    if given and len(given) < WIDGET_SECRET_BYTES_MIN:
        raise InvalidInput(
            f"The setting 'widget_secret' is shorter than {WIDGET_SECRET_BYTES_MIN} bytes.",
            remedy="Set FIRSTLINE_WIDGET_SECRET to a long random text, or leave it empty.",
        )
    return given or kept_key(prepare_folder(settings.data_folder) / "widget.key")


def channels_of(settings: Settings) -> tuple[DeliveryChannel, ...]:
    """Where hand-overs are delivered. InvalidInput names the setting that is missing or unusable."""
    return open_channels(channel_settings_of(settings))


def wording_of(settings: Settings) -> Wording:
    """Every text that customers read. InvalidInput names what is wrong in the operator's own file of them."""
    own = Path(settings.texts) if settings.texts else None
    return open_wording(language=settings.language, tone=settings.tone, own=own)


def count_tokens(text: str) -> int:
    """A cheap estimate of the embedder's tokens, for sizing chunks."""
    return max(1, round(len(text) * TOKENS_PER_CHARACTER))


def shipped_classifier(*, embedder: str) -> str:
    """The name of the triage classifier that goes with this embedder."""
    return open_classifier(embedder=embedder).model_id


def held_apart(firstline: Firstline, threshold: float) -> tuple[QuestionJourney, ConversationLedger]:
    """The journey with its gates held at a threshold, and the ledger that it records in, which is forgotten: nobody is
    told of what it hands over."""
    conversations = MemoryConversationLedger()
    return firstline.questions.held(threshold, conversations=conversations), conversations


async def check_gates(firstline: Firstline, *, kb: str | None = None) -> None:
    """InvalidInput when the gates in force for any knowledge base of the tenant (or for this one) were calibrated for
    other settings. A journey would hand every question over."""
    tenant = firstline.settings.tenant
    names = await firstline.knowledge.knowledge_bases(tenant=tenant) if kb is None else [kb]
    for refused in await refusals(names, tenant=tenant, ledger=firstline.gates, knobs=firstline.knobs):
        raise refused


@asynccontextmanager
async def open_checked(settings: Settings) -> AsyncGenerator[Firstline]:
    """As open_firstline, for a server: what would hand every question over is refused at the start."""
    async with open_firstline(settings, serves=True) as firstline:
        await check_gates(firstline)
        yield firstline
