"""Choose the thresholds of the gates so that wrong answers stay under a bound, with stated certainty.

Conformal risk control in the form of "Learn then Test" (Angelopoulos, Bates, Candès, Jordan, Lei, "Learn then Test:
calibrating predictive algorithms to achieve risk control", 2021). Each threshold stands for the hypothesis that the
rate of wrong answers shown at it is above the bound. Thresholds are tested in an order that was fixed before the cases
were seen, from strict to lax, and testing ends at the first that is not rejected (fixed-sequence testing): all before
it hold together with the certainty asked for, however many there are. Their paper takes the Hoeffding-Bentkus p-value,
which serves any bounded loss; ours is 0 or 1, and the binomial one is tighter: see `risk`.

Loss of a question: 1 when an answer is shown and is wrong, else 0. Questions are of three kinds, weighed by a mix:
those with an answer here, the same with their gold documents left out, and those without an answer. A question and its
twin without gold documents are not independent, so for the test a hash of its id decides as which of the two it counts;
the curve is drawn from both. The rate is that of questions that come as the cases do.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from firstline.errors import InvalidInput
from firstline.evals.risk import few_by_luck, questions_needed, wrong_bound
from firstline.evals.summary import ANSWERABLE, REMOVED, UNANSWERABLE

KINDS: Final = (ANSWERABLE, REMOVED, UNANSWERABLE)
STEP: Final = 0.02
LOGIT_MAX: Final = 12.0
THRESHOLDS: Final = tuple(
    1 / (1 + math.exp(-(LOGIT_MAX - STEP * place))) for place in range(round(2 * LOGIT_MAX / STEP) + 1)
)
"""From strict to lax, even in log odds and fixed in advance: gates are logistic, and near 1 they differ by little."""

NEVER: Final = 1.0
"""Above every value of a gate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """One question of one kind, asked with the gates held open. `wrong`: it would be, if it were shown. `composed`: an
    answer came; `regardless`: it is shown whatever the gates say."""

    key: str
    kind: str
    composed: bool
    regardless: bool
    wrong: bool
    relevance: float
    confidence: float

    def shown_at(self, threshold: float) -> bool:
        return self.composed and (self.regardless or self.confidence >= threshold)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """`mix` weighs the KINDS, in whole numbers. `max_wrong_unsure` is the bound of everything shown, answers with a
    disclaimer included; equal to `max_wrong`, no answer is shown with a disclaimer."""

    max_wrong: float
    max_wrong_unsure: float
    certainty: float
    mix: tuple[int, int, int] = (1, 1, 1)

    @property
    def has_band(self) -> bool:
        return self.max_wrong_unsure > self.max_wrong

    @property
    def certainty_each(self) -> float:
        """Two thresholds are chosen when there is a band: each may err half as often."""
        return 1 - (1 - self.certainty) / 2 if self.has_band else self.certainty


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """What a threshold does. `coverage`: share of answerable questions shown an answer; `right`: shown one that is not
    wrong. `wrong_rate` is mixed, over all cases; `wrong` of `tested` are those that the test counts, `bound` what they
    show at the certainty asked for."""

    threshold: float
    coverage: float
    right: float
    wrong_rate: float
    wrong_by_kind: tuple[float, float, float]
    wrong: int
    tested: int
    bound: float
    holds: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """`thresholds` by gate; `at` is the point of the confidence gate, `unsure_at` that of the unsure gate."""

    thresholds: dict[str, float]
    at: Point
    unsure_at: Point
    curve: tuple[Point, ...]


def choose(seen: Sequence[Seen], wanted: Wanted) -> Chosen:
    """The laxest thresholds that hold. InvalidInput when there are too few cases, or none of them holds."""
    tested = to_test(seen, wanted)
    curve = tuple(_curve(seen, tested, wanted))
    _check_some_hold(curve, tested, wanted)
    at = _last_of_sequence(curve, wanted.max_wrong, wanted)
    unsure_at = _last_of_sequence(curve, wanted.max_wrong_unsure, wanted) if wanted.has_band else at
    shown = [one for one in seen if one.composed and one.confidence >= unsure_at.threshold]
    return Chosen(
        thresholds={
            "relevance": min((one.relevance for one in shown), default=0.0),
            "unsure": unsure_at.threshold,
            "confidence": at.threshold,
        },
        at=at,
        unsure_at=unsure_at,
        curve=tuple(replace(point, holds=point.threshold >= at.threshold) for point in curve),
    )


def to_test(seen: Sequence[Seen], wanted: Wanted) -> list[Seen]:
    """Independent questions in the proportions of the mix, as many as there are. InvalidInput when they are too few."""
    in_hash_order = sorted(seen, key=lambda one: (_hash(one.key), one.key))
    twins = {one.key: one for one in in_hash_order if one.kind == REMOVED}
    answerable = [one for one in in_hash_order if one.kind == ANSWERABLE and one.key in twins]
    unanswerable = [one for one in in_hash_order if one.kind == UNANSWERABLE]
    asked, removed, away = wanted.mix
    rounds = rounds_of(len(answerable), len(unanswerable), wanted)
    kept = answerable[: rounds * asked]
    kept += [twins[one.key] for one in answerable[rounds * asked : rounds * (asked + removed)]]
    return kept + unanswerable[: rounds * away]


