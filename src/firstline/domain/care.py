"""The care of content: curated answers with their owners, what is asked without an answer, pages to look after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from firstline.domain.knowledge import Document
from firstline.domain.outcomes import Answered, Asks, Clarify, Completeness, Escalated, Reason
from firstline.domain.principals import Level, Principal
from firstline.domain.search import Scores
from firstline.domain.sessions import Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class FaqCitation:
    """A page that a curated answer rests on, and its content (`blob`) when somebody last vouched for that. `doc_id` is
    empty when the page was forgotten."""

    doc_id: str
    blob: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FaqEntry:
    """What is known of a curated answer besides its document. From `expires_at` on it is used in no snapshot; None:
    never. `owner` is who looks after it, "" nobody."""

    tenant: str
    kb: str
    doc_id: str
    owner: str
    expires_at: datetime | None
    cites: tuple[FaqCitation, ...]
    changed_by: str
    changed_at: datetime

    def expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now


class FaqState(StrEnum):
    """LIVE answers questions, EXPIRED does not any more. ABSENT: no published snapshot holds it (yet, or any more)."""

    LIVE = "live"
    EXPIRED = "expired"
    ABSENT = "absent"


class FaqTrouble(StrEnum):
    """Why its owner should look at a curated answer. CITED_GONE, CITED_CHANGED: a page that it rests on is gone, or has
    another text. WIDER: fewer may see such a page than may see the answer. NO_OWNER: nobody looks after it."""

    CITED_GONE = "cited_gone"
    CITED_CHANGED = "cited_changed"
    WIDER = "wider"
    NO_OWNER = "no_owner"


@dataclass(frozen=True, kw_only=True, slots=True)
class FaqProblem:
    """`doc_id` is the page that it is about; "" where there is none, or none that the reader may know of."""

    trouble: FaqTrouble
    doc_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FaqShown:
    """A curated answer as its owner sees it. `cites` are ids of those pages that the reader may see."""

    doc_id: str
    question: str
    state: FaqState
    owner: str
    expires_at: datetime | None
    cites: tuple[str, ...]
    problems: tuple[FaqProblem, ...]
    level: Level | None
    acl: tuple[str, ...]
    changed_by: str = ""
    changed_at: datetime | None = None
    answer: str = ""


class AskedAs(StrEnum):
    """What became of a question, as far as content is concerned. ANSWERED is for sure, in full or in part."""

    ANSWERED = "answered"
    UNSURE = "unsure"
    ASKED_BACK = "asked_back"
    ESCALATED = "escalated"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedTurn:
    """A turn as the care of content reads it: `question` is the stand-alone wording, redacted. `nearest` are the chunks
    that came first, best first. `answer` is equal for equal answers with equal citations, and empty without one.
    `curated`: it was answered by a curated answer."""

    session_id: str
    number: int
    asked_at: datetime
    question: str
    became: AskedAs
    nearest: tuple[str, ...]
    answer: str = ""
    curated: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class NearPage:
    """A document that came nearest in `turns` turns of a gap."""

    doc_id: str
    title: str
    turns: int


class Trend(StrEnum):
    """NEW: asked in the later half of the time alone. RISING, FALLING: half as much again, or a third less, in the
    later half than in the earlier one."""

    NEW = "new"
    RISING = "rising"
    STEADY = "steady"
    FALLING = "falling"


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """Questions of one kind that got no sure answer. `gap_id` names it by its most frequent question, so that it stays
    the same as long as that does. `weeks` counts turns by ISO week ("2026-W07"), in order, weeks without any left out.
    `became` counts by what they came to."""

    gap_id: str
    question: str
    turns: int
    sessions: int
    became: Mapping[AskedAs, int]
    examples: tuple[str, ...]
    nearest: tuple[NearPage, ...]
    weeks: Mapping[str, int]
    trend: Trend
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class GapReport:
    """`gaps`: most turns first. `turns` were read since `since`, of which `unanswered` had no sure answer. `left_out`:
    unanswered turns that were too many to be compared, the rarest wordings first. `cut`: older turns were not read."""

    kb: str
    since: datetime
    turns: int
    unanswered: int
    left_out: int
    cut: bool
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FaqSuggestion:
    """A draft of a curated answer, that a person must accept. `answer` is the one shown most often (`shown` times), as
    Markdown; `cites` are the pages it quotes; `level` and `acl` let nobody see it who may not see all of these."""

    suggestion_id: str
    question: str
    answer: str
    cites: tuple[str, ...]
    titles: tuple[str, ...]
    level: Level
    acl: frozenset[str]
    turns: int
    sessions: int
    shown: int
    examples: tuple[str, ...]


class StaleReason(StrEnum):
    """OLD: its date is long past. OLDER_VERSION: a page of a newer version stands beside it. REPLACED: it, or a page
    that replaces it, says so. CONTRADICTED: readers or reviewers called answers from it wrong or outdated. DEAD_LINK:
    it links to a page of this knowledge base that is not there."""

    OLD = "old"
    OLDER_VERSION = "older_version"
    REPLACED = "replaced"
    CONTRADICTED = "contradicted"
    DEAD_LINK = "dead_link"


@dataclass(frozen=True, kw_only=True, slots=True)
class StaleFinding:
    """`detail`: the date, the newer page's id, how many times, or where the link leads."""

    reason: StaleReason
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StalePage:
    doc_id: str
    title: str
    findings: tuple[StaleFinding, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StaleReport:
    """`cut`: there are more documents, or more text, than were read."""

    kb: str
    documents: int
    cut: bool
    pages: tuple[StalePage, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DuplicateGroup:
    """Documents that say the same. `identical`: to the letter; else `alike` is the least share of common runs of words
    by which one of them is joined to the others."""

    doc_ids: tuple[str, ...]
    titles: tuple[str, ...]
    identical: bool
    alike: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DuplicateReport:
    kb: str
    documents: int
    cut: bool
    groups: tuple[DuplicateGroup, ...]


UNANSWERED: Final = frozenset({AskedAs.UNSURE, AskedAs.ASKED_BACK, AskedAs.ESCALATED})
NEAREST_KEPT: Final = 3
EXACT: Final = Scores(dense=1.0, words=0.0, document=1.0, fused=1.0)
"""What a chunk of a curated answer has: nothing was searched."""
_LACKS_CONTENT: Final = frozenset({Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT})
_NOT_FOR_CONTENT: Final = frozenset({Asks.LANGUAGE, Asks.AGAIN})


def may_see(reader: Principal | None, document: Document) -> bool:
    """None is the operator, who sees all. A missing ACL means nobody else."""
    if reader is None:
        return True
    tags = not reader.acl_tags.isdisjoint(document.acl)
    return reader.tenant == document.tenant and tags and document.level <= reader.level


def became(*, outcome: str, completeness: str = "", reason: str = "", asks: str = "") -> AskedAs:
    """From the names that records hold: the outcome's class, and the values of its fields. Who is handed over because
    they asked for a person, or because an engine failed, lacks no content."""
    if outcome == Answered.__name__:
        return AskedAs.UNSURE if completeness == Completeness.UNSURE else AskedAs.ANSWERED
    if outcome == Clarify.__name__:
        return AskedAs.OTHER if asks in _NOT_FOR_CONTENT else AskedAs.ASKED_BACK
    if outcome == Escalated.__name__ and reason in _LACKS_CONTENT:
        return AskedAs.ESCALATED
    return AskedAs.OTHER


def by_curated(turn: Turn) -> bool:
    """Was this turn answered by a curated answer?"""
    found = turn.evidence
    return isinstance(turn.outcome, Answered) and bool(found) and all(scores == EXACT for _, scores in found)
