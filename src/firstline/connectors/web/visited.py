"""What is known of pages from earlier visits: enough to ask whether they changed, and to go on from them if not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from firstline.domain import CURSOR_CHARS_MAX

VERSION: Final = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Visited:
    """`name` is what its document is called; "" when there is none (it is not to be indexed, or is another page's
    copy)."""

    etag: str
    modified: str
    name: str
    signature: str
    links: tuple[str, ...]


def as_cursor(pages: Mapping[str, Visited]) -> str:
    """Addresses are written once and then named by their number. What is too long goes without links."""
    told = {url: page for url, page in pages.items() if page.etag or page.modified}
    text = _written(told, with_links=True)
    if len(text) > CURSOR_CHARS_MAX:
        # A page whose links are not known must be read: only pages without any can be asked about.
        text = _written({url: page for url, page in told.items() if not page.links}, with_links=True)
    return text if len(text) <= CURSOR_CHARS_MAX else _written({}, with_links=False)


def from_cursor(cursor: str | None) -> dict[str, Visited]:
    """Nothing when it cannot be read: then every page is."""
    try:
        loaded = cast("dict[str, Any]", json.loads(cursor or ""))
        if loaded["v"] != VERSION:
            return {}
        urls = cast("list[str]", loaded["urls"])
        pages = cast("list[tuple[int, str, str, str, str, list[int]]]", loaded["pages"])
        return {
            urls[at]: Visited(
                etag=str(etag),
                modified=str(modified),
                name=str(name),
                signature=str(signature),
                links=tuple(urls[link] for link in links),
            )
            for at, etag, modified, name, signature, links in pages
        }
    except (ValueError, TypeError, KeyError, IndexError):
        return {}


def _written(pages: Mapping[str, Visited], *, with_links: bool) -> str:
    numbers: dict[str, int] = {}

    def number(url: str) -> int:
        return numbers.setdefault(url, len(numbers))

    rows = [
        [
            number(url),
            page.etag,
            page.modified,
            page.name,
            page.signature,
            [number(link) for link in page.links] if with_links else [],
        ]
        for url, page in pages.items()
    ]
    return json.dumps({"v": VERSION, "urls": list(numbers), "pages": rows}, separators=(",", ":"))
