"""Which cells does a table of reStructuredText have? Drawn as a grid, or ruled by rows of equals signs."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

CELLS_MAX: Final = 100_000
COLUMNS_MAX: Final = 200
GRID_TOP: Final = re.compile(r"^\+(?:-{1,500}\+){1,200}$")
SIMPLE_RULE: Final = re.compile(r"^={2,}(?:[ ]{1,40}={2,}){1,200}$")
_GRID_RULE: Final = re.compile(r"^[+|].*[-=]{2,}\+")


def grid_rows(lines: list[str]) -> list[list[str]]:
    """Cells of a grid; a cell that spans columns stands in the first of them, one that spans rows in its first row."""
    edges = [index for index, sign in enumerate(lines[0]) if sign == "+"][: COLUMNS_MAX + 1]
    rows: list[list[str]] = []
    row: list[list[str]] | None = None
    for line in lines[1:]:
        if line.startswith("+") or _GRID_RULE.match(line):
            if row is not None and any(part for cell in row for part in cell):
                rows.append([" ".join(cell) for cell in row])
            row = None
            if not any(map(str.isalnum, line)):
                continue
        row = row if row is not None else [[] for _ in edges[1:]]
        _take(line, edges, row)
        if len(rows) * len(edges) > CELLS_MAX:
            break
    return rows


def _take(line: str, edges: list[int], row: list[list[str]]) -> None:
    first, start = 0, edges[0] + 1
    for column, edge in enumerate(edges[1:]):
        if edge < len(line) and line[edge] not in "|+":
            continue  # the cell goes on over this edge
        words = line[start:edge].strip()
        if words and not re.fullmatch(r"[-=+|]+", words):
            row[first].append(words)
        first, start = column + 1, edge + 1


def simple_rows(lines: list[str]) -> list[list[str]]:
    """Cells between rules of `=`; a row with nothing in its first column goes on with the one before."""
    starts = [match.start() for match in re.finditer(r"(?<![=])=+", lines[0])][:COLUMNS_MAX]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if re.fullmatch(r"[=\- ]*", line):
            continue
        edges = [_behind_word(line, start) for start in starts[1:]]
        cells = [line[start:end].strip() for start, end in zip([starts[0], *edges], [*edges, None], strict=True)]
        if not cells[0] and rows:
            rows[-1] = [f"{before} {cell}".strip() for before, cell in zip(rows[-1], cells, strict=True)]
        else:
            rows.append([re.sub(r"^\\$", "", cell) for cell in cells])
        if len(rows) * len(starts) > CELLS_MAX:
            break
    return rows


def _behind_word(line: str, edge: int) -> int:
    """A word that runs over a column's edge stays whole, in the column where it begins."""
    while 0 < edge < len(line) and not line[edge - 1].isspace() and not line[edge].isspace():
        edge += 1
    return edge


def csv_rows(header: str, body: str, delimiter: str = ",") -> list[list[str]]:
    """[] when it is no table of comma-separated values."""
    delimiter = {"tab": "\t", "space": " "}.get(delimiter, delimiter if len(delimiter) == 1 else ",")
    rows: list[list[str]] = []
    try:
        for text in (header, body):
            for row in csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True):
                if any(cell.strip() for cell in row):
                    rows.append(row[:COLUMNS_MAX])
                if len(rows) * COLUMNS_MAX > CELLS_MAX * 10:
                    return rows
    except (csv.Error, TypeError, ValueError):
        return []
    return rows
