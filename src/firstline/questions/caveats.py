"""What must be known before an answer is read, in keys and values of our own: never a document's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.domain import Claim, Note
from firstline.questions.prefer import version_note
from firstline.questions.trail import Trail

OUT_OF_DATE: Final = Note(key="answered.outdated")
PAGES_DIFFER: Final = Note(key="answered.pages_differ")
LEFT_OUT: Final = Note(key="answered.left_out")


def caveats(trail: Trail, claims: Sequence[Claim]) -> tuple[Note, ...]:
    """Its page is about another version than was asked for, or was replaced; another page contradicts it; a sentence
    of it is not quoted. An answer with one of these is not the whole answer."""
    first = claims[0].citations[0].doc_id
    cited = {citation.doc_id for claim in claims for citation in claim.citations}
    notes = (
        _version(trail, first),
        OUT_OF_DATE if first in trail.outdated else None,
        PAGES_DIFFER if len(cited) > 1 and not trail.usual else None,
        LEFT_OUT if trail.left_out else None,
    )
    return tuple(note for note in notes if note is not None)


def readings(trail: Trail) -> tuple[Note, ...]:
    """Which misspelt words were read as which others."""
    read = trail.plan.corrections if trail.plan else ()
    return tuple(Note(key="answered.read_as", values={"written": (one,), "read": (other,)}) for one, other in read)


def _version(trail: Trail, doc_id: str) -> Note | None:
    document, plan = trail.documents.get(doc_id), trail.plan
    version = plan.filters.get("version", "") if plan else ""
    if document is None or plan is None or not version:
        return None
    read = " ".join(piece.text for piece in trail.evidence if piece.chunk.doc_id == doc_id)
    product = plan.filters.get("product", "")
    return version_note(document, read, question=plan.standalone, version=version, product=product)
