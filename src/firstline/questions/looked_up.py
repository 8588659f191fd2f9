"""What is looked up for a card beside what the message itself found: pages of its codes, pages found or offered before,
and which versions they are about? Each within its time: a slow store costs a line, not the hand-over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from firstline.domain import Asks, Clarify, Evidence, Tried, Turn
from firstline.errors import FirstlineError
from firstline.ports import KnowledgeLedger, Scope
from firstline.questions.card.bearing import names_to_look_up
from firstline.questions.card.case import Offered
from firstline.questions.card.codes import holds
from firstline.questions.page.versions import Stated, versions_of

TURNS_BEFORE_MAX: Final = 3
FOUND_MAX: Final = 5
OFFERS_READ_MAX: Final = 12
"""Turns of a conversation whose offers are read, the newest."""
OFFERED_MAX: Final = 24
FOUND_BEFORE: Final = "was found for a message before, and not certain enough"
VERSIONS_S_MAX: Final = 0.5
CODES_S_MAX: Final = 1.0
Holding = Callable[[str, Scope], Awaitable[Sequence[Evidence]]]
"""The pieces inside the scope that the whole index has for one name, by words alone."""
_OFFERS: Final = frozenset({Asks.PICK, Asks.UNKNOWN})


async def coded_pages(messages: Sequence[str], scope: Scope, holding: Holding) -> dict[str, Sequence[Evidence]]:
    """By code and name of the conversation, the pieces that hold it. Whatever the question's language found: a code is
    the same in every one. A slow index costs the line, not the hand-over."""
    found: dict[str, Sequence[Evidence]] = {}
    try:
        async with asyncio.timeout(CODES_S_MAX):
            for name in names_to_look_up(messages):
                pieces = await holding(name, scope)
                found[name] = [
                    one
                    for one in pieces
                    if holds(" ".join((one.chunk.title, *one.chunk.section_path, one.lead_text, one.text)), name)
                ]
    except Exception:  # whatever an index breaks, the hand-over goes out without it
        return found
    return found


async def found_before(turns: Sequence[Turn], scope: Scope, knowledge: KnowledgeLedger) -> list[Tried]:
    """Pages found for the messages before, best first: who asks for a person is looked up nothing, and was before."""
    scores: dict[str, float] = {}
    for turn in reversed(turns[-TURNS_BEFORE_MAX:]):
        for chunk_id, found in turn.evidence[:FOUND_MAX]:
            scores.setdefault(chunk_id, found.fused)
    if not scores:
        return []
    try:
        async with asyncio.timeout(VERSIONS_S_MAX):
            chunks = await knowledge.chunks(list(scores), scope)
    except (TimeoutError, FirstlineError):
        return []
    pages = {one.doc_id: one for one in sorted(chunks, key=lambda one: scores[one.chunk_id])}
    best = sorted(pages.values(), key=lambda one: -scores[one.chunk_id])
    return [
        Tried(chunk_id=one.chunk_id, title=one.title, url=one.url, score=scores[one.chunk_id], why_not=FOUND_BEFORE)
        for one in best
    ]


async def offered_pages(
    turns: Sequence[Turn], question: str, scope: Scope, knowledge: KnowledgeLedger
) -> list[Offered]:
    """Pages that the customer was offered in questions back, the newest first. `question` is the message after them."""
    said = [*(turn.question for turn in turns), question]
    messages: dict[str, list[int]] = {}
    picked: set[str] = set()
    pieces: dict[str, float] = {}
    first = max(0, len(turns) - OFFERS_READ_MAX)
    for place, turn in reversed(list(enumerate(turns))[first:]):
        if not isinstance(turn.outcome, Clarify) or turn.outcome.asks not in _OFFERS:
            continue
        for doc_id, title in zip(turn.outcome.pages, turn.outcome.options, strict=False):
            messages.setdefault(doc_id, []).insert(0, turn.number)
            if said[place + 1].casefold().strip(" .!?") == title.casefold().strip(" .!?"):
                picked.add(doc_id)
        for chunk_id, found in turn.evidence:
            pieces.setdefault(chunk_id, found.fused)
    if not messages or not pieces:
        return []
    try:
        async with asyncio.timeout(VERSIONS_S_MAX):
            chunks = await knowledge.chunks(list(pieces), scope)
    except (TimeoutError, FirstlineError):
        return []
    pages = {one.doc_id: one for one in sorted(chunks, key=lambda one: pieces[one.chunk_id])}
    return [
        Offered(
            doc_id=doc_id,
            tried=Tried(
                chunk_id=pages[doc_id].chunk_id,
                title=pages[doc_id].title,
                url=pages[doc_id].url,
                score=pieces[pages[doc_id].chunk_id],
                why_not="",
            ),
            messages=tuple(numbers),
            picked=doc_id in picked,
        )
        for doc_id, numbers in list(messages.items())[:OFFERED_MAX]
        if doc_id in pages
    ]


async def versions_in(doc_ids: Sequence[str], scope: Scope, knowledge: KnowledgeLedger) -> dict[str, Sequence[Stated]]:
    """What the documents found are about."""
    if not doc_ids:
        return {}
    try:
        async with asyncio.timeout(VERSIONS_S_MAX):
            return {one.doc_id: versions_of(one) for one in await knowledge.documents(list(doc_ids), scope)}
    except Exception:  # whatever a ledger breaks, the hand-over goes out without it
        return {}