def rounds_of(answerable: int, unanswerable: int, wanted: Wanted) -> int:
    """How many times the mix goes into so many cases. InvalidInput, with the number needed, when they are too few."""
    asked, removed, away = wanted.mix
    rounds = answerable // (asked + removed)
    if away:
        rounds = min(rounds, unanswerable // away)
    needed = math.ceil(questions_needed(max_wrong=wanted.max_wrong, certainty=wanted.certainty_each) / sum(wanted.mix))
    if rounds < needed:
        raise InvalidInput(
            f"There are too few cases: {answerable} with an answer here and {unanswerable} without. To show at most "
            f"{wanted.max_wrong:.2%} wrong answers with {wanted.certainty:.0%} certainty it takes at least "
            f"{needed * (asked + removed)} with an answer and {needed * away} without, and more when some of them are "
            "answered wrongly.",
            remedy=_reachable(rounds * sum(wanted.mix), wanted),
        )
    return rounds


def _reachable(tested: int, wanted: Wanted) -> str:
    if tested == 0:
        return "Label more questions of each kind; docs/calibration.md says how."
    least = wrong_bound(0, tested, certainty=wanted.certainty_each)
    return (
        f"Label more questions, or ask for less: these could show at most {least:.2%} (--max-wrong), without an error."
    )


def _curve(seen: Sequence[Seen], tested: Sequence[Seen], wanted: Wanted) -> Iterator[Point]:
    """One point for each threshold at which something changes, from strict to lax; the first shows what every
    threshold shows."""
    counted = frozenset(id(one) for one in tested)
    sizes = Counter(one.kind for one in seen)
    shown: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    in_turn = sorted((one for one in seen if one.composed), key=lambda one: (-one.regardless, -one.confidence))
    at = tested_wrong = 0
    for threshold in (NEVER, *THRESHOLDS):
        before = at
        while at < len(in_turn) and in_turn[at].shown_at(threshold):
            one = in_turn[at]
            shown[one.kind] += 1
            wrong[one.kind] += one.wrong
            tested_wrong += one.wrong and id(one) in counted
            at += 1
        if at > before or threshold == NEVER:
            yield _point(threshold, sizes, shown, wrong, tested_wrong, len(tested), wanted)


def _point(
    threshold: float,
    sizes: Mapping[str, int],
    shown: Mapping[str, int],
    wrong: Mapping[str, int],
    tested_wrong: int,
    tested: int,
    wanted: Wanted,
) -> Point:
    rates = [wrong.get(kind, 0) / max(1, sizes.get(kind, 0)) for kind in KINDS]
    answerable, answers = max(1, sizes.get(ANSWERABLE, 0)), shown.get(ANSWERABLE, 0)
    return Point(
        threshold=threshold,
        coverage=answers / answerable,
        right=(answers - wrong.get(ANSWERABLE, 0)) / answerable,
        wrong_rate=sum(weight * rate for weight, rate in zip(wanted.mix, rates, strict=True)) / sum(wanted.mix),
        wrong_by_kind=(rates[0], rates[1], rates[2]),
        wrong=tested_wrong,
        tested=tested,
        bound=wrong_bound(tested_wrong, tested, certainty=wanted.certainty_each),
        holds=False,
    )


def _last_of_sequence(curve: Sequence[Point], max_wrong: float, wanted: Wanted) -> Point:
    """Fixed-sequence testing: the last one before the first that is not rejected. Between two points of the curve
    nothing changes, so testing the points is testing every threshold."""
    last = curve[0]
    for point in curve:
        if few_by_luck(point.wrong, point.tested, max_wrong) > 1 - wanted.certainty_each:
            break
        last = point
    return last


def _check_some_hold(curve: Sequence[Point], tested: Sequence[Seen], wanted: Wanted) -> None:
    """InvalidInput unless the strictest threshold that shows an answer to somebody holds."""
    first = next((point for point in curve[1:] if point.right > curve[0].right), None)
    if first is None:
        raise InvalidInput(
            "No case got an answer that a gate decides over: there is nothing to set a threshold on.",
            remedy="Check with `firstline eval` that the knowledge base holds what the cases ask for.",
        )
    if few_by_luck(first.wrong, len(tested), wanted.max_wrong) > 1 - wanted.certainty_each:
        raise InvalidInput(
            f"No threshold holds: the strictest one that answers anything has {first.wrong} wrong answers among "
            f"{len(tested)} questions ({curve[0].wrong} of them shown whatever the gates say), which shows a rate of "
            f"at most {first.bound:.2%} and not of {wanted.max_wrong:.2%}.",
            remedy=f"The smallest bound in reach is --max-wrong {math.ceil(first.bound * 1000) / 1000:g}; better: look "
            "at the wrong answers with `firstline eval`, and label more cases. Nothing was changed.",
        )


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
