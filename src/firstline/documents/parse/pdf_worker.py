"""Reads one PDF from standard input, within limits, and writes its lines as JSON to standard output.

    {"title": str, "hidden": str, "outline": [[title, depth, page], ...], "alts": {page: [text, ...]},
     "pages": [[[text, font size, bold, one width, [[left, right, text], ...]], ...], ...]}
    or {"error": "password" | "damaged" | "pages"}

Run as `python -m firstline.documents.parse.pdf_worker`: a crash or a kill ends this process only.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from firstline.documents.parse.limited import limit

MEMORY_BYTES_MAX: Final = 3 * 1024**3
CPU_S_MAX: Final = 110
PAGES_MAX: Final = 5_000
TEXT_CHARS_MAX: Final = 24_000_000
HIDDEN_CHARS_MAX: Final = 10_000
OUTLINE_MAX: Final = 10_000
OUTLINE_DEPTH_MAX: Final = 6
TITLE_CHARS_MAX: Final = 300


def main() -> None:
    limit(memory_bytes=MEMORY_BYTES_MAX, cpu_s=CPU_S_MAX)
    json.dump(_read(sys.stdin.buffer.read()), sys.stdout)


def _read(raw: bytes) -> dict[str, Any]:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs] it ships none

    from firstline.documents.parse.pdf_words import Line, alternative_texts, lines_of

    try:
        document = pypdfium2.PdfDocument(raw)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        return {"error": "password" if "password" in str(error).lower() else "damaged"}
    if count > PAGES_MAX:
        return {"error": "pages"}
    if count == 0:
        return {"error": "damaged"}
    pages: list[list[Line]] = []
    alts: dict[int, list[str]] = {}
    hidden: list[str] = []
    broken = total = 0
    for index in range(count):
        try:
            page = document[index]
            lines = lines_of(page, hidden)
            if said := alternative_texts(page):
                alts[index] = said
            page.close()
        except pypdfium2.PdfiumError:
            broken += 1
            lines = []
        total += sum(len(line[0]) for line in lines)
        if total > TEXT_CHARS_MAX:
            return {"error": "pages"}
        pages.append(lines)
    if broken == count:
        return {"error": "damaged"}
    return {
        "title": _title(document),
        "hidden": " ".join(hidden)[:HIDDEN_CHARS_MAX],
        "outline": _outline(document),
        "alts": alts,
        "pages": pages,
    }


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title") or "").strip()
    except Exception:
        return ""  # properties are a courtesy: a broken record of them is no reason to refuse the text


def _outline(document: Any) -> list[tuple[str, int, int]]:
    """Bookmarks as (title, depth from 0, page from 0); [] when there are none or when they are broken."""
    entries: list[tuple[str, int, int]] = []
    try:
        for bookmark in document.get_toc(max_depth=OUTLINE_DEPTH_MAX):
            target = bookmark.get_dest()
            page = target.get_index() if target is not None else None
            if page is not None:
                entries.append((" ".join(bookmark.get_title().split())[:TITLE_CHARS_MAX], bookmark.level, page))
            if len(entries) >= OUTLINE_MAX:
                break
    except Exception:
        return []  # a broken outline is no reason to refuse the text: headings are told by their print then
    return entries


if __name__ == "__main__":
    main()
