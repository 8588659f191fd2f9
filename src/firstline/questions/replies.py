"""Earlier turns as a new question may lean on them: without replies made of a document deleted or closed since.

A reply's first sentence is searched along with a question that leans on it, and is kept in that question's record. It
would bring a document's text back to who may no longer read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firstline.domain import Answered, Clarify, Principal, Turn
from firstline.ports import KnowledgeLedger, Scope


async def with_open_replies(
    turns: Sequence[Turn], principal: Principal, now: Scope, *, knowledge: KnowledgeLedger
) -> list[Turn]:
    """The turns in their order; one whose answer cites what this principal cannot open in `now` has no answer any more.

    One look-up for all. An answer given to other rights than the principal's is left out unread: what it was made of
    then may have been closed to this principal although the document is open today.
    """
    cited = {turn.number: _cited(turn) for turn in turns if isinstance(turn.outcome, Answered)}
    if not cited:
        return list(turns)
    read = await knowledge.documents(sorted({doc_id for own in cited.values() for doc_id in own}), now)
    open_now = {document.doc_id for document in read}
    return [
        turn
        if turn.number not in cited or (turn.scope_hash == principal.scope_hash and cited[turn.number] <= open_now)
        else replace(turn, outcome=Clarify())
        for turn in turns
    ]


def _cited(turn: Turn) -> frozenset[str]:
    claims = turn.outcome.claims if isinstance(turn.outcome, Answered) else ()
    return frozenset(citation.doc_id for claim in claims for citation in claim.citations)
