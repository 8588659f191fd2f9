"""How metrics are written in the Prometheus text format."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

SERIES_MAX: Final = 200
"""Label sets of one histogram; labels are names of ours, and this is the last word on it."""


def head(name: str, kind: str, meaning: str) -> list[str]:
    """`kind`: counter, gauge or histogram."""
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def label(value: str) -> str:
    """A value that may be any text, as it stands between double quotes."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def histogram_lines(name: str, labels: str, buckets: Sequence[float], counts: Sequence[int], total: float) -> list[str]:
    """One series without its head. `counts` has one more than `buckets`: what lies above the last."""
    lines: list[str] = []
    seen, comma = 0, "," if labels else ""
    for limit, count in zip((*map(str, buckets), "+Inf"), counts, strict=True):
        seen += count
        lines.append(f'{name}_bucket{{{labels}{comma}le="{limit}"}} {seen}')
    own = f"{{{labels}}}" if labels else ""
    return [*lines, f"{name}_sum{own} {total:.6f}", f"{name}_count{own} {seen}"]


class Histogram:
    """Values by label set. Labels come written: `step="embed"`."""

    def __init__(self, name: str, meaning: str, buckets: Sequence[float]) -> None:
        self._name = name
        self._meaning = meaning
        self._buckets = tuple(buckets)
        self._series: dict[str, tuple[list[int], list[float]]] = {}

    def declared(self, labels: str = "") -> Histogram:
        """The same, with a series that is there before anything was observed."""
        if len(self._series) < SERIES_MAX:
            self._series.setdefault(labels, ([0] * (len(self._buckets) + 1), [0.0]))
        return self

    def observe(self, value: float, labels: str = "") -> None:
        if labels not in self.declared(labels)._series:
            return
        counts, total = self._series[labels]
        counts[bisect_left(self._buckets, value)] += 1
        total[0] += value

    def lines(self) -> list[str]:
        told = (
            line
            for labels, (counts, total) in sorted(self._series.items())
            for line in histogram_lines(self._name, labels, self._buckets, counts, total[0])
        )
        return [*head(self._name, "histogram", self._meaning), *told]
