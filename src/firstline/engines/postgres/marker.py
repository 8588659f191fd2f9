"""The mark on a data folder: which format it has, so that an older firstline does not damage a newer one's data."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from firstline.errors import Broken, DataTooNew

FORMAT = 1
MARKER = "firstline.json"


def mark(data_folder: Path) -> None:
    """Create the data folder with its mark, or check the mark that is there.

    DataTooNew when a newer firstline wrote it, Broken when the mark cannot be read. Raises OSError.
    """
    # Root's Postgres user must be able to pass through, and nobody else needs to look inside.
    data_folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
    path = data_folder / MARKER
    try:
        found = _format(path)
    except FileNotFoundError:
        _write(path)
        return
    if found > FORMAT:
        raise DataTooNew(
            f"The data folder {data_folder} has format {found}; this firstline knows formats up to {FORMAT}.",
            remedy="Upgrade firstline, or name another folder with --data.",
        )


def _format(path: Path) -> int:
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        found = content["format"]
        if not isinstance(found, int):
            raise TypeError
    except (ValueError, KeyError, TypeError) as error:
        raise Broken(
            f'{path} is damaged: it should hold something like {{"format": {FORMAT}}}.',
            remedy="Restore it from a backup, or write that line if this folder is firstline's.",
        ) from error
    return found


def _write(path: Path) -> None:
    """Whole or not at all, also when several processes begin at once."""
    descriptor, partial = tempfile.mkstemp(dir=path.parent, prefix=f"{MARKER}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"format": FORMAT}, file)
        file.flush()
        os.fsync(file.fileno())
    Path(partial).replace(path)
