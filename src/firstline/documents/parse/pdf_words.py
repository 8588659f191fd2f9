"""Which lines does a PDF's page print, in which size and face, and where do gaps part them into columns?

Runs in the process that reads the PDF. Words that nobody sees are told apart.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final

import pypdfium2.raw as pdfium  # pyright: ignore[reportMissingTypeStubs] it ships none

from firstline.documents.parse.pdf_seen import Page, box_of

_PDFIUM: Final[Any] = pdfium
_WORD: Final = re.compile(r"\S+")
_MONO: Final = re.compile(r"mono|courier|consol|menlo|typewriter|(?:^|[+-])code", re.IGNORECASE)
_BOLD: Final = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
GAP_SIZES_MIN: Final = 0.9
"""Gaps wider than this many font sizes part columns; a blank is about a quarter of one, in justified text a half."""
WORDS_MAX: Final = 20_000
"""Placed on one page; the lines below have text and size alone."""
FIXED_PITCH: Final = 1
FORCE_BOLD: Final = 1 << 18
HEAVY_MIN: Final = 600
ALTS_MAX: Final = 50
ALT_CHARS_MAX: Final = 500
ELEMENTS_MAX: Final = 2_000

Cell = tuple[float, float, str]
"""Left and right edge in points, and what stands between them."""
Line = tuple[str, float, bool, bool, list[Cell]]
"""Text, font size in points, whether it is bold, whether its letters are of one width, cells."""


def lines_of(page: Any, hidden: list[str]) -> list[Line]:
    """In the order of the file. Blank lines stay; words that nobody sees go to `hidden`."""
    text_page = page.get_textpage()
    seen = Page(page, text_page)
    lines: list[Line] = []
    at = words = 0
    for line in text_page.get_text_range().split("\n"):
        found = list(_WORD.finditer(line))
        words += len(found)
        lines.append(_line(text_page, seen, line.rstrip("\r"), at, found, hidden, placed=words <= WORDS_MAX))
        at += len(line) + 1
    text_page.close()
    return lines


def _line(
    text_page: Any, seen: Page, line: str, at: int, words: list[re.Match[str]], hidden: list[str], *, placed: bool
) -> Line:
    shown: list[re.Match[str]] = []
    size = 0.0
    unseen = 0
    for word in words:
        own = float(_PDFIUM.FPDFText_GetFontSize(text_page, at + word.start()))
        if seen.unseen(at + word.start(), own):
            hidden.append(word.group())
            unseen += 1
        else:
            size = size or own
            shown.append(word)
    text = " ".join(word.group() for word in shown) if unseen else " ".join(line.split())
    if not shown or not placed:
        return text, round(size, 1), False, False, []
    first, last = _face(text_page, at + shown[0].start()), _face(text_page, at + shown[-1].start())
    bold, mono = first[0] and last[0], first[1] and last[1]
    return text, round(size, 1), bold, mono, _cells(text_page, at, shown, size)


def _cells(text_page: Any, at: int, words: list[re.Match[str]], size: float) -> list[Cell]:
    cells: list[Cell] = []
    gap = max(3.0, size * GAP_SIZES_MIN)
    for word in words:
        left, right = box_of(text_page, at + word.start()), box_of(text_page, at + word.end() - 1)
        if left is None or right is None:
            return []
        if cells and 0 <= left[0] - cells[-1][1] < gap:
            cells[-1] = (cells[-1][0], round(right[2], 1), f"{cells[-1][2]} {word.group()}")
        else:
            cells.append((round(left[0], 1), round(right[2], 1), word.group()))
    return cells


def _face(text_page: Any, index: int) -> tuple[bool, bool]:
    """Whether a letter is bold, and whether its font has one width for all."""
    flags = ctypes.c_int()
    name = ctypes.create_string_buffer(128)
    _PDFIUM.FPDFText_GetFontInfo(text_page, index, name, 128, flags)
    said = name.value.decode("latin-1")
    bold = bool(_BOLD.search(said) or flags.value & FORCE_BOLD)
    heavy = bold or _PDFIUM.FPDFText_GetFontWeight(text_page, index) >= HEAVY_MIN
    return heavy, bool(_MONO.search(said) or flags.value & FIXED_PITCH)


def alternative_texts(page: Any) -> list[str]:
    """What a tagged PDF says in place of its pictures."""
    tree = _PDFIUM.FPDF_StructTree_GetForPage(page)
    if not tree:
        return []
    found: list[str] = []
    stack: list[Any] = [
        _PDFIUM.FPDF_StructTree_GetChildAtIndex(tree, index)
        for index in range(min(ELEMENTS_MAX, _PDFIUM.FPDF_StructTree_CountChildren(tree)))
    ]
    for _ in range(ELEMENTS_MAX):
        if not stack or len(found) >= ALTS_MAX:
            break
        element = stack.pop()
        if not element:
            continue
        buffer = ctypes.create_string_buffer(2 * ALT_CHARS_MAX)
        size: int = _PDFIUM.FPDF_StructElement_GetAltText(element, buffer, 2 * ALT_CHARS_MAX)
        if 2 < size <= 2 * ALT_CHARS_MAX:
            found.append(" ".join(buffer.raw[: size - 2].decode("utf-16-le", errors="ignore").split()))
        count: int = _PDFIUM.FPDF_StructElement_CountChildren(element)
        children = min(count, ELEMENTS_MAX - len(stack))
        stack.extend(_PDFIUM.FPDF_StructElement_GetChildAtIndex(element, at) for at in reversed(range(children)))
    _PDFIUM.FPDF_StructTree_Close(tree)
    return [text for text in found if text]
