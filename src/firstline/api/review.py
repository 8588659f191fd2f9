"""The reviewers' side: the turns that teach most, one reviewer at a time, and what they found."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import Shape, Text
from firstline.domain import FeedbackReason, Judgement, Rating, Reply, ReviewReason, Verdict
from firstline.questions.render import render_turn
from firstline.questions.review_desk import (
    DOCS_MAX,
    MUST_CONTAIN_MAX,
    REFERENCE_CHARS_MAX,
    Page,
    Quote,
    ReviewFile,
    gates_in_words,
    turn_named,
)
from firstline.questions.wording.voice import Wording

TURNS_HELD_MAX: Final = 20

router = APIRouter(prefix="/v1/review", tags=["review"])


class AskedShown(Shape):
    question: str
    reply: Reply


class RatedShown(Shape):
    rating: Rating
    reason: FeedbackReason | None
    correction: str


class ReviewShown(Shape):
    """A turn to be judged. What this key may not open is left out of the replies and quotes."""

    turn: str = Field(description="Names it: POST /v1/review/{turn}.")
    reasons: tuple[ReviewReason, ...]
    kb: str
    asked_at: datetime
    earlier: list[AskedShown] = Field(description="The conversation before it, oldest first.")
    question: str
    reply: Reply
    quotes: list[Quote] = Field(description="The cited spans, by the numbers of the reply's citations.")
    pages: list[Page] = Field(description="Documents that were found, best first: the ones an answer may rest on.")
    gates: list[str] = Field(description="What the gates read, in words.")
    feedback: RatedShown | None
    said: list[str] = Field(
        description="What persons of the team wrote, oldest first: replies to the customer, and how they "
        "resolved it or why they returned it, which the customer is not shown."
    )

    @classmethod
    def of(cls, file: ReviewFile, wording: Wording) -> ReviewShown:
        rated = file.feedback
        return cls(
            turn=file.turn.turn_id,
            reasons=file.item.reasons if file.item else (),
            kb=file.session.kb,
            asked_at=file.turn.asked_at,
            earlier=[AskedShown(question=turn.question, reply=render_turn(turn, wording)) for turn in file.earlier],
            question=file.turn.question,
            reply=render_turn(file.turn, wording),
            quotes=list(file.quotes),
            pages=list(file.pages),
            gates=list(gates_in_words(file.turn)),
            feedback=RatedShown(rating=rated.rating, reason=rated.reason, correction=rated.correction)
            if rated
            else None,
            said=[entry.text for entry in file.said if entry.text],
        )


class ReviewsShown(Shape):
    turns: list[ReviewShown]


class JudgementSent(Shape):
    verdict: Verdict | Literal["skip"]
    docs: list[Text] = Field([], max_length=DOCS_MAX, description="Ids of the documents that hold the answer.")
    reference: Text = Field("", max_length=REFERENCE_CHARS_MAX, description="A right answer; redacted.")
    must_contain: list[Text] = Field([], max_length=MUST_CONTAIN_MAX, description="Texts that an answer must hold.")


class JudgedShown(Shape):
    turn: str
    judgement: Judgement | None = Field(description="Null when it was skipped.")


@router.get("")
async def next_turns(
    request: Request,
    who: CallerOf,
    limit: Annotated[int, Query(ge=1, le=TURNS_HELD_MAX, description="How many to take.")] = 1,
) -> ReviewsShown:
    """The turns that teach most, held for you for a quarter of an hour: nobody else gets them meanwhile, and you get
    them again. Needs level internal, as everything here."""
    run = await _admitted(request, who)
    files = await run.firstline.review.next(who.principal, by=who.principal.user, limit=limit)
    return ReviewsShown(turns=[ReviewShown.of(file, run.wording) for file in files])


@router.post("/{turn}")
async def judge(
    request: Request, turn: Annotated[str, Path(max_length=100)], sent: JudgementSent, who: CallerOf
) -> JudgedShown:
    """Judge a turn, or skip it. 409 while somebody else holds it; a turn that was judged may be judged again."""
    run = await _admitted(request, who)
    session_id, number = turn_named(turn)
    by = who.principal.user
    if not isinstance(sent.verdict, Verdict):
        await run.firstline.review.skip(session_id, number, tenant=who.principal.tenant, by=by)
        return JudgedShown(turn=turn, judgement=None)
    made = await run.firstline.review.judge(
        session_id,
        number,
        sent.verdict,
        who.principal,
        by=by,
        docs=sent.docs,
        reference=sent.reference,
        must_contain=sent.must_contain,
    )
    return JudgedShown(turn=turn, judgement=made)


async def _admitted(request: Request, who: Caller) -> Running:
    require_internal(who, "turns that wait for a review")
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    return run
