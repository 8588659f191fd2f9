"""A question on its way: triage, plan, evidence, draft, verification, critique."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from firstline.domain.knowledge import Chunk


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
    answer), the titles it cited and the options it offered; `asked_back`: it asked for more. Only `question` is the
    asker's own words."""

    question: str
    reply: str = ""
    cited: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    asked_back: bool = False


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
    `communities`: usual causes are asked for, and the communities of this build were looked at; 0: none were.
    """

    queries: tuple[PlannedQuery, ...]
    standalone: str
    carried: tuple[str, ...]
    filters: Mapping[str, str]
    route: Route
    corrections: tuple[tuple[str, str], ...] = ()
    picked: str = ""
    communities: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """Scores by stage. `dense` and `document` are cosines; `words` is BM25; `fused` orders the candidates."""

    dense: float
    words: float
    document: float
    fused: float
    rerank: float | None = None


NOT_SCORED: Final = Scores(dense=0.0, words=0.0, document=0.0, fused=0.0)
"""Of what no search found: it is there for what it completes, or because the graph led to it."""


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
    """The span that supports a claim: bytes of `blob`, inside the chunk `chunk_id`. `page` is that of a paper document
    where the span begins, from 1; None where there are no pages."""

    chunk_id: str
    doc_id: str
    blob: str
    start: int
    end: int
    title: str
    url: str | None
    page: int | None = None


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
    """`left_out`: something of the passages was not quoted, because it might be an order to whoever answers."""

    claims: tuple[Claim, ...]
    left_out: bool = False


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
    `unsaid`: figures that the question takes for granted and the draft does not say, in the asker's words.
    """

    coverage: Coverage
    missing: tuple[str, ...]
    opposed: bool = False
    some_parts: bool = False
    unsaid: tuple[str, ...] = ()
