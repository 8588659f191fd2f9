"""Which of the folder's shards counts? `index.json` says, and replacing it is the one step that swaps shards."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firstline.errors import Broken, DataTooNew

FORMAT: Final = 2
"""1 knew one shard, named `shard`."""
REBUILD: Final = "Move the folder {folder} away and ingest again; the documents themselves are not touched."
FIRST_SHARD: Final = "shard"
JOURNAL: Final = "rebuild.journal"
_SHARD: Final = re.compile(r"shard(?:-(\d{1,9}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """`shard` is the name of the shard's folder; `built` how many points it held when its graphs were last built."""

    dimensions: int
    shard: str = FIRST_SHARD
    built: int = 0

    @property
    def next_shard(self) -> str:
        match = _SHARD.fullmatch(self.shard)
        return f"shard-{int((match and match.group(1)) or 0) + 1}"


def read_note(folder: Path, *, dimensions: int) -> Note:
    """Broken when it is damaged or tells of other dimensions, DataTooNew when a newer version wrote it."""
    path = folder / "index.json"
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        held_format = int(held["format"])
        note = Note(
            dimensions=int(held["dimensions"]),
            shard=str(held.get("shard", FIRST_SHARD)),
            built=int(held.get("built", 0)),
        )
        if held_format <= FORMAT and not _SHARD.fullmatch(note.shard):
            raise ValueError(f"{note.shard!r} is no shard")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Broken(f"{path} is damaged: {error}.", remedy=REBUILD.format(folder=folder)) from error
    if held_format > FORMAT:
        raise DataTooNew(f"{folder} was written by a newer firstline.", remedy="Upgrade firstline.")
    if note.dimensions != dimensions:
        raise Broken(
            f"The chunk index in {folder} holds vectors of {note.dimensions} dimensions; the embedder makes "
            f"{dimensions}.",
            remedy="Configure the embedder it was made with, or use another data folder and ingest again.",
        )
    return note


def write_note(folder: Path, note: Note) -> None:
    """Replace the note in one step; on disk when it returns."""
    draft = folder / "index.json.new"
    told = {"format": FORMAT, "dimensions": note.dimensions, "shard": note.shard, "built": note.built}
    draft.write_text(json.dumps(told) + "\n", encoding="utf-8")
    sync(draft)
    draft.replace(folder / "index.json")
    sync(folder)


def remove_strays(folder: Path, *, keep: str | None) -> None:
    """Shards that the note does not name: what a rebuild that died, or a first start that died, has left."""
    for path in folder.iterdir():
        if path.name != keep and path.is_dir() and _SHARD.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
    (folder / JOURNAL).unlink(missing_ok=True)


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
