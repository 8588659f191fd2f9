"""What is asked about: documents, chunks, snapshots, and what is held back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from firstline.domain.basics import FOREVER, NOTHING
from firstline.domain.principals import Level


class DocumentKind(StrEnum):
    DOCUMENTATION = "documentation"
    TICKET = "ticket"
    ISSUE = "issue"
    FORUM_POST = "forum_post"
    NOTE = "note"
    FAQ = "faq"


class ChunkKind(StrEnum):
    SECTION = "section"
    PROCEDURE = "procedure"
    TABLE = "table"
    CODE = "code"
    SYMPTOM = "symptom"
    ENVIRONMENT = "environment"
    CAUSE = "cause"
    RESOLUTION = "resolution"


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceItem:
    """One thing that a source yields, before it is parsed.

    `item_id` is stable over time and names the document. `content_hash` is the sha256 of the raw bytes plus everything
    else that shapes the document (kind, access, metadata), so that an unchanged item costs nothing.
    """

    item_id: str
    kind: DocumentKind
    media_type: str
    raw: bytes
    title: str = ""
    url: str | None = None
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    acl: frozenset[str] = frozenset()
    level: Level = Level.RESTRICTED
    content_hash: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDocument:
    """Normalised Markdown with what the source said about itself (front matter, document properties). `hidden` is
    text that no reader of the source would see; it is not in `text`. `page_starts` is where each page of paper begins,
    in characters of `text`, page 1 first; empty for formats without pages. `notice` is what could not be read of it."""

    title: str
    text: str
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    hidden: str = ""
    page_starts: tuple[int, ...] = ()
    notice: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Redaction:
    """What was taken out where, without the value. The span is in characters of the text given to the redactor."""

    type: str
    start: int
    end: int
    placeholder: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Redacted:
    """`unapplied` names what was not looked for in all of the text, for want of time: all that it was not looked for in
    is behind a placeholder."""

    text: str
    redactions: tuple[Redaction, ...]
    unapplied: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A source item made safe: its text is the immutable blob named by `blob` (sha256 of the bytes, hex)."""

    tenant: str
    kb: str
    doc_id: str
    kind: DocumentKind
    title: str
    url: str | None
    blob: str
    size_bytes: int
    content_hash: str
    acl: frozenset[str]
    level: Level
    since: int
    until: int = FOREVER
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A span of a document's blob. It holds no text of its own.

    `chunk_id` is a UUID made from (tenant, kb, doc_id, since, start, end): the same chunk written twice is one chunk.
    `ordinal` counts the chunks of one document from 0 in reading order: NEXT is ordinal + 1.
    `lead` is an optional second span that gives the chunk its meaning: a table's header row, the sentence that
    introduces a code block.
    """

    chunk_id: str
    tenant: str
    kb: str
    doc_id: str
    blob: str
    ordinal: int
    start: int
    end: int
    kind: ChunkKind
    title: str
    section_path: tuple[str, ...]
    url: str | None
    acl: frozenset[str]
    level: Level
    since: int
    until: int = FOREVER
    lead: tuple[int, int] | None = None
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A published state of one knowledge base. Number 0 is the empty state before the first publication.

    `embedder_id` names the embedder that made its vectors; None where there are none, or where nobody asked.
    `gates_version` names the calibrated gates that are in force for the knowledge base; 0: none, as shipped.
    `canary` is a snapshot that a `canary_share` of the sessions ask instead; 0: none. `forgotten` rises whenever a
    document of the knowledge base is forgotten, and when a curated answer is expired or brought back: a cached
    value is of one number and one such mark.
    """

    tenant: str
    kb: str
    number: int
    documents: int
    chunks: int
    published_at: datetime | None
    embedder_id: str | None = None
    gates_version: int = 0
    canary: int = 0
    canary_share: float = 0.0
    forgotten: int = 0

    def number_for(self, session_id: str) -> int:
        """The snapshot that this session asks: the same one for as long as the canary's share does not change, and a
        session that a share takes in is taken in by every larger one."""
        if not self.canary:
            return self.number
        drawn = int.from_bytes(hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).digest()[:8], "big")
        return self.canary if drawn / 2**64 < self.canary_share else self.number


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibratedGates:
    """Thresholds set from labelled cases of one knowledge base, and what they were shown to hold.

    `version` counts over the whole ledger, from 1; 0 before it is stored. `knobs` are the settings and models that a
    gate's value depends on, by name: `retrieval_hash` names them all. `thresholds` are by gate: relevance, unsure,
    confidence. Of `tested` questions `wrong` got a wrong answer; with `certainty` the rate of wrong answers shown is at
    most `max_wrong` (down to the unsure gate: `max_wrong_unsure`). `wrong_bound` is what these cases show of it at that
    certainty. `coverage`: share of the answerable cases that got an answer. `relevance_values` are the relevance gate's
    values over the `cases` as labelled: what live ones are compared with.
    """

    tenant: str
    kb: str
    snapshot: int
    retrieval_hash: str
    knobs: Mapping[str, str]
    thresholds: Mapping[str, float]
    max_wrong: float
    max_wrong_unsure: float
    certainty: float
    cases: int
    tested: int
    wrong: int
    wrong_bound: float
    coverage: float
    relevance_values: tuple[float, ...]
    calibrated_at: datetime
    version: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A source item that could not become a document, and why. The rest of the run went on without it.

    Unless `keeps` is false, what stands of it from earlier runs is spared when what is gone is pruned; a revision that
    shows to more people than `acl` and `level` would have let is not. None: its access is not known.
    """

    item_id: str
    reason: str
    keeps: bool = True
    acl: frozenset[str] | None = None
    level: Level | None = None

    @property
    def known_access(self) -> tuple[frozenset[str], Level] | None:
        return None if self.acl is None or self.level is None else (self.acl, self.level)


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspicion:
    """A place that reads like instructions to an assistant. `where`: title, file name, address, "metadata NAME" or
    text. `says`: what gives it away, in words.
    `excerpt`: redacted, in lower case and without its disguise, if it had one."""

    where: str
    says: tuple[str, ...]
    excerpt: str


class QuarantineState(StrEnum):
    """HELD waits for a person; RELEASED is taken by the next ingest; REJECTED stays out."""

    HELD = "held"
    RELEASED = "released"
    REJECTED = "rejected"


@dataclass(frozen=True, kw_only=True, slots=True)
class Quarantined:
    """A document that is kept out of its knowledge base until somebody has looked at it. `fingerprint` names the
    content: a decision holds for it alone. `decided_by` is empty while it is held."""

    tenant: str
    kb: str
    doc_id: str
    fingerprint: str
    title: str
    suspicions: tuple[Suspicion, ...]
    state: QuarantineState
    found_at: datetime
    decided_by: str = ""
    decided_at: datetime | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditEntry:
    """Somebody asked for what nobody gives out. Who, when, in which conversation; never what was written."""

    tenant: str
    kb: str
    user: str
    session_id: str
    turn: int
    category: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestReport:
    """`waits`: why the snapshot was made and not published; empty when it was, or when nothing changed.
    `held`: documents of this run that are in quarantine. `hidden`: documents that had text which no reader sees, and
    what of it was left out."""

    snapshot: int
    published: bool
    added: int
    changed: int
    removed: int
    unchanged: int
    chunks: int
    redactions: Mapping[str, int]
    failures: tuple[Failure, ...]
    duration_s: float
    held: tuple[Failure, ...] = ()
    hidden: tuple[Failure, ...] = ()
    waits: str = ""
