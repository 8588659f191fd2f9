"""Which cells does a table of AsciiDoc have?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from firstline.documents.parse.rst_tables import csv_rows

CELLS_MAX: Final = 100_000
COLUMNS_MAX: Final = 200
_COLUMNS: Final = re.compile(r"cols\s{0,4}=\s{0,4}(?:\"([^\"]{1,1000})\"|([^,\s\"]{1,40}))")
_SEPARATOR: Final = re.compile(
    r"(?<!\\)(?:(?<=\s)|^)(?:(\d{1,3})(?:\.\d{1,3})?([+*])|\.\d{1,3}\+)?[<^>]?(?:\.[<^>])?[aehlmdsv]?\||(?<!\\)\|"
)


def table_rows(lines: Sequence[str], style: str, sign: str) -> list[list[str]]:
    """Rows of equal length. `sign`: what the table's fence begins with; `,` and `:` tell values kept apart by it."""
    if sign in ",:" or re.search(r"format\s{0,4}=\s{0,4}\"?(?:csv|tsv|dsv)", style):
        delimiter = "tab" if "tsv" in style else ":" if sign == ":" or "dsv" in style else ","
        return csv_rows("", "\n".join(lines), delimiter)
    cells: list[str] = []
    first = 0
    for number, found in _cells(lines):
        cells.append(found)
        first += number == 0
        if len(cells) >= CELLS_MAX:
            break
    width = min(COLUMNS_MAX, _columns(style) or first or 1)
    return [cells[at : at + width] for at in range(0, len(cells), width)]


def _cells(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Cells with the number of the line, among those that open cells, that each begins in."""
    number = -1
    words: list[str] = []
    opened: tuple[int, int, bool] | None = None
    for line in (*lines, "|"):
        separators = list(_SEPARATOR.finditer(line))
        number += bool(separators)
        at = 0
        for separator in separators:
            words.append(line[at : separator.start()])
            if opened is not None:
                yield from _cell(words, *opened)
            words = []
            opened = (number, min(COLUMNS_MAX, int(separator[1] or 1)), separator[2] == "*")
            at = separator.end()
        words.append(line[at:])


def _cell(words: Sequence[str], number: int, times: int, repeated: bool) -> Iterator[tuple[int, str]]:
    text = " ".join(" ".join(words).split()).replace("\\|", "|")
    for time in range(times):
        # A cell that spans columns stands in the first of them.
        yield number, text if repeated or time == 0 else ""


def _columns(style: str) -> int:
    found = _COLUMNS.search(style)
    if found is None:
        return 0
    count = 0
    for part in re.split(r"[,;]", found[1] or found[2]):
        times = re.match(r"\s*(\d{1,3})\*", part)
        count += int(times[1]) if times else 1
    return count
