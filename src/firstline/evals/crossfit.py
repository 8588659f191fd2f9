"""A logistic model fitted on some cases and read on others: what a gate would be worth on questions it never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FOLDS: Final = 5
STEPS_MAX: Final = 50
RIDGE: Final = 1.0


def crossfit(
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    groups: Sequence[str],
    *,
    folds: int = FOLDS,
    seed: int = 0,
) -> list[float]:
    """A probability per row, each from a model that saw no row of its group. Both labels weigh the same.

    Features that a row lacks are 0. ValueError when the lengths differ, or there are fewer groups than folds.
    """
    names = sorted({name for row in features for name in row})
    distinct = sorted(set(groups))
    if not len(features) == len(labels) == len(groups) or len(distinct) < folds:
        raise ValueError("crossfit needs one label and group per row, and at least as many groups as folds")
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in features], dtype=np.float64)
    truth = np.asarray(labels, dtype=np.float64)
    order = np.random.default_rng(seed).permutation(len(distinct))
    fold_of = {distinct[int(group)]: place % folds for place, group in enumerate(order.tolist())}
    row_fold = np.array([fold_of[group] for group in groups])
    scores = np.zeros(len(truth), dtype=np.float64)
    for fold in range(folds):
        held_out = row_fold == fold
        scores[held_out] = fitted_scores(matrix[~held_out], truth[~held_out], matrix[held_out])
    return [float(score) for score in scores]


def fitted_scores(seen: Floats, truth: Floats, unseen: Floats) -> Floats:
    """A probability per row of `unseen` (n, features), by a model fitted on `seen` (m, features) and `truth` (m)."""
    mean, spread = seen.mean(axis=0), seen.std(axis=0) + 1e-9
    weights = _fit(_design((seen - mean) / spread), truth)
    return _sigmoid(_design((unseen - mean) / spread) @ weights)


def _design(standardised: Floats) -> Floats:
    return np.hstack([standardised, np.ones((len(standardised), 1))])


def _fit(design: Floats, truth: Floats) -> Floats:
    """Newton steps on the ridge-penalised, class-balanced likelihood; the last column is the bias, not penalised."""
    positives = max(float(truth.sum()), 1.0)
    negatives = max(float(len(truth) - truth.sum()), 1.0)
    sample = np.where(truth > 0, len(truth) / (2 * positives), len(truth) / (2 * negatives))
    ridge = np.full(design.shape[1], RIDGE)
    ridge[-1] = 1e-6
    weights = np.zeros(design.shape[1], dtype=np.float64)
    for _ in range(STEPS_MAX):
        probability = _sigmoid(design @ weights)
        gradient = design.T @ (sample * (probability - truth)) + ridge * weights
        curvature = (design.T * (sample * probability * (1 - probability))) @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    return weights


def _sigmoid(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))
