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

from firstline.documents.parse.limited import own_variables
from firstline.documents.parse.ocr import OcrLimits, Recognised, recognised
from firstline.documents.parse.page import Page
from firstline.documents.parse.pdf_layout import PAGE_MARK, Line, body_size, markdown, may_head
from firstline.errors import NotAccepted
from firstline.ports import TextFromImage

TIME_S_MAX: Final = 120
FURNITURE_SHARE: Final = 0.6
FURNITURE_PAGES_MIN: Final = 3
RANGES_TOLD_MAX: Final = 12
PLAIN_SIZE: Final = 10.0
"""Of recognised lines, whose letters nobody measured, where no page tells how large text is: none is a heading."""
_RECOGNISE: Final = "Run it through text recognition (OCR) first, or name a program for it: the setting `ocr_command`."


def pdf_page(raw: bytes, *, ocr: TextFromImage | None = None, limits: OcrLimits | None = None) -> Page:
    """The text has a mark where each page begins: `page_starts`. Pages without text are given to `ocr`, if there is
    one."""
    answer = _ask_worker(raw)
    pages = [[_line(line) for line in page] for page in answer["pages"]]
    empty = [number for number, page in enumerate(pages, start=1) if not any(line.text for line in page)]
    read = Recognised()
    if ocr is not None and empty:
        read = recognised(raw, empty, reader=ocr, limits=limits or OcrLimits())
    if len(empty) == len(pages) and not read.texts:
        raise _no_text(read)
    body = body_size(pages) or PLAIN_SIZE
    for number, text in read.texts.items():
        pages[number - 1] = [Line(text=_clean(line).strip(), size=body) for line in text.splitlines()]
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
        metadata={"pages": str(len(pages)), **({"recognised": _ranges(list(read.texts))} if read.texts else {})},
        hidden=str(answer.get("hidden") or ""),
        page_mark=PAGE_MARK,
        notice=_notice(empty, len(pages), read),
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


def _no_text(read: Recognised) -> NotAccepted:
    tried = "; ".join(_told(read))
    said = f"It contains no text (a scan?){f'; {tried}' if tried else ''}.".replace("..", ".")
    if read.empty:
        return NotAccepted(said, remedy="Text recognition (OCR) found none either.")
    remedy = "See to the setting `ocr_command`, then ingest it again." if tried else _RECOGNISE
    return NotAccepted(said, remedy=remedy)


def _notice(empty: Sequence[int], pages: int, read: Recognised) -> str:
    """Which pages hold no text, for whoever owns the file."""
    left = [number for number in empty if number not in read.texts]
    said = _told(read)
    if left:
        tried = bool(said or read.empty)
        advice = "" if tried else "; if they are scans, run text recognition (OCR) first"
        said.insert(0, f"{len(left)} of its {pages} pages hold no text ({_ranges(left)}){advice}")
    return "; ".join(said)


def _told(read: Recognised) -> list[str]:
    """What became of text recognition."""
    said: list[str] = []
    if read.texts:
        said.append(f"text recognition (OCR) read {_pages(list(read.texts))}")
    if read.problems:
        first, reason = next(iter(read.problems.items()))
        said.append(f"text recognition could not read {_pages(list(read.problems))} (page {first}: {reason})")
    if read.untried:
        said.append(f"text recognition did not try {_pages(read.untried)}: {read.why_untried}")
    return said


def _pages(numbers: Sequence[int]) -> str:
    return f"{'page' if len(numbers) == 1 else 'pages'} {_ranges(numbers)}"


def _ranges(numbers: Sequence[int]) -> str:
    ranges: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        ranges.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ", ".join(ranges[:RANGES_TOLD_MAX]) + (", ..." if len(ranges) > RANGES_TOLD_MAX else "")


def _ask_worker(raw: bytes) -> dict[str, Any]:
    try:
        done = subprocess.run(
            # `-P`: no file of the folder that firstline was started in is taken for a module.
            [sys.executable, "-P", "-m", "firstline.documents.parse.pdf_worker"],
            input=raw,
            env=own_variables(),
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
