"""What is left of an outcome when some of the pages it was made of may not be shown any longer?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Answered, Asks, Claim, ClaimKind, Clarify, Completeness, Note
from firstline.questions.claims.standing import cannot_stand

OF_THE_MESSAGE: Final = frozenset({"answered.read_as", "answered.part", "answered.figure"})
"""Notes that speak of the asker's own words, whichever page answered."""
OF_PAGES: Final = "answered.pages_differ"
OPTIONS_MIN: Final = 2
"""Nobody can be asked to pick one of one."""


def answer_left(answered: Answered, visible: Collection[str]) -> Answered | Clarify:
    """The claims whose citations are all among the `visible` chunks (ids), no surer than the whole answer was; what
    cannot be read without those that are withheld is withheld too."""
    withheld = {
        at for at, claim in enumerate(answered.claims) if any(c.chunk_id not in visible for c in claim.citations)
    }
    if not withheld:
        return answered
    claims = tuple(claim for at, claim in enumerate(answered.claims) if at not in withheld)
    if all(claim.kind is ClaimKind.HEADING for claim in claims) or cannot_stand(answered.claims, withheld):
        return Clarify(asks=Asks.AGAIN)
    sure = answered.completeness is Completeness.FULL
    return replace(
        answered,
        claims=claims,
        completeness=Completeness.PARTIAL if sure else answered.completeness,
        notes=tuple(note for note in answered.notes if _still_true(note, claims, first_left=0 not in withheld)),
    )


def _still_true(note: Note, claims: Sequence[Claim], *, first_left: bool) -> bool:
    if note.key in OF_THE_MESSAGE:
        return True
    if note.key == OF_PAGES:
        return len({citation.doc_id for claim in claims for citation in claim.citations}) > 1
    # The others tell the version or the age of the page that the first claim is from.
    return first_left


def options_left(asked: Clarify, open_pages: Collection[str]) -> Clarify:
    """The options whose documents are among `open_pages` (ids). A record that does not tell whose titles it offered
    offers none any more; with fewer than two left there is nothing to pick from, and more detail is asked for."""
    if not asked.options:
        return asked
    known = asked.pages if len(asked.pages) == len(asked.options) else ("",) * len(asked.options)
    left = [at for at, page in enumerate(known) if page and page in open_pages]
    if len(left) == len(asked.options):
        return asked
    unknown = asked.asks is Asks.UNKNOWN
    if len(left) < OPTIONS_MIN:
        return Clarify(asks=Asks.UNKNOWN, names=asked.names) if unknown else Clarify(asks=Asks.DETAIL)
    if unknown:
        return replace(
            asked,
            options=tuple(asked.options[at] for at in left),
            pages=tuple(known[at] for at in left),
        )
    # A record of a finished text names what it offered: it is said anew.
    one_each = len(asked.names) == len(asked.options)
    return Clarify(
        options=tuple(asked.options[at] for at in left),
        asks=Asks.WHICH if one_each else Asks.PICK,
        names=tuple(asked.names[at] for at in left) if one_each else (),
        pages=tuple(known[at] for at in left),
    )
