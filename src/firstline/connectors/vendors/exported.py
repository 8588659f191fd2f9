"""What lies in an export file? Objects, read one by one from JSON, JSON lines, a zip or a folder of them.

A zip is never unpacked on disk: names in it lead nowhere, and a file in it may have only so many bytes.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast

from firstline.errors import InvalidInput

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
FILES_MAX: Final = 1_000_000
ENDINGS: Final = (".json", ".jsonl", ".ndjson")
_CHECK: Final = "Export it once more; what stood of it stays."
_BROKEN: Final = (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """An object, and the name of the list that it stood in ("": none)."""

    name: str
    value: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    where: str
    reason: str


class Archive:
    """The files of a folder or a zip, or one file, by their names below it. Close it, or use `with`."""

    def __init__(self, path: str) -> None:
        """InvalidInput when there is nothing, or a zip that is none."""
        self._path = Path(path)
        self._stack = ExitStack()
        self._zip: zipfile.ZipFile | None = None
        if self._path.is_file() and self._path.suffix.lower() == ".zip":
            try:
                self._zip = self._stack.enter_context(zipfile.ZipFile(self._path))
            except (zipfile.BadZipFile, OSError) as error:
                raise InvalidInput(f"{path} is no zip that can be read.", remedy=_CHECK) from error
        elif not self._path.exists():
            raise InvalidInput(f"There is nothing at {path}.", remedy="Check the path; nothing was removed.")

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def names(self) -> list[str]:
        """Sorted; folders, and links that lead out, are not among them."""
        if self._zip is not None:
            found = [entry.filename for entry in self._zip.infolist() if not entry.is_dir()]
            return sorted(name for name in found[:FILES_MAX] if not name.startswith("__MACOSX/"))
        if self._path.is_file():
            return [self._path.name]
        root = self._path.resolve()
        files = (each for each in self._path.rglob("*") if each.is_file() and each.resolve().is_relative_to(root))
        return sorted(each.relative_to(self._path).as_posix() for each in files)

    def open(self, name: str) -> IO[bytes]:
        """One of _BROKEN when it cannot be read."""
        if self._zip is not None:
            return self._zip.open(name)
        return (self._path if self._path.is_file() else self._path / name).open("rb")

    def load(self, name: str, *, bytes_max: int) -> Any:
        """One JSON file. InvalidInput when it is too large or none."""
        try:
            with self.open(name) as file:
                raw = file.read(bytes_max + 1)
            if len(raw) > bytes_max:
                raise InvalidInput(f"{name} is too large.", remedy="Split it, or raise the setting `file_bytes_max`.")
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{name} is not valid JSON.", remedy=_CHECK) from error
        except _BROKEN as error:
            raise InvalidInput(f"{name} cannot be read.", remedy=_CHECK) from error


def exported(path: str, *, lists: Collection[str], bytes_max: int) -> Iterator[Row | Unreadable]:
    """Every object of every file, in order of their names. A JSON file is a list of objects, or an object with lists
    that are named as `lists` says; `bytes_max` bounds it. Lines are read one by one, whatever their number."""
    with Archive(path) as archive:
        for name in archive.names():
            if not name.lower().endswith(ENDINGS):
                continue
            try:
                yield from _rows(archive, name, lists, bytes_max)
            except InvalidInput as error:
                yield Unreadable(where="", reason=f"{error.message} {error.remedy}")
            except _BROKEN:
                yield Unreadable(where="", reason=f"{name} cannot be read. {_CHECK}")


def _rows(archive: Archive, name: str, lists: Collection[str], bytes_max: int) -> Iterator[Row | Unreadable]:
    if _is_lines(archive, name):
        yield from _lines(archive, name)
        return
    value = archive.load(name, bytes_max=bytes_max)
    if isinstance(value, list):
        yield from _objects("", cast("list[object]", value))
        return
    found = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    named = [(key, found[key]) for key in lists if isinstance(found.get(key), list)]
    for key, each in named:
        yield from _objects(key, cast("list[object]", each))
    if not named and found:
        yield Row(name="", value=cast("dict[str, Any]", found))


def _is_lines(archive: Archive, name: str) -> bool:
    """JSON lines by their name, or because a first line is an object of its own and another follows."""
    if not name.lower().endswith(".json"):
        return True
    with archive.open(name) as file:
        first, second = file.readline(LINE_BYTES_MAX), file.readline(64)
    try:
        return bool(second.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _lines(archive: Archive, name: str) -> Iterator[Row | Unreadable]:
    with archive.open(name) as file:
        number = 0
        while line := file.readline(LINE_BYTES_MAX):
            number += 1
            if not line.strip():
                continue
            try:
                value: object = json.loads(line)
            except (ValueError, RecursionError):
                yield Unreadable(where="", reason=f"Line {number} of {name} is not valid JSON. {_CHECK}")
                continue
            if isinstance(value, dict):
                yield Row(name="", value=cast("dict[str, Any]", value))


def _objects(name: str, values: list[object]) -> Iterator[Row]:
    for value in values:
        if isinstance(value, dict):
            yield Row(name=name, value=cast("dict[str, Any]", value))
