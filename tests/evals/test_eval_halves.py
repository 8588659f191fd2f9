"""Gates fitted on one half of the questions and read on the other."""

import random

import pytest

from firstline.evals.evaluate import LABELLED, REMOVED, Judged
from firstline.evals.halves import halves


def judged(
    key: str, *, right: bool, answerable: bool, condition: str = LABELLED, value: float, shown: bool = True
) -> Judged:
    return Judged(
        key=key,
        set_name="set",
        question=key,
        condition=condition,
        answerable=answerable,
        expected=(),
        outcome="answered" if shown else "clarify",
        completeness="full" if shown else None,
        reason=None,
        shown=shown,
        wrong=shown and not right,
        relevance=value,
        confidence=value,
        citation_precision=None,
        f1=None,
        met=None,
        duration_ms=1.0,
        features={"margin": value},
    )


def questions(*, telling: float, count: int = 200) -> list[Judged]:
    """`telling`: how far the margin of right answers is from that of wrong ones, in standard deviations."""
    dice = random.Random(7)  # noqa: S311 - repeatable, no secret
    found: list[Judged] = []
    for number in range(count):
        right = number % 4 != 0
        found.append(judged(f"a{number}", right=right, answerable=True, value=dice.gauss(telling * right, 1)))
        removed = judged(f"a{number}", right=False, answerable=False, condition=REMOVED, value=dice.gauss(0, 1))
        found.append(removed)
        found.append(judged(f"u{number}", right=False, answerable=False, value=dice.gauss(0, 1)))
    return found


def test_gates_that_can_tell_cover_much_and_keep_near_their_bound_on_questions_they_never_saw():
    found = halves(questions(telling=6), features=["margin"], wrong_max=0.02)
    assert found.coverage > 0.65
    assert found.wrong_rate < 0.03


def test_gates_that_cannot_tell_cover_little():
    found = halves(questions(telling=0), features=["margin"], wrong_max=0.02)
    assert found.coverage < 0.1
    assert found.wrong_rate < 0.06


def test_what_was_never_composed_is_never_shown():
    cases = [*questions(telling=6), judged("n", right=False, answerable=True, value=99, shown=False)]
    with_it, without = (halves(some, features=["margin"], wrong_max=0.02) for some in (cases, cases[:-1]))
    assert with_it.coverage == pytest.approx(without.coverage, abs=0.02)


def test_a_laxer_bound_covers_more():
    strict, lax = (halves(questions(telling=2), features=["margin"], wrong_max=bound) for bound in (0.01, 0.1))
    assert strict.coverage < lax.coverage and strict.wrong_rate < lax.wrong_rate


def test_a_missing_kind_is_refused():
    with pytest.raises(ValueError, match="every kind"):
        halves([judged("a", right=True, answerable=True, value=1)], features=["margin"], wrong_max=0.01)
