"""The nouns of firstline: frozen, keyword-only, plain Python.

Units and conventions used throughout:

- A span is `start <= offset < end` in BYTES of the UTF-8 blob it belongs to, so that a blob store can read a range.
- A snapshot is an integer per knowledge base. A chunk or document belongs to snapshot S when since <= S < until.
- Times are timezone-aware UTC.
"""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

from firstline.errors import InvalidInput

FOREVER: Final = 2**31 - 1
"""`until` of what is still current."""

EVERYONE: Final = "everyone"
"""The ACL tag that every key holds unless it is created without it."""

ORIGIN: Final = "firstline.origin"
"""Metadata key of a document: a fingerprint of the place that it was taken from, so that two folders of one name are
told apart. The dot keeps it apart from the columns and fields of a source."""

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


# --- who asks -------------------------------------------------------------------------------------------------------


class Level(IntEnum):
    """How confidential a document is, and how much a principal may see."""

    PUBLIC = 0
    CUSTOMER = 1
    INTERNAL = 2
    RESTRICTED = 3

    @classmethod
    def parse(cls, name: str) -> Level:
        return cls[name.strip().upper()]

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, kw_only=True, slots=True)
class Principal:
    """Who asks. Sees a document when it holds one of the document's ACL tags AND its level reaches the document's."""

    tenant: str
    user: str
    acl_tags: frozenset[str]
    level: Level

    @property
    def scope_hash(self) -> str:
        """Names what this principal may see: equal hashes see equal documents."""
        tags = "\x1f".join(sorted(self.acl_tags))
        return hashlib.sha256(f"{self.tenant}\x1e{tags}\x1e{int(self.level)}".encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiKey:
    """A stored key: the secret itself is known to its holder alone, `secret_sha256` checks it."""

    key_id: str
    secret_sha256: str
    name: str
    principal: Principal
    kb: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


# --- knowledge ------------------------------------------------------------------------------------------------------


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
    text that no reader of the source would see; it is not in `text`."""

    title: str
    text: str
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    hidden: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Redaction:
    """What was taken out where, without the value. The span is in characters of the text given to the redactor."""

    type: str
    start: int
    end: int
    placeholder: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Redacted:
    text: str
    redactions: tuple[Redaction, ...]


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
    """

    tenant: str
    kb: str
    number: int
    documents: int
    chunks: int
    published_at: datetime | None
    embedder_id: str | None = None
    gates_version: int = 0


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
    """A source item that could not become a document, and why. The rest of the run went on without it."""

    item_id: str
    reason: str


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
    """`held`: documents of this run that are in quarantine. `hidden`: documents that had text which no reader sees, and
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


# --- a question -----------------------------------------------------------------------------------------------------


class Category(StrEnum):
    ANSWERABLE = "answerable"
    NONSENSE = "nonsense"
    IRRELEVANT = "irrelevant"
    OUT_OF_SCOPE = "out_of_scope"
    HIGH_STAKES = "high_stakes"


class Intent(StrEnum):
    HOW_TO = "how_to"
    CAUSE = "cause"
    YES_NO = "yes_no"
    WHICH = "which"
    REFERENCE = "reference"
    PERSON = "person"
    CANCELLATION = "cancellation"
    DELETION = "deletion"
    BILLING_DISPUTE = "billing_dispute"
    LEGAL = "legal"
    COMPLAINT = "complaint"
    ACCOUNT = "account"
    PRIVATE_DATA = "private_data"
    SMALL_TALK = "small_talk"
    OTHER = "other"


class Mood(StrEnum):
    NEUTRAL = "neutral"
    UPSET = "upset"


@dataclass(frozen=True, kw_only=True, slots=True)
class Triage:
    """`settled`: the words alone decide; False: only the meaning says so, and the knowledge base has the last word."""

    category: Category
    confidence: float
    intent: Intent
    entities: tuple[str, ...]
    language: str
    mood: Mood
    reason: str
    settled: bool = True


class Route(StrEnum):
    CLASSIC = "classic"
    GRAPH = "graph"
    AGENTIC = "agentic"


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """An earlier turn as a rewriter reads it: what was asked, what the bot replied (Markdown, "" when it had no
    answer), the titles it cited and the options it offered. Only `question` is the asker's own words."""

    question: str
    reply: str = ""
    cited: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedQuery:
    """A stand-alone query. Weights of one plan sum to 1."""

    text: str
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPlan:
    """The conversation rewritten as stand-alone queries.

    `standalone` is the single best wording (what a person would have asked), used by compose and shown in explain.
    `carried` names what was taken over from earlier turns. `filters` are what the asker narrowed the question to, by
    name: product, version, component, language, time. `corrections` are the misspelt words of the message, as (written,
    read as); queries and `standalone` hold them as read. `picked` is the title of an offered page that the asker chose.
    """

    queries: tuple[PlannedQuery, ...]
    standalone: str
    carried: tuple[str, ...]
    filters: Mapping[str, str]
    route: Route
    corrections: tuple[tuple[str, str], ...] = ()
    picked: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """Scores by stage. `dense` and `document` are cosines; `words` is BM25; `fused` orders the candidates."""

    dense: float
    words: float
    document: float
    fused: float
    rerank: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A ranked chunk with its text, read from the blob, and how it was found."""

    chunk: Chunk
    text: str
    lead_text: str
    scores: Scores
    path: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """The span that supports a claim: bytes of `blob`, inside the chunk `chunk_id`."""

    chunk_id: str
    doc_id: str
    blob: str
    start: int
    end: int
    title: str
    url: str | None


class ClaimKind(StrEnum):
    SENTENCE = "sentence"
    STEP = "step"
    ROW = "row"
    CODE = "code"
    HEADING = "heading"


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One sentence, step, table row or code block of a draft, as Markdown. Uncited claims are never shown."""

    text: str
    kind: ClaimKind
    citations: tuple[Citation, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    claims: tuple[Claim, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """`kept` is supported by cited spans; `dropped` says what was not and why."""

    kept: tuple[Claim, ...]
    dropped: tuple[tuple[Claim, str], ...]

    @property
    def share(self) -> float:
        total = len(self.kept) + len(self.dropped)
        return len(self.kept) / total if total else 0.0


class Coverage(StrEnum):
    """What critique says of a verified draft."""

    FULLY = "fully"
    PARTLY = "partly"
    CANNOT = "cannot"


@dataclass(frozen=True, kw_only=True, slots=True)
class Critique:
    """`opposed`: the draft is about the opposite of the operation asked for, and must not be shown.

    `some_parts`: several things were asked, and `missing` are those without an answer, in the asker's words.
    """

    coverage: Coverage
    missing: tuple[str, ...]
    opposed: bool = False
    some_parts: bool = False


# --- outcomes -------------------------------------------------------------------------------------------------------


class Completeness(StrEnum):
    FULL = "full"
    PARTIAL = "partial"
    UNSURE = "unsure"


class Reason(StrEnum):
    LOW_CONFIDENCE = "low_confidence"
    NO_VERIFIED_CONTEXT = "no_verified_context"
    PRIVATE_DATA = "private_data"
    UNSUPPORTED_CATEGORY = "unsupported_category"
    HIGH_STAKES = "high_stakes"
    USER_ASKED = "user_asked"
    PROVIDER_FAILURE = "provider_failure"
    BUDGET_EXCEEDED = "budget_exceeded"
    POLICY = "policy"


class HandoffState(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    IN_PROGRESS = "in_progress"
    RESOLVED = "resolved"
    RETURNED = "returned"


PERSON_OWNS: Final = frozenset({HandoffState.ACKNOWLEDGED, HandoffState.IN_PROGRESS})
"""While a hand-over is in one of these states a person owns the session and the bot is silent."""


class HandoffAct(StrEnum):
    """What a person does with a hand-over. A reply is for the customer, a note for colleagues."""

    TAKE = "take"
    REPLY = "reply"
    NOTE = "note"
    RESOLVE = "resolve"
    RETURN = "return"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """Evidence that was looked at, and why it was not enough, in words. `score` is its fused score; 0 for a page that
    was shown as the answer to an earlier message."""

    chunk_id: str
    title: str
    url: str | None
    score: float
    why_not: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Availability:
    """Whether somebody of the team was there when a conversation was handed over, as the customer was told.

    `back_at` carries the team's own offset from UTC; None: not known. `zone` is the IANA name of their time zone.
    `reply_time` is the operator's own words ("within one working day"), or empty.
    """

    available: bool
    back_at: datetime | None
    zone: str
    reply_time: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoff:
    """What a person needs to take over without the transcript. A conversation has one that is not closed.

    `question` is the newest one; `summary` is made of the customer's own words; `missing` names what an answer would
    need. `measured` is the gate that failed, with its numbers. `owner` is who took it. `returns` counts how often the
    conversation came back after a hand-over was closed, lately; `reopens` is the one that was closed last, when this
    one went straight to the same owner. `transcript` is the API's path. `availability` is None where the operator has
    set no hours.
    """

    handoff_id: str
    session_id: str
    turn: int
    reason: Reason
    question: str
    summary: str
    intent: Intent
    entities: tuple[str, ...]
    tried: tuple[Tried, ...]
    language: str
    mood: Mood
    next_step: str
    state: HandoffState
    created_at: datetime
    missing: tuple[str, ...] = ()
    measured: str = ""
    owner: str | None = None
    resolution: str = ""
    returns: int = 0
    reopens: str | None = None
    transcript: str = ""
    availability: Availability | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffEntry:
    """One act of a person on a hand-over. `number` counts from 1 within it; `text` is redacted. `owner_before` differs
    from `by` where somebody took it over from a colleague."""

    handoff_id: str
    session_id: str
    number: int
    act: HandoffAct
    by: str
    text: str
    at: datetime
    before: HandoffState
    after: HandoffState
    owner_before: str | None


class HandoffEvent(StrEnum):
    """What is told of a hand-over outside."""

    OPENED = "opened"
    UPDATED = "updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffMessage:
    """A hand-over as it goes out: what happened to it, whose it is, and how it was then. `test`: nobody asked anything,
    somebody tries a channel."""

    event: HandoffEvent
    tenant: str
    kb: str
    handoff: Handoff
    occurred_at: datetime
    test: bool = False


class DeliveryState(StrEnum):
    """PENDING is waiting or being sent; DEAD is given up, until somebody has it tried again."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """A message on its way through one channel. `delivery_id` is its idempotency key, on every attempt.

    `attempts` counts sends since it was written or retried by hand. `lease` counts the claims: who holds an older one
    has lost it. `due_at`: when it may be claimed (again). `problem` says why the last attempt failed, without secrets
    or addresses.
    """

    delivery_id: str
    channel: str
    message: HandoffMessage
    state: DeliveryState
    attempts: int
    lease: int
    due_at: datetime
    created_at: datetime
    finished_at: datetime | None = None
    problem: str = ""


class DraftState(StrEnum):
    DRAFT = "draft"
    PUBLISHED = "published"
    DISCARDED = "discarded"


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftTicket:
    """A resolved hand-over as a ticket for the knowledge base, to be reviewed before it is published.

    `draft_id` is the hand-over's id. `symptom` is the customer's words, `resolution` the person's; both are redacted.
    `doc_id` and `snapshot` say where it was published, and are empty before.
    """

    draft_id: str
    tenant: str
    kb: str
    title: str
    symptom: str
    resolution: str
    state: DraftState
    created_at: datetime
    doc_id: str = ""
    snapshot: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """Something to say in the customer's language: the `key` of a text and what is put into it, by placeholder."""

    key: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of_text(cls, text: str) -> Note:
        """A finished sentence, as records held them before texts had keys."""
        return cls(key="answered.as_written", values={"text": (text,)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """An answer whose every claim carries a citation: it cannot be built otherwise (invariant 1).

    `notes` are what must be known before reading it ("This page is about version 4.1; you asked about 4.2."): keys of
    texts, with our own words and numbers, and the asker's: never a document's text.
    """

    completeness: Completeness
    claims: tuple[Claim, ...]
    confidence: float
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if not self.claims:
            raise ValueError("an Answered needs at least one claim")
        for claim in self.claims:
            if not claim.citations:
                raise ValueError(f"a claim without a citation cannot be answered: {claim.text[:80]!r}")


class Asks(StrEnum):
    """What a clarifying question asks for.

    WHICH: one of `names`, in which the pages found differ. PICK: one of the pages found. UNKNOWN: whether `names`,
    which nothing here mentions, are written as they were read. LANGUAGE: the question once more, in the language of
    what was found, whose code is in `names`. DETAIL: whatever tells more. AGAIN: the same once more, because the answer
    that stood here may not be shown any longer.
    """

    WHICH = "which"
    PICK = "pick"
    UNKNOWN = "unknown"
    LANGUAGE = "language"
    DETAIL = "detail"
    AGAIN = "again"


@dataclass(frozen=True, kw_only=True, slots=True)
class Clarify:
    """One question back, made of what it `asks` and `names`; `options` are titles that can be picked. `question` is the
    finished English text in records from before texts had keys, and empty since."""

    question: str = ""
    options: tuple[str, ...] = ()
    asks: Asks = Asks.DETAIL
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Escalated:
    """`again`: the conversation was with the team already, and this message was added to that hand-over."""

    handoff: Handoff
    again: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class HighStakes:
    """Never a how-to answer: an acknowledgement, the configured offer, if any, a hand-over. `again` as in Escalated.
    `acknowledgement` is the operator's own, or that of an older record; empty: the catalogue words it by the
    hand-over's intent."""

    acknowledgement: str = ""
    offer: str | None = None
    handoff: Handoff
    again: bool = False


class Talk(StrEnum):
    """Kinds of small talk: ABOUT_ME asks what the assistant is, NOD is an "ok", SOLVED says that it works now."""

    THANKS = "thanks"
    GREETING = "greeting"
    FAREWELL = "farewell"
    NOD = "nod"
    SOLVED = "solved"
    ABOUT_ME = "about_me"


@dataclass(frozen=True, kw_only=True, slots=True)
class Deflected:
    """Not a question to look up. `talk`: which kind of small talk it was, if it was."""

    category: Category
    topics: tuple[str, ...]
    talk: Talk | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Silent:
    """A person owns the session: the message is passed on to them and the bot says nothing of its own."""

    handoff: Handoff


Outcome = Answered | Clarify | Escalated | HighStakes | Deflected | Silent


# --- sessions and turns ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    session_id: str
    tenant: str
    kb: str
    user: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class GateReading:
    """A gate's decision, with what it saw. `passed` means value >= threshold."""

    name: str
    value: float
    threshold: float
    features: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def passed(self) -> bool:
        return self.value >= self.threshold


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One user message with its outcome, and everything needed to replay it (invariant 10).

    `question` is redacted. `evidence` holds (chunk id, scores) in rank order. `timings_ms` is per step. `degraded`
    says by stage what was late or broken and what was done instead.
    `scope_hash` names what the asker could see. `gates_version`: the calibrated gates that decided; 0: as shipped.
    `language` is the conversation's, as far as its messages told: the one to reply in; "" when nothing told.
    """

    session_id: str
    number: int
    question: str
    asked_at: datetime
    scope_hash: str
    snapshot: int
    settings_hash: str
    model_ids: tuple[str, ...]
    triage: Triage | None
    plan: SearchPlan | None
    evidence: tuple[tuple[str, Scores], ...]
    gates: tuple[GateReading, ...]
    outcome: Outcome
    timings_ms: Mapping[str, float]
    degraded: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    gates_version: int = 0
    language: str = ""


def audited_category(turn: Turn) -> str | None:
    """Under which name a turn is audited; None when it is not. Here, so that every ledger says the same."""
    if not isinstance(turn.outcome, Escalated) or turn.triage is None:
        return None
    return Intent.PRIVATE_DATA.value if turn.triage.intent is Intent.PRIVATE_DATA else None


# --- feedback and review --------------------------------------------------------------------------------------------


class Rating(StrEnum):
    UP = "up"
    DOWN = "down"


class FeedbackReason(StrEnum):
    """What was not good about a turn, as the person who asked says it."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    UNCLEAR = "unclear"
    NOT_MY_QUESTION = "not_my_question"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """What somebody thought of a turn. `correction` is in their words, redacted; `by` is the user who said it."""

    session_id: str
    turn: int
    rating: Rating
    reason: FeedbackReason | None
    correction: str
    by: str
    at: datetime


class ReviewReason(StrEnum):
    """Why a turn waits for a review: it was disliked; a person answered although pages were found; the answer was
    unsure; a gate decided narrowly; or it was drawn by lot."""

    DISLIKED = "disliked"
    PERSON_ANSWERED = "person_answered"
    UNSURE = "unsure"
    NEAR_GATE = "near_gate"
    SAMPLED = "sampled"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewItem:
    """A turn that waits for a review. A higher `rank` teaches more and comes first."""

    tenant: str
    kb: str
    session_id: str
    turn: int
    rank: float
    reasons: tuple[ReviewReason, ...]
    asked_at: datetime


class Verdict(StrEnum):
    """What a reviewer says of a turn. UNANSWERABLE: there is no answer here, so none must be shown."""

    GOOD = "good"
    WRONG = "wrong"
    PARTLY = "partly"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """A turn as a reviewer judged it. `docs` are the documents that hold the answer, as they were in `snapshot`.

    `reference` is an answer written by a person and `must_contain` are texts that an answer must hold; both redacted,
    and empty when nobody gave them.
    """

    tenant: str
    kb: str
    session_id: str
    turn: int
    verdict: Verdict
    docs: tuple[str, ...]
    reference: str
    must_contain: tuple[str, ...]
    by: str
    at: datetime
    snapshot: int


# --- what a person sees ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyBlock:
    """One claim as shown: Markdown text and the numbers of its citations, counted from 1."""

    text: str
    kind: ClaimKind
    citations: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyCitation:
    number: int
    citation: Citation


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An outcome rendered for people. Made by one function for every surface, so surfaces cannot disagree.

    `notice` stands ABOVE the blocks (a disclaimer, an acknowledgement, the plain words of a hand-over, the clarifying
    question). `links` are the source links the outcome allows, as (title, url). `person` says how a person is offered:
    none, soft (a link) or connect (a button). `language` is the one of our own words; blocks are quoted in theirs.
    """

    outcome: str
    completeness: Completeness | None
    notice: str
    blocks: tuple[ReplyBlock, ...]
    citations: tuple[ReplyCitation, ...]
    links: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    reason: Reason | None
    handoff_id: str | None
    person: str
    confidence: float | None
    language: str = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedDocument:
    """A document with its candidate chunks, best first. `score` orders documents; `hits` are (chunk id, scores)."""

    doc_id: str
    score: float
    hits: tuple[tuple[str, Scores], ...]


# --- shared by sources, steps and surfaces --------------------------------------------------------------------------

PIPELINE_VERSION: Final = "4"
"""Version of parse, redact and chunk. Part of every content hash: raising it makes the next ingest redo everything."""

FRONT_MATTER_CHARS_MAX: Final = 65_536
_APOSTROPHE: Final = re.compile("['\u2018\u2019`\u00b4]")
_LOOSE_MARK: Final = re.compile(r"(?<![^\W_])[^\w\s#+]|[^\w\s#+](?![^\W_])")


_ENTITY: Final = re.compile(
    r"(?P<code>(?P<mark>`{1,3})(?:(?!(?P=mark)).){1,2000}(?P=mark))"
    r"|&(?:quot|apos|amp|lt|gt|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    re.DOTALL,
)
"""Entities that are signs of everyday text. Each is longer than what it stands for: decoding never lengthens."""


def question_key(text: str) -> str:
    """Equal for questions that differ only in case, width, punctuation and spacing.

    Marks inside a word stay (`4.1`, `node.js`, `c#`), because they tell questions apart.
    """
    folded = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_LOOSE_MARK.sub(" ", folded).split())


def readable_message(text: str, *, chars_max: int) -> str:
    """A message as it is understood: without control characters, half surrogates and blanks around it, and with the
    signs that a form or a page wrote as HTML entities. What stands in backticks is meant to the letter.

    InvalidInput when nothing is left, or more than `chars_max` characters are.
    """
    cleaned = _ENTITY.sub(lambda found: found[0] if found["code"] else html.unescape(found[0]), text)
    cleaned = "".join(" " if ord(c) < 32 and c not in "\n\t" else c for c in cleaned).strip()
    cleaned = cleaned.encode("utf-8", errors="replace").decode("utf-8")
    if not cleaned:
        raise InvalidInput("The message is empty.", remedy="Type a question.")
    if len(cleaned) > chars_max:
        raise InvalidInput(
            f"The message has {len(cleaned):,} characters; at most {chars_max:,} are read.",
            remedy="Send the error message and the lines around it, not the whole log.",
        )
    return cleaned


def split_front_matter(text: str) -> tuple[str, str]:
    """(YAML between the `---` lines at the very start, rest); ("", text) when there is none."""
    if not text.startswith(("---\n", "---\r\n")):
        return "", text
    close = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE).search(text, 4, FRONT_MATTER_CHARS_MAX)
    if close is None:
        return "", text
    head = text[4 : close.start()]
    # A page may open with a thematic break: front matter is told by its first `key:`.
    if head.strip() and re.search(r"^[A-Za-z_][\w .-]{0,60}:", head, re.MULTILINE) is None:
        return "", text
    return head, text[close.end() :]
