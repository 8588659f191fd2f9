"""Does the verified draft answer the whole question, and not its opposite?

Part by part, by the words that carry each part; an operation asked for, by the words that stand for it; a figure that
the question takes for granted, by what is quoted. A question that asks several things is judged by each of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import ChunkKind, Claim, Coverage, Critique, Evidence, Note
from firstline.questions.claims.asked_figures import figures_unsaid
from firstline.questions.claims.parts import Part, asked_parts
from firstline.questions.message.opposites import opposed
from firstline.questions.message.terms import all_stems, stem, terms

CHARS_MAX: Final = 4_000
"""What is asked stands at the start; a log follows."""
PART = re.compile(r"\? |; |\. |\n|,? and (?=(?:how|what|why|which|where|when|can|does|is|do|are)\b)", re.IGNORECASE)
PART_TERMS_MIN = 2
COVERED = 0.5
"""A part counts as covered when this share of its words stands in the answer or in the headings above it."""
PARTS_MAX = 6
GENERAL: Final = frozenset(
    stem(word)
    for word in """support work set configure enable mean happen cost possible available way make change run find do
    recommend require fix solve error problem issue different difference version default much many long""".split()
)
"""Words that any page says: a part that has others is covered by those."""
TOLD_AS: Final = {
    ChunkKind.RESOLUTION: frozenset(
        stem(word) for word in "fix solve resolve resolution remedy mitigate workaround repair cure overcome".split()
    ),
    ChunkKind.CAUSE: frozenset(stem(word) for word in "cause reason trigger".split()),
}
"""Words that ask for what a passage is: "... and how is it fixed?" is answered by what stands under "Resolution"."""


def critique(question: str, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Critique:
    if not claims:
        return Critique(coverage=Coverage.CANNOT, missing=(question[:200],))
    judged = _judged(question, claims, evidence)
    # What stands in a title or a heading is read as well: a draft may not repeat it.
    return replace(judged, unsaid=figures_unsaid(question, _said(claims, evidence)))


def _judged(question: str, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Critique:
    said = "\n".join(_said(claims, evidence))
    available = all_stems(said)
    against = opposed(question, said)
    unanswered = _unanswered(asked_parts(question), available | _told_as(claims, evidence))
    if unanswered:
        return Critique(coverage=Coverage.PARTLY, missing=unanswered, opposed=against, some_parts=True)
    parts = [part for part in PART.split(_folded(question)) if len(terms(part)) >= PART_TERMS_MIN][:PARTS_MAX] or [
        question
    ]
    missing = tuple(part.strip() for part in parts if _covered(part, available) < COVERED)
    if not missing:
        return Critique(coverage=Coverage.FULLY, missing=(), opposed=against)
    # Long questions describe a situation before they ask: parts without an echo are normal, so the draft is judged
    # unable only when nothing of the question is found in it.
    whole = _covered(question, available)
    coverage = Coverage.CANNOT if whole == 0 else Coverage.PARTLY
    return Critique(coverage=coverage, missing=missing, opposed=against)


def _said(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[str]:
    """The claims, and the titles and headings above them, each by itself: where a sentence begins tells an order."""
    cited = {citation.chunk_id for claim in claims for citation in claim.citations}
    above = [(piece.chunk.title, *piece.chunk.section_path) for piece in evidence if piece.chunk.chunk_id in cited]
    return [*(claim.text for claim in claims), *(line for lines in above for line in lines)]


def _told_as(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> frozenset[str]:
    """The words for what the cited passages are."""
    cited = {citation.chunk_id for claim in claims for citation in claim.citations}
    kinds = {piece.chunk.kind for piece in evidence if piece.chunk.chunk_id in cited}
    return frozenset(word for kind in kinds for word in TOLD_AS.get(kind, ()))


def unanswered_note(judged: Critique) -> tuple[Note, ...]:
    """What the asker must know of a compound question: our words, and their own for the parts without an answer."""
    if not judged.some_parts:
        return ()
    return (Note(key="answered.part", values={"parts": judged.missing}),)


def figure_note(judged: Critique) -> tuple[Note, ...]:
    """What the asker must know of figures that they took for granted. An answer with it is not the whole answer."""
    return (Note(key="answered.figure", values={"figures": judged.unsaid}),) if judged.unsaid else ()


def _unanswered(parts: Sequence[Part], available: frozenset[str]) -> tuple[str, ...]:
    """The parts of a compound question that the draft leaves open; () when that is none of them, or all."""
    if len(parts) < 2:
        return ()
    missing = tuple(part.text for part in parts if not _answers(part, available))
    return missing if len(missing) < len(parts) else ()


def _answers(part: Part, available: frozenset[str]) -> bool:
    sought = [term for term in part.own if term not in GENERAL] or list(part.own)
    return sum(term in available for term in sought) >= COVERED * len(sought)


def _folded(text: str) -> str:
    """White space as single blanks and line ends: a run of it is nothing to look through again and again."""
    return "\n".join(" ".join(line.split()) for line in text[:CHARS_MAX].splitlines() if line.strip())


def _covered(part: str, available: frozenset[str]) -> float:
    sought = terms(part)
    return sum(term in available for term in sought) / len(sought) if sought else 1.0
