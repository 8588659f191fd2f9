"""The mark on a data folder: whose it is and which format it has.

A folder that holds something and has no mark is somebody else's and is left alone. A newer format is refused, so that
an older firstline does not damage a newer one's data.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from firstline.errors import Broken, DataTooNew, InvalidInput

FORMAT = 1
MARKER = "firstline.json"
NAMES_SHOWN = 3
# A new file system is not quite empty.
NOBODYS = frozenset({"lost+found"})
ANOTHER = "Name another folder with --data or FIRSTLINE_DATA_FOLDER."


def mark(data_folder: Path) -> None:
    """Create the data folder with its mark, or check the mark that is there.

    Before anything is made: InvalidInput when the place is a file or a folder filled by others, Broken when it may not
    be written. DataTooNew when a newer firstline wrote it, Broken when the mark cannot be read. Raises OSError.
    """
    _check_place(data_folder)
    # Root's Postgres user must be able to pass through, and nobody else needs to look inside.
    data_folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
    path = data_folder / MARKER
    try:
        found = _format(path)
    except FileNotFoundError:
        _check_unclaimed(data_folder)
        _write(path)
        return
    if found > FORMAT:
        raise DataTooNew(
            f"The data folder {data_folder} has format {found}; this firstline knows formats up to {FORMAT}.",
            remedy="Upgrade firstline, or name another folder with --data.",
        )


def _check_place(data_folder: Path) -> None:
    nearest = next((place for place in (data_folder, *data_folder.absolute().parents) if os.path.lexists(place)), None)
    if nearest is None:
        return
    if not nearest.is_dir():
        what = "is a file, not a folder" if nearest == data_folder else f"cannot be made: {nearest} is a file"
        raise InvalidInput(f"The data folder {data_folder} {what}.", remedy=ANOTHER)
    if not os.access(nearest, os.R_OK | os.W_OK | os.X_OK):
        where = "it" if nearest == data_folder else f"the folder {nearest}"
        raise Broken(
            f"The data folder {data_folder} cannot be used: {where} may not be read or written by this user.",
            remedy=f"Give this user the right to write there. Or: {ANOTHER[:1].lower()}{ANOTHER[1:]}",
        )


def _check_unclaimed(data_folder: Path) -> None:
    """A mark comes before everything else in a data folder, so what is there without one is not firstline's."""
    names = sorted(
        path.name for path in data_folder.iterdir() if path.name not in NOBODYS and not path.name.startswith(MARKER)
    )
    # Another process may have marked the folder and gone on since we looked.
    if not names or (data_folder / MARKER).exists():
        return
    shown = ", ".join(names[:NAMES_SHOWN]) + (", ..." if len(names) > NAMES_SHOWN else "")
    raise InvalidInput(
        f"The folder {data_folder} is not a data folder of firstline: it holds {shown} and no {MARKER}.",
        remedy="Name a new or empty folder with --data or FIRSTLINE_DATA_FOLDER. If it is a data folder that lost its "
        f'{MARKER}, write {{"format": {FORMAT}}} into that file.',
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
