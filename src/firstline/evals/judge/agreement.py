"""Does the judge see what people see? Weighted kappa between its marks and people's verdicts on the same turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

TURNS_MIN: Final = 30
"""Fewer judged turns say nothing: the interval is as wide as the scale."""
BELIEVED_FROM: Final = 0.6
"""Landis and Koch, "The measurement of observer agreement for categorical data", Biometrics 33 (1977): above 0.60
agreement is substantial."""
RESAMPLES: Final = 2_000
LEVELS: Final = 3
"""Wrong, partly, good: what people say (`domain.Verdict`), and what marks are put into."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """`kappa` is 1 for the same everywhere, 0 for chance; `low` and `high` bound 95 of 100 resamples. None where it is
    not defined: both gave one and the same level to every turn."""

    turns: int
    kappa: float | None
    low: float | None = None
    high: float | None = None
    same: int = 0

    @property
    def enough(self) -> bool:
        return self.turns >= TURNS_MIN

    @property
    def believed(self) -> bool:
        return self.enough and self.kappa is not None and self.kappa >= BELIEVED_FROM


def level_of_marks(faithfulness: int, relevancy: int) -> int:
    """0, 1 or 2 for wrong, partly, good. An answer is as good as its worse mark: 1 and 2, 3, 4 and 5."""
    worse = min(faithfulness, relevancy)
    return 0 if worse <= 2 else 1 if worse == 3 else 2


def weighted_kappa(one: Sequence[int], other: Sequence[int], *, levels: int = LEVELS) -> float | None:
    """Quadratically weighted kappa (Cohen, "Weighted kappa", Psychological Bulletin 70, 1968) of two ratings of the
    same things, each 0 to `levels` - 1."""
    if len(one) != len(other):
        raise ValueError("the two rated different things")
    seen = np.zeros((levels, levels))
    np.add.at(seen, (np.asarray(one, dtype=int), np.asarray(other, dtype=int)), 1.0)
    total = seen.sum()
    if not total:
        return None
    places = np.arange(levels)
    weights = (places[:, None] - places[None, :]) ** 2
    by_chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / total
    expected = float((weights * by_chance).sum())
    return None if expected == 0 else 1.0 - float((weights * seen).sum()) / expected


def agreement(judge: Sequence[int], people: Sequence[int], *, seed: int = 0) -> Agreement:
    """With a bootstrap interval over turns (seeded); resamples in which kappa is not defined are left out."""
    kappa = weighted_kappa(judge, people)
    same = sum(one == other for one, other in zip(judge, people, strict=True))
    if kappa is None or len(judge) < TURNS_MIN:
        return Agreement(turns=len(judge), kappa=kappa, same=same)
    chance = np.random.default_rng(seed)
    one, other = np.asarray(judge), np.asarray(people)
    found: list[float] = []
    for _ in range(RESAMPLES):
        drawn = chance.integers(0, len(one), len(one))
        value = weighted_kappa(one[drawn].tolist(), other[drawn].tolist())
        if value is not None:
            found.append(value)
    low, high = (float(np.quantile(found, share)) for share in (0.025, 0.975))
    return Agreement(turns=len(judge), kappa=kappa, low=low, high=high, same=same)
