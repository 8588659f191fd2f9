"""What a sample says of the whole, and how often it is right."""

from __future__ import annotations

import math
import random

import pytest

from firstline.documents.estimate import estimate


def test_everything_looked_at_is_no_estimate() -> None:
    found = estimate([1, 2, 3], [10, 20, 30], items=3, size=60)
    assert (found.value, found.low, found.high) == (6, 6, 6)


def test_larger_items_have_more() -> None:
    found = estimate([1, 2, 3], [10, 20, 30], items=6, size=600)
    assert found.value == pytest.approx(60)
    assert found.low == pytest.approx(60) and found.high == pytest.approx(60), "always a tenth: no doubt"


def test_one_look_tells_little_and_none_tells_nothing() -> None:
    assert estimate([4], [10], items=5, size=50).high == math.inf
    assert estimate([], [], items=5, size=50).high == math.inf
    assert estimate([], [], items=0, size=0).high == 0
    assert estimate([1, 0], [0, 0], items=4, size=0).value == 2, "empty files are counted by number"


def test_what_the_sample_holds_is_there_at_least() -> None:
    found = estimate([100, 0, 0], [1, 1, 1], items=4, size=4)
    assert found.low == 100


@pytest.mark.parametrize("seed", range(3))
def test_nineteen_of_twenty_intervals_hold_the_truth(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (a seed, so that it is the same each time)
    sizes = [chance.lognormvariate(8, 1) for _ in range(2_000)]
    amounts = [max(0.0, size / 500 + chance.gauss(0, 4)) for size in sizes]
    truth, held = sum(amounts), 0
    for _ in range(200):
        drawn = chance.sample(range(len(sizes)), 100)
        found = estimate([amounts[at] for at in drawn], [sizes[at] for at in drawn], items=2_000, size=sum(sizes))
        held += found.low <= truth <= found.high
        assert found.value == pytest.approx(truth, rel=0.25)
    assert 180 <= held <= 200
