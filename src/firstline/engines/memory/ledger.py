"""The ledgers in memory: the reference that says what the others must do. Nothing is kept.

No method awaits anything, so each one is atomic on its event loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from firstline.domain import (
    FOREVER,
    PERSON_OWNS,
    ApiKey,
    AuditEntry,
    Chunk,
    Document,
    DocumentKind,
    Failure,
    Handoff,
    HandoffEvent,
    HandoffMessage,
    HandoffState,
    Level,
    Session,
    Snapshot,
    Turn,
    audited_category,
)
from firstline.engines.memory.deliveries import MemoryDeliveryLedger
from firstline.engines.memory.gates import MemoryGateLedger
from firstline.errors import Conflict, InvalidInput, NotFound
from firstline.handoff_rules import CLOSED
from firstline.ports import KnowledgeStatus, Scope, StoredDocument


@dataclass(kw_only=True, slots=True)
class _Base:
    """One knowledge base. `revisions` by (doc_id, since)."""

    embedder_id: str
    published: int = 0
    revisions: dict[tuple[str, int], StoredDocument] = field(default_factory=dict[tuple[str, int], StoredDocument])
    planned: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    snapshots: dict[int, Snapshot] = field(default_factory=dict[int, Snapshot])
    failures: dict[int, list[Failure]] = field(default_factory=dict[int, list[Failure]])

    def of(self, doc_ids: Iterable[str]) -> list[StoredDocument]:
        wanted = set(doc_ids)
        return [stored for stored in self.revisions.values() if stored.document.doc_id in wanted]

    def put(self, stored: StoredDocument) -> None:
        self.revisions[stored.document.doc_id, stored.document.since] = stored

    def remove_own(self, candidate: int, doc_ids: Iterable[str]) -> list[str]:
        removed = [stored for stored in self.of(doc_ids) if stored.document.since == candidate]
        for stored in removed:
            del self.revisions[stored.document.doc_id, candidate]
        return _chunk_ids(removed)

    def end_older(self, candidate: int, doc_ids: Iterable[str]) -> list[str]:
        older = [
            stored
            for stored in self.of(doc_ids)
            if stored.document.since < candidate and stored.document.until == FOREVER
        ]
        for stored in older:
            self.put(_until(stored, candidate))
        return _chunk_ids(older)


class MemoryKnowledgeLedger:
    """See ports.KnowledgeLedger."""

    def __init__(self) -> None:
        self.gates = MemoryGateLedger(exists=lambda tenant, kb: (tenant, kb) in self._bases)
        self._bases: dict[tuple[str, str], _Base] = {}
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
        return replace(base.snapshots[base.published], gates_version=self.gates.version(tenant, kb))

    async def open_candidate(self, *, tenant: str, kb: str, embedder_id: str) -> int:
        base = self._bases.setdefault((tenant, kb), _Base(embedder_id=embedder_id))
        if not base.revisions:
            base.embedder_id = embedder_id
        if base.embedder_id != embedder_id:
            raise InvalidInput(
                f"The vectors of the knowledge base {kb!r} were made by {base.embedder_id}, not by {embedder_id}.",
                remedy="Use that embedder, or ingest into another knowledge base with --kb.",
            )
        return base.published + 1

    async def current(self, *, tenant: str, kb: str) -> dict[str, Document]:
        base = self._bases.get((tenant, kb))
        if base is None:
            return {}
        newest: dict[str, Document] = {}
        for stored in sorted(base.revisions.values(), key=lambda stored: stored.document.since):
            if stored.document.until > base.published:
                newest[stored.document.doc_id] = stored.document
        return newest

    async def plan(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> None:
        base = self._claim(tenant, kb, candidate)
        base.planned.setdefault(candidate, set()).update(doc_ids)

    async def planned(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        base = self._bases.get((tenant, kb))
        return sorted(base.planned.get(candidate, set())) if base else []

    async def write(self, documents: Sequence[StoredDocument]) -> list[str]:
        ended: list[str] = []
        for stored in documents:
            self._claim(stored.document.tenant, stored.document.kb, stored.document.since)
        last = {(stored.document.tenant, stored.document.kb, stored.document.doc_id): stored for stored in documents}
        for (tenant, kb, doc_id), stored in last.items():
            candidate = stored.document.since
            base = self._claim(tenant, kb, candidate)
            removed = base.remove_own(candidate, [doc_id])
            ended += base.end_older(candidate, [doc_id])
            base.put(stored)
            written = set(_chunk_ids([stored]))
            ended += [chunk_id for chunk_id in removed if chunk_id not in written]
            base.planned.get(candidate, set[str]()).discard(doc_id)
        return ended

    async def end(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        base = self._claim(tenant, kb, candidate)
        removed = base.remove_own(candidate, doc_ids)
        base.end_older(candidate, doc_ids)
        return removed + _chunk_ids(stored for stored in base.of(doc_ids) if stored.document.until == candidate)

    async def unend(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        base = self._claim(tenant, kb, candidate)
        back = [
            stored
            for stored in base.of(doc_ids)
            if stored.document.until == candidate and (stored.document.doc_id, candidate) not in base.revisions
        ]
        for stored in back:
            base.put(_until(stored, FOREVER))
        return _chunk_ids(back)

    async def ended(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        base = self._bases.get((tenant, kb))
        revisions = base.revisions.values() if base else ()
        return _chunk_ids(stored for stored in revisions if stored.document.until == candidate)

    async def publish(self, *, tenant: str, kb: str, candidate: int) -> Snapshot:
        base = self._claim(tenant, kb, candidate)
        live = [stored for stored in base.revisions.values() if _holds(stored.document, candidate)]
        snapshot = Snapshot(
            tenant=tenant,
            kb=kb,
            number=candidate,
            documents=len(live),
            chunks=sum(len(stored.chunks) for stored in live),
            published_at=datetime.now(UTC),
            embedder_id=base.embedder_id,
        )
        base.snapshots[candidate] = snapshot
        base.published = candidate
        base.planned.clear()
        return await self.published(tenant=tenant, kb=kb)

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
        if base and any(one.words is None and _holds(one.document, scope.snapshot) for one in base.revisions.values()):
            return None
        seen: set[tuple[str, frozenset[str], Level]] = set()
        newest: Counter[tuple[str, frozenset[str], Level]] = Counter()
        for stored in base.revisions.values() if base else ():
            document = stored.document
            audience = [(word, document.acl, document.level) for word in wanted & (stored.words or frozenset[str]())]
            if _visible(document, scope):
                seen.update(audience)
            if document.until == FOREVER:
                newest.update(audience)
        counts: Counter[str] = Counter()
        for word, acl, level in seen:
            counts[word] += newest[word, acl, level]
        return {word: max(1, counts[word]) for word in {word for word, _, _ in seen}}

    async def knowledge_bases(self, *, tenant: str) -> list[str]:
        return sorted(kb for owner, kb in self._bases if owner == tenant)

    async def status(self, *, tenant: str, kb: str) -> KnowledgeStatus:
        snapshot = await self.published(tenant=tenant, kb=kb)
        base = self._bases.get((tenant, kb)) or _Base(embedder_id="")
        candidate = snapshot.number + 1
        documents = [stored.document for stored in base.revisions.values()]
        written = sum(document.since == candidate for document in documents)
        ended = sum(document.until == candidate for document in documents)
        working = written or ended or base.planned.get(candidate)
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
            by_kind=Counter(document.kind for document in documents if _holds(document, snapshot.number)),
        )

    def _claim(self, tenant: str, kb: str, candidate: int) -> _Base:
        """What is published never changes."""
        base = self._bases.get((tenant, kb))
        if base is None or base.published != candidate - 1:
            raise Conflict(
                f"Snapshot {candidate} of {kb!r} is not the open candidate: another run has published.",
                remedy="Run the ingest again.",
            )
        return base

    def _visible_documents(self, scope: Scope) -> list[Document]:
        base = self._bases.get((scope.tenant, scope.kb))
        documents = [stored.document for stored in base.revisions.values()] if base else []
        return [document for document in documents if _visible(document, scope)]

    def _visible_chunks(self, scope: Scope) -> list[Chunk]:
        base = self._bases.get((scope.tenant, scope.kb))
        stored = base.revisions.values() if base else ()
        return [chunk for document in stored for chunk in document.chunks if _visible(chunk, scope)]


class MemoryConversationLedger:
    """See ports.ConversationLedger."""

    def __init__(self, *, outbox: MemoryDeliveryLedger | None = None) -> None:
        self._outbox = outbox or MemoryDeliveryLedger()
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, dict[int, Turn]] = {}
        self.handoffs_by_id: dict[str, Handoff] = {}
        self.closed_at: dict[str, datetime] = {}
        self.opened_turn: dict[str, int] = {}
        self.audit: list[AuditEntry] = []

    async def create_session(self, session: Session) -> None:
        if session.session_id in self._sessions:
            raise Conflict("That is already there.", remedy="Use another id, or read what is there.")
        self._sessions[session.session_id] = session

    async def session(self, session_id: str, *, tenant: str, user: str) -> Session | None:
        found = self._sessions.get(session_id)
        return found if found is not None and (found.tenant, found.user) == (tenant, user) else None

    def session_in(self, session_id: str, *, tenant: str) -> Session | None:
        """Whoever's it is. For the feedback ledger beside it."""
        found = self._sessions.get(session_id)
        return found if found is not None and found.tenant == tenant else None

    async def append_turn(self, turn: Turn, handoff: Handoff | None) -> None:
        if turn.session_id not in self._sessions:
            raise NotFound("There is no such session.", remedy="Open a new session.")
        turns = self._turns.setdefault(turn.session_id, {})
        if turn.number in turns or (handoff is not None and not self._may_put(handoff)):
            raise Conflict(
                f"The session already has a turn {turn.number}: another message was answered meanwhile.",
                remedy="Read the session again, then repeat.",
            )
        turns[turn.number] = turn
        if handoff is not None:
            self._put(handoff)
        category = audited_category(turn)
        if category is not None:
            session = self._sessions[turn.session_id]
            self.audit.append(
                AuditEntry(
                    tenant=session.tenant,
                    kb=session.kb,
                    user=session.user,
                    session_id=session.session_id,
                    turn=turn.number,
                    category=category,
                    at=turn.asked_at,
                )
            )

    async def audited(self, *, tenant: str, limit: int) -> list[AuditEntry]:
        """See ports.AuditLedger."""
        return [entry for entry in reversed(self.audit) if entry.tenant == tenant][:limit]

    def _may_put(self, handoff: Handoff) -> bool:
        stands = self.handoffs_by_id.get(handoff.handoff_id)
        return stands is None or (stands.session_id == handoff.session_id and stands.state not in CLOSED)

    def _put(self, handoff: Handoff) -> None:
        """A new one is opened; one that stands already gets its new payload, and moves nowhere."""
        stands = self.handoffs_by_id.get(handoff.handoff_id)
        if stands is not None:
            kept = {name: getattr(stands, name) for name in ("state", "owner", "resolution", "created_at")}
            handoff = replace(handoff, **kept)
        self.handoffs_by_id[handoff.handoff_id] = handoff
        self.opened_turn.setdefault(handoff.handoff_id, handoff.turn)
        self.tell(handoff, HandoffEvent.OPENED if stands is None else HandoffEvent.UPDATED)

    def tell(self, handoff: Handoff, event: HandoffEvent) -> None:
        session = self.session_of(handoff)
        self._outbox.add(
            HandoffMessage(
                event=event, tenant=session.tenant, kb=session.kb, handoff=handoff, occurred_at=datetime.now(UTC)
            )
        )

    async def turns(self, session_id: str, *, limit: int) -> list[Turn]:
        turns = self._turns.get(session_id, {})
        newest = sorted(turns, reverse=True)[:limit]
        return [turns[number] for number in reversed(newest)]

    def recorded(self) -> list[tuple[Session, Turn]]:
        """Every turn with its session. For the gate ledger beside it."""
        return [(self._sessions[key], turn) for key, turns in self._turns.items() for turn in turns.values()]

    async def open_handoff(self, session_id: str) -> Handoff | None:
        still = [
            handoff
            for handoff in self._newest_first()
            if handoff.session_id == session_id and handoff.state not in CLOSED
        ]
        return next((handoff for handoff in still if handoff.state in PERSON_OWNS), still[0] if still else None)

    async def handoff(self, handoff_id: str, *, tenant: str) -> Handoff | None:
        found = self.handoffs_by_id.get(handoff_id)
        return found if found is not None and self._tenant(found) == tenant else None

    async def closed_handoffs(self, session_id: str, *, since: datetime) -> list[Handoff]:
        closed = [
            (self.closed_at[handoff_id], handoff)
            for handoff_id, handoff in self.handoffs_by_id.items()
            if handoff.session_id == session_id and handoff_id in self.closed_at
        ]
        closed.sort(key=lambda entry: entry[0])
        return [handoff for at, handoff in reversed(closed) if at >= since]

    def session_of(self, handoff: Handoff) -> Session:
        return self._sessions[handoff.session_id]

    async def handoffs(
        self, *, tenant: str, limit: int, states: Collection[HandoffState] = frozenset(HandoffState)
    ) -> list[Handoff]:
        own = [handoff for handoff in self._newest_first() if self._tenant(handoff) == tenant]
        return [handoff for handoff in own if handoff.state in states][:limit]

    def _tenant(self, handoff: Handoff) -> str:
        return self._sessions[handoff.session_id].tenant

    def _newest_first(self) -> list[Handoff]:
        arrived = list(enumerate(self.handoffs_by_id.values()))
        arrived.sort(key=lambda entry: (entry[1].created_at, entry[0]), reverse=True)
        return [handoff for _, handoff in arrived]


