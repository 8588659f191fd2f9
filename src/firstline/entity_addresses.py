"""When are two ways of writing an address the same address? Shared by what stores links and what looks them up.

`https://www.Example.com/guide/start.html?utm_source=x#top` and `example.com/guide/start/` are one page.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

ADDRESS_CHARS_MAX: Final = 400
"""A longer one carries data rather than a place."""

_SCHEME: Final = re.compile(r"^[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_TELLING: Final = re.compile(
    r"[a-z_-]{0,20}(?:id|name|title|page|key|num|number|article|topic|bug|issue|show)|[ptv]", re.I
)
"""Parameters that say which page it is; the others say where the reader comes from or how it is shown."""
_SUFFIX: Final = re.compile(r"\.(?:html?|mdx?|markdown|rst|adoc|asciidoc|txt)$")
_INDEX: Final = re.compile(r"(?:^|/)(?:_?index|readme)$")


def address_key(address: str) -> str:
    """The address without scheme, `www.`, anchor, suffix and what does not tell the page; "" for what is none."""
    if len(address) > ADDRESS_CHARS_MAX:
        return ""
    bare = _SCHEME.sub("", address.strip().partition("#")[0])
    place, _, query = bare.partition("?")
    place = unquote(place).casefold().removeprefix("www.").strip("/ ")
    place = _INDEX.sub("", _SUFFIX.sub("", place)).rstrip("/")
    while "//" in place:
        place = place.replace("//", "/")
    told = sorted(
        part for part in query.casefold().split("&") if "=" in part and _TELLING.fullmatch(part.partition("=")[0])
    )
    if not place or any(sign in place for sign in " <>{}$\n"):
        return ""
    return f"{place}?{'&'.join(told)}" if told else place


def address_in(link: str, base: str) -> str:
    """The key of a link as it is written on the page at `base` (a URL, or a path in its source); "" for what leads
    nowhere: a link to another machine's disk, above the top, of a scheme that is no page's."""
    link = link.strip()
    if _SCHEME.match(link):
        return address_key(link) if link[:4].lower() == "http" else ""
    if link.startswith("//"):
        return address_key(f"https:{link}")
    path = link.partition("#")[0].partition("?")[0]
    if ":" in path.partition("/")[0] or not path:
        return address_key(base) if not path and link.startswith(("#", "?")) else ""
    scheme = _SCHEME.match(base)
    parts = base[scheme.end() if scheme else 0 :].partition("?")[0].partition("#")[0].split("/")
    # A page ends with its name; a folder with a slash.
    folder = parts[:1] if path.startswith("/") else parts[:-1]
    for part in path.split("/"):
        if part == "..":
            if len(folder) <= 1:
                return ""
            folder.pop()
        elif part not in ("", "."):
            folder.append(part)
    query = link.partition("#")[0].partition("?")[2]
    return address_key("/".join(folder) + (f"?{query}" if query else ""))
