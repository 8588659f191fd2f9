"""Where does a page lead? Links become addresses, and a heading's anchor is an address of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.mention import NAME_CHARS_MAX, PLACEHOLDER, Mention
from firstline.documents.extract.page import Page
from firstline.domain import Document, EntityKind
from firstline.entity_addresses import address_in, address_key

_SOURCE_FILE: Final = re.compile(r"\.(?:mdx?|markdown|rst|adoc|asciidoc)(?:[#?]|$)", re.IGNORECASE)
_NOWHERE: Final = re.compile(
    r"^(?:localhost|[\w.-]{0,60}\.?example\.(?:com|org|net)|[\w.-]{0,60}\.(?:local|internal|test|invalid)"
    r"|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:/|$)"
)
_IMAGE: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico)$")


def base_of(document: Document, link: str) -> str:
    """What a link is relative to: a page's file for a link to a file, otherwise its URL where it has one."""
    if document.url and not _SOURCE_FILE.search(link):
        return document.url
    return document.doc_id


def addresses(page: Page, document: Document) -> Iterator[Mention]:
    """For each link the address of the page and, with an anchor, that of its section."""
    own = address_key(document.url or document.doc_id)
    for link in page.links:
        if PLACEHOLDER.search(link.target) or (link.target.startswith("/") and not document.url):
            # From the top of a site that is not told.
            continue
        target = address_in(link.target, base_of(document, link.target))
        if not target or _NOWHERE.match(target) or _IMAGE.search(target):
            continue
        anchor = link.target.partition("#")[2].casefold()
        if target != own:
            yield _address(target, link.label or target, link.start, link.end)
        if anchor and re.fullmatch(r"[\w%.:-]{1,100}", anchor):
            yield _address(f"{target}#{anchor}", link.label or f"{target}#{anchor}", link.start, link.end)


def own_addresses(document: Document) -> list[str]:
    """Where the document says it is: its URL and its place in its source."""
    found = [address_key(document.url)] if document.url else []
    return list(dict.fromkeys(one for one in (*found, address_key(document.doc_id)) if one))


def _address(key: str, name: str, start: int, end: int) -> Mention:
    return Mention(
        kind=EntityKind.ADDRESS, key=key, name=" ".join(name.split())[:NAME_CHARS_MAX], start=start, end=end, weight=3
    )
