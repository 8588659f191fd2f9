"""What is asked without a sure answer, and which pages need somebody: for keys of level internal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import Shape
from firstline.domain import DuplicateReport, FaqSuggestion, GapReport, StaleReport
from firstline.errors import TooManyRequests, Unavailable
from firstline.questions.care import since_of, span_of

GAPS_S_MAX: Final = 120.0
RETRY_S: Final = 10.0

router = APIRouter(prefix="/v1/gaps", tags=["care"])

Since = Annotated[str, Query(max_length=40, description='How far back: "30d", "12w" or a date.')]
Limit = Annotated[int, Query(ge=1, le=100)]


class Suggested(Shape):
    """A draft: `POST /v1/faq` with its question, answer and pages accepts it."""

    suggestion_id: str
    question: str
    answer: str = Field(description="The answer shown most often, as Markdown.")
    cites: list[str]
    titles: list[str]
    level: str
    acl: list[str]
    turns: int
    sessions: int
    shown: int = Field(description="How many of the turns were shown this answer.")
    examples: list[str]


class SuggestionsShown(Shape):
    suggestions: list[Suggested]


@router.get("")
async def show_gaps(request: Request, who: CallerOf, since: Since = "30d", limit: Limit = 20) -> GapReport:
    """Clusters of questions that were handed over for want of content, asked back or answered without certainty, most
    turns first, with the pages that came nearest, as far as the key may see them."""
    async with _admitted(request, who) as run:
        report = await run.firstline.care.gaps(
            tenant=who.principal.tenant, kb=who.key.kb, reader=who.principal, since=_since(since), limit=limit
        )
        run.metrics.gap_clusters = len(report.gaps)
        return report


@router.get("/suggestions")
async def show_suggestions(
    request: Request, who: CallerOf, since: Since = "30d", limit: Limit = 20
) -> SuggestionsShown:
    """Drafts of curated answers, from questions that come again and again; only such as quote what the key may see."""
    async with _admitted(request, who) as run:
        found = await run.firstline.care.suggestions(
            tenant=who.principal.tenant, kb=who.key.kb, reader=who.principal, since=_since(since), limit=limit
        )
        return SuggestionsShown(suggestions=[_suggested(one) for one in found])


@router.get("/stale")
async def show_stale(
    request: Request,
    who: CallerOf,
    since: Since = "30d",
    older: Annotated[str, Query(max_length=40, description="A page is old after this time.")] = "730d",
) -> StaleReport:
    """Pages that are old, of an older version, replaced, contradicted, or link to what is not there."""
    async with _admitted(request, who) as run:
        return await run.firstline.care.stale(
            tenant=who.principal.tenant,
            kb=who.key.kb,
            reader=who.principal,
            since=_since(since),
            old_after=span_of(older),
        )


@router.get("/duplicates")
async def show_duplicates(request: Request, who: CallerOf) -> DuplicateReport:
    """Documents that say the same, to the letter or nearly."""
    async with _admitted(request, who) as run:
        return await run.firstline.care.duplicates(tenant=who.principal.tenant, kb=who.key.kb, reader=who.principal)


@asynccontextmanager
async def _admitted(request: Request, who: Caller) -> AsyncGenerator[Running]:
    """One at a time: customers wait for the same cores."""
    require_internal(who, "content gaps")
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    if run.care_lock.locked():
        raise TooManyRequests(
            "Somebody else is looking at the content just now.", retry_after_s=RETRY_S, remedy="Ask again in a moment."
        )
    try:
        async with run.care_lock, asyncio.timeout(GAPS_S_MAX):
            yield run
    except TimeoutError as error:
        raise Unavailable("It took too long.", remedy="Ask for a shorter time, or use the command line.") from error


def _since(text: str) -> datetime:
    return since_of(text, now=datetime.now(UTC))


def _suggested(one: FaqSuggestion) -> Suggested:
    return Suggested(
        suggestion_id=one.suggestion_id,
        question=one.question,
        answer=one.answer,
        cites=list(one.cites),
        titles=list(one.titles),
        level=one.level.label,
        acl=sorted(one.acl),
        turns=one.turns,
        sessions=one.sessions,
        shown=one.shown,
        examples=list(one.examples),
    )
