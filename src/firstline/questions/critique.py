"""Does the verified draft answer the whole question, and not its opposite?

Part by part, by the words that carry each part; an operation asked for, by the words that stand for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstline.domain import Claim, Coverage, Critique, Evidence
from firstline.questions.opposites import opposed
from firstline.questions.terms import all_stems, terms

PART = re.compile(
    r"\?\s+|;\s+|\.\s+|\n+|,?\s+and (?=(?:how|what|why|which|where|when|can|does|is|do|are)\b)", re.IGNORECASE
)
PART_TERMS_MIN = 2
COVERED = 0.5
"""A part counts as covered when this share of its words stands in the answer or in the headings above it."""
PARTS_MAX = 6


def critique(question: str, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Critique:
    if not claims:
        return Critique(coverage=Coverage.CANNOT, missing=(question[:200],))
    cited = {citation.chunk_id for claim in claims for citation in claim.citations}
    context = " ".join(
        " ".join((piece.chunk.title, *piece.chunk.section_path)) for piece in evidence if piece.chunk.chunk_id in cited
    )
    said = " ".join(claim.text for claim in claims) + " " + context
    available = all_stems(said)
    against = opposed(question, said)
    parts = [part for part in PART.split(question) if len(terms(part)) >= PART_TERMS_MIN][:PARTS_MAX] or [question]
    missing = tuple(part.strip() for part in parts if _covered(part, available) < COVERED)
    if not missing:
        return Critique(coverage=Coverage.FULLY, missing=(), opposed=against)
    # Long questions describe a situation before they ask: parts without an echo are normal, so the draft is judged
    # unable only when nothing of the question is found in it.
    whole = _covered(question, available)
    coverage = Coverage.CANNOT if whole == 0 else Coverage.PARTLY
    return Critique(coverage=coverage, missing=missing, opposed=against)


def _covered(part: str, available: frozenset[str]) -> float:
    sought = terms(part)
    return sum(term in available for term in sought) / len(sought) if sought else 1.0
