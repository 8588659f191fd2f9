"""Gates fitted on one half of the questions and read on the other: what they keep of their promise on new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from firstline.evals.crossfit import fitted_scores
from firstline.evals.evaluate import Judged
from firstline.evals.summary import ANSWERABLE, CONDITIONS, kind_of

SPLITS: Final = 40
Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class Halves:
    """Means over the splits, on the halves that nothing was fitted on.

    `wrong_rate`: wrong answers shown / questions asked, the three kinds mixed in equal parts. `coverage`: answerable
    questions that got a right answer / answerable questions asked.
    """

    wrong_rate: float
    coverage: float
    splits: int


def halves(
    judged: Sequence[Judged], *, features: Sequence[str], wrong_max: float, splits: int = SPLITS, seed: int = 0
) -> Halves:
    """Fit a model and the lowest threshold that keeps to `wrong_max` on a random half of the questions, read both on
    the other, `splits` times. A question and its twin without gold documents are always in the same half.

    `judged`: with the gates held open, of all three kinds. ValueError when a kind is missing.
    """
    gated = [one for one in judged if kind_of(one) is not None]
    kinds = np.array([CONDITIONS.index(str(kind_of(one))) for one in gated])
    if set(kinds.tolist()) != set(range(len(CONDITIONS))):
        raise ValueError(f"halves needs questions of every kind: {', '.join(CONDITIONS)}")
    matrix = np.array([[one.features.get(name, 0.0) for name in features] for one in gated], dtype=np.float64)
    right = np.array([one.shown and not one.wrong for one in gated])
    # A turn that ended before anything was composed can be shown by no threshold.
    showable = np.array([one.shown for one in gated])
    keys = sorted({one.key for one in gated})
    number = {key: place for place, key in enumerate(keys)}
    key_of = np.array([number[one.key] for one in gated])
    random = np.random.default_rng(seed)
    found: list[tuple[float, float]] = []
    for _ in range(splits):
        chosen = np.zeros(len(keys), dtype=np.bool_)
        chosen[random.permutation(len(keys))[: len(keys) // 2]] = True
        seen = chosen[key_of]
        scores = np.where(showable, fitted_scores(matrix[seen], right[seen].astype(np.float64), matrix), -1.0)
        threshold = lowest_threshold(scores[seen], right[seen], kinds[seen], wrong_max=wrong_max)
        found.append(_read(scores[~seen] >= threshold, right[~seen], kinds[~seen]))
    wrong, covered = np.array(found).mean(axis=0)
    return Halves(wrong_rate=float(wrong), coverage=float(covered), splits=splits)


def lowest_threshold(scores: Floats, right: Marks, kinds: npt.NDArray[np.int_], *, wrong_max: float) -> float:
    """The lowest score that may be shown so that neither it nor any stricter one shows more wrong answers than
    `wrong_max` of the questions, the kinds mixed in equal parts; infinity when not even the best one may. `kinds`:
    places in CONDITIONS."""
    weight = 1 / (len(CONDITIONS) * np.bincount(kinds, minlength=len(CONDITIONS))[kinds])
    order = np.argsort(-scores)
    passing = int(np.searchsorted(np.cumsum((weight * ~right)[order]), wrong_max, side="right"))
    return float(scores[order[passing - 1]]) if passing else float("inf")


def _read(shown: Marks, right: Marks, kinds: npt.NDArray[np.int_]) -> tuple[float, float]:
    rates = [float((shown & ~right)[kinds == kind].mean()) for kind in range(len(CONDITIONS))]
    answerable = kinds == CONDITIONS.index(ANSWERABLE)
    return sum(rates) / len(rates), float((shown & right)[answerable].mean())
