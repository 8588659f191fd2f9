"""Was a page asked for outright? By its code, or by picking it. Then there is nothing to weigh. Shared vocabulary; it
calls no step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.domain import ChunkKind, Evidence, SearchPlan
from firstline.questions.message.terms import all_stems, codes, identifiers, joined, terms

OF_ONE_CASE: Final = frozenset({ChunkKind.SYMPTOM, ChunkKind.ENVIRONMENT, ChunkKind.CAUSE, ChunkKind.RESOLUTION})
"""A ticket that is named by a code tells one customer's story with it."""
ABOUT_CODES: Final = all_stems(
    "mean means meaning error code message fix fixing solve get getting help explain happen see"
)
"""Words around a code that ask for its page and add nothing to it."""


def codes_alone(question: str) -> frozenset[str]:
    """The codes of a message that is made of them and little else ("E11000", "what does E11000 mean?"), as stems; none
    when it says more."""
    named = [name for name in identifiers(question) if _is_code(name)]
    rest = set(terms(question)).difference(*(all_stems(name) for name in named))
    return frozenset(map(joined, named)) if rest <= ABOUT_CODES else frozenset()


def _is_code(name: str) -> bool:
    return name.isascii() and any(map(str.isdigit, name)) and any(map(str.isalpha, name))


def titled_by(title: str, codes: frozenset[str]) -> bool:
    """Word by word: E1100 is not the code of a page that is titled E11000."""
    return bool(codes) and codes <= all_stems(title)


def of_another_code(question: str, evidence: Sequence[Evidence]) -> bool:
    """The first page names codes of the kind that was asked about and not the one that was: another error's page."""
    asked = frozenset(map(joined, codes(question)))
    if not asked or not evidence:
        return False
    own = [piece for piece in evidence if piece.chunk.doc_id == evidence[0].chunk.doc_id]
    text = " ".join(" ".join((piece.chunk.title, *piece.chunk.section_path, piece.text)) for piece in own)
    named = frozenset(map(joined, codes(text)))
    kinds = {_letters(code) for code in asked}
    return asked.isdisjoint(named) and any(_letters(code) in kinds for code in named)


def _letters(code: str) -> str:
    """What stands before its number."""
    return code[: next((at for at, letter in enumerate(code) if letter.isdigit()), len(code))]


def asked_outright(question: str, plan: SearchPlan | None, evidence: Sequence[Evidence]) -> bool:
    """The first page was picked by the asker, or it is the page of the code that was asked for.

    Short questions leave the gates little to see, and the page is the code's own.
    """
    if not evidence:
        return False
    first = evidence[0].chunk
    if plan is not None and plan.picked and first.title == plan.picked:
        return True
    return first.kind not in OF_ONE_CASE and titled_by(first.title, codes_alone(question))
