"""What do a PDF's lines say together? Paragraphs, headings, lists, tables and code, told by print and place.

Headings: by the outline where there is one, else by size, else by bold print. A table: neighbouring lines whose gaps
stand above each other. Code: lines in letters of one width.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from firstline.documents.parse.marked import fenced
from firstline.documents.parse.pdf_tables import ROWS_MAX, Cell, table_at

HEADING_RATIO: Final = 1.15
HEADING_CHARS_MAX: Final = 120
BOLD_CHARS_MAX: Final = 80
BOLD_SHARE_MAX: Final = 0.25
SIZES_MAX: Final = 3
OUTLINE_MATCHED_MIN: Final = 3
PAGE_MARK: Final = "\ue00c"
"""Stands where a page begins; never a letter of the text itself."""
_BULLETS: Final = "\u2022\u25cf\u25aa\u25e6\u2043\uf0b7\u2013"
_ITEM: Final = re.compile(rf"(?:[{_BULLETS}*\-]|\d{{1,3}}[.)]|[a-z][.)])[ ]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """`size` in points, 0 when unknown. `cells`: left edge, right edge and words, parted by wide gaps."""

    text: str
    size: float
    bold: bool = False
    mono: bool = False
    cells: tuple[Cell, ...] = ()


Outline = Sequence[tuple[str, int, int]]
"""Title, depth from 0, page from 0."""


def markdown(pages: Sequence[Sequence[Line]], outline: Outline, alts: Mapping[int, Sequence[str]]) -> str:
    """The text with one PAGE_MARK at the beginning of each page."""
    headings = _Headings(pages, outline)
    writer = _Writer(_width(pages), headings)
    for number, page in enumerate(pages):
        writer.page(number, page, alts.get(number, ()))
    return writer.text()


def body_size(pages: Sequence[Sequence[Line]]) -> float:
    """The font size that most of the text is printed in."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page:
            weights[round(line.size, 1)] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def may_head(line: Line, body: float) -> bool:
    return body > 0 and line.size > body * HEADING_RATIO and 2 < len(line.text.strip()) <= HEADING_CHARS_MAX


def _width(pages: Sequence[Sequence[Line]]) -> int:
    """How many letters a full line has."""
    lengths = sorted(len(line.text) for page in pages for line in [*page, Line(text="", size=0.0)])
    return max(20, lengths[int(len(lengths) * 0.9)])


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


class _Headings:
    """Which lines head the text below them, and how high they stand."""

    def __init__(self, pages: Sequence[Sequence[Line]], outline: Outline) -> None:
        self._body = body_size(pages)
        self._titles: dict[tuple[int, str], int] = {}
        for title, depth, page in outline:
            self._titles.setdefault((page, _plain(title)), depth + 1)
        lines = [(number, line) for number, page in enumerate(pages) for line in page if line.text.strip()]
        by_size: dict[float, Counter[int]] = defaultdict(Counter)
        for number, line in lines:
            if level := self._titled(number, line):
                by_size[round(line.size, 1)][level] += 1
        if sum(count.total() for count in by_size.values()) < OUTLINE_MATCHED_MIN:
            self._titles.clear()
            by_size.clear()
        self._levels = self._by_size([line for _, line in lines], by_size)
        bold = sum(len(line.text) for _, line in lines if line.bold)
        self._bold = 0 < bold < BOLD_SHARE_MAX * sum(len(line.text) for _, line in lines)

    def level(self, page: int, line: Line, *, fresh: bool) -> int:
        """0 for no heading. `fresh`: no sentence is open above the line."""
        if titled := self._titled(page, line):
            return min(6, titled)
        if may_head(line, self._body):
            return self._levels.get(round(line.size, 1), 0)
        if not (fresh and self._bold and line.bold and not line.mono and line.size >= self._body):
            return 0
        text = line.text.strip()
        alone = len(line.cells) < 2 and 2 < len(text) <= BOLD_CHARS_MAX and text[-1] not in ".,;:!?"
        return (
            min(6, max(self._levels.values(), default=0) + 1)
            if alone and re.match(r"[A-Z\d\u00c0-\u024f]", text)
            else 0
        )

    def _titled(self, page: int, line: Line) -> int:
        if not self._titles or len(line.text) > HEADING_CHARS_MAX * 2:
            return 0
        plain = _plain(line.text)
        # An outline often leaves out the section's number, or adds it.
        return self._titles.get((page, plain)) or self._titles.get((page, re.sub(r"^(?:\d+ )+", "", plain)), 0)

    def _by_size(self, lines: Sequence[Line], told: Mapping[float, Counter[int]]) -> dict[float, int]:
        """Levels of the sizes larger than the text's: as the outline has them, else in order."""
        sizes = sorted({round(line.size, 1) for line in lines if may_head(line, self._body)}, reverse=True)
        if not told:
            return {size: place + 1 for place, size in enumerate(sizes[:SIZES_MAX])}
        levels: dict[float, int] = {}
        above = 0
        for size in sizes:
            level = told[size].most_common(1)[0][0] if size in told else above + 1
            levels[size] = min(6, level)
            above = max(above, level) if size in told else above
        return levels


