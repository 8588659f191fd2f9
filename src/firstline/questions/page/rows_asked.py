"""Which rows of a table were asked for? Shared vocabulary; it calls no step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from firstline.domain import ClaimKind
from firstline.questions.message.terms import all_stems
from firstline.questions.page.units import Unit

WORDS_MIN: Final = 2
ROWS_MIN: Final = 4
"""A shorter table is read faster than it is cut."""
NEAR_BEST: Final = 0.75
"""Rows that hold nearly as much of what was asked as the best one are shown with it."""


def rows_asked(units: Sequence[Unit], sought: Collection[str]) -> list[Unit]:
    """The rows whose first cell was asked for; without one, those that hold most of the asked words by which rows
    differ. All of them when the best row holds a single one: one word in common is chance."""
    rows = [(unit, all_stems(unit.text), all_stems(_label(unit.text))) for unit in units if unit.kind is ClaimKind.ROW]
    if len(rows) < ROWS_MIN:
        return list(units)
    kept = [unit for unit, _, label in rows if label and label.issubset(sought)]
    if not kept:
        held = Counter(word for _, stems, _ in rows for word in stems.intersection(sought))
        telling = {word for word, count in held.items() if count < len(rows)}
        if max(len(stems & telling) for _, stems, _ in rows) < WORDS_MIN:
            return list(units)
        # A word counts by how few rows hold it.
        scores = [sum(1 - held[word] / len(rows) for word in stems & telling) for _, stems, _ in rows]
        kept = [row[0] for row, score in zip(rows, scores, strict=True) if score >= NEAR_BEST * max(scores)]
    return [unit for unit in units if unit.kind is not ClaimKind.ROW or unit in kept]


def _label(row: str) -> str:
    """What stands in the row's first cell, without the column's name."""
    return row.split(" · ", 1)[0].partition("**: ")[2]
