"""Which turns are worth a reviewer's time, and which teach most? One rule for every engine and surface."""

from __future__ import annotations

import hashlib
from typing import Final

from firstline.domain import Answered, Completeness, Deflected, Rating, ReviewItem, ReviewReason, Silent, Turn
from firstline.ports import Changed

NEAR: Final = 0.05
"""A gate whose value is this near to its threshold might as well have decided otherwise."""

WORTH: Final = {
    # What was shown with certainty and was wrong teaches most; what the lot drew teaches on average least.
    ReviewReason.DISLIKED: 4.0,
    ReviewReason.PERSON_ANSWERED: 3.0,
    ReviewReason.UNSURE: 2.0,
    ReviewReason.NEAR_GATE: 1.0,
    ReviewReason.SAMPLED: 0.0,
}


def teaches(changed: Changed, *, sample: float) -> ReviewItem | None:
    """The turn as an item of the queue; None when it is not worth a review. `sample`: share of the sessions, 0 to 1,
    that are reviewed whatever came of them; which ones is decided by their ids."""
    turn = changed.turn
    if isinstance(turn.outcome, Silent) or (isinstance(turn.outcome, Deflected) and turn.outcome.talk is not None):
        return None
    within = _within(changed, sample)
    if not within:
        return None
    ordered = sorted(within, key=lambda reason: -WORTH[reason])
    return ReviewItem(
        tenant=changed.session.tenant,
        kb=changed.session.kb,
        session_id=turn.session_id,
        turn=turn.number,
        rank=WORTH[ordered[0]] + within[ordered[0]],
        reasons=tuple(ordered),
        asked_at=turn.asked_at,
    )


def lot(session_id: str) -> float:
    """A number in [0, 1) that a session always draws."""
    return int.from_bytes(hashlib.sha256(session_id.encode(errors="replace")).digest()[:6], "big") / 2**48


def nearest(turn: Turn) -> float | None:
    """How near the gates of the turn came to deciding otherwise; None when there were none."""
    return min((abs(gate.value - gate.threshold) for gate in turn.gates), default=None)


def _within(changed: Changed, sample: float) -> dict[ReviewReason, float]:
    """The reasons that hold, with what orders turns of one reason, below 1."""
    turn, outcome = changed.turn, changed.turn.outcome
    confidence = outcome.confidence if isinstance(outcome, Answered) else 0.0
    found: dict[ReviewReason, float] = {}
    if changed.feedback is not None and changed.feedback.rating is Rating.DOWN:
        found[ReviewReason.DISLIKED] = 0.9 * min(1.0, max(0.0, confidence))
    if changed.person_answered and turn.evidence:
        relevance = max((gate.value for gate in turn.gates), default=0.0)
        found[ReviewReason.PERSON_ANSWERED] = 0.9 * min(1.0, max(0.0, relevance))
    if isinstance(outcome, Answered) and outcome.completeness is Completeness.UNSURE:
        found[ReviewReason.UNSURE] = 0.9 * min(1.0, max(0.0, confidence))
    distance = nearest(turn)
    if distance is not None and distance <= NEAR:
        found[ReviewReason.NEAR_GATE] = 0.9 * (1.0 - distance / NEAR)
    drawn = lot(turn.session_id)
    if drawn < sample:
        found[ReviewReason.SAMPLED] = 0.9 * (1.0 - drawn)
    return found
