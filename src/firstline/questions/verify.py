"""Is every claim supported by the span it cites? The one place that decides what may be shown (invariants 1 and 2).

A claim stands when each of its citations

- names a chunk that is evidence of THIS turn (so: this snapshot, visible to this principal); ids and markers that
  stand in a question, a document or the claim's own text name nothing,
- lies inside that chunk (or its lead), in the same blob,
- and its text says what the claim says: see `agreement` for prose, `rows` for table rows; code stands there as written.

What is not supported is removed when the rest can be read without it (see `standing`); else the draft falls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from firstline.domain import Citation, Claim, ClaimKind, Draft, Evidence, Verification
from firstline.questions.claims.agreement import disagreement
from firstline.questions.claims.held import Held, whole_sentences
from firstline.questions.claims.rows import row_disagreement
from firstline.questions.claims.standing import cannot_stand

AROUND_BYTES: Final = 600
"""How much of the chunk on either side of a span is looked at for the rest of its sentences."""


def verify(draft: Draft, evidence: Sequence[Evidence]) -> Verification:
    """Split a draft into supported claims and dropped ones with the reason, both in the draft's order."""
    by_id = {piece.chunk.chunk_id: piece for piece in evidence}
    problems = {at: problem for at, claim in enumerate(draft.claims) if (problem := _problem(claim, by_id))}
    fallen = cannot_stand(draft.claims, problems)
    return Verification(
        kept=() if fallen else tuple(claim for at, claim in enumerate(draft.claims) if at not in problems),
        dropped=tuple(
            (claim, problems.get(at) or f"the rest cannot be read alone: {fallen}")
            for at, claim in enumerate(draft.claims)
            if fallen or at in problems
        ),
    )


def _problem(claim: Claim, evidence: Mapping[str, Evidence]) -> str:
    if not claim.citations:
        return "it cites nothing"
    quoted: list[str] = []
    whole: list[str] = []
    for citation in claim.citations:
        held = _held(citation, evidence)
        if held is None:
            return "its citation is not evidence of this turn"
        quoted.append(held.text)
        whole.append(whole_sentences(held))
    problem = _unsupported(claim, quoted)
    if problem or whole == quoted or claim.kind in (ClaimKind.CODE, ClaimKind.ROW):
        return problem
    # A span that begins behind a "not", or ends before an "unless", carries what its whole sentence carries.
    return disagreement(claim.text, whole)


def _held(citation: Citation, evidence: Mapping[str, Evidence]) -> Held | None:
    """The words of a citation's span with those around it, or None when it points outside the evidence."""
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


def _slice(text: str, start: int, end: int) -> Held:
    raw = text.encode("utf-8")
    return Held(
        before=raw[max(0, start - AROUND_BYTES) : start].decode("utf-8", errors="ignore"),
        text=raw[start:end].decode("utf-8", errors="replace"),
        behind=raw[end : end + AROUND_BYTES].decode("utf-8", errors="ignore"),
    )


def _unsupported(claim: Claim, quoted: Sequence[str]) -> str:
    """Why the quoted words do not carry the claim; empty when they do."""
    if claim.kind is ClaimKind.CODE:
        said = f" {' '.join(claim.text.split())} "
        found = said.strip() and any(said in f" {' '.join(text.split())} " for text in quoted)
        return "" if found else "this code does not stand in the cited span"
    if claim.kind is ClaimKind.ROW:
        problem = row_disagreement(claim.text, quoted)
        if problem is not None:
            return problem
    return disagreement(claim.text, quoted)