class _Writer:
    def __init__(self, width: int, headings: _Headings) -> None:
        self._width = width
        self._headings = headings
        self._out: list[str] = []
        self._paragraph: list[str] = []

    def text(self) -> str:
        return "\n".join((*self._out, *self._paragraph))

    def page(self, number: int, lines: Sequence[Line], alts: Sequence[str]) -> None:
        mark = PAGE_MARK
        at = 0
        while at < len(lines):
            line = lines[at]
            text = " ".join(line.text.split())
            if not text:
                self._pause()
                at += 1
                continue
            table, after = table_at([each.cells for each in lines[at : at + ROWS_MAX]])
            if table:
                self._close()
                self._out.extend((mark + table[0], *table[1:], ""))
                at += after
            elif line.mono and (code := _code(lines, at)):
                self._close()
                self._out.extend((mark + code[0], *code[1:], ""))
                at = next((index for index in range(at, len(lines)) if not lines[index].mono), len(lines))
            elif level := self._headings.level(number, line, fresh=self._fresh()):
                self._close()
                self._out.extend((f"{mark}{'#' * level} {text}", ""))
                at += 1
            else:
                self._take(mark, text)
                at += 1
            mark = ""
        for alt in alts:
            self._close()
            self._out.extend((mark + alt, ""))
            mark = ""
        if mark:
            # A page without text: the next one begins where it does.
            self._paragraph = [*self._paragraph[:-1], (self._paragraph or [""])[-1] + mark]
        self._pause()

    def _last(self) -> str:
        return self._paragraph[-1] if self._paragraph else ""

    def _fresh(self) -> bool:
        return self._last().endswith((".", "!", "?", ":", PAGE_MARK)) or not self._last()

    def _close(self) -> None:
        self._out.extend((*self._paragraph, ""))
        self._paragraph = []

    def _pause(self) -> None:
        # A page's end is no paragraph's end when the sentence goes on.
        if self._last().endswith((".", "!", "?", ":")):
            self._close()

    def _take(self, mark: str, text: str) -> None:
        """The line goes on with the open paragraph, or closes it and opens the next."""
        last = self._last()
        item = _ITEM.match(text)
        if item and text[0] in _BULLETS:
            text = f"-{text[1:]}"
        if not last:
            self._paragraph = [mark + text]
        elif re.search(r"[a-z]-$", last) and text[:1].islower() and not item:
            self._paragraph[-1] = f"{last[:-1]}{mark}{text}"
        elif item:
            self._out.extend(self._paragraph)
            self._paragraph = [mark + text]
        elif self._ended(last, text):
            self._close()
            self._paragraph = [mark + text]
        else:
            self._paragraph.append(mark + text)

    def _ended(self, last: str, text: str) -> bool:
        short = len(last) < self._width * 0.6 and not text[:1].islower()
        return short or (last.endswith((".", ":", "!", "?")) and len(last) < self._width * 0.8)


def _code(lines: Sequence[Line], at: int) -> list[str]:
    """The lines of one width from here on, with their indentation; [] for a single one, which may be a word."""
    block = list(takewhile(lambda line: line.mono, lines[at:]))
    lefts = [line.cells[0][0] for line in block if line.cells]
    if len(block) < 2 or not lefts:
        return []
    return list(fenced(list(_indented(block, min(lefts)))))


def _indented(block: Sequence[Line], margin: float) -> Iterator[str]:
    for line in block:
        wide = line.size * 0.6 or 6.0
        blanks = round((line.cells[0][0] - margin) / wide) if line.cells else 0
        yield f"{' ' * min(40, max(0, blanks))}{line.text}"
