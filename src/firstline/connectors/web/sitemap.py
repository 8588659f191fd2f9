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
_LOC: Final = re.compile(r"<loc>\s{0,200}(?:<!\[CDATA\[)?\s{0,200}([^<\]\s]{1,2000})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sitemap:
    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def sitemap_of(raw: bytes) -> Sitemap | None:
    """None when it is none: a web page, most often. A text file with an address in every line is one."""
    unpacked = _unpacked(raw)
    if unpacked is None:
        return None
    text = unpacked.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    head = text[:2_000].lower()
    if "<urlset" not in head and "<sitemapindex" not in head:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        plain = lines and all(line.startswith(("http://", "https://")) for line in lines[:50])
        return Sitemap(pages=tuple(lines[:LOCATIONS_MAX])) if plain else None
    pages: list[str] = []
    sitemaps: list[str] = []
    for entry in _ENTRY.finditer(text):
        found = _LOC.search(text, entry.end(), entry.end() + 4_000)
        if found and len(pages) + len(sitemaps) < LOCATIONS_MAX:
            (pages if entry[1].lower() == "url" else sitemaps).append(html.unescape(found[1]))
    return Sitemap(pages=tuple(pages), sitemaps=tuple(sitemaps))


def _unpacked(raw: bytes) -> bytes | None:
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            unpacked = file.read(UNPACKED_BYTES_MAX + 1)
    except (OSError, EOFError, zlib.error):
        return None
    return unpacked if len(unpacked) <= UNPACKED_BYTES_MAX else None
