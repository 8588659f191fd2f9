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

from firstline.errors import Conflict, InvalidInput

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
    """Normalised Markdown with what the source said about itself (front matter, document properties)."""

    title: str
    text: str
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)


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
    """

    tenant: str
    kb: str
    number: int
    documents: int
    chunks: int
    published_at: datetime | None
    embedder_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A source item that could not become a document, and why. The rest of the run went on without it."""

    item_id: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestReport:
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
    category: Category
    confidence: float
    intent: Intent
    entities: tuple[str, ...]
    language: str
    mood: Mood
    reason: str


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
    read as); queries and `standalone` hold them as read.
    """

    queries: tuple[PlannedQuery, ...]
    standalone: str
    carried: tuple[str, ...]
    filters: Mapping[str, str]
    route: Route
    corrections: tuple[tuple[str, str], ...] = ()


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
    """`opposed`: the draft is about the opposite of the operation asked for, and must not be shown."""

    coverage: Coverage
    missing: tuple[str, ...]
    opposed: bool = False


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

HANDOFF_MOVES: Final[Mapping[HandoffState, frozenset[HandoffState]]] = MappingProxyType(
    {
        HandoffState.OPEN: frozenset({HandoffState.ACKNOWLEDGED}),
        HandoffState.ACKNOWLEDGED: frozenset({HandoffState.IN_PROGRESS}),
        HandoffState.IN_PROGRESS: frozenset({HandoffState.RESOLVED, HandoffState.RETURNED}),
        HandoffState.RESOLVED: frozenset(),
        HandoffState.RETURNED: frozenset(),
    }
)
"""Where a hand-over may go from each state. Staying is no move: who acknowledges second must hear of the first."""


def handoff_move_from(state: HandoffState) -> frozenset[HandoffState]:
    """The states from which a hand-over may become `state`."""
    return frozenset(before for before, after in HANDOFF_MOVES.items() if state in after)


def handoff_move_refused(current: HandoffState, wanted: HandoffState) -> Conflict:
    """The error for a move that HANDOFF_MOVES does not allow. Its remedy names the moves that it does."""
    after = [state.value for state in HandoffState if state in HANDOFF_MOVES[current]]
    return Conflict(
        f"A hand-over that is {current.value} cannot become {wanted.value}.",
        remedy=f"Its next state can be {' or '.join(after)}." if after else "It is finished and stays as it is.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """Evidence that was looked at, and why it was not enough."""

    chunk_id: str
    title: str
    url: str | None
    score: float
    why_not: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoff:
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """An answer whose every claim carries a citation: it cannot be built otherwise (invariant 1).

    `notes` are what must be known before reading it ("This page is about version 4.1; you asked about 4.2."), in our
    own words and numbers: never a document's text.
    """

    completeness: Completeness
    claims: tuple[Claim, ...]
    confidence: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.claims:
            raise ValueError("an Answered needs at least one claim")
        for claim in self.claims:
            if not claim.citations:
                raise ValueError(f"a claim without a citation cannot be answered: {claim.text[:80]!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Clarify:
    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Escalated:
    handoff: Handoff


@dataclass(frozen=True, kw_only=True, slots=True)
class HighStakes:
    """Never a how-to answer: an acknowledgement, the configured offer if any, and a hand-over."""

    acknowledgement: str
    offer: str | None
    handoff: Handoff


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
    `scope_hash` names what the asker could see.
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
    none, soft (a link) or connect (a button).
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


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedDocument:
    """A document with its candidate chunks, best first. `score` orders documents; `hits` are (chunk id, scores)."""

    doc_id: str
    score: float
    hits: tuple[tuple[str, Scores], ...]


# --- shared by sources, steps and surfaces --------------------------------------------------------------------------

PIPELINE_VERSION: Final = "2"
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
