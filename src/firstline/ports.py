"""Every port on one page: what we ask of the outside world.

A port has only methods that we call. One contract test file per port (tests/contracts) runs against every engine
behind it, the memory reference included. All methods are safe to call concurrently from one event loop.

Errors, for every port: `Unavailable` when the engine is down or late, `Broken` when it needs an operator. Engines
translate their own exceptions at the edge.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from firstline.domain import (
    FOREVER,
    Accepted,
    ApiKey,
    AskedTurn,
    AuditEntry,
    CalibratedGates,
    CandidateFacts,
    Category,
    Change,
    Chunk,
    Community,
    CommunityBuild,
    Completion,
    DeadJob,
    Delivery,
    DeliveryState,
    Document,
    DocumentChange,
    DocumentKind,
    DraftState,
    DraftTicket,
    Edge,
    Failure,
    FaqEntry,
    Feedback,
    GraphRule,
    Handoff,
    HandoffAct,
    HandoffEntry,
    HandoffMessage,
    HandoffState,
    Job,
    JobBacklog,
    Judgement,
    Lag,
    Level,
    ModelRequest,
    ModelRole,
    Piece,
    Principal,
    Quarantined,
    QuarantineState,
    RawChange,
    Redacted,
    RegisteredSource,
    Relation,
    ReviewItem,
    RulesRead,
    Session,
    Snapshot,
    SnapshotEntry,
    SourceItem,
    SyncReport,
    Tombstone,
    Turn,
    WaitingChange,
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


class LanguageModel(Protocol):
    """Writes text. Every call ends by its request's deadline, with an answer, an end that has a name (`Finish`), or
    one of these errors: TooManyRequests (`OverBudget` among them), Unavailable, Broken, `TooLong` when the prompt is
    longer than the model can read, and InvalidInput for a key, a model or a request that the provider refuses."""

    def model_id(self, role: ModelRole) -> str:
        """The models that answer for a role, in the order they are tried, as one text; empty: none is configured."""
        ...

    async def complete(self, request: ModelRequest) -> Completion: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        """Text as it comes, and at the very end one piece with the completion. No text is ever said twice or taken
        back: errors are raised before the first piece alone, afterwards the completion's `finish` names what happened.
        Whoever stops early closes it (`contextlib.aclosing`): the call ends then."""
        ...


class TriageClassifier(Protocol):
    """A probability per category from the embedding that retrieval also uses, and the words. Sums to 1."""

    def classify(self, vector: Vectors, text: str) -> Mapping[Category, float]:
        """`vector` has shape (dimensions,) and is the embedding of `text`."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedSpan:
    """`start <= offset < end` in characters. `type`: PERSON, ADDRESS or PHONE. `chance`: how likely, from 0 to 1.
    `listed`: a word of it is known as a name and as nothing else; `plain`: all of them are English words."""

    start: int
    end: int
    type: str
    chance: float
    listed: bool
    plain: bool


class NameFinder(Protocol):
    def spans(self, text: str) -> Iterable[NamedSpan]:
        """Where persons are named, and where postal addresses and telephone numbers stand: in order, without
        overlaps."""
        ...


class Redactor(Protocol):
    def redact(self, text: str) -> Redacted:
        """Typed placeholders for personal data and secrets; everything else is returned to the letter. By the policy
        for what persons write to each other; documents have theirs by kind."""
        ...

    def for_document(self, kind: DocumentKind) -> Redactor:
        """By the policy of that kind, for the parts of one document: equal values get equal placeholders over all
        calls of what is returned. For one thread."""
        ...


