"""What does a PDF say? Asked of a process of its own, because a broken PDF may crash, hang or eat memory."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, cast

from firstline.documents.parse.page import Page
from firstline.documents.parse.pdf_layout import PAGE_MARK, Line, body_size, markdown, may_head
from firstline.errors import NotAccepted

TIME_S_MAX: Final = 120
FURNITURE_SHARE: Final = 0.6
FURNITURE_PAGES_MIN: Final = 3
RANGES_TOLD_MAX: Final = 12


def pdf_page(raw: bytes) -> Page:
    """The text has a mark where each page begins: `page_starts`."""
    answer = _ask_worker(raw)
    pages = [[_line(line) for line in page] for page in answer["pages"]]
    empty = [number for number, page in enumerate(pages, start=1) if not any(line.text for line in page)]
    if len(empty) == len(pages):
        raise NotAccepted("It contains no text (a scan?).", remedy="Run it through text recognition (OCR) first.")
    pages = _without_furniture(pages)
    outline = [(str(title), int(depth), int(page)) for title, depth, page in answer.get("outline", [])]
    alts = {int(page): [_clean(str(text)) for text in said] for page, said in answer.get("alts", {}).items()}
    text = markdown(pages, outline, alts)
    heading = re.search(r"^# (.+)$", text.replace(PAGE_MARK, ""), re.MULTILINE)
    first = next((line.text for page in pages for line in page if line.text), "")
    title = str(answer.get("title") or "") or (heading.group(1) if heading else first)
    return Page(
        text=text,
        title=_clean(title),
        metadata={"pages": str(len(pages))},
        hidden=str(answer.get("hidden") or ""),
        page_mark=PAGE_MARK,
        notice=_notice(empty, len(pages)),
    )


def _line(told: Sequence[Any]) -> Line:
    text, size, bold, mono, cells = told
    return Line(
        text=_clean(str(text)).strip(),
        size=float(size),
        bold=bool(bold),
        mono=bool(mono),
        cells=tuple((float(left), float(right), _clean(str(words))) for left, right, words in cells),
    )


def _clean(text: str) -> str:
    return text.replace(PAGE_MARK, "")


def _notice(empty: Sequence[int], pages: int) -> str:
    """Which pages hold no text, for whoever owns the file."""
    if not empty:
        return ""
    ranges: list[str] = []
    for _, group in groupby(enumerate(empty), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        ranges.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    told = ", ".join(ranges[:RANGES_TOLD_MAX]) + (", ..." if len(ranges) > RANGES_TOLD_MAX else "")
    return (
        f"{len(empty)} of its {pages} pages hold no text ({told}); if they are scans, run text recognition (OCR) first"
    )


def _ask_worker(raw: bytes) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "firstline.documents.parse.pdf_worker"],
            input=raw,
            capture_output=True,
            timeout=TIME_S_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotAccepted(
            f"Reading this PDF took longer than {TIME_S_MAX} seconds.", remedy="Split it, or save it anew."
        ) from None
    if done.returncode != 0:
        raise NotAccepted(
            "It is not a readable PDF: reading it crashed or needed too much memory.",
            remedy="Split it, or save it anew.",
        )
    answer = cast("dict[str, Any]", json.loads(done.stdout))
    match answer.get("error"):
        case None:
            return answer
        case "password":
            raise NotAccepted("It is password-protected.", remedy="Save a copy without a password.")
        case "pages":
            raise NotAccepted("It has too many pages.", remedy="Split it.")
        case _:
            raise NotAccepted(
                "It is truncated or damaged: it cannot be read as a PDF.", remedy="Fetch or export it again."
            )


def _without_furniture(pages: list[list[Line]]) -> list[list[Line]]:
    """Headers, footers and page numbers: small print at a page's edge that repeats on most pages, digits aside."""
    if len(pages) < FURNITURE_PAGES_MIN:
        return pages
    body = body_size(pages)
    edges = [_edges(page, body) for page in pages]
    seen = Counter(shape for found in edges for shape in set(found.values()))
    repeated = {shape for shape, count in seen.items() if count >= max(3, len(pages) * FURNITURE_SHARE)}
    return [
        [line for index, line in enumerate(page) if found.get(index) not in repeated]
        for page, found in zip(pages, edges, strict=True)
    ]


def _edges(page: list[Line], body: float) -> dict[int, str]:
    """Index and shape of the first and last line with text, unless printed like a heading."""
    filled = [index for index, line in enumerate(page) if line.text]
    return {index: _shape(page[index].text) for index in {*filled[:1], *filled[-1:]} if not may_head(page[index], body)}


def _shape(text: str) -> str:
    return re.sub(r"\d+", "0", text.strip().lower())
