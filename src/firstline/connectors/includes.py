"""What stands in the files that a page takes in? Read only from inside the folder that is ingested.

Known forms: `.. include::`, `include::x[]`, `--8<-- "x"`, `{!x!}`, `{% include-markdown "x" %}`, a fence `{include} x`,
and pages of MDX that are imported and placed. What cannot be taken in is left as it stands, and says nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from firstline.connectors.overrides import Access, Overrides, front_overrides, tags_both
from firstline.domain import front_matter

DEPTH_MAX: Final = 5
FILES_MAX: Final = 200
"""Taken in by one page, in all."""
_SUFFIXES: Final = frozenset({".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt", ".inc", ".rest"})
_PAGES: Final = frozenset({"text/markdown", "text/x-rst", "text/asciidoc"})
_MARKS: Final = (b"include", b"8<-", b"{!", b".mdx", b".md'", b'.md"')
_FORMS: Final = (
    re.compile(r"^(?P<indent>[ \t]{0,40})\.\.[ ]+include::[ ]+(?P<file>\S{1,300})[ \t]*$"),
    re.compile(
        r"^(?P<indent>)include::(?P<file>[^\[\]{}\s]{1,300})\[(?![^\]]*(?:tags?|lines)=)[^\[\]]{0,200}\][ \t]*$"
    ),
    re.compile(r"^(?P<indent>[ \t]{0,40})-{1,4}8<-{1,4}[ \t]+[\"'](?P<file>[^\"'\n:]{1,300})[\"'][ \t]*$"),
    re.compile(r"^(?P<indent>[ \t]{0,40})\{!\s{0,4}(?P<file>[^{}!\s]{1,300})\s{0,4}!\}[ \t]*$"),
    re.compile(
        r"^(?P<indent>[ \t]{0,40})\{%-?\s{0,4}include(?:-markdown)?\s{1,4}"
        r"[\"'](?P<file>[^\"']{1,300})[\"']\s{0,4}-?%\}\s*$"
    ),
    re.compile(r"^(?P<indent>[ \t]{0,40})(?P<fence>`{3,}|:{3,})\{include\}[ ]+(?P<file>\S{1,300})[ \t]*$"),
)
_IMPORT: Final = re.compile(r"^import[ ]+(\w{1,60})[ ]+from[ ]+['\"](\.{1,2}/[^'\"]{1,300}\.mdx?)['\"];?[ \t]*$")
_PLACED: Final = re.compile(r"^(?P<indent>[ \t]{0,40})<(\w{1,60})(?:\s[^<>]{0,300})?/>[ \t]*$")


def with_includes(
    raw: bytes,
    path: Path,
    *,
    media_type: str,
    within: Path | None,
    access: Access,
    access_of: Callable[[Path], Access],
    bytes_max: int,
) -> bytes:
    """The page at `path` with what it takes in from the folder `within` (its real path), at most `bytes_max` in all.
    `access` is the page's own, and `access_of` that of any file in there, as rules of their folders say.

    A file that fewer people may see than the page, or that sets an access of its own, is not taken in, and a page that
    is open to more people than its source takes nothing in: what others wrote for fewer would be shown to them.
    """
    if within is None or media_type not in _PAGES or not any(mark in raw for mark in _MARKS):
        return raw
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw
    if media_type == "text/markdown" and not _narrows(front_overrides(raw, access), access):
        return raw
    reader = _Reader(within=within, access=access, access_of=access_of, left=bytes_max - len(raw))
    taken = "\n".join(reader.lines(text, path.parent, above=(Path(os.path.realpath(path)),)))
    return taken.encode("utf-8") if reader.files else raw


def _narrows(own: Overrides | str, given: Access) -> bool:
    return not isinstance(own, str) and own.access.acl <= given.acl and own.access.level >= given.level


def _is_open(told: Access, page: Access) -> bool:
    """Whether everybody who may see the page may see what this access is of."""
    return told.level <= page.level and tags_both(told.acl, page.acl) == page.acl


@dataclass(kw_only=True)
class _Reader:
    within: Path
    access: Access
    access_of: Callable[[Path], Access]
    left: int
    files: int = 0
    imported: dict[str, str] = field(default_factory=dict[str, str])

    def lines(self, text: str, folder: Path, *, above: tuple[Path, ...]) -> Iterator[str]:
        lines = text.split("\n")
        closing = ""
        for number, line in enumerate(lines):
            if closing:
                # What stands in the fence are options; the file has taken its place.
                closing = "" if line.strip() == closing else closing
                continue
            if (named := _IMPORT.match(line)) is not None:
                self.imported[named[1]] = named[2]
            found = self._asked(line)
            after = lines[number + 1] if number + 1 < len(lines) else ""
            narrowed = found is not None and re.match(r"^\s+:[\w-]+:", after) is not None
            inner = None if found is None or narrowed else self._file(found[1], folder, above)
            if found is None or inner is None:
                yield line
                continue
            indent, _, closing = found
            taken, real = inner
            yield from (
                f"{indent}{each}" if each else "" for each in self.lines(taken, real.parent, above=(*above, real))
            )

    def _asked(self, line: str) -> tuple[str, str, str] | None:
        """Indentation, file, and the fence that ends it."""
        for form in _FORMS:
            if (found := form.match(line)) is not None:
                return found["indent"], found["file"], found.groupdict().get("fence") or ""
        placed = _PLACED.match(line)
        if placed is not None and placed[2] in self.imported:
            return placed["indent"], self.imported[placed[2]], ""
        return None

    def _file(self, name: str, folder: Path, above: tuple[Path, ...]) -> tuple[str, Path] | None:
        if len(above) > DEPTH_MAX or self.files >= FILES_MAX or Path(name).suffix.lower() not in _SUFFIXES:
            return None
        places = [self.within / name.lstrip("/")] if name.startswith("/") else [folder / name, self.within / name]
        for place in places:
            real = Path(os.path.realpath(place))
            if not real.is_relative_to(self.within) or real in above:
                continue
            if any(part.startswith(".") for part in real.relative_to(self.within).parts):
                continue
            if (taken := self._text(real)) is not None:
                return taken, real
        return None

    def _text(self, real: Path) -> str | None:
        try:
            if not real.is_file() or real.stat().st_size > self.left:
                return None
            raw = real.read_bytes()
            text = raw.decode("utf-8-sig")
        except (OSError, ValueError):
            return None
        told = self.access_of(real)
        overrides = front_overrides(raw, told)
        if isinstance(overrides, str) or overrides.access != told or not _is_open(told, self.access):
            return None
        self.files += 1
        self.left -= len(raw)
        return front_matter(text.replace("\r\n", "\n").replace("\r", "\n")).body.rstrip("\n")
