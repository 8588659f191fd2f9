"""Where is triage unsure, when it is asked about an industry that it has not seen? `python -m training.triage.band`

For every written sentence the shares are those of a classifier that was fitted without its industry, as `train.py`
chooses the temperature. Of the sentences that no sign decides, the table tells how often the classifier and the rules
are right, by the largest share; below it what would be asked of a model, by the share from which nobody is asked.
`questions/advised/unsure.py` has the limits that were chosen from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from firstline.domain import Category, Triage
from firstline.models.classifier import softmax
from firstline.questions.advised.unsure import HIGH_STAKES_MAX, undecided
from firstline.questions.triage import triage
from training.triage.compose import composed
from training.triage.train import (
    CATEGORIES,
    COMPOSED_WEIGHT,
    SEED,
    WRITTEN,
    embedded,
    logits_elsewhere,
    sentences,
    temperature_of,
)

EDGES: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
TRIED: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True)
class Reading:
    top: float
    high: float
    right: bool
    truth: str
    text: str
    told: Triage
    shares: Mapping[Category, float]


def readings() -> tuple[list[Reading], int]:
    """Of the sentences that no sign decides, and how many are wrong of all."""
    written = [row for name in WRITTEN for row in sentences(name)]
    rows = [*written, *composed(SEED, [row["text"] for row in written if row["category"] != Category.NONSENSE])]
    vectors, _ = embedded(rows)
    labels = np.array([CATEGORIES.index(row["category"]) for row in rows])
    weights = np.array([COMPOSED_WEIGHT if row["industry"] == "composed" else 1.0 for row in rows])
    logits = logits_elsewhere(rows, vectors, labels, weights)
    seen = ~np.isnan(logits[:, 0])
    shares = softmax(logits / temperature_of(logits[seen], labels[seen]))
    found: list[Reading] = []
    wrong = 0
    for row, own, known in zip(rows, shares, seen, strict=True):
        if not known:
            continue
        by_category = {category: float(share) for category, share in zip(Category, own, strict=True)}
        told = triage(row["text"], history=(), probabilities=by_category)
        right = told.category.value == row["category"]
        wrong += not right
        if undecided(told):
            high = by_category[Category.HIGH_STAKES]
            found.append(
                Reading(
                    top=float(own.max()),
                    high=high,
                    right=right,
                    truth=row["category"],
                    text=row["text"],
                    told=told,
                    shares=by_category,
                )
            )
    return found, wrong


def lines(found: Sequence[Reading], wrong: int) -> list[str]:
    said = [f"{len(found)} sentences that no sign decides; {wrong} wrong of all"]
    for low, high in pairwise(EDGES):
        band = [one for one in found if low <= one.top < high]
        if band:
            said.append(f"largest share {low:.2f} to {high:.2f}: {len(band)}, right {_right(band):.3f}")
    for sure in TRIED:
        band = [one for one in found if one.top < sure and one.high <= HIGH_STAKES_MAX]
        grave = sum(one.truth == Category.HIGH_STAKES for one in band)
        rest = [one for one in found if not (one.top < sure and one.high <= HIGH_STAKES_MAX)]
        said.append(
            f"asked below {sure:.2f}: {len(band)}, wrong {sum(not one.right for one in band)}, high stakes in truth "
            f"{grave}; the others are right {_right(rest):.3f}"
        )
    return said


def _right(band: Sequence[Reading]) -> float:
    return sum(one.right for one in band) / max(1, len(band))


if __name__ == "__main__":
    print("\n".join(lines(*readings())))
