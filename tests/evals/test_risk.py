"""Bounds on a rate: against brute force, and for questions of several kinds with different rates."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.most_errors import wrong_allowed

from firstline.evals.risk import few_by_luck, questions_needed, wrong_bound


def at_most(wrong: int, rates: list[float]) -> float:
    """The exact chance of at most `wrong` errors when each question has a rate of its own."""
    chances = [1.0]
    for rate in rates:
        chances = [
            (chances[n] * (1 - rate) if n < len(chances) else 0.0) + (chances[n - 1] * rate if n else 0.0)
            for n in range(len(chances) + 1)
        ]
    return math.fsum(chances[: wrong + 1])


@pytest.mark.parametrize(("wrong", "tested", "rate"), list(product([0, 1, 3], [20, 60, 300], [0.1, 0.3])))
def test_of_one_kind_it_is_the_binomial_tail(wrong: int, tested: int, rate: float) -> None:
    expected = 1.0 if wrong > tested * rate - 1 else at_most(wrong, [rate] * tested)
    assert few_by_luck(wrong, tested, rate) == pytest.approx(expected, rel=1e-9)


@given(rates=st.lists(st.floats(0, 1), min_size=3, max_size=3), rounds=st.integers(1, 40), wrong=st.integers(0, 8))
def test_of_several_kinds_few_errors_are_never_likelier_than_it_says(
    rates: list[float], rounds: int, wrong: int
) -> None:
    mixed = sum(rates) / 3
    assert at_most(wrong, rates * rounds) <= few_by_luck(wrong, 3 * rounds, mixed) + 1e-9


def test_the_cases_needed_are_the_first_number_that_is_enough() -> None:
    assert questions_needed(max_wrong=0.01, certainty=0.95) == 299
    for max_wrong, certainty in product([0.005, 0.02, 0.1, 0.3], [0.8, 0.9, 0.99]):
        needed = questions_needed(max_wrong=max_wrong, certainty=certainty)
        assert wrong_allowed(needed, max_wrong=max_wrong, certainty=certainty) == 0
        assert wrong_allowed(needed - 1, max_wrong=max_wrong, certainty=certainty) == -1


def test_errors_allowed_and_the_bound_say_the_same() -> None:
    assert wrong_allowed(600, max_wrong=0.01, certainty=0.95) == 1
    for tested in (50, 300, 1_000):
        allowed = wrong_allowed(tested, max_wrong=0.1, certainty=0.95)
        assert wrong_bound(allowed, tested, certainty=0.95) <= 0.1 < wrong_bound(allowed + 1, tested, certainty=0.95)
    assert wrong_bound(0, 0, certainty=0.95) == 1.0
    assert wrong_bound(9, 9, certainty=0.95) == 1.0
