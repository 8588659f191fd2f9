"""Sitemaps: the pages they list, and the sitemaps they point to. Read without an XML parser that could be bombed."""

from __future__ import annotations

import gzip
import html
import io
import re
import zlib
from dataclasses import dataclass
from typing import Final

UNPACKED_BYTES_MAX: Final = 64 * 1024 * 1024
LOCATIONS_MAX: Final = 50_000
_ENTRY: Final = re.compile(r"<(?:\w{1,20}:)?(url|sitemap)\b[^>]{0,200}>", re.IGNORECASE)
_HEAD: Final = re.compile(r"<(?:\w{1,20}:)?(?:urlset|sitemapindex)\b", re.IGNORECASE)
_END: Final = re.compile(r"</(?:\w{1,20}:)?(?:urlset|sitemapindex)\s{0,9}>", re.IGNORECASE)
_LOC: Final = re.compile(r"<(?:\w{1,20}:)?loc>\s{0,200}(?:<!\[CDATA\[)?\s{0,200}([^<\]\s]{1,2000})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sitemap:
    """`whole`: it came to its end, and was not longer than is looked at."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    whole: bool = True


def sitemap_of(raw: bytes) -> Sitemap | None:
    """None when it is none: a web page, most often. A text file with an address in every line is one."""
    unpacked = _unpacked(raw)
    if unpacked is None:
        return None
    text = unpacked.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if _HEAD.search(text, 0, 2_000) is None:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        plain = lines and all(line.startswith(("http://", "https://")) for line in lines[:50])
        whole = len(lines) <= LOCATIONS_MAX
        return Sitemap(pages=tuple(lines[:LOCATIONS_MAX]), whole=whole) if plain else None
    # Cut off in the middle it names less than there is.
    whole = _END.search(text, max(0, len(text) - 2_000)) is not None
    pages: list[str] = []
    sitemaps: list[str] = []
    for entry in _ENTRY.finditer(text):
        found = _LOC.search(text, entry.end(), entry.end() + 4_000)
        if len(pages) + len(sitemaps) >= LOCATIONS_MAX:
            whole = False
            break
        if found:
            (pages if entry[1].lower() == "url" else sitemaps).append(html.unescape(found[1]))
    return Sitemap(pages=tuple(pages), sitemaps=tuple(sitemaps), whole=whole)


def _unpacked(raw: bytes) -> bytes | None:
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            unpacked = file.read(UNPACKED_BYTES_MAX + 1)
    except (OSError, EOFError, zlib.error):
        return None
    return unpacked if len(unpacked) <= UNPACKED_BYTES_MAX else None
