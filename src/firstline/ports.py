"""Every port on one page: what we ask of the outside world.

A port has only methods that we call. One contract test file per port (tests/contracts) runs against every engine
behind it, the memory reference included. All methods are safe to call concurrently from one event loop.

Errors, for every port: `Unavailable` when the engine is down or late, `Broken` when it needs an operator. Engines
translate their own exceptions at the edge.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from firstline.domain import (
    FOREVER,
    ApiKey,
    AuditEntry,
    CalibratedGates,
    Category,
    Chunk,
    Delivery,
    DeliveryState,
    Document,
    DocumentKind,
    DraftState,
    DraftTicket,
    Failure,
    Feedback,
    Handoff,
    HandoffAct,
    HandoffEntry,
    HandoffMessage,
    HandoffState,
    Judgement,
    Level,
    Principal,
    Quarantined,
    QuarantineState,
    Redacted,
    ReviewItem,
    Session,
    Snapshot,
    SourceItem,
    Turn,
)

Vectors = npt.NDArray[np.float32]
"""One row per text, L2-normalised."""


# --- models ---------------------------------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to vectors. Equal texts give equal vectors up to 1e-3 in cosine, whatever they are batched with."""

    @property
    def model_id(self) -> str:
        """Changes whenever the vectors would: an index belongs to one model id."""
        ...

    @property
    def dimensions(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions). Texts beyond the model's window are cut at its end."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class SparseVector:
    """Term ids (unsigned 32 bit, unique, ascending) with their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class WordEncoder(Protocol):
    """Texts to BM25 term weights. The index multiplies query weight, document weight and IDF."""

    def encode_document(self, text: str, *, title: str = "") -> SparseVector:
        """Saturated term frequencies (k1, b against a fixed average length)."""
        ...

    def encode_query(self, text: str) -> SparseVector: ...


class Reranker(Protocol):
    """Reads a question and a passage together and judges how well the one answers the other."""

    @property
    def model_id(self) -> str: ...

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One finite score per text, in their order; higher is better. Scores of one call compare with each other and
        with nothing else."""
        ...


class TriageClassifier(Protocol):
    """A probability per category from the embedding that retrieval also uses, and the words. Sums to 1."""

    def classify(self, vector: Vectors, text: str) -> Mapping[Category, float]:
        """`vector` has shape (dimensions,) and is the embedding of `text`."""
        ...


class Redactor(Protocol):
    def redact(self, text: str) -> Redacted:
        """Typed placeholders for personal data and secrets; everything else is returned to the letter."""
        ...


