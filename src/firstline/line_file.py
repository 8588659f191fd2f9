"""JSON objects in a file, one a line, each written at once: what a stopped run need not pay for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from firstline.errors import InvalidInput


class LineFile:
    """`what` says in errors what is kept there. A line that a kill cut in two is no object and is left out."""

    def __init__(self, path: Path, *, what: str) -> None:
        """InvalidInput when it cannot be read or written."""
        self._path = path
        try:
            self._lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8"):
                pass
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{what} cannot be kept in {path}.", remedy="Name another file.") from error

    def records(self) -> Iterator[dict[str, Any]]:
        """Those that were there when it was opened, oldest first."""
        for line in self._lines:
            try:
                record: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield cast("dict[str, Any]", record)

    def add(self, record: Mapping[str, Any]) -> None:
        # A line of its own even behind one that was cut.
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(record))
