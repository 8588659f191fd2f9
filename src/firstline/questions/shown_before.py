"""Which answers has the customer seen already, and were they of use?

The same sentences once more help nobody who went on: a person who reads them twice has been told nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from firstline.domain import Answered, Claim, Clarify, Talk, Turn
from firstline.questions.card.telling_words import UNHELPED
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import terms
from firstline.questions.message.usual import without_usual
from firstline.questions.stories import stories_behind
from firstline.questions.trail import Trail

CHARS_MAX: Final = 2_000
_BARE: Final = frozenset({"yes", "yep", "yeah", "yup", "y", "ja", "oui", "si", "sí", "はい"})
"""These answer a question that the customer read in the answer: no thanks."""
_PLEASED: Final = frozenset({Talk.THANKS, Talk.SOLVED, Talk.NOD, Talk.FAREWELL})


def shown_again(claims: Sequence[Claim], question: str, history: Sequence[Turn]) -> frozenset[str]:
    """The documents whose answer would be shown once more, unchanged; empty when it says something new.

    Who asks the same again, in words of the same question, gets the same answer: that is a wish and no going on. So
    does who picks a page that was offered.
    """
    seen = {claim.text for turn in history if isinstance(turn.outcome, Answered) for claim in turn.outcome.claims}
    if not claims or not history or not all(claim.text in seen for claim in claims):
        return frozenset()
    if _picks(question, history[-1]) or any(_same_question(question, turn) for turn in history):
        return frozenset()
    return frozenset(citation.doc_id for claim in claims for citation in claim.citations)


def leave_out(documents: Collection[str], trail: Trail, *, judged_by: Collection[str]) -> None:
    """The turn goes on as if it had not found these. `judged_by` names the gates that read them: what is left is read
    anew, and the record holds the readings that its outcome stands on."""
    # Pages that tell a listed cause in the same words would show it once more.
    shown = frozenset(documents)
    told = (cause.doc_ids for cause in trail.usual if not shown.isdisjoint(cause.doc_ids))
    documents = shown.union(*told)
    left = tuple(one for one in trail.ranked if one.doc_id not in documents)
    evidence = tuple(piece for piece in trail.evidence if piece.chunk.doc_id not in documents)
    ordered = stories_behind(left, trail.documents, question=trail.standalone)
    first = ordered[0].doc_id if ordered else ""
    if any(piece.chunk.doc_id == first for piece in evidence):
        trail.ranked = ordered
        trail.evidence = tuple(sorted(evidence, key=lambda piece: piece.chunk.doc_id != first))
    else:
        trail.ranked, trail.evidence = left, evidence
    held = {piece.chunk.chunk_id for piece in evidence}
    trail.usual = tuple(cause for cause in trail.usual if cause.chunk_id in held)
    trail.gates = [reading for reading in trail.gates if reading.name not in judged_by]


def _picks(question: str, last: Turn) -> bool:
    options = last.outcome.options if isinstance(last.outcome, Clarify) else ()
    words = question.casefold().strip(" .!?")
    return any(words == option.casefold().strip(" .!?") for option in options) or (bool(options) and words.isdigit())


def _same_question(question: str, turn: Turn) -> bool:
    """Nothing in it that was not in the question that the answer was given to, and no word that it did not help."""
    own = set(terms(without_usual(question[:CHARS_MAX])))
    asked_again = (
        isinstance(turn.outcome, Answered) and bool(own) and own <= {*terms(turn.question[:CHARS_MAX]), "again"}
    )
    return asked_again and not (UNHELPED.search(question[:CHARS_MAX]) and "?" not in question)


def settled(turns: Sequence[Turn], question: str) -> frozenset[int]:
    """The places in `turns` whose answer the customer thanked for, and did not come back to. `question` is the message
    after them."""
    said = [*(turn.question for turn in turns), question]
    found: set[int] = set()
    for place, turn in enumerate(turns):
        if (
            isinstance(turn.outcome, Answered)
            and _thanks(said[place + 1])
            and not any(_comes_back(one) for one in said[place + 1 : place + 3])
        ):
            found.add(place)
    return frozenset(found)


def _thanks(message: str) -> bool:
    start = message[:CHARS_MAX].replace("!", ".").split(".")[0].split(",")[0]
    return start.strip().casefold() not in _BARE and small_talk(start) in _PLEASED


def _comes_back(message: str) -> bool:
    return small_talk(message) is None and (
        UNHELPED.search(message) is not None or message.casefold().startswith(("no", "hm"))
    )
