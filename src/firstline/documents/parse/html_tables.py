"""Which cells does a table of a web page have, and is it a table at all or only a way to lay out a page?"""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

SPAN_MAX: Final = 100
COLUMNS_MAX: Final = 500
CELLS_MAX: Final = 400_000
_LAYOUT: Final = "table, h1, h2, h3, h4"

Grid = list[list[LexborNode | None]]
"""Rows of cells; one that spans rows stands in each, one that spans columns in the first, with None after it."""


def grid_of(table: LexborNode) -> Grid:
    """Of this table alone, not of tables inside its cells; [] when it has too many."""
    grid: Grid = []
    cells = 0
    hanging: dict[int, tuple[LexborNode, int]] = {}
    for row in _rows(table):
        line: list[LexborNode | None] = []
        for cell in row:
            _hang(line, hanging)
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            if down > 1:
                hanging[len(line)] = (cell, down - 1)
            line.extend((cell, *([None] * (across - 1))))
            if len(line) > COLUMNS_MAX:
                break
        _hang(line, hanging)
        cells += len(line)
        if cells > CELLS_MAX:
            return []
        if line:
            grid.append(line)
    return grid


def lays_out(grid: Grid) -> bool:
    """Whether a cell holds a table or a heading of its own: then the cells are parts of a page."""
    return any(cell is not None and cell.css_first(_LAYOUT) is not None for row in grid for cell in row)


def caption_of(table: LexborNode) -> LexborNode | None:
    child = table.first_child
    while child is not None:
        if child.tag == "caption":
            return child
        child = child.next
    return None


def _hang(line: list[LexborNode | None], hanging: dict[int, tuple[LexborNode, int]]) -> None:
    """Cells of rows above that reach down to this place."""
    while len(line) in hanging:
        place = len(line)
        cell, left = hanging.pop(place)
        line.append(cell)
        if left > 1:
            hanging[place] = (cell, left - 1)


def _span(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    return min(SPAN_MAX, max(1, int(value))) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _rows(table: LexborNode) -> list[list[LexborNode]]:
    groups: list[LexborNode] = []
    child = table.first_child
    while child is not None:
        if child.tag == "tr":
            groups.append(child)
        elif child.tag in {"thead", "tbody", "tfoot"}:
            row = child.first_child
            while row is not None:
                if row.tag == "tr":
                    groups.append(row)
                row = row.next
        child = child.next
    rows: list[list[LexborNode]] = []
    for group in groups:
        cells: list[LexborNode] = []
        cell = group.first_child
        while cell is not None:
            if cell.tag in {"td", "th"}:
                cells.append(cell)
            cell = cell.next
        if cells:
            rows.append(cells)
    return rows
