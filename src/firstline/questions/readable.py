"""What may be shown of a recorded turn NOW, whatever it was allowed to show then?"""

from __future__ import annotations

from dataclasses import replace

from firstline.domain import Answered, Asks, Clarify, Completeness, Principal, Turn
from firstline.ports import KnowledgeLedger, Scope


async def readable(turn: Turn, principal: Principal, *, kb: str, knowledge: KnowledgeLedger) -> Turn:
    """The turn as this principal may see it now: claims whose citations it can no longer open are withheld."""
    if not isinstance(turn.outcome, Answered):
        return turn
    citations = [c for claim in turn.outcome.claims for c in claim.citations]
    cited = list(dict.fromkeys(c.chunk_id for c in citations))
    then = Scope.of(principal, kb=kb, snapshot=turn.snapshot)
    published = await knowledge.published(tenant=principal.tenant, kb=kb)
    now = Scope.of(principal, kb=kb, snapshot=published.number)
    # A document that was deleted or closed since must not come back by reloading an old answer.
    documents = await knowledge.documents(list(dict.fromkeys(c.doc_id for c in citations)), now)
    open_now = {document.doc_id for document in documents}
    visible = {chunk.chunk_id for chunk in await knowledge.chunks(cited, then) if chunk.doc_id in open_now}
    if visible.issuperset(cited):
        return turn
    claims = tuple(claim for claim in turn.outcome.claims if all(c.chunk_id in visible for c in claim.citations))
    if claims:
        return replace(turn, outcome=replace(turn.outcome, claims=claims, completeness=Completeness.PARTIAL))
    return replace(turn, outcome=Clarify(asks=Asks.AGAIN))
