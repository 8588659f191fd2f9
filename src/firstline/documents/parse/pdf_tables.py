"""Which lines of a PDF's page are rows of a table? Those whose gaps stand above each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from firstline.documents.parse.marked import table_lines

ROWS_MIN: Final = 3
ROWS_MAX: Final = 500
COLUMNS_MAX: Final = 30
CELL_WORDS_MAX: Final = 12
"""On average: columns of prose side by side are no table."""
SLACK: Final = 4.0
"""Points by which cells of a column may stand apart."""

Cell = tuple[float, float, str]
"""Left and right edge in points, and the words between them."""


def table_at(lines: Sequence[Sequence[Cell]]) -> tuple[list[str], int]:
    """The table that begins with the first line, as Markdown, and how many lines it takes; ([], 0) for none."""
    columns = list(lines[0]) if lines else []
    if not 2 <= len(columns) <= COLUMNS_MAX:
        return [], 0
    edges = [(left, right) for left, right, _ in columns]
    rows: list[list[str]] = []
    taken = 0
    for cells in lines[:ROWS_MAX]:
        places = _places(cells, edges)
        if places is None or any(
            right > edges[place + 1][0]
            for place, (_, right, _) in zip(places, cells, strict=True)
            if place + 1 < len(edges)
        ):
            break  # a line of prose, or of another table
        row = [""] * len(edges)
        for place, (left, right, words) in zip(places, cells, strict=True):
            row[place] = f"{row[place]} {words}".strip()
            edges[place] = (min(edges[place][0], left), max(edges[place][1], right))
        if not row[0] and rows:
            rows[-1] = [f"{before} {cell}".strip() for before, cell in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
        taken += 1
    words = [len(cell.split()) for row in rows for cell in row if cell]
    if len(rows) < ROWS_MIN or sum(words) > CELL_WORDS_MAX * len(words) or _overlap(edges):
        return [], 0
    return list(table_lines(rows)), taken


def _places(cells: Sequence[Cell], edges: Sequence[tuple[float, float]]) -> list[int] | None:
    """The column of each cell: one that begins or ends with it or stands under it. None when one has no place."""
    places: list[int] = []
    for left, right, _ in cells:
        found = next(
            (
                place
                for place, (start, end) in enumerate(edges)
                if abs(left - start) <= SLACK or abs(right - end) <= SLACK or (start <= left and right <= end)
            ),
            None,
        )
        if found is None or (places and found <= places[-1]):
            return None
        places.append(found)
    return places or None


def _overlap(edges: Sequence[tuple[float, float]]) -> bool:
    return any(right > left + SLACK for (_, right), (left, _) in pairwise(edges))
