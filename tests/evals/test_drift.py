"""Live gate values against those of calibration time."""

import numpy as np
import pytest

from firstline.evals.drift import LUCK_MAX, TURNS_MAX, TURNS_MIN, drift


def values(seed: int, count: int, *, shift: float = 0.0) -> list[float]:
    return [float(value) for value in np.random.default_rng(seed).beta(2, 3, count) + shift]


def test_too_few_turns_say_nothing() -> None:
    assert drift(values(0, 200), values(1, TURNS_MIN - 1)) is None
    assert drift([], values(1, TURNS_MIN)) is None
    assert drift(values(0, 200), values(1, TURNS_MIN)) is not None


def test_the_distance_is_that_of_the_cumulative_shares() -> None:
    found = drift([0.1] * 50 + [0.9] * 50, [0.1] * 25 + [0.9] * 75)
    assert found is not None and found.distance == pytest.approx(0.25)
    assert (found.turns, found.reference) == (100, 100)
    apart = drift([0.1] * 100, [0.9] * 100)
    assert apart is not None and apart.distance == pytest.approx(1.0) and apart.shift == pytest.approx(0.8)
    assert apart.luck == pytest.approx(1 / 1000) and apart.drifted
    same = drift([0.5] * 100, [0.5] * 100)
    assert same is not None and same.distance == pytest.approx(0.0) and same.luck == 1.0 and not same.drifted


def test_a_shift_is_seen() -> None:
    found = drift(values(0, 300), values(1, 300, shift=0.15))
    assert found is not None and found.drifted and found.shift > 0.05


def test_the_newest_turns_count() -> None:
    found = drift(values(0, 300), values(1, TURNS_MAX) + values(2, 5_000, shift=0.4))
    assert found is not None and found.turns == TURNS_MAX and not found.drifted


def test_false_alarms_are_as_rare_as_promised() -> None:
    found = [drift(values(seed, 120), values(1_000 + seed, 120)) for seed in range(200)]
    alarms = sum(one is not None and one.drifted for one in found)
    # 2 are to be expected of 200, and 7 or more in fewer than 1 of 200 such runs.
    assert alarms <= 200 * LUCK_MAX + 4
    # The chances are those of chance: about half of them lie below one half.
    below = sum(one is not None and one.luck <= 0.5 for one in found)
    assert 70 <= below <= 130
