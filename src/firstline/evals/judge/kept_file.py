"""Judgements in a file: one line each, written at once, so that a stopped run pays for none of them twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from firstline.errors import InvalidInput
from firstline.evals.judge.asking import Kept


class KeptFile(Kept):
    """Lines of {"key": hash, "said": {...}}: no text of a question, an answer or a document is in it. A line that a
    kill cut in two is left out."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        try:
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"Judgements cannot be kept in {path}.", remedy="Name another file.") from error
        for line in lines:
            if (record := _read(line)) is not None:
                super().keep(*record)

    def keep(self, key: str, value: dict[str, Any]) -> None:
        super().keep(key, value)
        # A line of its own even behind one that was cut.
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps({"key": key, "said": value}))


def _read(line: str) -> tuple[str, dict[str, Any]] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    found = cast("dict[str, Any]", record)
    key, said = found.get("key"), found.get("said")
    return (key, cast("dict[str, Any]", said)) if isinstance(key, str) and isinstance(said, dict) else None
