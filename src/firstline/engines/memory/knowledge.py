"""Documents, chunks and snapshots in memory: the reference that says what the others must do. Nothing is kept.

No method awaits anything, so each one is atomic on its event loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from firstline.domain import (
    FOREVER,
    CandidateFacts,
    Chunk,
    Document,
    DocumentKind,
    Failure,
    Level,
    Snapshot,
)
from firstline.engines.memory.base import Base, chunk_ids, ended_at, holds, not_open, visible
from firstline.engines.memory.faq import MemoryFaq
from firstline.engines.memory.gates import MemoryGateLedger
from firstline.engines.memory.graph_rules import MemoryGraphRules
from firstline.engines.memory.snapshots import MemorySnapshots
from firstline.engines.memory.tombstones import MemoryTombstones
from firstline.errors import Conflict, InvalidInput, NotFound
from firstline.ports import Abandoned, KnowledgeStatus, Scope, StoredDocument


class MemoryKnowledgeLedger(MemorySnapshots, MemoryTombstones, MemoryFaq, MemoryGraphRules):
    """See ports.KnowledgeLedger, ports.SnapshotLedger, ports.TombstoneLedger, ports.RevisionLedger and
    ports.GraphRules."""

    def __init__(self) -> None:
        self.gates = MemoryGateLedger(exists=lambda tenant, kb: (tenant, kb) in self._bases)
        self._bases: dict[tuple[str, str], Base] = {}
        self._marks = 0
        self._held: set[tuple[str, str]] = set()

    def ingest_lock(self, *, tenant: str, kb: str) -> AbstractAsyncContextManager[None]:
        return self._hold((tenant, kb))

    @asynccontextmanager
    async def _hold(self, key: tuple[str, str]) -> AsyncGenerator[None]:
        if key in self._held:
            raise Conflict(
                f"Another ingest is working on the knowledge base {key[1]!r}: one in this process.",
                remedy="Wait for it to end, or stop it; nothing it committed is lost.",
            )
        self._held.add(key)
        try:
            yield
        finally:
            self._held.discard(key)

    async def published(self, *, tenant: str, kb: str) -> Snapshot:
        base = self._bases.get((tenant, kb))
        if base is None or base.published == 0:
            return Snapshot(tenant=tenant, kb=kb, number=0, documents=0, chunks=0, published_at=None)
        return self._snapshot(tenant, kb, base.published)

    def _snapshot(self, tenant: str, kb: str, number: int) -> Snapshot:
        return self._bases[tenant, kb].snapshot(tenant, kb, number, gates_version=self.gates.version(tenant, kb))

    async def abandoned(self, *, tenant: str, kb: str, limit: int) -> Abandoned:
        base = self._bases.get((tenant, kb))
        return Abandoned() if base is None or base.candidate is not None else self._beyond(base, limit)

    async def undo(self, abandoned: Abandoned, *, tenant: str, kb: str) -> None:
        base = self._known(tenant, kb)
        if base.candidate is not None:
            raise Conflict(f"A candidate of {kb!r} was opened meanwhile.", remedy="Run the ingest again.")
        self._undo(base, abandoned)

    async def open_candidate(self, *, tenant: str, kb: str, embedder_id: str) -> int:
        base = self._bases.get((tenant, kb)) or Base(embedder_id=embedder_id)
        if not base.revisions:
            base.embedder_id = embedder_id
        if base.embedder_id != embedder_id:
            raise InvalidInput(
                f"The vectors of the knowledge base {kb!r} were made by {base.embedder_id}, not by {embedder_id}.",
                remedy="Use that embedder, or ingest into another knowledge base with --kb.",
            )
        if base.candidate is None:
            if self._is_beyond(base):
                raise Conflict(
                    f"What snapshots after {base.head} of {kb!r} have written is not undone yet.",
                    remedy="Run the ingest again.",
                )
            base.counter += 1
            base.candidate = base.counter
        base.opened = self._mark()
        self._bases[tenant, kb] = base
        return base.candidate

    async def current(self, *, tenant: str, kb: str) -> dict[str, Document]:
        base = self._bases.get((tenant, kb))
        if base is None:
            return {}
        newest: dict[str, Document] = {}
        for stored in sorted(base.revisions.values(), key=lambda stored: stored.document.since):
            document = stored.document
            known = document.since <= base.head or document.since == base.candidate
            if known and document.until > base.head and not base.buried(document.doc_id, document.since):
                newest[document.doc_id] = document
        return newest

    async def plan(
        self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str], blobs: Sequence[str] = ()
    ) -> None:
        base = self._claim(tenant, kb, candidate)
        contents = list(blobs) or [""] * len(doc_ids)
        base.planned.setdefault(candidate, {}).update(zip(doc_ids, contents, strict=True))

    async def planned(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        base = self._bases.get((tenant, kb))
        return sorted(base.planned.get(candidate, {})) if base else []

    async def write(self, documents: Sequence[StoredDocument]) -> list[str]:
        ended: list[str] = []
        for stored in documents:
            self._claim(stored.document.tenant, stored.document.kb, stored.document.since)
        last = {(stored.document.tenant, stored.document.kb, stored.document.doc_id): stored for stored in documents}
        for (tenant, kb, doc_id), stored in last.items():
            candidate = stored.document.since
            base = self._claim(tenant, kb, candidate)
            if base.tombstones.get(doc_id, (0,))[0] > base.opened:
                base.planned.get(candidate, {}).pop(doc_id, None)
                base.doomed.add(stored.document.blob)
                continue
            removed = base.remove_own(candidate, [doc_id])
            ended += base.end_older(candidate, [doc_id])
            base.put(stored)
            self._lift(base, candidate, doc_id)
            written = set(chunk_ids([stored]))
            ended += [chunk_id for chunk_id in removed if chunk_id not in written]
            base.planned.get(candidate, {}).pop(doc_id, None)
        return ended

    async def end(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        base = self._claim(tenant, kb, candidate)
        removed = base.remove_own(candidate, doc_ids)
        base.end_older(candidate, doc_ids)
        return removed + chunk_ids(stored for stored in base.of(doc_ids) if stored.document.until == candidate)

    async def unend(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        base = self._claim(tenant, kb, candidate)
        back = [
            stored
            for stored in base.of(doc_ids)
            if stored.document.until == candidate and (stored.document.doc_id, candidate) not in base.revisions
        ]
        for stored in back:
            base.put(ended_at(stored, FOREVER))
        return chunk_ids(back)

    async def ended(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        base = self._bases.get((tenant, kb))
        revisions = base.revisions.values() if base else ()
        return chunk_ids(stored for stored in revisions if stored.document.until == candidate)

    async def forgotten(self, *, tenant: str, kb: str, doc_ids: Sequence[str]) -> frozenset[str]:
        base = self._bases.get((tenant, kb))
        stones = base.tombstones if base else {}
        return frozenset(one for one in doc_ids if base and one in stones and stones[one][0] > base.opened)

    async def facts(self, *, tenant: str, kb: str, candidate: int) -> CandidateFacts:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        written = {one.document.doc_id: one for one in base.revisions.values() if one.document.since == candidate}
        ended = {one.document.doc_id: one for one in base.revisions.values() if one.document.until == candidate}
        before = base.held(base.head) if base.head else []
        both = written.keys() & ended.keys()
        closed = sorted(one for one in both if not written[one].document.acl and ended[one].document.acl)
        return CandidateFacts(
            documents_before=len(before),
            chunks_before=sum(len(one.chunks) for one in before),
            added=len(written) - len(both),
            changed=len(both),
            removed=len(ended) - len(both),
            chunks_written=sum(len(one.chunks) for one in written.values()),
            chunks_ended=sum(len(one.chunks) for one in ended.values()),
            closed=tuple(closed[:100]),
            builds_on_waiting=base.head > base.published,
        )

    async def seal(self, *, tenant: str, kb: str, candidate: int, waits: str) -> Snapshot:
        return self._seal(tenant, kb, candidate, waits=waits, publish=False)

    async def publish(self, *, tenant: str, kb: str, candidate: int) -> Snapshot:
        return self._seal(tenant, kb, candidate, waits="", publish=True)

    async def record_failures(self, *, tenant: str, kb: str, candidate: int, failures: Sequence[Failure]) -> None:
        base = self._bases.get((tenant, kb))
        if base is None:
            raise NotFound("What this belongs to does not exist.", remedy="Create that first.")
        base.failures[candidate] = list(failures)

    async def failures(self, *, tenant: str, kb: str) -> list[Failure]:
        base = self._bases.get((tenant, kb))
        return list(base.failures[max(base.failures)]) if base and base.failures else []

    async def chunks(self, chunk_ids: Sequence[str], scope: Scope) -> list[Chunk]:
        found = {chunk.chunk_id: chunk for chunk in self._visible_chunks(scope)}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    async def neighbours(self, chunk: Chunk, scope: Scope, *, before: int, after: int) -> list[Chunk]:
        if (chunk.tenant, chunk.kb) != (scope.tenant, scope.kb):
            return []
        near = range(chunk.ordinal - before, chunk.ordinal + after + 1)
        return sorted(
            (
                other
                for other in self._visible_chunks(scope)
                if (other.doc_id, other.since) == (chunk.doc_id, chunk.since) and other.ordinal in near
            ),
            key=lambda other: other.ordinal,
        )

    async def document(self, doc_id: str, scope: Scope) -> Document | None:
        return next((found for found in self._visible_documents(scope) if found.doc_id == doc_id), None)

    async def documents(self, doc_ids: Sequence[str], scope: Scope) -> list[Document]:
        found = {document.doc_id: document for document in self._visible_documents(scope)}
        return [found[doc_id] for doc_id in dict.fromkeys(doc_ids) if doc_id in found]

    async def document_chunks(self, doc_id: str, scope: Scope) -> list[Chunk]:
        chunks = [chunk for chunk in self._visible_chunks(scope) if chunk.doc_id == doc_id]
        return sorted(chunks, key=lambda chunk: chunk.ordinal)

    async def faq(self, question_key: str, scope: Scope) -> Document | None:
        matching = [
            document
            for document in self._visible_documents(scope)
            if document.kind is DocumentKind.FAQ and document.metadata.get("question_key") == question_key
        ]
        return min(matching, key=lambda document: document.doc_id, default=None)

    async def word_counts(self, words: Collection[str], scope: Scope) -> dict[str, int] | None:
        base = self._bases.get((scope.tenant, scope.kb))
        wanted = frozenset(words)
        if base and any(one.words is None and holds(one.document, scope.snapshot) for one in base.revisions.values()):
            return None
        seen: set[tuple[str, frozenset[str], Level]] = set()
        newest: Counter[tuple[str, frozenset[str], Level]] = Counter()
        for stored in base.revisions.values() if base else ():
            document = stored.document
            if base and base.buried(document.doc_id, document.since):
                continue
            audience = [(word, document.acl, document.level) for word in wanted & (stored.words or frozenset[str]())]
            if visible(document, scope):
                seen.update(audience)
            if document.until == FOREVER:
                newest.update(audience)
        counts: Counter[str] = Counter()
        for word, acl, level in seen:
            counts[word] += newest[word, acl, level]
        return {word: max(1, counts[word]) for word in {word for word, _, _ in seen}}

    async def revisions(
        self, *, tenant: str, kb: str, after: tuple[str, int] | None = None, limit: int
    ) -> list[StoredDocument]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        oldest = min(base.sealed, default=0)
        held = [
            (key, replace(one, words=None, chunks=tuple(sorted(one.chunks, key=lambda chunk: chunk.ordinal))))
            for key, one in sorted(base.revisions.items())
            if key > (after or ("", -1)) and one.document.until > oldest and not base.buried(*key)
        ]
        return [one for _, one in held[:limit]]

    async def held_in(self, scope: Scope) -> tuple[int, int]:
        return len(self._visible_documents(scope)), len(self._visible_chunks(scope))

    async def knowledge_bases(self, *, tenant: str) -> list[str]:
        return sorted(kb for owner, kb in self._bases if owner == tenant)

    def places(self) -> list[tuple[str, str]]:
        """Every knowledge base, with its tenant: for other engines in memory."""
        return sorted(self._bases)

    def documents_in(self, snapshot: int, *, tenant: str, kb: str) -> list[Document]:
        """What this snapshot holds, whoever may see it."""
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        return [stored.document for stored in base.held(snapshot)]

    async def status(self, *, tenant: str, kb: str) -> KnowledgeStatus:
        snapshot = await self.published(tenant=tenant, kb=kb)
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        candidate = base.candidate
        documents = [stored.document for stored in base.revisions.values()]
        written = sum(document.since == candidate for document in documents)
        ended = sum(document.until == candidate for document in documents)
        working = candidate is not None and (written or ended or base.planned.get(candidate))
        return KnowledgeStatus(
            tenant=tenant,
            kb=kb,
            snapshot=snapshot.number,
            documents=snapshot.documents,
            chunks=snapshot.chunks,
            published_at=snapshot.published_at,
            embedder_id=base.embedder_id or None,
            candidate=candidate if working else None,
            candidate_documents=written,
            failures=len(await self.failures(tenant=tenant, kb=kb)),
            by_kind=Counter(document.kind for document in documents if holds(document, snapshot.number)),
            waiting=tuple(sorted(one for one in base.sealed if base.published < one <= base.head)),
        )

    def _claim(self, tenant: str, kb: str, candidate: int) -> Base:
        base = self._bases.get((tenant, kb))
        if base is None:
            raise not_open(kb, candidate)
        return base.claimed(kb, candidate)

    def _mark(self) -> int:
        self._marks += 1
        return self._marks

    def _visible_documents(self, scope: Scope) -> list[Document]:
        return [stored.document for stored in self._shown(scope) if visible(stored.document, scope)]

    def _visible_chunks(self, scope: Scope) -> list[Chunk]:
        return [chunk for stored in self._shown(scope) for chunk in stored.chunks if visible(chunk, scope)]

    def _shown(self, scope: Scope) -> list[StoredDocument]:
        base = self._bases.get((scope.tenant, scope.kb)) or Base(embedder_id="")
        return [
            one
            for one in base.revisions.values()
            if not base.buried(one.document.doc_id, one.document.since) and not base.expired(one.document.doc_id)
        ]
