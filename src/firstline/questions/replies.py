"""Earlier turns as a new question may lean on them: without replies made of a document deleted or closed since.

A reply's first sentence is searched along with a question that leans on it, and is kept in that question's record; so
is the title of an offered page that is picked. It would bring a document's text back to who may no longer read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firstline.domain import Answered, Clarify, Principal, Turn
from firstline.ports import KnowledgeLedger, Scope
from firstline.questions.still_open import options_left


async def with_open_replies(
    turns: Sequence[Turn], principal: Principal, now: Scope, *, knowledge: KnowledgeLedger
) -> list[Turn]:
    """The turns in their order; one whose answer cites what this principal cannot open in `now` has no answer any more,
    and one that offered it offers it no longer.

    One look-up for all. A reply given to other rights than the principal's is left out unread: what it was made of
    then may have been closed to this principal although the document is open today.
    """
    made_of = sorted({doc_id for turn in turns for doc_id in _pages(turn)})
    read = await knowledge.documents(made_of, now) if made_of else []
    open_now = frozenset(document.doc_id for document in read)
    return [_open(turn, open_now if turn.scope_hash == principal.scope_hash else frozenset()) for turn in turns]


def _open(turn: Turn, open_now: frozenset[str]) -> Turn:
    match turn.outcome:
        case Answered():
            return turn if _pages(turn) <= open_now else replace(turn, outcome=Clarify())
        case Clarify() as asked:
            return replace(turn, outcome=options_left(asked, open_now))
        case _:
            return turn


def _pages(turn: Turn) -> frozenset[str]:
    match turn.outcome:
        case Answered(claims=claims):
            return frozenset(citation.doc_id for claim in claims for citation in claim.citations)
        case Clarify(pages=pages):
            return frozenset(pages)
        case _:
            return frozenset()
