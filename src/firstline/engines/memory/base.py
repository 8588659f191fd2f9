"""One knowledge base in memory: what the ledgers of documents, snapshots and tombstones share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from firstline.domain import FOREVER, Chunk, Document, Failure, FaqEntry, GraphRule, Snapshot, Tombstone
from firstline.errors import Conflict, NotFound
from firstline.ports import Revision, Scope, StoredDocument


@dataclass(kw_only=True, slots=True)
class Sealed:
    """A snapshot that was made: counts are read when they are asked for."""

    sealed_at: datetime
    published_at: datetime | None
    waits: str


@dataclass(kw_only=True, slots=True)
class Base:
    """`revisions` by (doc_id, since); `planned` by candidate: doc_id -> content. `head` is what the next candidate
    builds on, `counter` the last number given out, `opened` and `forgotten` are marks that only rise."""

    embedder_id: str
    published: int = 0
    head: int = 0
    counter: int = 0
    candidate: int | None = None
    opened: int = 0
    forgotten: int = 0
    canary: int = 0
    canary_share: float = 0.0
    revisions: dict[tuple[str, int], StoredDocument] = field(default_factory=dict[tuple[str, int], StoredDocument])
    planned: dict[int, dict[str, str]] = field(default_factory=dict[int, dict[str, str]])
    sealed: dict[int, Sealed] = field(default_factory=dict[int, Sealed])
    failures: dict[int, list[Failure]] = field(default_factory=dict[int, list[Failure]])
    tombstones: dict[str, tuple[int, Tombstone]] = field(default_factory=dict[str, tuple[int, Tombstone]])
    doomed: set[str] = field(default_factory=set[str])
    faq: dict[str, FaqEntry] = field(default_factory=dict[str, FaqEntry])
    rules: list[GraphRule] = field(default_factory=list[GraphRule])

    def of(self, doc_ids: Iterable[str]) -> list[StoredDocument]:
        wanted = set(doc_ids)
        return [stored for stored in self.revisions.values() if stored.document.doc_id in wanted]

    def put(self, stored: StoredDocument) -> None:
        self.revisions[stored.document.doc_id, stored.document.since] = stored

    def drop(self, doc_id: str, since: int) -> StoredDocument | None:
        """Remove a revision; its content waits to be deleted."""
        gone = self.revisions.pop((doc_id, since), None)
        if gone is not None:
            self.doomed.add(gone.document.blob)
        return gone

    def remove_own(self, candidate: int, doc_ids: Iterable[str]) -> list[str]:
        own = [stored for stored in self.of(doc_ids) if stored.document.since == candidate]
        for stored in own:
            self.drop(stored.document.doc_id, candidate)
        return chunk_ids(own)

    def end_older(self, candidate: int, doc_ids: Iterable[str]) -> list[str]:
        older = [
            stored
            for stored in self.of(doc_ids)
            if stored.document.since < candidate and stored.document.until == FOREVER
        ]
        for stored in older:
            self.put(ended_at(stored, candidate))
        return chunk_ids(older)

    def buried(self, doc_id: str, since: int) -> bool:
        return doc_id in self.tombstones and self.tombstones[doc_id][1].upto >= since

    def expired(self, doc_id: str) -> bool:
        """A curated answer that is used no more, in no snapshot."""
        entry = self.faq.get(doc_id)
        return entry is not None and entry.expired(datetime.now(UTC))

    def held(self, snapshot: int) -> list[StoredDocument]:
        """What this snapshot holds, forgotten ones that are not purged yet included."""
        return [stored for stored in self.revisions.values() if holds(stored.document, snapshot)]

    def used(self, blob: str) -> bool:
        return any(stored.document.blob == blob for stored in self.revisions.values()) or any(
            blob in plan.values() for plan in self.planned.values()
        )

    def snapshot(self, tenant: str, kb: str, number: int, *, gates_version: int) -> Snapshot:
        """NotFound when there is none of this number."""
        if number not in self.sealed:
            raise NotFound(
                f"The knowledge base {kb!r} has no snapshot {number}.",
                remedy="`firstline snapshot list` shows those that are there.",
            )
        live = self.held(number)
        return Snapshot(
            tenant=tenant,
            kb=kb,
            number=number,
            documents=len(live),
            chunks=sum(len(stored.chunks) for stored in live),
            published_at=self.sealed[number].published_at,
            embedder_id=self.embedder_id,
            gates_version=gates_version,
            canary=self.canary,
            canary_share=self.canary_share,
            forgotten=self.forgotten,
        )

    def claimed(self, kb: str, candidate: int) -> Base:
        """What is a snapshot never changes: Conflict unless this is the open candidate."""
        if self.candidate != candidate:
            raise not_open(kb, candidate)
        return self


def not_open(kb: str, candidate: int) -> Conflict:
    return Conflict(
        f"Snapshot {candidate} of {kb!r} is not the open candidate: it was published, or given up by a rollback.",
        remedy="Run the ingest again.",
    )


def no_knowledge_base(kb: str) -> NotFound:
    return NotFound(f"There is no knowledge base {kb!r}.", remedy="`firstline status` lists them.")


def chunk_ids(documents: Iterable[StoredDocument]) -> list[str]:
    return [chunk.chunk_id for stored in documents for chunk in stored.chunks]


def ended_at(stored: StoredDocument, until: int) -> StoredDocument:
    return replace(
        stored,
        document=replace(stored.document, until=until),
        chunks=tuple(replace(chunk, until=until) for chunk in stored.chunks),
    )


def revision(stored: StoredDocument) -> Revision:
    document = stored.document
    return Revision(
        doc_id=document.doc_id, since=document.since, blob=document.blob, chunk_ids=tuple(chunk_ids([stored]))
    )


def holds(of: Document | Chunk, snapshot: int) -> bool:
    return of.since <= snapshot < of.until


def visible(of: Document | Chunk, scope: Scope) -> bool:
    """A missing ACL means nobody."""
    return (
        (of.tenant, of.kb) == (scope.tenant, scope.kb)
        and not scope.acl_tags.isdisjoint(of.acl)
        and of.level <= scope.level_max
        and holds(of, scope.snapshot)
    )
