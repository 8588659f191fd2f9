"""How much is a whole, judged by a sample of it, and how sure is that?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SURE: Final = 1.96
"""Standard errors: nineteen times of twenty the whole lies between."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """`low` and `high` hold the true value nineteen times of twenty; all three are equal when everything was looked
    at. Without a second look there is no telling: `high` is infinite then."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Estimate:
        """`factor`: 0 or more."""
        return Estimate(value=self.value * factor, low=self.low * factor, high=self.high * factor if factor else 0.0)

    def plus(self, other: Estimate) -> Estimate:
        """As if both erred the same way."""
        return Estimate(value=self.value + other.value, low=self.low + other.low, high=self.high + other.high)


NOTHING: Final = Estimate(value=0.0, low=0.0, high=0.0)


def estimate(amounts: Sequence[float], sizes: Sequence[float], *, items: int, size: float) -> Estimate:
    """The amount of all `items`, which are `size` together, from those in a sample drawn at random: their `amounts`
    and `sizes`. What is larger has more: so it is judged by size, and by number where the sample has no size."""
    count = len(amounts)
    if not items or not count:
        return NOTHING if not items else Estimate(value=0.0, low=0.0, high=math.inf)
    seen = float(sum(amounts))
    if count >= items:
        return Estimate(value=seen, low=seen, high=seen)
    total = float(sum(sizes))
    weights = list(sizes) if total and size else [1.0] * count
    whole = float(size) if total and size else float(items)
    ratio = seen / sum(weights)
    value = ratio * whole
    if count < 2:
        return Estimate(value=value, low=min(seen, value), high=math.inf)
    spread = sum((amount - ratio * weight) ** 2 for amount, weight in zip(amounts, weights, strict=True)) / (count - 1)
    error = SURE * items * math.sqrt((1 - count / items) * spread / count)
    # What the sample holds is there for sure.
    return Estimate(value=value, low=max(min(seen, value), value - error), high=value + error)
