"""What may be shown of a recorded turn or hand-over NOW, whatever it was allowed to show then?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Answered, Clarify, Handoff, Principal, Turn
from firstline.ports import KnowledgeLedger, Scope
from firstline.questions.still_open import answer_left, options_left

NOT_FOR_YOU: Final = "a page that you may not see"
QUOTED_CHARS_MIN: Final = 40
"""A quote that is at least this long may be a longer title, cut."""


async def readable(turn: Turn, principal: Principal, *, kb: str, knowledge: KnowledgeLedger) -> Turn:
    """The turn as this principal may see it now: without claims whose citations it can no longer open, and without
    the titles of such pages among what could be picked."""
    outcome = turn.outcome
    if not (isinstance(outcome, Answered) or (isinstance(outcome, Clarify) and outcome.options)):
        return turn
    then = Scope.of(principal, kb=kb, snapshot=turn.snapshot)
    published = await knowledge.published(tenant=principal.tenant, kb=kb)
    now = Scope.of(principal, kb=kb, snapshot=published.number_for(turn.session_id))
    # A document that was deleted or closed since must not come back by reloading what was made of it.
    if isinstance(outcome, Clarify):
        open_then = await _open(outcome.pages, then, knowledge)
        return replace(turn, outcome=options_left(outcome, open_then & await _open(outcome.pages, now, knowledge)))
    citations = [c for claim in outcome.claims for c in claim.citations]
    open_now = await _open([c.doc_id for c in citations], now, knowledge)
    cited = list(dict.fromkeys(c.chunk_id for c in citations))
    visible = {chunk.chunk_id for chunk in await knowledge.chunks(cited, then) if chunk.doc_id in open_now}
    return replace(turn, outcome=answer_left(outcome, visible))


async def _open(doc_ids: Sequence[str], scope: Scope, knowledge: KnowledgeLedger) -> set[str]:
    wanted = list(dict.fromkeys(doc_ids))
    return {document.doc_id for document in await knowledge.documents(wanted, scope)} if wanted else set()


async def readable_handoff(
    handoff: Handoff, turns: Sequence[Turn], principal: Principal, *, kb: str, knowledge: KnowledgeLedger
) -> Handoff:
    """The hand-over as this principal may see it now: pages that it can no longer open are not among the `tried`, and
    the next step does not name them. `turns` are the conversation's, as recorded."""
    cited = [
        citation
        for turn in turns
        if isinstance(turn.outcome, Answered)
        for claim in turn.outcome.claims
        for citation in claim.citations
    ]
    named = [(tried.chunk_id, tried.title) for tried in handoff.tried]
    named += [(citation.chunk_id, citation.title) for citation in cited]
    snapshots = sorted({turn.snapshot for turn in turns}, reverse=True)
    visible = await _visible(
        [chunk_id for chunk_id, _ in named],
        snapshots,
        principal,
        kb=kb,
        session_id=handoff.session_id,
        knowledge=knowledge,
    )
    open_titles = {part for chunk_id, title in named if chunk_id in visible for part in _titles(title)}
    closed = {part for chunk_id, title in named if chunk_id not in visible for part in _titles(title)} - open_titles
    step = handoff.next_step
    # The longest first: one title may begin another.
    for title in sorted(closed, key=len, reverse=True):
        # A card quotes a long title cut, so what is compared is how the quote begins.
        step = _without(step, title)
    tried = tuple(each for each in handoff.tried if each.chunk_id in visible)
    return replace(handoff, tried=tried, next_step=step)


async def _visible(
    chunk_ids: Sequence[str],
    snapshots: Sequence[int],
    principal: Principal,
    *,
    kb: str,
    session_id: str,
    knowledge: KnowledgeLedger,
) -> set[str]:
    """Those that the principal could open in one of the snapshots, and whose page it can open now."""
    left = list(dict.fromkeys(chunk_ids))
    page_of: dict[str, str] = {}
    for snapshot in snapshots:
        if not left:
            break
        found = await knowledge.chunks(left, Scope.of(principal, kb=kb, snapshot=snapshot))
        page_of |= {chunk.chunk_id: chunk.doc_id for chunk in found}
        left = [chunk_id for chunk_id in left if chunk_id not in page_of]
    if not page_of:
        return set()
    published = await knowledge.published(tenant=principal.tenant, kb=kb)
    now = Scope.of(principal, kb=kb, snapshot=published.number_for(session_id))
    open_now = await _open(list(page_of.values()), now, knowledge)
    return {chunk_id for chunk_id, doc_id in page_of.items() if doc_id in open_now}


def _titles(title: str) -> tuple[str, ...]:
    """A page's title, alone and with its section."""
    return tuple(dict.fromkeys(part for part in (title, title.partition(" > ")[0]) if part))


def _without(step: str, title: str) -> str:
    parts = step.split("“")
    kept = [parts[0]]
    for part in parts[1:]:
        quoted, end, rest = part.partition("”")
        hidden = end and quoted and (quoted == title or (len(quoted) >= QUOTED_CHARS_MIN and title.startswith(quoted)))
        kept.append(f"{NOT_FOR_YOU}{rest}" if hidden else f"“{part}")
    return "".join(kept)
