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
    Category,
    Chunk,
    Document,
    DocumentKind,
    Failure,
    Handoff,
    HandoffState,
    Level,
    Principal,
    Redacted,
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
    """A probability per category from the embedding that retrieval also uses. Sums to 1."""

    def classify(self, vector: Vectors) -> Mapping[Category, float]:
        """`vector` has shape (dimensions,)."""
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
        """The pointer. Number 0 when nothing was published or the knowledge base does not exist."""
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
        """Turn and hand-over in one transaction. Conflict when the session already has a turn of that number."""
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

    async def set_handoff_state(self, handoff_id: str, *, tenant: str, state: HandoffState) -> Handoff:
        """Move it along `domain.HANDOFF_MOVES`, compared and set in one step: of several that ask for the same move
        one gets it. Conflict, naming the states that may follow, when the move is not allowed; NotFound when there is
        none in this tenant."""
        ...

    async def handoffs(self, *, tenant: str, limit: int) -> list[Handoff]:
        """Newest first."""
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


# --- sources --------------------------------------------------------------------------------------------------------


class Source(Protocol):
    """A connector. Yields what there is; an item it cannot read is yielded as a Failure, and the rest goes on."""

    def items(self) -> AsyncIterator[SourceItem | Failure]: ...