class TextFromImage(Protocol):
    """Text recognition (OCR). Plug one in by the setting `ocr_command`, or hand one to the document journey
    (docs/formats.md)."""

    def read(self, image: bytes) -> str:
        """What stands on one page, a PNG in shades of grey: its lines in reading order, an empty one between
        paragraphs; "" when there is none. Blocks, within a minute; called from several threads at once. NotAccepted
        says in a few words what is wrong with this page; Unavailable: nothing can be read at present, and no further
        page is tried.
        """
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
    """The filter of every lookup: a principal's view of one snapshot of one knowledge base.

    `forgotten` is the snapshot's mark of that name: lookups do not read it, what is cached is cached for one value.
    """

    tenant: str
    kb: str
    acl_tags: frozenset[str]
    level_max: Level
    snapshot: int
    forgotten: int = 0

    @classmethod
    def of(cls, principal: Principal, *, kb: str, snapshot: int, forgotten: int = 0) -> Scope:
        return cls(
            tenant=principal.tenant,
            kb=kb,
            acl_tags=principal.acl_tags,
            level_max=principal.level,
            snapshot=snapshot,
            forgotten=forgotten,
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

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        """Remove every chunk that these documents got in snapshots up to number `upto`, those that no ledger knows of
        included."""
        ...

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        """How many chunks `purge` would remove: what is read back after it."""
        ...

    async def search(self, query: IndexQuery) -> list[Hit]:
        """The union of both lists, inside the scope. Ordered by dense score, best first, ties by chunk id."""
        ...

    async def neighbour(self, doc_id: str, scope: Scope, *, exclude: Collection[str] = ()) -> float:
        """How similar the most similar OTHER document inside the scope is: the cosine of both mean vectors. 0 when
        there is no other, or the document is not inside the scope. `exclude` leaves documents out."""
        ...

    async def vectors(self, chunk_ids: Sequence[str], *, tenant: str, kb: str) -> Mapping[str, Vectors]:
        """By chunk id the vector of shape (dimensions,) that was written of each, up to 1e-3 in cosine. Those that this
        knowledge base does not hold are left out."""
        ...

    async def count(self, *, tenant: str, kb: str, since: int | None = None) -> int:
        """Chunks held for a knowledge base, ended ones included; with `since` those that this snapshot wrote."""
        ...

    async def size_bytes(self) -> int: ...

    async def close(self) -> None: ...


# --- graph ----------------------------------------------------------------------------------------------------------


class Graph(Protocol):
    """Edges with their provenance. It is walked from ids that are at hand, and never scanned for a question.

    An entity is there for a scope when an edge is that the scope may see, and so is its name. Two scopes of different
    tenants or knowledge bases share nothing.
    """

    async def upsert(self, edges: Sequence[Edge]) -> None:
        """Write or overwrite by edge id. Durable and visible to the next lookup when it returns."""
        ...

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        """Let what these chunks say end before snapshot `until` (FOREVER: un-end it). Unknown ids are ignored."""
        ...

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        """Remove what these documents say since snapshot `since`, of which they have a revision. Nothing there is not
        an error."""
        ...

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        """Remove everything that these documents said in snapshots up to number `upto`."""
        ...

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        """How many edges `purge` would remove: what is read back after it."""
        ...

    async def known(self, entity_ids: Collection[str], scope: Scope) -> frozenset[str]:
        """Those of the ids that are the end of an edge inside the scope."""
        ...

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        """The NAMES edges that lead to these entities: which documents go by these names. Surest first, ties by edge
        id, at most `limit_each` for each entity."""
        ...

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        """The edges of these entities, in both directions, surest first, ties by edge id, at most `limit_each` for
        each entity and direction. Each edge once."""
        ...

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        """Inside the scope, by edge id, from the first behind `after`; of these chunks only, where they are given."""
        ...

    async def count(self, *, tenant: str, kb: str) -> int:
        """Edges held for a knowledge base, ended ones included."""
        ...

    async def close(self) -> None: ...


class GraphRules(Protocol):
    """What persons said of the graph's names (domain.GraphRule). Nothing is overwritten; every change is in force with
    the next question, and raises `Snapshot.forgotten`, for what was cached before."""

    async def graph_rules(self, *, tenant: str, kb: str) -> RulesRead:
        """Those in force, by number, with the mark of this moment. None when there is no such knowledge base."""
        ...

    async def graph_rules_said(self, *, tenant: str, kb: str, limit: int) -> list[GraphRule]:
        """Newest first, undone ones included. One about a purged document has lost its names."""
        ...

    async def say_graph_rules(self, rules: Sequence[GraphRule], *, seen: int) -> list[GraphRule] | None:
        """All of one knowledge base, all or none: as they are kept, with their numbers. None when its mark is not
        `seen` any more: somebody was quicker, and nothing has changed. NotFound when there is no such knowledge
        base."""
        ...

    async def undo_graph_rule(self, number: int, *, tenant: str, kb: str, by: str, at: datetime) -> GraphRule | None:
        """As it stands then; undone before, it stays as it was. None when there is no such rule."""
        ...


# --- communities ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """A community, and the entities by which it is found."""

    community: Community
    entity_ids: frozenset[str]


Audience = tuple[frozenset[str], Level]
"""Who may see something: an ACL and a level."""


class CommunityStore(Protocol):
    """What is told of the same things by several documents, made of the graph of one snapshot after the other.

    Builds are numbered. A community is shown in snapshot S when since <= S < until, to a scope that its audience and
    every chunk that it cites are inside of.
    """

    async def due(self, *, rest_s: float, limit: int) -> list[tuple[str, str]]:
        """Knowledge bases (tenant, kb) of which something else is published, or forgotten, than their communities were
        made of. Not those that `begin` named within the last `rest_s`, or within ten times what their last build took.
        """
        ...

    async def begin(self, *, tenant: str, kb: str) -> None:
        """Note that a build begins."""
        ...

    async def built(self, *, tenant: str, kb: str) -> CommunityBuild:
        """The last one."""
        ...

    async def audiences(self, snapshot: int, *, tenant: str, kb: str, limit: int) -> list[Audience]:
        """For whom the snapshot's documents are, those of most documents first."""
        ...

    async def standing(self, snapshot: int, *, tenant: str, kb: str) -> dict[str, str]:
        """By id of the snapshot's communities, whoever may see them, the component that each was made from."""
        ...

    async def commit(
        self, made: Sequence[Gathered], *, keep: Collection[str], build: CommunityBuild, tenant: str, kb: str
    ) -> CommunityBuild:
        """In one transaction: of what stands in the build's snapshot `keep` these ids and let the others end, add what
        was made, and number the build. Conflict when something was forgotten since `build.forgotten` was read: then
        nothing is changed."""
        ...

    async def about(
        self, entity_ids: Collection[str], scope: Scope, *, limit: int, build: int | None = None
    ) -> list[Community]:
        """Those found by one of these entities, by id; those of most documents first, then by id. `build`: as they
        were after that one."""
        ...

    async def communities(self, scope: Scope, *, limit: int) -> list[Community]:
        """Those of most documents first, then by id."""
        ...

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        """Remove those of snapshots up to `upto` that cite one of these documents."""
        ...

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        """How many `purge` would remove: what is read back after it."""
        ...

    async def prune(self, *, tenant: str, kb: str, oldest: int) -> None:
        """Remove those that ended at this snapshot or before."""
        ...


# --- blobs ----------------------------------------------------------------------------------------------------------


class BlobStore(Protocol):
    """Immutable bytes named by their sha256 (64 hex digits)."""

    async def put(self, data: bytes) -> str:
        """Store and return the name. Storing the same bytes twice is one blob. Durable when it returns."""
        ...

    async def get_range(self, name: str, start: int, end: int) -> bytes:
        """Bytes start <= i < end. NotFound when there is no such blob, InvalidInput when the range is outside it."""
        ...

    async def holds(self, name: str) -> bool: ...

    async def delete(self, name: str) -> None:
        """Gone for good when it returns. One that is not there is not an error."""
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
    waiting: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """A document as one snapshot wrote it, by what other engines call it."""

    doc_id: str
    since: int
    blob: str
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Abandoned:
    """`written` is to be removed, `ended` goes on; `planned` are (doc_id, snapshot) that may have left traces."""

    written: tuple[Revision, ...] = ()
    ended: tuple[Revision, ...] = ()
    planned: tuple[tuple[str, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.written or self.ended or self.planned)


class KnowledgeLedger(Protocol):
    """Documents, chunks and snapshots. Acknowledged means committed."""

    def ingest_lock(self, *, tenant: str, kb: str) -> AbstractAsyncContextManager[None]:
        """Only one holder per knowledge base over all processes; Conflict at once when it is taken. Freed on death."""
        ...

    async def published(self, *, tenant: str, kb: str) -> Snapshot:
        """The pointer, with the version of the gates in force. Number 0 when nothing was published or the knowledge
        base does not exist."""
        ...

    async def abandoned(self, *, tenant: str, kb: str, limit: int) -> Abandoned:
        """What the next candidate will not build on: what snapshots that were gone back from wrote and ended, up to
        `limit` revisions of each. From here on they cannot be published any more. Nothing while a candidate is open.
        """
        ...

    async def undo(self, abandoned: Abandoned, *, tenant: str, kb: str) -> None:
        """Remove what these snapshots wrote and let what they ended go on; may be repeated. The index has done so."""
        ...

    async def open_candidate(self, *, tenant: str, kb: str, embedder_id: str) -> int:
        """The number of the candidate: the next that was never used. InvalidInput when the knowledge base's vectors
        were made by another embedder, Conflict while something is `abandoned`. An interrupted candidate is opened again
        under its number, unless the pointer was moved back meanwhile."""
        ...

    async def current(self, *, tenant: str, kb: str) -> dict[str, Document]:
        """By doc_id, of what the next candidate builds on: the newest revision of every document whose `until` is
        FOREVER, candidate revisions included, plus those whose end is only planned for the candidate (their `until`
        says so). Forgotten ones are not there."""
        ...

    async def plan(
        self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str], blobs: Sequence[str] = ()
    ) -> None:
        """Note that these documents are about to be written, before any other engine hears of them. `blobs` are their
        contents, in the same order: from here on `unused` says that these are used."""
        ...

    async def planned(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        """Documents planned for the candidate and not written: left over from a run that died."""
        ...

    async def write(self, documents: Sequence[StoredDocument]) -> list[str]:
        """In one transaction: insert the documents with their chunks, replace what the same candidate wrote of them
        before, end their older revisions (and those revisions' chunks) at the candidate, and clear their plan.
        Returns the chunk ids whose end was moved or whose revision was replaced, for the index to follow.
        This and every other change of a candidate: Conflict unless it is the open one.
        Documents that were forgotten since the candidate was opened are left out: `forgotten` names them."""
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

    async def forgotten(self, *, tenant: str, kb: str, doc_ids: Sequence[str]) -> frozenset[str]:
        """Which of these were forgotten since the candidate was opened last: a run that read them before must not bring
        them back."""
        ...

    async def facts(self, *, tenant: str, kb: str, candidate: int) -> CandidateFacts:
        """What the checks before publishing read of the open candidate."""
        ...

    async def seal(self, *, tenant: str, kb: str, candidate: int, waits: str) -> Snapshot:
        """Make the candidate a snapshot that is not published, and say why. It never changes again; the next candidate
        builds on it. Conflict as for `publish`."""
        ...

    async def publish(self, *, tenant: str, kb: str, candidate: int) -> Snapshot:
        """Make the candidate a snapshot and move the pointer to it, in one transaction. Conflict when it is not the
        open one."""
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
        that is not found may stand there. Words that stand in forgotten documents alone are not there.

        Exact about which words, for the published snapshot. The number is for choosing among words: it counts the
        newest revisions, those of an open candidate included, and is at least 1."""
        ...

    async def knowledge_bases(self, *, tenant: str) -> list[str]: ...

    async def status(self, *, tenant: str, kb: str) -> KnowledgeStatus: ...


class RevisionLedger(Protocol):
    """What the knowledge ledger holds, for whoever makes anew, or counts, what was made of it."""

    async def revisions(
        self, *, tenant: str, kb: str, after: tuple[str, int] | None = None, limit: int
    ) -> list[StoredDocument]:
        """Up to `limit` revisions that a snapshot or the open candidate holds, whoever may see them, with their chunks
        in reading order and without their words, from the first behind `after`: a document's id and the snapshot that
        wrote it. Those of a document come one after the other. Forgotten ones are left out."""
        ...

    async def held_in(self, scope: Scope) -> tuple[int, int]:
        """How many documents and chunks are inside the scope."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """What is looked for in records: documents by id, chunk and content, and texts in any case. `titles` are blanked
    where a record quotes them."""

    kb: str = ""
    doc_ids: frozenset[str] = frozenset()
    chunk_ids: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


class SnapshotLedger(Protocol):
    """The pointer, and what it can point at. Moving it is one short transaction, whatever the size."""

    async def snapshots(self, *, tenant: str, kb: str, limit: int) -> list[SnapshotEntry]:
        """Newest first. NotFound when there is no such knowledge base."""
        ...

    async def point_on(self, number: int, *, tenant: str, kb: str) -> Snapshot:
        """Publish a snapshot that waits, or return to one that was gone back from. A canary of that number ends.
        NotFound when there is none (any more), Conflict when it is older than the one published."""
        ...

    async def point_back(self, number: int | None, *, tenant: str, kb: str) -> Snapshot:
        """Publish an earlier snapshot again; None: the one before. What came after it is abandoned, an open candidate
        too: the run that writes it meets a Conflict. Sources forget the places that they were read up to into what is
        abandoned, and are read from the beginning. NotFound as above, Conflict when it is not older."""
        ...

    async def discard(self, *, tenant: str, kb: str) -> list[int]:
        """Abandon what waits beyond the published snapshot, and an open candidate. Returns the snapshots' numbers."""
        ...

    async def try_out(self, number: int, *, tenant: str, kb: str, share: float) -> Snapshot:
        """Let a share (0 to 1) of the sessions ask a snapshot that waits; 0 ends it. NotFound when it does not wait."""
        ...

    async def changes(self, before: int, after: int, *, tenant: str, kb: str, limit: int) -> list[DocumentChange]:
        """What differs between two snapshots, by doc_id. NotFound when one of them is not there."""
        ...

    async def retire(self, *, tenant: str, kb: str, keep: int) -> int:
        """Give up going back further than to the `keep` newest published snapshots. Returns the oldest that is kept.
        Their numbers are gone at once; `retired` says what is left to remove."""
        ...

    async def retired(self, *, tenant: str, kb: str, limit: int) -> list[Revision]:
        """Revisions that no snapshot holds any more, up to `limit`."""
        ...

    async def remove(self, revisions: Sequence[Revision], *, tenant: str, kb: str) -> None:
        """Remove these with their chunks and words; contents that nobody uses then are `doomed`."""
        ...

    async def doomed(self, *, limit: int) -> list[str]:
        """Blobs that wait to be deleted because their last document was removed."""
        ...

    def unused(self, blob: str) -> AbstractAsyncContextManager[bool]:
        """Whether no document and no plan names this content. Inside the block nobody begins to use or dooms one."""
        ...

    async def spared(self, blob: str) -> None:
        """It was deleted, or is used again: it waits no longer. To be called inside its block of `unused`: a content
        that loses its last document later is doomed anew."""
        ...


class TombstoneLedger(Protocol):
    """What is forgotten. Written in one transaction, in force with the next lookup."""

    async def bury(self, doc_ids: Sequence[str], *, tenant: str, kb: str, by: str) -> list[Tombstone]:
        """Show these documents in no snapshot any more. NotFound when one of them is not there: then none is."""
        ...

    async def known_documents(self, prefix: str, *, tenant: str, kb: str) -> list[str]:
        """Ids of every document that any snapshot holds and that begin with `prefix`, buried ones left out."""
        ...

    async def naming(self, text: str, *, tenant: str, kb: str) -> list[str]:
        """Ids of documents of any snapshot whose id, title, link or metadata hold this text, in any case."""
        ...

    async def titles(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> frozenset[str]:
        """Every title that any revision of these documents has."""
        ...

    async def contents(self, *, tenant: str, kb: str) -> list[tuple[str, str, int]]:
        """(doc_id, blob, bytes) of every revision of any snapshot, for a search through their texts."""
        ...

    async def tombstones(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> list[Tombstone]:
        """Those of these documents, purged ones included, by doc_id."""
        ...

    async def buried(self, *, tenant: str | None, limit: int) -> list[Tombstone]:
        """Those whose traces were not all removed yet, oldest first. None: of every tenant."""
        ...

    async def traces(self, tombstone: Tombstone) -> list[Revision]:
        """What the ledger still holds of it."""
        ...

    def removing(self, tombstones: Sequence[Tombstone]) -> AbstractAsyncContextManager[list[Tombstone]]:
        """These, of one knowledge base, as they are now: forgotten once more meanwhile, or taken anew. `upto` ends
        short of what a run is about to write anew. Inside the block no write of the knowledge base begins
        or is committed."""
        ...

    async def purged(self, tombstone: Tombstone) -> bool:
        """Remove what the ledger holds of it, its words and failures included, short of what was taken anew since.
        True when it notes that nothing is left; False: more was forgotten since, or a run is about to write it anew."""
        ...


class RecordLedger(Protocol):
    """Where documents and persons may be quoted: turns, hand-overs, deliveries, drafts, reviews, quarantine."""

    async def scrub(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        """Blank every quotation; may be repeated. How many records were changed, by kind."""
        ...

    async def quoting(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        """How many records still hold one, by kind, kinds without any included."""
        ...

    async def forget_tenant(self, tenant: str) -> dict[str, int]:
        """Remove every conversation, hand-over, rating, judgement and key of a tenant. How many, by kind."""
        ...

    async def of_tenant(self, tenant: str) -> dict[str, int]:
        """How many of each are there."""
        ...


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
        one hand-over at most the oldest pending one, so that news arrives in order. Its message has the `thread` of the
        first one of the same hand-over and channel that arrived and made one."""
        ...

    async def delivered(self, delivery_id: str, *, thread: str = "") -> None:
        """It has arrived, whoever holds it now, and made this thread. What is delivered already stays as it is; unknown
        ids are ignored."""
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


class CareLedger(Protocol):
    """What those who look after the content read and keep. Every read is limited to the tenant and knowledge base
    given, and shows everything in it: who may know of which document is the caller's matter."""

    async def put_faq(self, entry: FaqEntry) -> None:
        """Keep it in place of what was known of that curated answer. In force with the next lookup, in every snapshot:
        where one expires by this or comes back, `Snapshot.forgotten` rises, for what was cached before.
        NotFound when there is no such knowledge base."""
        ...

    async def swap_faq(self, entry: FaqEntry, *, before: FaqEntry | None) -> bool:
        """As `put_faq`, while `before` is what is known (None: nothing). False when it is not: nothing has changed."""
        ...

    async def drop_faq(self, doc_id: str, *, tenant: str, kb: str) -> None:
        """Nothing is known of it any more. One that is not there is not an error."""
        ...

    async def faq_entries(self, *, tenant: str, kb: str) -> list[FaqEntry]:
        """By doc_id. Entries of purged documents are gone, and purged documents are named in none."""
        ...

    async def faq_expired(self, *, tenant: str | None) -> int:
        """How many entries of published documents have expired. None: of every tenant."""
        ...

    async def published_documents(
        self,
        *,
        tenant: str,
        kb: str,
        limit: int,
        kinds: Collection[DocumentKind] = frozenset(DocumentKind),
        doc_ids: Collection[str] | None = None,
    ) -> list[Document]:
        """The first `limit` of the published snapshot, by doc_id; expired ones included, forgotten ones left out.
        `doc_ids` None: whatever they are called."""
        ...

    async def published_places(self, *, tenant: str, kb: str, limit: int) -> list[tuple[str, str]]:
        """(doc_id, address or "") of the same, by doc_id: where pages are, without reading anything else of them."""
        ...

    async def asked(self, *, tenant: str, kb: str, since: datetime, without_user: str, limit: int) -> list[AskedTurn]:
        """The newest `limit` turns asked at `since` or later, newest first; without those of `without_user`."""
        ...

    async def documents_of(self, chunk_ids: Collection[str], *, tenant: str, kb: str) -> dict[str, str]:
        """Document by chunk, of any snapshot. Chunks that are unknown or whose document is forgotten are left out."""
        ...

    async def blamed(self, *, tenant: str, kb: str, since: datetime, without_user: str) -> dict[str, int]:
        """By doc_id: in how many turns asked at `since` or later an answer cited it that somebody called wrong or
        outdated, or that a reviewer judged wrong."""
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
    `wait_s` how long the other side asked us to wait, and `problem` what to do, without any secret or address.
    `thread`: as `HandoffMessage.thread`."""

    problem: str = ""
    again: bool = False
    wait_s: float = 0.0
    thread: str = ""


class DeliveryChannel(Protocol):
    """A way to people outside: webhook, e-mail, Slack."""

    @property
    def name(self) -> str: ...

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        """Send once, within a stated time. Refusals and accidents are receipts, not exceptions. The key goes along, so
        that the other side can tell a repeated send."""
        ...


# --- sources --------------------------------------------------------------------------------------------------------


class SourceLedger(Protocol):
    """The registry of sources. Every read is limited to the tenant given. Time is the ledger's, not the caller's. A
    source's `cursor` can be large: who claims it gets it, everybody else sees None."""

    async def add_source(self, source: RegisteredSource) -> None:
        """Conflict when the knowledge base has a source of that name."""
        ...

    async def alter_source(self, source: RegisteredSource) -> None:
        """Take over config, document kind, access, schedule and `due_at`; what was synced, and who syncs, stays as it
        is. NotFound when there is none of that name."""
        ...

    async def source(self, name: str, *, tenant: str, kb: str) -> RegisteredSource | None: ...

    async def sources(self, *, tenant: str | None, kb: str | None = None) -> list[RegisteredSource]:
        """By tenant, knowledge base and name. None: of every tenant, of every knowledge base."""
        ...

    async def due_sources(self, *, tenant: str | None, limit: int) -> list[RegisteredSource]:
        """Those with a `due_at` that has come and that nobody syncs, due longest first. None: of every tenant,
        each one's first before anybody's second."""
        ...

    async def remove_source(self, name: str, *, tenant: str, kb: str) -> None:
        """NotFound when there is none. Its documents stay."""
        ...

    async def claim_source(self, name: str, *, tenant: str, kb: str, lease_s: float) -> RegisteredSource:
        """Nobody else gets it for `lease_s`; after a death somebody else does. The source as it stands, its `lease`
        counted up. Conflict while another claim holds it, NotFound when there is none."""
        ...

    async def renew_source(self, source: RegisteredSource, *, lease_s: float) -> None:
        """Hold it for `lease_s` from now. Conflict when somebody else has claimed it since, or it is removed."""
        ...

    async def advance_source(self, source: RegisteredSource, *, cursor: str | None, snapshot: int, shape: str) -> None:
        """Keep a place to go on from, which holds for documents up to this snapshot. Conflict as above."""
        ...

    async def finish_source(
        self, source: RegisteredSource, *, report: SyncReport, documents: int | None, due_at: datetime | None
    ) -> None:
        """Keep the report, free the claim. `documents` None: as it was. Conflict as above."""
        ...

    async def rewind_sources(self, *, tenant: str, kb: str, snapshot: int) -> list[str]:
        """Forget the places that hold for later snapshots than this one: what was written there is undone, and the
        next sync reads everything. Returns their names."""
        ...


class Source(Protocol):
    """A connector. Yields what there is; an item it cannot read is yielded as a Failure, and the rest goes on."""

    def items(self) -> AsyncIterator[SourceItem | Failure]: ...


class Incremental(Protocol):
    """A connector that can tell what changed. Item ids start with the source's name and a slash, and stay the same over
    time. An item may come more than once: the last word counts.

    Refusals and accidents of single items are yielded as a Failure. What ends the whole sync is raised: Unauthenticated
    or Forbidden when the other side refuses, TooManyRequests when it wants us to wait longer than a sync does,
    Unavailable, InvalidInput. What was yielded before that counts, and so does its last Cursor.
    """

    def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        """What changed since this place; None: everything. A cursor that cannot be read any more is taken as None.
        A source that lists everything says `Complete` at its end; one that follows changes says `Removed`."""
        ...


# --- events ---------------------------------------------------------------------------------------------------------


class ChangeLedger(Protocol):
    """What sources announce, until a worker has taken it. Of every document the newest change alone: by the version
    that its source gave it, else by the order of arrival. Order is the ledger's own count, never a clock."""

    async def accept(
        self, changes: Sequence[RawChange], *, tenant: str, kb: str, source: str, event_id: str, wake: bool = False
    ) -> Accepted:
        """In one transaction: remember the event, and let its changes wait; an event of this source that was seen
        before changes nothing. With `wake` the source is due at once. An empty `event_id` is never seen before."""
        ...

    async def newest(self, doc_id: str, *, tenant: str, kb: str) -> WaitingChange | None:
        """The newest change that is known of a document, settled or not; None: there was none."""
        ...

    async def due(self, *, tenant: str, kb: str, limit: int) -> list[WaitingChange]:
        """Those that wait and are due, by `seq`."""
        ...

    async def waiting(self, *, tenant: str, kb: str) -> bool:
        """Whether any is due."""
        ...

    async def places(self, *, limit: int) -> list[tuple[str, str]]:
        """(tenant, knowledge base) where any is due."""
        ...

    async def settle(self, changes: Sequence[WaitingChange], *, answerable: bool, problem: str = "") -> None:
        """They are taken, and their contents forgotten. Those of which a newer change has arrived since wait on.
        `answerable`: the next question knows of them."""
        ...

    async def postpone(self, change: WaitingChange, *, problem: str, again_in_s: float | None) -> None:
        """An attempt failed: due again so much later, dead with None. Ignored when a newer change has arrived since."""
        ...

    async def hold_back(self, *, tenant: str, kb: str, problem: str, again_in_s: float) -> int:
        """Every document of a knowledge base that is due: due again so much later. That is no attempt. Deletions are
        not held back. Returns how many are."""
        ...

    async def let_on(self, *, tenant: str, kb: str) -> int:
        """What was held back in this knowledge base is due now. Returns how many documents."""
        ...

    async def dead(self, *, tenant: str, limit: int) -> list[WaitingChange]:
        """By `seq`, newest first."""
        ...

    async def retry(self, *, tenant: str, doc_ids: Collection[str] | None) -> list[tuple[str, str]]:
        """Dead ones wait again, due now, with their attempts counted anew; None: every dead one of the tenant. Returns
        (knowledge base, document) of those that were dead."""
        ...

    async def forget_source(self, source: str, *, tenant: str, kb: str) -> int:
        """Its changes that nobody has taken, dead ones included, are dropped with their contents. Returns how many."""
        ...

    async def lag(self, *, tenant: str | None) -> list[Lag]:
        """Per knowledge base that a source ever announced anything of. None: of every tenant."""
        ...

    async def claim_round(self, name: str, *, every_s: float) -> bool:
        """True for one of all who ask, and then for nobody until so much time has passed."""
        ...

    async def forget_events(self, *, older_s: float) -> int:
        """Event ids seen longer ago than this. Returns how many."""
        ...


JobHandler = Callable[[Mapping[str, str]], Awaitable[None]]
"""Does a job by its arguments. TooManyRequests: wait that long, Conflict: somebody else is at it, Unavailable: try
again later; with anything else the job is given up."""


class JobQueue(Protocol):
    """Jobs that outlive the process that put them."""

    async def put(self, job: Job, *, news: bool = False) -> bool:
        """False: one of this key waits already, and will do. With `news` there is something to do that the attempts so
        far knew nothing of: one that waits for its next attempt is due at once, with its attempts counted anew."""
        ...

    def working(self, handlers: Mapping[str, JobHandler], *, at_once: int) -> AbstractAsyncContextManager[None]:
        """Do jobs while the block runs, up to `at_once` at a time, beside any other process that does. One that was
        left by a process that died is done again. While the engine is down, working pauses."""
        ...

    async def dead(self, *, limit: int) -> list[DeadJob]:
        """Newest first."""
        ...

    async def retry(self, job_ids: Collection[str] | None) -> list[str]:
        """Dead ones wait again; None: every one. Returns the ids of those that were dead."""
        ...

    async def backlog(self) -> JobBacklog: ...