class MemoryKeyLedger:
    """See ports.KeyLedger."""

    def __init__(self) -> None:
        self._keys: dict[str, ApiKey] = {}

    async def add_key(self, key: ApiKey) -> None:
        if key.key_id in self._keys:
            raise Conflict("That is already there.", remedy="Use another id, or read what is there.")
        self._keys[key.key_id] = key

    async def key(self, key_id: str) -> ApiKey | None:
        return self._keys.get(key_id)

    async def keys(self, *, tenant: str) -> list[ApiKey]:
        own = [key for key in self._keys.values() if key.principal.tenant == tenant]
        return sorted(own, key=lambda key: (key.created_at, key.key_id))

    async def revoke_key(self, key_id: str, *, tenant: str, at: datetime) -> None:
        key = self._keys.get(key_id)
        if key is None or key.principal.tenant != tenant:
            raise NotFound("There is no such key.", remedy="`firstline key list` shows the keys of this tenant.")
        # The first revocation stands: a later one must not make the key look valid for longer.
        revoked_at = at if key.revoked_at is None else min(key.revoked_at, at)
        self._keys[key_id] = replace(key, revoked_at=revoked_at)


def _chunk_ids(documents: Iterable[StoredDocument]) -> list[str]:
    return [chunk.chunk_id for stored in documents for chunk in stored.chunks]


def _until(stored: StoredDocument, until: int) -> StoredDocument:
    return replace(
        stored,
        document=replace(stored.document, until=until),
        chunks=tuple(replace(chunk, until=until) for chunk in stored.chunks),
    )


def _holds(of: Document | Chunk, snapshot: int) -> bool:
    return of.since <= snapshot < of.until


def _visible(of: Document | Chunk, scope: Scope) -> bool:
    """A missing ACL means nobody."""
    return (
        (of.tenant, of.kb) == (scope.tenant, scope.kb)
        and not scope.acl_tags.isdisjoint(of.acl)
        and of.level <= scope.level_max
        and _holds(of, scope.snapshot)
    )
