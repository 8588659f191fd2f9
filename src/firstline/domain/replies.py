"""What a person sees of an outcome."""

from __future__ import annotations

from dataclasses import dataclass

from firstline.domain.outcomes import Completeness, Reason
from firstline.domain.search import Citation, ClaimKind, Scores


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyBlock:
    """One claim as shown: Markdown text and the numbers of its citations, counted from 1."""

    text: str
    kind: ClaimKind
    citations: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyCitation:
    """`place` says where in the document it stands, in the words of the reply: "p. 12"; empty where nothing does."""

    number: int
    citation: Citation
    place: str = ""


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
