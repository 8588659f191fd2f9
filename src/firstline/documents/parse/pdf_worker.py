"""Reads one PDF from standard input, within limits, and writes its lines as JSON to standard output.

    {"title": str, "hidden": str, "pages": [[[text, font size], ...], ...]}
    or {"error": "password" | "damaged" | "pages"}

Run as `python -m firstline.documents.parse.pdf_worker`: a crash or a kill ends this process only.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from typing import Any, Final

MEMORY_BYTES_MAX: Final = 3 * 1024**3
CPU_S_MAX: Final = 110
PAGES_MAX: Final = 5_000
TEXT_CHARS_MAX: Final = 64_000_000
TINY_POINTS_MAX: Final = 1.0
HIDDEN_CHARS_MAX: Final = 10_000


def main() -> None:
    for limit, value in (
        (resource.RLIMIT_AS, MEMORY_BYTES_MAX),
        (resource.RLIMIT_CPU, CPU_S_MAX),
        (resource.RLIMIT_CORE, 0),
    ):
        # A lower hard limit of the host stays in force; some hosts allow no change at all.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))
    json.dump(_read(sys.stdin.buffer.read()), sys.stdout)


def _read(raw: bytes) -> dict[str, Any]:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs] it ships none

    try:
        document = pypdfium2.PdfDocument(raw)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        return {"error": "password" if "password" in str(error).lower() else "damaged"}
    if count > PAGES_MAX:
        return {"error": "pages"}
    if count == 0:
        return {"error": "damaged"}
    pages: list[list[tuple[str, float]]] = []
    hidden: list[str] = []
    broken = total = 0
    for index in range(count):
        try:
            lines = _lines(document[index], hidden)
        except pypdfium2.PdfiumError:
            broken += 1
            lines = []
        total += sum(len(text) for text, _ in lines)
        if total > TEXT_CHARS_MAX:
            return {"error": "pages"}
        pages.append(lines)
    if broken == count:
        return {"error": "damaged"}
    return {"title": _title(document), "hidden": " ".join(hidden)[:HIDDEN_CHARS_MAX], "pages": pages}


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title") or "").strip()
    except Exception:
        return ""  # properties are a courtesy: a broken record of them is no reason to refuse the text


def _height(text_page: Any, index: int) -> float:
    """Of a character as printed, in points: a page's own scale may make much of a small font."""
    import ctypes

    import pypdfium2.raw as pdfium  # pyright: ignore[reportMissingTypeStubs] it ships none

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    found = pdfium.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
    return top.value - bottom.value if found else TINY_POINTS_MAX


def _lines(page: Any, hidden: list[str]) -> list[tuple[str, float]]:
    """Lines of a page with the font size of their first character. Lines too small to be read go to `hidden`."""
    import pypdfium2.raw as pdfium  # pyright: ignore[reportMissingTypeStubs] it ships none

    text_page = page.get_textpage()
    text = text_page.get_text_range()
    lines: list[tuple[str, float]] = []
    at = 0
    for line in text.split("\n"):
        words = line.rstrip("\r")
        offset = len(words) - len(words.lstrip())
        size = float(pdfium.FPDFText_GetFontSize(text_page, at + offset)) if words.strip() else 0.0
        if words.strip() and size < TINY_POINTS_MAX and _height(text_page, at + offset) < TINY_POINTS_MAX:
            hidden.append(words.strip())
            words = ""
        lines.append((words.strip(), round(size, 1)))
        at += len(line) + 1
    text_page.close()
    page.close()
    return lines


if __name__ == "__main__":
    main()