# --- chunk index ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexEntry:
    """What the index keeps of a chunk: vectors, ids and filter fields. Never text.

    `document_vector` is the normalised mean of the document's chunk vectors; exactly one entry per document (ordinal
    0) carries it.
    """

    chunk_id: str
    tenant: str
    kb: str
    doc_id: str
    acl: frozenset[str]
    level: Level
    since: int
    dense: Vectors
    words: SparseVector
    until: int = FOREVER
    document_vector: Vectors | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """The filter of every lookup: a principal's view of one snapshot of one knowledge base."""

    tenant: str
    kb: str
    acl_tags: frozenset[str]
    level_max: Level
    snapshot: int

    @classmethod
    def of(cls, principal: Principal, *, kb: str, snapshot: int) -> Scope:
        return cls(
            tenant=principal.tenant,
            kb=kb,
            acl_tags=principal.acl_tags,
            level_max=principal.level,
            snapshot=snapshot,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexQuery:
    """`limit` chunks are taken by vector and `limit` by words; both lists are joined.

    A `dense` of zeros points nowhere: the search is by words alone, and every dense and document score is 0.
    """

    scope: Scope
    dense: Vectors
    words: SparseVector
    limit: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A candidate with BOTH scores exact, whichever list found it, and its document's score.

    `dense`: cosine of query and chunk. `words`: BM25, 0 when no term matches. `document`: cosine of the query and
    the document's mean vector, 0 when the document has none.
    """

    chunk_id: str
    doc_id: str
    dense: float
    words: float
    document: float


class ChunkIndex(Protocol):
    async def upsert(self, entries: Sequence[IndexEntry]) -> None:
        """Write or overwrite by chunk id. Durable and visible to the next search when it returns."""
        ...

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        """Let the chunks end before snapshot `until` (FOREVER: un-end them). Unknown ids are ignored."""
        ...

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        """Remove the chunks that these documents got in snapshot `since`. Nothing there is not an error."""
        ...

    async def search(self, query: IndexQuery) -> list[Hit]:
        """The union of both lists, inside the scope. Ordered by dense score, best first, ties by chunk id."""
        ...

    async def neighbour(self, doc_id: str, scope: Scope, *, exclude: Collection[str] = ()) -> float:
        """How similar the most similar OTHER document inside the scope is: the cosine of both mean vectors. 0 when
        there is no other, or the document is not inside the scope. `exclude` leaves documents out."""
        ...

    async def count(self, *, tenant: str, kb: str) -> int:
        """Chunks held for a knowledge base, ended ones included."""
        ...

    async def size_bytes(self) -> int: ...

    async def close(self) -> None: ...


# --- blobs ----------------------------------------------------------------------------------------------------------


class BlobStore(Protocol):
    """Immutable bytes named by their sha256 (64 hex digits)."""

    async def put(self, data: bytes) -> str:
        """Store and return the name. Storing the same bytes twice is one blob. Durable when it returns."""
        ...

    async def get_range(self, name: str, start: int, end: int) -> bytes:
        """Bytes start <= i < end. NotFound when there is no such blob, InvalidInput when the range is outside it."""
        ...

    async def size_bytes(self) -> int: ...


# --- ledger ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDocument:
    """A document with its chunks, as written in one transaction. `words` are those of its text, by `vocabulary`; None
    when they were not collected, which is not the same as a text without words."""

    document: Document
    chunks: tuple[Chunk, ...]
    words: frozenset[str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeStatus:
    tenant: str
    kb: str
    snapshot: int
    documents: int
    chunks: int
    published_at: datetime | None
    embedder_id: str | None
    candidate: int | None
    candidate_documents: int
    failures: int
    by_kind: Mapping[DocumentKind, int] = field(default_factory=dict[DocumentKind, int])


class KnowledgeLedger(Protocol):
    """Documents, chunks and snapshots. Acknowledged means committed."""

    def ingest_lock(self, *, tenant: str, kb: str) -> AbstractAsyncContextManager[None]:
        """Only one holder per knowledge base over all processes; Conflict at once when it is taken. Freed on death."""
        ...

    async def published(self, *, tenant: str, kb: str) -> Snapshot:
        """The pointer, with the version of the gates in force. Number 0 when nothing was published or the knowledge
        base does not exist."""
        ...

    async def open_candidate(self, *, tenant: str, kb: str, embedder_id: str) -> int:
        """The number of the candidate snapshot: published + 1. InvalidInput when the knowledge base's vectors were
        made by another embedder. Reopening an interrupted candidate gives the same number."""
        ...

    async def current(self, *, tenant: str, kb: str) -> dict[str, Document]:
        """By doc_id: the newest revision of every document whose `until` is FOREVER, candidate revisions included,
        plus those whose end is only planned for the candidate (their `until` says so)."""
        ...

    async def plan(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> None:
        """Note that these documents are about to be written, before any other engine hears of them."""
        ...

    async def planned(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        """Documents planned for the candidate and not written: left over from a run that died."""
        ...

    async def write(self, documents: Sequence[StoredDocument]) -> list[str]:
        """In one transaction: insert the documents with their chunks, replace what the same candidate wrote of them
        before, end their older revisions (and those revisions' chunks) at the candidate, and clear their plan.
        Returns the chunk ids whose end was moved or whose revision was replaced, for the index to follow.
        This and every other change of a candidate: Conflict unless it is published + 1."""
        ...

    async def end(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        """Let documents end at the candidate; may be repeated. Returns their chunk ids. A revision that the candidate
        itself wrote is removed, and its chunk ids are returned too."""
        ...

    async def unend(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        """Undo a planned end: the documents are current again. Returns their chunk ids."""
        ...

    async def ended(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        """Chunk ids of every revision that ends at the candidate, in no order."""
        ...

    async def publish(self, *, tenant: str, kb: str, candidate: int) -> Snapshot:
        """Move the pointer, in one transaction. Conflict when the pointer is not at candidate - 1."""
        ...

    async def record_failures(self, *, tenant: str, kb: str, candidate: int, failures: Sequence[Failure]) -> None:
        """Replace the list of failures of this candidate."""
        ...

    async def failures(self, *, tenant: str, kb: str) -> list[Failure]:
        """Of the newest snapshot or candidate that recorded any."""
        ...

    async def chunks(self, chunk_ids: Sequence[str], scope: Scope) -> list[Chunk]:
        """In the order asked. Ids that are unknown or outside the scope are left out, silently."""
        ...

    async def neighbours(self, chunk: Chunk, scope: Scope, *, before: int, after: int) -> list[Chunk]:
        """Chunks of the same document revision with ordinal in [ordinal - before, ordinal + after], by ordinal."""
        ...

    async def document(self, doc_id: str, scope: Scope) -> Document | None: ...

    async def documents(self, doc_ids: Sequence[str], scope: Scope) -> list[Document]:
        """In the order asked, each once. Ids that are unknown or outside the scope are left out, silently."""
        ...

    async def document_chunks(self, doc_id: str, scope: Scope) -> list[Chunk]:
        """Every chunk of the document's revision in the scope's snapshot, in reading order."""
        ...

    async def faq(self, question_key: str, scope: Scope) -> Document | None:
        """The FAQ document whose metadata["question_key"] is this key."""
        ...

    async def word_counts(self, words: Collection[str], scope: Scope) -> dict[str, int] | None:
        """Which of these words (lower case) stand in documents of the scope, and in how many. Others are left out.
        None while some document of the knowledge base's snapshot, visible or not, has no words recorded: then a word
        that is not found may stand there.

        Exact about which words, for the published snapshot. The number is for choosing among words: it counts the
        newest revisions, those of an open candidate included, and is at least 1."""
        ...

    async def knowledge_bases(self, *, tenant: str) -> list[str]: ...

    async def status(self, *, tenant: str, kb: str) -> KnowledgeStatus: ...


class ConversationLedger(Protocol):
    """Sessions, turns and hand-overs. Every read is limited to the tenant and user given."""

    async def create_session(self, session: Session) -> None: ...

    async def session(self, session_id: str, *, tenant: str, user: str) -> Session | None:
        """None when there is none OR when it belongs to another tenant or user: the two are told apart nowhere."""
        ...

    async def append_turn(self, turn: Turn, handoff: Handoff | None) -> None:
        """Turn and hand-over in one transaction. Conflict when the session already has a turn of that number.

        A hand-over of the session with that id that is not closed gets the new payload and keeps its state, owner and
        time; Conflict when it is closed or another session's."""
        ...

    async def turns(self, session_id: str, *, limit: int) -> list[Turn]:
        """The newest `limit` turns, oldest first."""
        ...

    async def open_handoff(self, session_id: str) -> Handoff | None:
        """Of the session's hand-overs that are neither resolved nor returned the newest, one that a person owns first:
        an older one that somebody took up counts for more than a newer one that nobody has seen."""
        ...

    async def handoff(self, handoff_id: str, *, tenant: str) -> Handoff | None:
        """None when there is none in this tenant."""
        ...

    async def closed_handoffs(self, session_id: str, *, since: datetime) -> list[Handoff]:
        """The session's hand-overs that were resolved or returned at `since` or later, the last closed first."""
        ...

    async def handoffs(
        self, *, tenant: str, limit: int, states: Collection[HandoffState] = frozenset(HandoffState)
    ) -> list[Handoff]:
        """The newest `limit` of those in these states, newest first."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Backlog:
    """What has not arrived, of one channel. `oldest_at`: when the oldest that is pending was written."""

    channel: str
    pending: int
    dead: int
    oldest_at: datetime | None


class DeliveryLedger(Protocol):
    """Hand-overs on their way out. Written, one per channel, in the transaction of what they tell of."""

    async def claim(self, channel: str, *, limit: int, lease_s: float) -> list[Delivery]:
        """Up to `limit` of the channel's pending deliveries that are due, due longest first, each counted as an attempt
        and not due again for `lease_s`: of several that claim at once one gets it, after a death somebody else does. Of
        one hand-over at most the oldest pending one, so that news arrives in order."""
        ...

    async def delivered(self, delivery_id: str) -> None:
        """It has arrived, whoever holds it now. What is delivered already stays as it is; unknown ids are ignored."""
        ...

    async def failed(self, delivery_id: str, *, lease: int, problem: str, again_in_s: float | None) -> None:
        """The attempt under `lease` failed: due again in `again_in_s`, dead with None. Ignored when it is not pending
        any more or somebody else has claimed it since."""
        ...

    async def delivery(self, delivery_id: str, *, tenant: str) -> Delivery | None: ...

    async def deliveries(
        self, *, tenant: str, limit: int, states: Collection[DeliveryState] = frozenset(DeliveryState)
    ) -> list[Delivery]:
        """Newest first."""
        ...

    async def retry(self, *, tenant: str, delivery_ids: Sequence[str] | None) -> list[str]:
        """Dead ones are pending again, due now, with their attempts counted anew; None: every dead one of the tenant.
        Returns the ids of those that were dead."""
        ...

    async def backlog(self, *, tenant: str | None) -> list[Backlog]:
        """Per channel with anything pending or dead, by name. None: of every tenant."""
        ...

    async def forget(self, *, finished_before: datetime) -> int:
        """Remove what was delivered or given up before then. Returns how many."""
        ...


class HandoffLedger(Protocol):
    """What persons do with hand-overs, and the tickets that come of it. Every read is limited to the tenant given."""

    async def act(
        self,
        handoff_id: str,
        *,
        tenant: str,
        act: HandoffAct,
        by: str,
        at: datetime,
        text: str = "",
        force: bool = False,
        draft: DraftTicket | None = None,
    ) -> tuple[Handoff, HandoffEntry | None]:
        """Do what `handoff_rules.after_act` allows, compared and set in one step: of several that take it one gets it.
        The event is recorded in the same transaction, and so is the draft; None when nothing changed and nothing was
        said. Conflict and InvalidInput as there; NotFound when there is none in this tenant."""
        ...

    async def events(self, handoff_id: str, *, tenant: str) -> list[HandoffEntry]:
        """Oldest first."""
        ...

    async def said(self, session_id: str, *, after: tuple[str, int] | None = None) -> list[HandoffEntry]:
        """What the customer of this session may know of: replies, and that a hand-over was resolved or returned.
        Oldest first, at most 1,000: the newest, or the next `after` an entry, named by hand-over and number, of this
        session; one that is unknown is none. The caller has checked whose session it is."""
        ...

    async def session_of(self, handoff_id: str, *, tenant: str) -> Session | None: ...

    async def drafts(self, *, tenant: str, limit: int) -> list[DraftTicket]:
        """Those that wait for a review, newest first."""
        ...

    async def draft(self, draft_id: str, *, tenant: str) -> DraftTicket | None: ...

    async def settle_draft(
        self, draft_id: str, *, tenant: str, state: DraftState, doc_id: str = "", snapshot: int | None = None
    ) -> DraftTicket:
        """From draft to published or discarded. Conflict when it was settled already, NotFound when there is none."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """A turn with what is known of it now. `at`: when it was recorded, rated or its hand-over closed, in a list of
    changes; else when it was recorded.

    `person_answered`: it opened a hand-over or is the latest that joined it, and a person replied or resolved it. It is
    closed.
    """

    session: Session
    turn: Turn
    feedback: Feedback | None
    person_answered: bool
    at: datetime


ChangedAfter = tuple[datetime, str, int]
"""Where a list of changes goes on: `at`, session and number of the last one seen."""


class FeedbackLedger(Protocol):
    """What people think of turns, and what reviewers found. Every read is limited to the tenant or session given."""

    async def rate(self, feedback: Feedback) -> None:
        """Keep it in place of what the turn got before. NotFound when there is no such turn."""
        ...

    async def ratings(self, session_id: str) -> list[Feedback]:
        """By turn. The caller has checked whose session it is."""
        ...

    async def session_of(self, session_id: str, *, tenant: str) -> Session | None:
        """Whoever's it is. For the team."""
        ...

    async def changes(self, *, tenant: str, after: ChangedAfter, without_user: str, limit: int) -> list[Changed]:
        """Turns that changed after this place, oldest change first, once for each change (earlier ratings are
        forgotten); without those of `without_user`."""
        ...

    async def seen_until(self, *, tenant: str) -> datetime | None:
        """As `put_queue` said it last."""
        ...

    async def put_queue(
        self, items: Sequence[ReviewItem], *, gone: Sequence[tuple[str, int]], tenant: str, seen_until: datetime | None
    ) -> None:
        """In one transaction: let the items wait, or bring those that wait up to date, and take out those `gone`
        (session and number). None leaves `seen_until` as it is."""
        ...

    async def queue(self, *, tenant: str, limit: int) -> list[ReviewItem]:
        """Those not judged yet, highest rank first, ties newest first, held ones included."""
        ...

    async def claim(self, *, tenant: str, by: str, limit: int, lease_s: float) -> list[ReviewItem]:
        """The first `limit` of the queue that `by` has not skipped and nobody else holds; held by `by` for `lease_s`
        from now. Of several who claim at once each one gets others. What `by` holds already comes again."""
        ...

    async def release(self, *, tenant: str, by: str) -> None:
        """Nobody needs to wait for what `by` holds."""
        ...

    async def skip(self, session_id: str, turn: int, *, tenant: str, by: str) -> None:
        """`by` is not offered it again; others are. What does not wait is ignored."""
        ...

    async def judge(self, judgement: Judgement) -> None:
        """Keep it in place of an earlier one, and take the turn out of the queue for good. NotFound when the tenant has
        no such turn, Conflict while another reviewer holds it."""
        ...

    async def judgements(self, *, tenant: str, kb: str, limit: int) -> list[Judgement]:
        """Newest first."""
        ...

    async def turn(self, session_id: str, number: int, *, tenant: str) -> Changed | None:
        """One turn with what is known of it; None when the tenant has none."""
        ...


class GateLedger(Protocol):
    """Gates calibrated for a knowledge base: all that ever were, and which of them are in force."""

    async def add_gates(self, gates: CalibratedGates) -> CalibratedGates:
        """Store under the next version and put in force, in one transaction. Returned with that version.
        NotFound when there is no such knowledge base."""
        ...

    async def gates(self, version: int, *, tenant: str, kb: str) -> CalibratedGates | None:
        """None when the knowledge base has no gates of this version."""
        ...

    async def gates_in_force(self, *, tenant: str, kb: str) -> CalibratedGates | None:
        """None: those that firstline ships."""
        ...

    async def gates_history(self, *, tenant: str, kb: str, limit: int) -> list[CalibratedGates]:
        """Newest first, whether in force or not."""
        ...

    async def put_in_force(self, version: int, *, tenant: str, kb: str) -> None:
        """Move the pointer; 0: to the shipped ones. NotFound when the knowledge base has no gates of this version."""
        ...

    async def live_values(
        self, version: int, *, tenant: str, kb: str, gate: str, without_user: str, limit: int
    ) -> list[float]:
        """What this gate read in the newest `limit` turns that these gates decided, newest first. Turns that did not
        come to the gate, and those of `without_user`, are left out."""
        ...


class QuarantineLedger(Protocol):
    """Documents that are kept out until a person has looked at them, and what was decided. Every read is limited to the
    tenant given."""

    async def hold(self, found: Sequence[Quarantined], *, tenant: str, kb: str, clear: Collection[str] = ()) -> None:
        """In one transaction: keep what was found as held, and forget what was held of the documents in `clear` and of
        other contents of the documents found. What was decided stays as it is."""
        ...

    async def decided(self, *, tenant: str, kb: str) -> dict[tuple[str, str], QuarantineState]:
        """By (doc_id, fingerprint): what was released or rejected."""
        ...

    async def quarantined(
        self,
        *,
        tenant: str,
        kb: str | None,
        limit: int,
        states: Collection[QuarantineState] = frozenset({QuarantineState.HELD}),
        doc_id: str | None = None,
    ) -> list[Quarantined]:
        """Newest first, then by doc_id. `kb` None: of every knowledge base; `doc_id` None: every document."""
        ...

    async def settle(
        self,
        doc_id: str,
        *,
        tenant: str,
        kb: str,
        fingerprint: str,
        state: QuarantineState,
        by: str,
        at: datetime,
        note: str = "",
    ) -> Quarantined:
        """Decide on the content with this fingerprint; may be decided otherwise later. NotFound when nothing of the
        document is there. Conflict when this content is not (or no longer), or when another content of the document is
        held: who decides has not seen what the next ingest would take."""
        ...


class AuditLedger(Protocol):
    async def audited(self, *, tenant: str, limit: int) -> list[AuditEntry]:
        """Requests for private data, newest first. Each was written in the transaction of its turn."""
        ...


class KeyLedger(Protocol):
    async def add_key(self, key: ApiKey) -> None: ...

    async def key(self, key_id: str) -> ApiKey | None: ...

    async def keys(self, *, tenant: str) -> list[ApiKey]: ...

    async def revoke_key(self, key_id: str, *, tenant: str, at: datetime) -> None:
        """NotFound when the tenant has no such key."""
        ...


# --- hot state ------------------------------------------------------------------------------------------------------


class RateLimiter(Protocol):
    async def take(self, bucket: str, *, per_minute: int) -> float:
        """0.0 when allowed, else the seconds to wait. A bucket holds at most `per_minute` tokens."""
        ...


# --- channels -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What became of a send. An empty `problem`: the other side took it. Else `again` says whether repeating may help,
    `wait_s` how long the other side asked us to wait, and `problem` what to do, without any secret or address."""

    problem: str = ""
    again: bool = False
    wait_s: float = 0.0


class DeliveryChannel(Protocol):
    """A way to people outside: webhook, e-mail, Slack."""

    @property
    def name(self) -> str: ...

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        """Send once, within a stated time. Refusals and accidents are receipts, not exceptions. The key goes along, so
        that the other side can tell a repeated send."""
        ...


# --- sources --------------------------------------------------------------------------------------------------------


class Source(Protocol):
    """A connector. Yields what there is; an item it cannot read is yielded as a Failure, and the rest goes on."""

    def items(self) -> AsyncIterator[SourceItem | Failure]: ...
