"""Which chunks was a model asked about? A file of ids, so that a stopped run goes on and no chunk is paid twice."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final, cast

from firstline.errors import InvalidInput

FINE: Final = "fine"


class AskedChunks:
    """Lines of {"key": hash of chunk, prompt and model, "chunk": id, "ended": "fine" or why not}. No text. A line that
    a kill cut in two is left out: that chunk is asked again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ended: dict[str, tuple[str, str]] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"What was asked cannot be kept in {path}.", remedy="Check the data folder.") from error
        for line in lines:
            if (record := _read(line)) is not None:
                self._ended[record["key"]] = record["chunk"], record["ended"]

    def ended(self, key: str) -> str | None:
        """None: it was not asked, or nobody knows."""
        found = self._ended.get(key)
        return None if found is None else found[1]

    def keep(self, key: str, chunk_id: str, ended: str) -> None:
        self._ended[key] = chunk_id, ended
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps({"key": key, "chunk": chunk_id, "ended": ended}))


def key_of(chunk_id: str, prompt_id: str, model_id: str) -> str:
    return hashlib.sha256("\x1f".join((chunk_id, prompt_id, model_id)).encode()).hexdigest()[:32]


def _read(line: str) -> dict[str, str] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    found = cast("dict[str, Any]", record) if isinstance(record, dict) else {}
    return found if all(isinstance(found.get(name), str) for name in ("key", "chunk", "ended")) else None
