"""Documents from folders, files and globs.

| extension | read as |
|---|---|
| .md .markdown .mdx | Markdown with front matter |
| .html .htm | web page |
| .txt .text .log | plain text |
| .rst, .adoc .asciidoc | reStructuredText, AsciiDoc |
| .pdf, .docx | PDF, Word document |
| .csv, .jsonl .ndjson | a table: every row is a document (`connectors/table.py` lists the columns) |

Other files are counted (`ignored`) and left alone; hidden ones are not even counted. Links are followed as long as they
stay in the folder given. The front matter of a Markdown
file outranks what was given for the whole source: `acl`, `level`, `kind`, `title` and `url` apply to that document.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from firstline.connectors.access_rules import AccessRules
from firstline.connectors.charset import Notice
from firstline.connectors.includes import with_includes
from firstline.connectors.overrides import Access
from firstline.connectors.reading import (
    HEAD_BYTES,
    MEDIA_TYPES,
    SNIFF_BYTES,
    SUPPORTED,
    TABLES,
    items_of,
    mismatch,
    refused,
)
from firstline.connectors.roots import Root, clean, roots_of, shown
from firstline.connectors.table import table_items
from firstline.domain import DocumentKind, Failure, Level, RulesFit, SourceItem
from firstline.errors import InvalidInput

DEPTH_MAX: Final = 64
NOTICES_MAX: Final = 1_000
Yielded = SourceItem | Failure | Notice

_LEAVES: Final = (
    "This link leads out of the folder that is ingested. "
    "Put the documents themselves there, or ingest the folder they are in."
)


class _Each(Protocol):
    """What becomes of one file that the walk meets."""

    def __call__(
        self, root: Root, item_id: str, path: Path, access: Access, /, *, given: bool
    ) -> Iterator[Yielded]: ...


class FilesSource:
    """Implements `ports.Source` over paths. Item ids are stable: root's name, then the path below it, with `/`.

    A single file is named by its file name; where two roots share a name, parent folders are put in front until they
    differ. A row of a table is named `<file>#<row id>`.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        kind: DocumentKind,
        acl: frozenset[str],
        level: Level,
        map: Mapping[str, str],
        bytes_max: int,
        name: str = "",
        may_be_empty: bool = False,
        rules: AccessRules | None = None,
    ) -> None:
        """`rules` say who may see what lies in which folder, by paths below each root. `name` stands in item ids
        instead of the root's own. With `may_be_empty`, folders without a document are an answer: there is none any
        more. InvalidInput when a path does not exist, a glob matches nothing, or a name is given to several roots."""
        self._access = Access(kind=kind, acl=acl, level=level)
        self._map = dict(map)
        self._bytes_max = bytes_max
        self._roots = roots_of(paths, name=name)
        self._may_be_empty = may_be_empty
        self._rules = rules or AccessRules()
        self.ignored = 0
        """Files left alone because of their extension, so far."""
        self.notices: list[Notice] = []
        """What was taken and what its owner should know of it, so far: the first NOTICES_MAX."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        """What every item id of each root starts with: a folder's `name/`, a table's `name#`, a file's own id."""
        return tuple(self.origins)

    @property
    def unmet(self) -> list[str]:
        """What is to be told of rules that fitted nothing, once everything was yielded."""
        return self._rules.unmet()

    async def look(self) -> RulesFit:
        """Which access rules fit a file that is there, before anything is read."""
        if self._rules:
            await asyncio.to_thread(lambda: [None for _ in self._walk(self._seen)])
        return self._rules.fit()

    @property
    def origins(self) -> Mapping[str, str]:
        """The fingerprint of where each root comes from, by its prefix; every item carries it as metadata."""
        return {root.label + _after(root.path): root.origin for root in self._roots}

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        """In the order given, folders sorted by name. InvalidInput when there was no supported file at all, unless that
        is an answer: every root is a folder that can be read."""
        self.ignored = 0
        self.notices.clear()
        found = False
        walk = self._walk()
        while (item := await asyncio.to_thread(next, walk, None)) is not None:
            if isinstance(item, Notice):
                if len(self.notices) < NOTICES_MAX:
                    self.notices.append(item)
                continue
            found = True
            yield item
        if not found and not (self._may_be_empty and await asyncio.to_thread(self._are_folders)):
            where = ", ".join(shown(root.path) for root in self._roots)
            raise InvalidInput(f"There is no document in {where}.", remedy=SUPPORTED)

    def _are_folders(self) -> bool:
        """Firstline's own data folder is passed over, and so says nothing of documents."""
        try:
            return not any(_is_data_folder([path.name for path in root.path.iterdir()]) for root in self._roots)
        except OSError:
            return False

    def _walk(self, each: _Each | None = None) -> Iterator[Yielded]:
        each = each or self._file
        for root in self._roots:
            access = replace(self._access, origin=root.origin)
            if root.leaves(root.path):
                yield Failure(item_id=root.label + _after(root.path), reason=_LEAVES, keeps=False)
            elif root.path.is_dir():
                yield from self._folder(root, root.label, root.path, access, each, depth=0, above=frozenset())
            else:
                yield from each(root, root.label, root.path, access, given=True)

    def _folder(
        self,
        root: Root,
        label: str,
        folder: Path,
        access: Access,
        each: _Each,
        *,
        depth: int,
        above: frozenset[tuple[int, int]],
    ) -> Iterator[Yielded]:
        try:
            status = folder.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in above or depth > DEPTH_MAX:
                return  # a symlink back to a folder above: everything in it was or will be met
            names = sorted(path.name for path in folder.iterdir())
        except OSError as error:
            yield Failure(item_id=f"{label}/", reason=f"This folder cannot be opened: {_why(error)}")
            return
        if _is_data_folder(names):
            return
        for name in names:
            if name.startswith("."):
                continue
            path = folder / name
            inner = f"{label}/{clean(name)}"
            folded = os.path.isdir(path)  # noqa: PTH112 Path.is_dir raises where access is denied
            if (folded or path.suffix.lower() in MEDIA_TYPES) and path.is_symlink() and root.leaves(path):
                yield Failure(item_id=f"{inner}/" if folded else inner, reason=_LEAVES, keeps=False)
            elif folded:
                yield from self._folder(root, inner, path, access, each, depth=depth + 1, above=above | {identity})
            else:
                yield from each(root, inner, path, access, given=False)

    def _seen(self, root: Root, item_id: str, path: Path, access: Access, *, given: bool) -> Iterator[Yielded]:
        if path.suffix.lower() in MEDIA_TYPES:
            self._rules.see(root.paths(path))
        yield from ()

    def _file(self, root: Root, item_id: str, path: Path, access: Access, *, given: bool) -> Iterator[Yielded]:
        media_type = MEDIA_TYPES.get(path.suffix.lower())
        if media_type is None:
            if given:
                yield Failure(
                    item_id=item_id,
                    reason=f"Files of type {path.suffix or 'unknown'!r} are not supported. {SUPPORTED}",
                )
            self.ignored += 1
            return
        own = self._rules.access(access, root.paths(path)) if self._rules else access
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                # A pipe or device would block for ever.
                yield Failure(item_id=item_id, reason="This is a pipe, socket or device, not a file. Leave it out.")
                return
            problem = self._too_large(status.st_size) or _mismatch(path, media_type)
            if problem:
                yield refused(item_id, problem, access=own, head=_read(path, HEAD_BYTES), media_type=media_type)
            elif media_type in TABLES:
                yield from table_items(path, item_id, media_type=media_type, access=own, columns=self._map)
            else:
                raw = with_includes(
                    _read(path, self._bytes_max),
                    path,
                    media_type=media_type,
                    within=root.within,
                    access=own,
                    access_of=lambda taken: self._rules.access(access, root.paths(taken)),
                    bytes_max=self._bytes_max,
                )
                yield from items_of(raw, item_id, media_type=media_type, access=own)
        except OSError as error:
            problem = f"This file cannot be opened: {_why(error)}"
            yield Failure(item_id=item_id, reason=problem, acl=own.acl, level=own.level)

    def _too_large(self, size: int) -> str:
        if size <= self._bytes_max:
            return ""
        return (
            f"It has {_mib(size)}, more than the limit of {_mib(self._bytes_max)}. "
            f"Split it, or raise the setting `file_bytes_max`."
        )


