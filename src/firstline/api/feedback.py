"""Thumbs up or down, with a reason and a correction: what people think of one turn."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from firstline.api.auth import AskerOf, Caller
from firstline.api.limits import take_message
from firstline.api.running import Running, running
from firstline.api.sessions import SessionId, own_session
from firstline.api.shapes import Shape, Text
from firstline.domain import FeedbackReason, Level, Rating
from firstline.errors import NotFound
from firstline.questions.review_desk import CORRECTION_CHARS_MAX

router = APIRouter(prefix="/v1/sessions", tags=["feedback"])


class FeedbackSent(Shape):
    rating: Rating
    reason: FeedbackReason | None = Field(None, description="What was not good; only with rating down.")
    correction: Text = Field("", max_length=CORRECTION_CHARS_MAX, description="What it should have said; redacted.")


class FeedbackShown(Shape):
    """As it is kept: the correction is redacted."""

    turn: int
    rating: Rating
    reason: FeedbackReason | None
    correction: str


@router.post("/{session_id}/turns/{turn}/feedback")
async def rate(
    request: Request,
    session_id: SessionId,
    turn: Annotated[int, Path(ge=1, le=2**31 - 1)],
    sent: FeedbackSent,
    who: AskerOf,
) -> FeedbackShown:
    """Rate a turn of your own conversation; a key of level internal may rate any of its tenant. The newest one counts.

    Counts as a message."""
    run = running(request)
    await _may_rate(run, who, session_id)
    await take_message(who, session_id, limiter=run.firstline.limiter, settings=run.firstline.settings)
    kept = await run.firstline.review.rate(
        session_id, turn, sent.rating, sent.reason, sent.correction, by=who.principal.user
    )
    run.metrics.count_feedback(kept)
    return FeedbackShown(turn=kept.turn, rating=kept.rating, reason=kept.reason, correction=kept.correction)


async def _may_rate(run: Running, who: Caller, session_id: str) -> None:
    try:
        await own_session(run, who, session_id)
    except NotFound:
        if who.asks_only or who.principal.level < Level.INTERNAL:
            raise
        if await run.firstline.feedback.session_of(session_id, tenant=who.principal.tenant) is None:
            raise
