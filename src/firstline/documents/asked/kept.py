"""Which chunks was a model asked about? A file of ids, so that a stopped run goes on and no chunk is paid twice."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from firstline.line_file import LineFile

FINE: Final = "fine"


class AskedChunks:
    """Lines of {"key": hash of chunk, prompt and model, "chunk": id, "ended": "fine" or why not}. No text."""

    def __init__(self, path: Path) -> None:
        self._file = LineFile(path, what="What was asked")
        self._ended: dict[str, str] = {}
        for record in self._file.records():
            key, ended = record.get("key"), record.get("ended")
            if isinstance(key, str) and isinstance(ended, str):
                self._ended[key] = ended

    def ended(self, key: str) -> str | None:
        """None: it was not asked, or nobody knows."""
        return self._ended.get(key)

    def keep(self, key: str, chunk_id: str, ended: str) -> None:
        self._ended[key] = ended
        self._file.add({"key": key, "chunk": chunk_id, "ended": ended})


def key_of(chunk_id: str, prompt_id: str, model_id: str) -> str:
    return hashlib.sha256("\x1f".join((chunk_id, prompt_id, model_id)).encode()).hexdigest()[:32]