def _is_data_folder(names: Sequence[str]) -> bool:
    """What firstline itself keeps is no knowledge, wherever the data folder lies."""
    return "firstline.json" in names and not {"postgres", "index", "blobs"}.isdisjoint(names)


def _after(root: Path) -> str:
    if os.path.isdir(root):  # noqa: PTH112 Path.is_dir raises where access is denied
        return "/"
    return "#" if MEDIA_TYPES.get(root.suffix.lower()) in TABLES else ""


def _mismatch(path: Path, media_type: str) -> str:
    with path.open("rb") as file:
        return mismatch(file.read(SNIFF_BYTES), path.suffix.lower(), media_type)


def _read(path: Path, bytes_max: int) -> bytes:
    """At most `bytes_max`: the file may grow between looking and reading."""
    with path.open("rb") as file:
        return file.read(bytes_max)


def _why(error: OSError) -> str:
    """What the system says, and what to do about it."""
    said = (error.strerror or type(error).__name__).lower()
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{said}. Give firstline's user the right to read it, or leave it out."
    if error.errno in (errno.ENOENT, errno.ELOOP):
        return f"{said}. Let the link lead to a file, or remove it."
    return f"{said}. Check the disk, then ingest again."


def _mib(size: int) -> str:
    return f"{size / 1024**2:.1f} MiB" if size >= 1024**2 // 10 else f"{size} bytes"
