"""What does a PDF say? Asked of a process of its own, because a broken PDF may crash, hang or eat memory."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from typing import Any, Final, cast

from firstline.documents.parse.page import Page
from firstline.errors import NotAccepted

TIME_S_MAX: Final = 120
HEADING_RATIO: Final = 1.15
HEADING_CHARS_MAX: Final = 120
FURNITURE_SHARE: Final = 0.6
FURNITURE_PAGES_MIN: Final = 3

Line = tuple[str, float]
"""Text and font size in points (0 when unknown)."""


def pdf_page(raw: bytes) -> Page:
    answer = _ask_worker(raw)
    pages: list[list[Line]] = [[(str(text), float(size)) for text, size in page] for page in answer["pages"]]
    if not any(text.strip() for page in pages for text, _ in page):
        raise NotAccepted("It contains no text (a scan?).", remedy="Run it through text recognition (OCR) first.")
    pages = _without_furniture(pages)
    text = _markdown(pages)
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    first = next((line for page in pages for line, _ in page if line.strip()), "")
    title = str(answer.get("title") or "") or (heading.group(1) if heading else first)
    return Page(text=text, title=title, metadata={"pages": str(len(pages))}, hidden=str(answer.get("hidden") or ""))


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
    body = _body_size(pages)
    edges = [_edges(page, body) for page in pages]
    seen = Counter(shape for found in edges for shape in set(found.values()))
    repeated = {shape for shape, count in seen.items() if count >= max(3, len(pages) * FURNITURE_SHARE)}
    return [
        [line for index, line in enumerate(page) if found.get(index) not in repeated]
        for page, found in zip(pages, edges, strict=True)
    ]


def _edges(page: list[Line], body: float) -> dict[int, str]:
    """Index and shape of the first and last line with text, unless printed like a heading."""
    filled = [index for index, (text, _) in enumerate(page) if text.strip()]
    return {index: _shape(page[index][0]) for index in {*filled[:1], *filled[-1:]} if not _may_head(*page[index], body)}


def _body_size(pages: list[list[Line]]) -> float:
    """The font size that most of the text is printed in."""
    weights: Counter[float] = Counter()
    for page in pages:
        for text, size in page:
            weights[round(size, 1)] += len(text)
    return weights.most_common(1)[0][0] if weights else 0.0


def _shape(text: str) -> str:
    return re.sub(r"\d+", "0", text.strip().lower())


def _markdown(pages: list[list[Line]]) -> str:
    """Lines joined to paragraphs; larger print becomes headings, up to three levels by size."""
    lines = [line for page in pages for line in [*page, ("", 0.0)]]
    body = _body_size(pages)
    sizes = sorted({round(size, 1) for text, size in lines if _may_head(text, size, body)}, reverse=True)[:3]
    width = max(20, sorted(len(text) for text, _ in lines)[int(len(lines) * 0.9)])
    out: list[str] = []
    paragraph = ""
    for raw_text, size in lines:
        text = " ".join(raw_text.split())
        if text and _may_head(text, size, body) and round(size, 1) in sizes:
            out.extend((paragraph, "", f"{'#' * (sizes.index(round(size, 1)) + 1)} {text}", ""))
            paragraph = ""
            continue
        if not text:
            # A page's end is no paragraph's end when the sentence goes on.
            if paragraph and paragraph.endswith((".", "!", "?", ":")):
                out.extend((paragraph, ""))
                paragraph = ""
            continue
        paragraph = _continued(out, paragraph, text, width)
    out.append(paragraph)
    return "\n".join(out)


def _may_head(text: str, size: float, body: float) -> bool:
    return body > 0 and size > body * HEADING_RATIO and 2 < len(text.strip()) <= HEADING_CHARS_MAX


def _continued(out: list[str], paragraph: str, text: str, width: int) -> str:
    """The paragraph that is open after this line; one that ended was written to `out`."""
    if not paragraph:
        return text
    if re.search(r"[a-z]-$", paragraph) and text[:1].islower():
        return paragraph[:-1] + text
    item = re.match(r"(?:[\u2022\u25cf\u25aa*\-\u2013]|\d{1,3}[.)])[ ]", text)
    last_line = len(paragraph.rsplit("\n", 1)[-1])
    short = last_line < width * 0.6 and not text[:1].islower()
    if item:
        out.append(paragraph)
        return re.sub(r"^[\u2022\u25cf\u25aa\u2013]", "-", text)
    if short or (paragraph.endswith((".", ":", "!", "?")) and last_line < width * 0.8):
        out.extend((paragraph, ""))
        return text
    return f"{paragraph}\n{text}"
