"""How are tables, notes and code written in Markdown? The same for every format that is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

QUOTES_MAX: Final = 8
_TICKS: Final = re.compile("`+")


def table_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first row is the header. Cells are put on one line each; short rows are filled up with empty cells."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return
    for index, row in enumerate(rows):
        cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
        yield f"| {' | '.join(cells + [''] * (width - len(row)))} |"
        if index == 0:
            yield f"|{' --- |' * width}"


def quoted(label: str, lines: Sequence[str]) -> Iterator[str]:
    """A quote that its bold label opens; only the lines when there is no label."""
    body = list(_trimmed(lines))
    if not label:
        yield from body
        return
    if body and _may_join(body[0]):
        body[0] = f"{label} {body[0]}"
    else:
        body.insert(0, label)
    deep = max((len(re.findall("> ", line[: 2 * QUOTES_MAX])) for line in body), default=0) >= QUOTES_MAX
    for line in body:
        yield line if deep else f"> {line}".rstrip()


def fenced(lines: Sequence[str], language: str = "") -> Iterator[str]:
    """A block of code, fenced by more ticks than it holds; nothing for blank code."""
    body = list(_trimmed(lines))
    if not body:
        return
    ticks = max((len(run) for line in body for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, ticks + 1)
    yield fence + (language if re.fullmatch(r"[\w+#.-]{1,30}", language) else "")
    yield from body
    yield fence


def inline_code(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        return ""
    return f"`` {words} ``" if "`" in words else f"`{words}`"


def _trimmed(lines: Sequence[str]) -> Sequence[str]:
    """Without blank lines at both ends."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else ()


def _may_join(line: str) -> bool:
    return not re.match(r"\s*(?:[-*+>|#]|\d{1,9}[.)]|`{3})", line) or line.startswith("**")
