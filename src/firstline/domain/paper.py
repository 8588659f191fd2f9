"""On which page of a paper document does a byte of its text stand, and how does a link lead there?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

PAGES: Final = "pages"
"""The key of a chunk's metadata: `12 13@5120`, the page of its first byte and the bytes where further ones begin."""
NUMBER_DIGITS_MAX: Final = 9


def pages_told(starts: Sequence[int], start: int, end: int) -> str:
    """For PAGES, of a chunk from `start` to `end`; `starts` are the bytes at which the pages from 1 on begin."""
    if not starts:
        return ""
    first = max(1, bisect_right(starts, start))
    further = [f"{number}@{at}" for number, at in enumerate(starts, start=1) if start < at < end]
    return " ".join((str(first), *further))


def page_at(metadata: Mapping[str, str], offset: int) -> int | None:
    """The page of a byte of the chunk that has this metadata; None where the document has no pages."""
    page = None
    for part in metadata.get(PAGES, "").split():
        number, _, at = part.partition("@")
        if not all(0 < len(each) <= NUMBER_DIGITS_MAX and each.isdecimal() for each in (number, at or "0")):
            return None
        if at and int(at) > offset:
            break
        page = int(number)
    return page


def at_page(url: str, page: int | None) -> str:
    """The address of a PDF with the page that a reader shall see first; other addresses as they are."""
    if page is None:
        return url
    parts = urlsplit(url)
    return f"{url}#page={page}" if parts.path.lower().endswith(".pdf") and not parts.fragment else url
