"""How triage does on the held-out field sentences: `python -m training.triage.report`.

The sentences of `field_held.jsonl` are of industries that neither the classifier nor any threshold has seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.metrics import confusion_matrix, f1_score

from firstline.domain import Category, Triage
from firstline.models.classifier import open_classifier
from firstline.questions.out_of_scope import out_of_scope, scope_features
from firstline.questions.triage import triage
from training.triage.collect import Measured
from training.triage.train import CATEGORIES, Sentence, embedded, unseen

BINS = 10


@dataclass(frozen=True, kw_only=True)
class Report:
    macro_f1: float
    high_stakes_recall: float
    calibration_error: float
    confusion: tuple[tuple[int, ...], ...]
    mistaken: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Beyond:
    """`alone`: recall of the classifier's reading without the knowledge base, at the same rate of false alarms."""

    recall: float
    false_alarms: float
    foreign: float
    alone: float


@cache
def report(name: str = "field_held") -> Report:
    rows = unseen(name)
    found = sorted_by_triage(rows)
    truth = [row["category"] for row in rows]
    guess = [one.category.value for one in found]
    matrix = confusion_matrix(truth, guess, labels=list(CATEGORIES))
    high = CATEGORIES.index(Category.HIGH_STAKES.value)
    return Report(
        macro_f1=float(f1_score(truth, guess, average="macro")),
        high_stakes_recall=float(matrix[high, high] / matrix[high].sum()),
        calibration_error=calibration_error(
            np.array([one.confidence for one in found]), np.array([a == b for a, b in zip(truth, guess, strict=True)])
        ),
        confusion=tuple(tuple(map(int, row)) for row in matrix),
        mistaken=tuple(
            (row["text"], right, wrong) for row, right, wrong in zip(rows, truth, guess, strict=True) if right != wrong
        ),
    )


def sorted_by_triage(rows: Sequence[Sentence]) -> list[Triage]:
    vectors, embedder_id = embedded(rows)
    classifier = open_classifier(embedder=embedder_id)
    return [
        triage(row["text"], history=(), probabilities=classifier.classify(vector.astype(np.float32), row["text"]))
        for row, vector in zip(rows, vectors, strict=True)
    ]


def calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error over ten equal bins."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(
        sum(
            (bins == each).mean() * abs(confidence[bins == each].mean() - right[bins == each].mean())
            for each in range(BINS)
            if (bins == each).any()
        )
    )


def beyond(rows: Sequence[Measured]) -> Beyond:
    """On the held half, at the threshold that was chosen on the other."""
    held = [row for row in rows if row.held]
    readings = [out_of_scope(scope_features(row.text, row.ranked, row.probabilities)) for row in held]
    flagged = np.array([not reading.passed for reading in readings])
    label = np.array([row.label for row in held])
    alone = np.array([1 - row.probabilities[Category.ANSWERABLE] for row in rows])
    labels, halves = np.array([row.label for row in rows]), np.array([row.held for row in rows])
    cut = np.quantile(alone[(labels == "answerable") & ~halves], 0.98)
    return Beyond(
        recall=float(flagged[label == "outside"].mean()),
        false_alarms=float(flagged[label == "answerable"].mean()),
        foreign=float(flagged[label == "foreign"].mean()),
        alone=float((alone[(labels == "outside") & halves] >= cut).mean()),
    )


def main() -> None:
    from training.triage.collect import measured

    found = report()
    print("confusion (rows: truth)", *CATEGORIES, sep="\t")
    for name, row in zip(CATEGORIES, found.confusion, strict=True):
        print(f"{name:12s}", *row, sep="\t")
    print(f"macro-F1 {found.macro_f1:.3f}, high stakes recall {found.high_stakes_recall:.3f}")
    print(f"expected calibration error {found.calibration_error:.3f}")
    apart = beyond(asyncio.run(measured()))
    print(f"out of scope: recall {apart.recall:.3f} at {apart.false_alarms:.3f} false alarms")
    print(f"the classifier alone: recall {apart.alone:.3f}; foreign support questions flagged {apart.foreign:.3f}")


if __name__ == "__main__":
    main()
