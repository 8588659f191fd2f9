"""What people say of answers, and how turns are judged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Rating(StrEnum):
    UP = "up"
    DOWN = "down"


class FeedbackReason(StrEnum):
    """What was not good about a turn, as the person who asked says it."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    UNCLEAR = "unclear"
    NOT_MY_QUESTION = "not_my_question"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """What somebody thought of a turn. `correction` is in their words, redacted; `by` is the user who said it."""

    session_id: str
    turn: int
    rating: Rating
    reason: FeedbackReason | None
    correction: str
    by: str
    at: datetime


class ReviewReason(StrEnum):
    """Why a turn waits for a review: it was disliked; a person answered although pages were found; the answer was
    unsure; a gate decided narrowly; or it was drawn by lot."""

    DISLIKED = "disliked"
    PERSON_ANSWERED = "person_answered"
    UNSURE = "unsure"
    NEAR_GATE = "near_gate"
    SAMPLED = "sampled"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewItem:
    """A turn that waits for a review. A higher `rank` teaches more and comes first."""

    tenant: str
    kb: str
    session_id: str
    turn: int
    rank: float
    reasons: tuple[ReviewReason, ...]
    asked_at: datetime


class Verdict(StrEnum):
    """What a reviewer says of a turn. UNANSWERABLE: there is no answer here, so none must be shown."""

    GOOD = "good"
    WRONG = "wrong"
    PARTLY = "partly"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """A turn as a reviewer judged it. `docs` are the documents that hold the answer, as they were in `snapshot`.

    `reference` is an answer written by a person and `must_contain` are texts that an answer must hold; both redacted,
    and empty when nobody gave them.
    """

    tenant: str
    kb: str
    session_id: str
    turn: int
    verdict: Verdict
    docs: tuple[str, ...]
    reference: str
    must_contain: tuple[str, ...]
    by: str
    at: datetime
    snapshot: int
