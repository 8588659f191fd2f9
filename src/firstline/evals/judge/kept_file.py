"""Judgements in a file: a run that was stopped pays for none of them twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from firstline.evals.judge.asking import Kept
from firstline.line_file import LineFile


class KeptFile(Kept):
    """Lines of {"key": hash, "said": {...}}: no text of a question, an answer or a document is in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = LineFile(path, what="Judgements")
        for record in self._file.records():
            key, said = record.get("key"), record.get("said")
            if isinstance(key, str) and isinstance(said, dict):
                super().keep(key, cast("dict[str, Any]", said))

    def keep(self, key: str, value: dict[str, Any]) -> None:
        super().keep(key, value)
        self._file.add({"key": key, "said": value})
