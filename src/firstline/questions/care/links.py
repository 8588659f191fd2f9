"""Which links of a page lead to a page of this knowledge base that is not there?

A link is only called dead where the knowledge base should hold its target: in a folder of which it holds pages. What
leads elsewhere, to a picture or to a file is nobody's business here.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from firstline.domain import Document

LINKS_MAX: Final = 1_000
NAMED_MAX: Final = 10
FOLDER_PAGES_MIN: Final = 2
"""From so many pages in a folder of a website on, the knowledge base is taken to hold that folder."""
_LINK: Final = re.compile(r"(?<!!)\[[^\[\]\n]{0,300}\]\(\s*<?([^()\s<>]{1,1000})>?(?:\s+\"[^\"\n]{0,300}\")?\s*\)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
# Every run of marks is tried once, at its beginning: a page of nothing else must not take minutes.
_INLINE: Final = re.compile(r"(?<!`)(`{1,9})(?!`)[^`\n]{1,2000}\1(?!`)")
_PAGE_ENDS: Final = ("", ".md", ".mdx", ".markdown", ".html", ".htm", ".rst", ".adoc", ".txt")
_INDEXES: Final = ("index", "readme", "_index")


class Pages:
    """Where the pages of a knowledge base are, by place (what their ids say) and by address."""

    def __init__(self, places: Iterable[tuple[str, str]]) -> None:
        """`places`: id and address ("": none) of every page."""
        self._places: set[str] = set()
        self._folders: Counter[str] = Counter()
        for doc_id, url in places:
            for place in (doc_id, _address(url)):
                if place:
                    self._places.update(_names(place))
                    self._folders[_folder(place)] += 1

    def dead(self, document: Document, text: str) -> list[str]:
        """Targets as they are written, each once."""
        found = (target for target in _targets(text) if self._is_dead(document, target))
        return list(dict.fromkeys(found))[:NAMED_MAX]

    def _is_dead(self, document: Document, target: str) -> bool:
        places = list(_places(document, target))
        if not places or any(not self._places.isdisjoint(_names(place)) for place in places):
            return False
        # A file's own link is meant to be read beside it; an address must lie where we hold pages.
        return any(
            self._folders[_folder(place)] >= (FOLDER_PAGES_MIN if "://" in place else 1)
            for place in places
            if place != _served(document, target)
        )


def _targets(text: str) -> Iterator[str]:
    for count, found in enumerate(_LINK.finditer(_without_code(text))):
        if count >= LINKS_MAX:
            return
        yield found[1]


def _without_code(text: str) -> str:
    """A fence that nobody closes goes on to the end."""
    lines: list[str] = []
    opened = ""
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        marks, rest = (fence[1], fence[2]) if fence else ("", "")
        if opened:
            if marks.startswith(opened) and not rest.strip():
                opened = ""
        elif marks and "`" not in rest:
            opened = marks
        else:
            lines.append(line)
    return _INLINE.sub(" ", "\n".join(lines))


def _places(document: Document, target: str) -> Iterator[str]:
    """Where a link may lead: beside the page's file, and beside its address."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return
    path = unquote(parts.path)
    if not _is_page(path) or (not path and not parts.netloc):
        return
    if parts.scheme or parts.netloc:
        if parts.scheme in ("http", "https", ""):
            yield _address(urljoin("https://", target))
        return
    address = _address(document.url)
    if address:
        yield _beside(address, path)
    if path.startswith("/"):
        return
    place = posixpath.normpath(posixpath.join(posixpath.dirname(document.doc_id), path))
    if not place.startswith(".."):
        yield place
        yield _served(document, target)


def _beside(address: str, path: str) -> str:
    try:
        return _address(urljoin(address, path))
    except ValueError:
        return ""


def _served(document: Document, target: str) -> str:
    """Generators serve guide.md as guide/, and some links are written for that."""
    path = unquote(target.partition("#")[0].partition("?")[0])
    return posixpath.normpath(posixpath.join(document.doc_id.rsplit(".", 1)[0], path))


def _is_page(path: str) -> bool:
    end = posixpath.splitext(path.rstrip("/"))[1].lower()
    # "v4.2" is no file's ending.
    return end in _PAGE_ENDS or not end[1:].isalpha()


def _address(url: str | None) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    return f"https://{parts.netloc.lower()}{unquote(parts.path) or '/'}"


def _folder(place: str) -> str:
    return posixpath.dirname(place.rstrip("/"))


def _plain(place: str) -> str:
    """As its links may call it: without the ending of a file, and a folder's own page by the folder."""
    place = place.rstrip("/")
    root, end = posixpath.splitext(place)
    root = root if end.lower() in _PAGE_ENDS and end else place
    folder, name = posixpath.split(root)
    return folder if name.lower() in _INDEXES and folder else root


def _names(place: str) -> Sequence[str]:
    return (_plain(place).casefold(),)
