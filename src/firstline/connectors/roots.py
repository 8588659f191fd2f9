"""Where does a source start, what are its documents called, and how is the place told from another of its name?"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from firstline.errors import InvalidInput

ORIGIN_CHARS: Final = 16
_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")


@dataclass(frozen=True, kw_only=True, slots=True)
class Root:
    """`label` starts every item id; `origin` is a fingerprint of the place, which never shows the path itself. Links
    are followed as far as they stay in `within`: the folder that was given or that the glob starts from, as its real
    path; None for a file that was named itself."""

    label: str
    path: Path
    origin: str
    within: Path | None

    def paths(self, path: Path) -> list[str]:
        """What a file is called below the root, and what that which a link leads to is called there."""
        real = Path(os.path.realpath(path))
        # What a page takes in is told by its real path, and a root may be a link, or a file that a glob met.
        below = path != self.path and path.is_relative_to(self.path)
        own = path.relative_to(self.path) if below else Path(path.name)
        if self.within is None or not real.is_relative_to(self.within):
            return [clean(own.as_posix())]
        inside = clean(real.relative_to(self.within).as_posix())
        # A file that a glob met is called by its place below the glob's start.
        return [inside] if not below and path.name == real.name else [clean(own.as_posix()), inside]

    def leaves(self, path: Path) -> bool:
        """Does this path lead, through a link, to something that exists outside?"""
        if self.within is None:
            return False
        real = Path(os.path.realpath(path))
        return not real.is_relative_to(self.within) and os.path.exists(real)  # noqa: PTH110 see _expanded


def roots_of(paths: Sequence[str | Path], *, name: str = "") -> list[Root]:
    """Every root once, labels unique. InvalidInput when a path does not exist, a glob matches nothing, or `name` is
    given to several roots or is no name."""
    found: dict[str, Path] = {}
    starts: dict[Path, Path] = {}
    for given in paths:
        for path in _expanded(given):
            first = found.setdefault(os.path.realpath(path), path)
            # Given twice, what was named outranks what a glob met.
            if not _is_glob(given):
                starts.pop(first, None)
            elif first is path:
                starts[path] = _start_of(str(given))
    if not found:
        raise InvalidInput("No file or folder was given.", remedy="Name at least one: `firstline ingest PATH...`.")
    # Not resolve(): a symlinked root keeps the name it was given by.
    absolute = [Path(os.path.abspath(path)) for path in found.values()]  # noqa: PTH100 see above
    within = [starts.get(path, _folder(path)) for path in found.values()]
    if name:
        return [_named(name, absolute, within)]
    labels = _labels(absolute)
    return [
        Root(label=label, path=path, origin=_origin(label, path), within=inside)
        for label, path, inside in zip(labels, absolute, within, strict=True)
    ]


def _folder(path: Path) -> Path | None:
    return Path(os.path.realpath(path)) if os.path.isdir(path) else None  # noqa: PTH112 see _expanded


def _is_glob(given: str | Path) -> bool:
    path = Path(given).expanduser()
    return glob.has_magic(str(path)) and not os.path.lexists(path)


def _start_of(pattern: str) -> Path:
    """The folder in front of a glob's first sign."""
    parts = Path(pattern).expanduser().parts
    plain = parts[: next(at for at, part in enumerate(parts) if glob.has_magic(part))]
    return Path(os.path.realpath(Path(*plain)))


def _named(name: str, paths: Sequence[Path], within: Sequence[Path | None]) -> Root:
    label = clean(name).strip().strip("/")
    if not label or "#" in label:
        raise InvalidInput(f"{name!r} is no name for a folder.", remedy="Write a name without #, like `--as manual`.")
    if len(paths) != 1:
        raise InvalidInput(
            f"The name {name!r} is given to {len(paths)} folders or files.",
            remedy="Ingest each with a name of its own.",
        )
    # The name speaks for itself: a fresh folder of every night's build goes on with the same documents.
    return Root(label=label, path=paths[0], origin=origin_of_name(label), within=within[0])


def origin_of_name(name: str) -> str:
    """The origin of documents that go by a name of their own, `--as NAME` or a registered source's."""
    return _fingerprint(f"named {name}")


def _origin(label: str, path: Path) -> str:
    """Where the item ids start from: the same for a folder and for a file in it that is named by its path."""
    whole = clean(path.as_posix())
    return _fingerprint(whole.removesuffix(label))


def _fingerprint(place: str) -> str:
    """In letters alone: digits could look like a card or telephone number, and be redacted."""
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:ORIGIN_CHARS]
    return digest.translate(_LETTERS)


def _labels(paths: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that tell them apart."""
    for length in range(1, max(len(path.parts) for path in paths) + 1):
        labels = [clean("/".join(path.parts[-length:])).lstrip("/") or "root" for path in paths]
        if len(set(labels)) == len(labels):
            return labels
    return [clean(path.as_posix()).lstrip("/") or "root" for path in paths]


def _expanded(given: str | Path) -> list[Path]:
    if not str(given).strip():
        # Path("") would be the folder we are in, which nobody meant.
        raise InvalidInput("A path is empty.", remedy="Write `.` for the folder you are in.")
    path = Path(given).expanduser()
    if os.path.lexists(path):
        if not os.path.exists(path):  # noqa: PTH110 Path.exists raises where access is denied
            raise InvalidInput(f"{shown(path)} cannot be followed.", remedy="Check the link and its permissions.")
        return [path]
    pattern = str(path)
    if glob.has_magic(pattern):
        # Path.glob takes no absolute patterns.
        matches = sorted(Path(match) for match in glob.iglob(pattern, recursive=True))  # noqa: PTH207 see above
        matches = [match for match in matches if match.is_file() or "**" not in pattern]
        if matches:
            return matches
        raise InvalidInput(f"Nothing matches {shown(path)}.", remedy="Check the pattern; quote it in the shell.")
    raise InvalidInput(
        f"There is no file or folder at {shown(path)}.",
        remedy="Check its spelling and the folder you are in.",
    )


def clean(name: str) -> str:
    """File names are bytes to the system: those that are not UTF-8 are shown with `?`-like marks instead of failing."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").replace("\x00", "")


def shown(path: Path) -> str:
    return clean(str(PurePosixPath(path)))
