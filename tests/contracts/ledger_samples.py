"""Builders of what the ledgers keep."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from firstline.domain import (
    NOTHING,
    ApiKey,
    CalibratedGates,
    Category,
    Chunk,
    ChunkKind,
    Deflected,
    Document,
    DocumentKind,
    Escalated,
    Handoff,
    HandoffState,
    Intent,
    Level,
    Mood,
    Outcome,
    Principal,
    Reason,
    Session,
    Tried,
    Turn,
)
from firstline.ports import (
    ConversationLedger,
    GateLedger,
    HandoffLedger,
    KeyLedger,
    KnowledgeLedger,
    RecordLedger,
    RevisionLedger,
    Scope,
    SnapshotLedger,
    StoredDocument,
    TombstoneLedger,
)


@dataclass(frozen=True, kw_only=True)
class Ledgers:
    """`elsewhere` is the knowledge ledger as another process sees it."""

    knowledge: KnowledgeLedger
    elsewhere: KnowledgeLedger
    conversations: ConversationLedger
    handoffs: HandoffLedger
    keys: KeyLedger
    gates: GateLedger
    snapshots: SnapshotLedger
    tombstones: TombstoneLedger
    records: RecordLedger
    revisions: RevisionLedger


KB = "docs"
NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def stored(
    tenant: str,
    doc_id: str,
    *,
    since: int,
    kb: str = KB,
    chunks: int = 3,
    text: str = "",
    acl: frozenset[str] = frozenset({"everyone"}),
    level: Level = Level.PUBLIC,
    kind: DocumentKind = DocumentKind.DOCUMENTATION,
    metadata: Mapping[str, str] = NOTHING,
    words: frozenset[str] | None = frozenset(),
) -> StoredDocument:
    """A document of `chunks` chunks; another `text` gives another blob and other chunk ids."""
    blob = hashlib.sha256(f"{doc_id}{text}".encode()).hexdigest()
    document = Document(
        tenant=tenant,
        kb=kb,
        doc_id=doc_id,
        kind=kind,
        title=f"About {doc_id}",
        url=f"https://docs.example/{doc_id}",
        blob=blob,
        size_bytes=chunks * 100,
        content_hash=f"hash of {doc_id} {text}",
        acl=acl,
        level=level,
        since=since,
        metadata=metadata,
    )
    parts = tuple(
        Chunk(
            chunk_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{tenant}/{kb}/{doc_id}/{since}/{text}/{ordinal}")),
            tenant=tenant,
            kb=kb,
            doc_id=doc_id,
            blob=blob,
            ordinal=ordinal,
            start=ordinal * 100,
            end=ordinal * 100 + 100,
            kind=ChunkKind.TABLE if ordinal % 2 else ChunkKind.SECTION,
            title=document.title,
            section_path=("Guide", f"Part {ordinal}"),
            url=document.url,
            acl=acl,
            level=level,
            since=since,
            lead=(0, 20) if ordinal % 2 else None,
            metadata={"ordinal": str(ordinal)},
        )
        for ordinal in range(chunks)
    )
    return StoredDocument(document=document, chunks=parts, words=words)


def ids(*documents: StoredDocument) -> list[str]:
    return [chunk.chunk_id for document in documents for chunk in document.chunks]


def scope(
    tenant: str,
    snapshot: int,
    *,
    kb: str = KB,
    acl_tags: frozenset[str] = frozenset({"everyone"}),
    level_max: Level = Level.PUBLIC,
) -> Scope:
    return Scope(tenant=tenant, kb=kb, acl_tags=acl_tags, level_max=level_max, snapshot=snapshot)


async def published(ledger: KnowledgeLedger, tenant: str, *documents: StoredDocument, kb: str = KB) -> int:
    """Write the documents, made for the open candidate, and publish. Returns the snapshot's number. The next candidate
    is open then."""
    candidate = await ledger.open_candidate(tenant=tenant, kb=kb, embedder_id="embedder")
    await ledger.write(documents)
    return await publish(ledger, tenant, candidate, kb=kb)


async def publish(ledger: KnowledgeLedger, tenant: str, candidate: int, *, kb: str = KB) -> int:
    """Publish the candidate and open the next one. Returns the snapshot's number."""
    number = (await ledger.publish(tenant=tenant, kb=kb, candidate=candidate)).number
    await ledger.open_candidate(tenant=tenant, kb=kb, embedder_id="embedder")
    return number


def session(tenant: str, *, user: str = "a user", session_id: str | None = None) -> Session:
    return Session(session_id=session_id or uuid.uuid4().hex, tenant=tenant, kb=KB, user=user, created_at=NOON)


def handoff(session_id: str, *, turn: int = 1, minutes: int = 0, state: HandoffState = HandoffState.OPEN) -> Handoff:
    return Handoff(
        handoff_id=uuid.uuid4().hex,
        session_id=session_id,
        turn=turn,
        reason=Reason.LOW_CONFIDENCE,
        question="Why does it fail?",
        summary="It fails after the upgrade.",
        intent=Intent.CAUSE,
        entities=("upgrade",),
        tried=(Tried(chunk_id="c", title="Upgrades", url=None, score=0.25, why_not="another version"),),
        language="en",
        mood=Mood.UPSET,
        next_step="Ask for the version.",
        state=state,
        created_at=NOON + timedelta(minutes=minutes),
    )


def turn(session_id: str, number: int, *, question: str = "Why?", outcome: Outcome | None = None) -> Turn:
    return Turn(
        session_id=session_id,
        number=number,
        question=question,
        asked_at=NOON + timedelta(minutes=number),
        scope_hash="0123456789abcdef",
        snapshot=3,
        settings_hash="fedcba9876543210",
        model_ids=("embedder", "classifier"),
        triage=None,
        plan=None,
        evidence=(),
        gates=(),
        outcome=outcome or Deflected(category=Category.NONSENSE, topics=("locks", "backups")),
        timings_ms={"triage": 1.5},
    )


def escalated(handed: Handoff, number: int) -> Turn:
    return turn(handed.session_id, number, outcome=Escalated(handoff=handed))


def gates(tenant: str, *, kb: str = KB, minutes: int = 0) -> CalibratedGates:
    return CalibratedGates(
        tenant=tenant,
        kb=kb,
        snapshot=1,
        retrieval_hash="0123456789abcdef",
        knobs={"candidates": "50", "embedder": "mini"},
        thresholds={"relevance": 0.25, "unsure": 0.6, "confidence": 0.7 + minutes / 1000},
        max_wrong=0.01,
        max_wrong_unsure=0.02,
        certainty=0.95,
        cases=400,
        tested=300,
        wrong=0,
        wrong_bound=0.0099,
        coverage=0.55,
        relevance_values=(0.1, 1 / 3, 0.9),
        calibrated_at=NOON + timedelta(minutes=minutes),
    )


def api_key(tenant: str, *, minutes: int = 0) -> ApiKey:
    return ApiKey(
        key_id=uuid.uuid4().hex,
        secret_sha256="ab" * 32,
        name="chat page",
        principal=Principal(
            tenant=tenant, user="service", acl_tags=frozenset({"everyone", "staff"}), level=Level.INTERNAL
        ),
        kb=KB,
        created_at=NOON + timedelta(minutes=minutes),
        expires_at=NOON + timedelta(days=90),
        revoked_at=None,
    )
