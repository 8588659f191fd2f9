"""Bounds on a rate of wrong answers, exact for any number of cases. Plain Python: these numbers are small.

Questions of several kinds are tested together, each kind with its own unknown rate of errors, so their errors are not
binomial. Hoeffding ("On the distribution of the number of successes in independent trials", 1956) shows that they need
not be: of all independent trials whose rates have the mean r, equal ones are the likeliest to give few errors. When the
kinds are tested in the proportions of the mix, the mean is the mixed rate itself, and the binomial tail (Clopper and
Pearson, 1934) bounds it as it bounds one kind.
"""

from __future__ import annotations

import math
from functools import lru_cache

HALVINGS = 45
NEGLIGIBLE = 1e-17


def few_by_luck(wrong: int, tested: int, rate: float) -> float:
    """The largest chance of at most `wrong` errors among `tested` independent questions whose mean rate of errors is
    at least `rate`: the p-value of "the rate is above `rate`". 1 where the theorem says nothing."""
    if wrong > tested * rate - 1:
        return 1.0
    return _binomial_at_most(wrong, tested, rate)


@lru_cache(maxsize=4_096)  # a curve asks the same thing over and over
def wrong_bound(wrong: int, tested: int, *, certainty: float) -> float:
    """The upper confidence bound of the rate after `wrong` errors among `tested` questions; 1 when none was tested."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if few_by_luck(wrong, tested, middle) > 1 - certainty:
            low = middle
        else:
            high = middle
    return high


def questions_needed(*, max_wrong: float, certainty: float) -> int:
    """How many questions must come out without any error to show a rate of at most `max_wrong`."""
    needed = max(math.ceil(math.log(1 - certainty) / math.log(1 - max_wrong)), math.ceil(1 / max_wrong))
    # Rounding of logarithms may be off by one either way.
    while needed > 1 and few_by_luck(0, needed - 1, max_wrong) <= 1 - certainty:
        needed -= 1
    while few_by_luck(0, needed, max_wrong) > 1 - certainty:
        needed += 1
    return needed


def _binomial_at_most(wrong: int, trials: int, rate: float) -> float:
    if rate <= 0.0:
        return 1.0
    if rate >= 1.0:
        return float(wrong >= trials)
    # From the last term down: below the mean, where it is asked for, they only get smaller.
    term = math.exp(
        math.lgamma(trials + 1)
        - math.lgamma(wrong + 1)
        - math.lgamma(trials - wrong + 1)
        + wrong * math.log(rate)
        + (trials - wrong) * math.log1p(-rate)
    )
    odds = (1 - rate) / rate
    total = 0.0
    for count in range(wrong, -1, -1):
        total += term
        term *= count / (trials - count + 1) * odds
        if term < NEGLIGIBLE * total:
            break
    return min(1.0, total)
