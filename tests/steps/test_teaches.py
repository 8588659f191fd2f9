"""What is worth a reviewer's time, and in which order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.contracts.ledger_samples import escalated, handoff, session, turn

from firstline.domain import (
    Answered,
    Category,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Deflected,
    Feedback,
    FeedbackReason,
    GateReading,
    Outcome,
    Rating,
    ReviewReason,
    Scores,
    Silent,
    Talk,
)
from firstline.ports import Changed
from firstline.questions.teaches import lot, teaches

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SESSION = session("acme", session_id="s-1")
FOUND = (("c", Scores(dense=0.8, words=1.0, document=0.5, fused=2.0)),)


def answered(completeness: Completeness = Completeness.FULL, confidence: float = 0.9) -> Answered:
    citation = Citation(chunk_id="c", doc_id="a.md", blob="0" * 64, start=0, end=4, title="A", url=None)
    claim = Claim(text="It is.", kind=ClaimKind.SENTENCE, citations=(citation,))
    return Answered(completeness=completeness, claims=(claim,), confidence=confidence)


def changed(
    outcome: Outcome,
    *,
    rating: Rating | None = None,
    person: bool = False,
    gates: tuple[tuple[float, float], ...] = (),
    found: bool = True,
) -> Changed:
    reason = FeedbackReason.WRONG if rating is Rating.DOWN else None
    feedback = rating and Feedback(
        session_id="s-1", turn=1, rating=rating, reason=reason, correction="", by="u", at=NOW
    )
    readings = tuple(GateReading(name="relevance", value=value, threshold=needed) for value, needed in gates)
    made = replace(turn("s-1", 1, outcome=outcome), gates=readings, evidence=FOUND if found else ())
    return Changed(session=SESSION, turn=made, feedback=feedback or None, person_answered=person, at=NOW)


def reasons(of: Changed, sample: float = 0.0) -> tuple[ReviewReason, ...]:
    item = teaches(of, sample=sample)
    return item.reasons if item else ()


HANDED = handoff("s-1")
CASES = [
    (changed(answered()), ()),
    (changed(answered(), rating=Rating.UP), ()),
    (changed(answered(), rating=Rating.DOWN), (ReviewReason.DISLIKED,)),
    (changed(answered(Completeness.UNSURE)), (ReviewReason.UNSURE,)),
    (
        changed(answered(Completeness.UNSURE), rating=Rating.DOWN, gates=((0.52, 0.5),)),
        (ReviewReason.DISLIKED, ReviewReason.UNSURE, ReviewReason.NEAR_GATE),
    ),
    (changed(answered(), gates=((0.9, 0.5), (0.46, 0.5))), (ReviewReason.NEAR_GATE,)),
    (changed(Clarify(question="Which?", options=()), gates=((0.1, 0.5),)), ()),
    (changed(escalated(HANDED, 1).outcome, person=True), (ReviewReason.PERSON_ANSWERED,)),
    (changed(escalated(HANDED, 1).outcome, person=True, found=False), ()),
    (changed(Silent(handoff=HANDED), rating=Rating.DOWN), ()),
    (changed(Deflected(category=Category.IRRELEVANT, topics=(), talk=Talk.THANKS), rating=Rating.DOWN), ()),
    (changed(Deflected(category=Category.IRRELEVANT, topics=()), rating=Rating.DOWN), (ReviewReason.DISLIKED,)),
]


@pytest.mark.parametrize(("of", "expected"), CASES)
def test_why_a_turn_is_reviewed(of: Changed, expected: tuple[ReviewReason, ...]) -> None:
    assert reasons(of) == expected


def test_what_teaches_most_ranks_highest() -> None:
    ranked = [
        changed(answered(confidence=0.99), rating=Rating.DOWN),
        changed(answered(confidence=0.4), rating=Rating.DOWN),
        changed(Clarify(question="Which?", options=()), rating=Rating.DOWN),
        changed(escalated(HANDED, 1).outcome, person=True, gates=((0.45, 0.7),)),
        changed(escalated(HANDED, 1).outcome, person=True, gates=((0.1, 0.7),)),
        changed(answered(Completeness.UNSURE)),
        changed(answered(), gates=((0.501, 0.5),)),
        changed(answered(), gates=((0.54, 0.5),)),
    ]
    items = [teaches(one, sample=0.0) for one in ranked]
    ranks = [item.rank for item in items if item is not None]
    assert len(ranks) == len(ranked)
    assert ranks == sorted(ranks, reverse=True)
    sampled = teaches(changed(answered()), sample=1.0)
    assert sampled is not None and sampled.rank < ranks[-1]


def test_the_lot_falls_on_sessions_and_always_the_same_ones() -> None:
    drawn = [name for name in (f"session-{number}" for number in range(4_000)) if lot(name) < 0.05]
    assert 140 <= len(drawn) <= 260, "about one in twenty"
    assert drawn == [name for name in (f"session-{number}" for number in range(4_000)) if lot(name) < 0.05]
    assert reasons(changed(answered()), sample=lot("s-1") + 1e-9) == (ReviewReason.SAMPLED,)
    assert reasons(changed(answered()), sample=lot("s-1")) == ()
