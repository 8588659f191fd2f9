"""What a run cost beside how well it found: one JSON file beside its results."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Costs:
    """`index_s`: building every index, with the vectors read from disk. `live_ms`: a question with its embedding,
    `search_ms`: without, both in the order of the results. Memory is that of the process and everything it started:
    `memory_peak_mb` from start to end, `memory_mb` after the last question."""

    chunks: int
    index_s: float
    live_ms: tuple[float, ...]
    search_ms: tuple[float, ...]
    memory_mb: float
    memory_peak_mb: float


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values do not exceed. NaN when empty."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def save_costs(costs: Costs, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(costs)) + "\n", encoding="utf-8")


def load_costs(path: Path) -> Costs:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    lists = {"live_ms", "search_ms"}
    fields: dict[str, Any] = {name: tuple(value) if name in lists else value for name, value in record.items()}
    return Costs(**fields)
