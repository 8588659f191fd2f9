"""Is every claim supported by the span it cites? The one place that decides what may be shown (invariants 1 and 2).

A claim stands when each of its citations

- names a chunk that is evidence of THIS turn (so: this snapshot, visible to this principal),
- lies inside that chunk (or its lead), in the same blob,
- and its text carries every number, version, identifier and negation of the claim, and nearly all of its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from firstline.domain import Citation, Claim, Draft, Evidence, Verification

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
EXACT = re.compile(r"[\w$@/.:+-]*\d[\w$@/.:+-]*|\b[\w-]+(?:[._/]\w[\w-]*)+")
NEGATION = re.compile(
    r"\b(?:not|no|never|none|cannot|can't|won't|isn't|aren't|doesn't|don't|didn't|without|unless|except|neither|nor)\b",
    re.IGNORECASE,
)
WORDS_SUPPORTED_MIN = 0.9
"""An extractive claim repeats its span; the rest leaves room for Markdown that rendering normalises."""


def verify(draft: Draft, evidence: Sequence[Evidence]) -> Verification:
    """Split a draft into supported claims and dropped ones with the reason, both in the draft's order."""
    by_id = {piece.chunk.chunk_id: piece for piece in evidence}
    kept: list[Claim] = []
    dropped: list[tuple[Claim, str]] = []
    for claim in draft.claims:
        problem = _problem(claim, by_id)
        if problem:
            dropped.append((claim, problem))
        else:
            kept.append(claim)
    return Verification(kept=tuple(kept), dropped=tuple(dropped))


def _problem(claim: Claim, evidence: Mapping[str, Evidence]) -> str:
    if not claim.citations:
        return "it cites nothing"
    quoted: list[str] = []
    for citation in claim.citations:
        text = cited_text(citation, evidence)
        if text is None:
            return "its citation is not evidence of this turn"
        quoted.append(text)
    return _unsupported(claim.text, " ".join(quoted))


def cited_text(citation: Citation, evidence: Mapping[str, Evidence]) -> str | None:
    """The words of a citation's span, or None when it points outside the evidence."""
    piece = evidence.get(citation.chunk_id)
    if piece is None or citation.blob != piece.chunk.blob or citation.doc_id != piece.chunk.doc_id:
        return None
    chunk = piece.chunk
    if citation.start >= citation.end:
        return None
    if chunk.start <= citation.start and citation.end <= chunk.end:
        return _slice(piece.text, citation.start - chunk.start, citation.end - chunk.start)
    if chunk.lead and chunk.lead[0] <= citation.start and citation.end <= chunk.lead[1]:
        return _slice(piece.lead_text, citation.start - chunk.lead[0], citation.end - chunk.lead[0])
    return None


def _slice(text: str, start: int, end: int) -> str:
    return text.encode("utf-8")[start:end].decode("utf-8", errors="replace")


def _unsupported(claim: str, quoted: str) -> str:
    """Why the quoted words do not carry the claim; empty when they do."""
    said, source = claim.casefold(), quoted.casefold()
    for exact in EXACT.findall(said):
        if exact.strip(".:-+/") not in source:
            return f"{exact!r} does not stand in the cited span"
    if len(NEGATION.findall(said)) != len(NEGATION.findall(source)):
        return "claim and span differ in a negation"
    words = WORD.findall(said)
    if not words:
        return "" if said.strip() and said.strip() in source else "it says nothing"
    available = set(WORD.findall(source))
    supported = sum(word in available for word in words) / len(words)
    if supported < WORDS_SUPPORTED_MIN:
        return f"only {supported:.0%} of its words stand in the cited span"
    return ""
