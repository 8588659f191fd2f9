"""Where runs are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from benchmarks.peers.wording import Wording
from benchmarks.workbench import CACHE

FOLDER: Final = CACHE.parent / "peers"
VECTORS: Final = FOLDER / "vectors.sqlite"
SCRATCH: Final = "index-"
"""Prefix of folders that hold an index while it is measured."""


def results_path(name: str, wording: Wording) -> Path:
    return FOLDER / f"results-{_slug(name, wording)}.json"


def costs_path(name: str, wording: Wording) -> Path:
    return FOLDER / f"costs-{_slug(name, wording)}.json"


def _slug(name: str, wording: Wording) -> str:
    return f"{name}-{wording.value.replace(' ', '-')}"
