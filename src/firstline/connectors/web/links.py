"""One address for one page: written in one way, without what only counts visitors."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

URL_CHARS_MAX: Final = 2_000
REPEATS_MAX: Final = 3
"""A path that says the same word more often is a calendar or a circle of relative links."""
_COUNTING: Final = re.compile(
    r"(?i)utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|ref_src|_hs\w+|sessionid|phpsessid|jsessionid|sid"
)
_SESSION: Final = re.compile(r"(?i);jsessionid=[^/?#]*")
_PORTS: Final = {"http": 80, "https": 443}
_NO_PAGES: Final = frozenset(
    ".png .jpg .jpeg .gif .svg .webp .avif .ico .css .js .mjs .json .xml .rss .atom .zip .gz .tgz .bz2 .xz .7z .rar"
    " .tar .exe .msi .dmg .pkg .deb .rpm .iso .bin .jar .war .woff .woff2 .ttf .eot .otf .mp3 .mp4 .m4v .avi .mov .webm"
    " .ogg .wav .ppt .pptx .xls .xlsx .psd .ai .eps".split()
)


def normal(link: str, base: str = "") -> str:
    """The address that a link leads to from a page; "" when it leads to no page."""
    text = link.strip()
    if not text or len(text) > URL_CHARS_MAX:
        return ""
    try:
        parts = urlsplit(urljoin(base, text) if base else text)
        port = parts.port
    except ValueError:
        return ""
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        return ""
    host = f"[{host}]" if ":" in host else host
    path = _path(parts.path)
    if PurePosixPath(path).suffix.lower() in _NO_PAGES:
        return ""
    query = urlencode([(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)[:50]
                       if not _COUNTING.fullmatch(name)])  # fmt: skip
    netloc = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    return urlunsplit((parts.scheme, netloc, path, query, ""))[:URL_CHARS_MAX]


def _path(path: str) -> str:
    kept: list[str] = []
    for part in _SESSION.sub("", path).split("/"):
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    return quote(unquote("/" + "/".join(kept).lstrip("/")), safe="/~!$&'()*+,;=:@-._")


def is_trap(url: str) -> bool:
    """A path that goes on for ever, by the look of it."""
    parts = [part for part in urlsplit(url).path.split("/") if part]
    return len(parts) > 30 or any(parts.count(part) > REPEATS_MAX for part in parts)


def page_name(url: str) -> str:
    """What the page is called in item ids: its path as people read it."""
    query = urlsplit(url).query
    return f"{page_path(url)}?{query}" if query else page_path(url)


def page_path(url: str) -> str:
    """What rules for folders know the page by: whatever is asked of it, it is the same page."""
    path = unquote(urlsplit(url).path).strip("/") or "index"
    # A `#` would stand for a row of a table, and a control character for nothing good.
    return "".join(sign if sign.isprintable() and sign != "#" else "_" for sign in path)
