"""The bound read the other way round, for tests: how many errors still show a rate."""

from firstline.evals.risk import few_by_luck


def wrong_allowed(tested: int, *, max_wrong: float, certainty: float) -> int:
    """The most errors that still show a rate of at most `max_wrong`; -1 when not even none does."""
    wrong = -1
    while few_by_luck(wrong + 1, tested, max_wrong) <= 1 - certainty:
        wrong += 1
    return wrong
