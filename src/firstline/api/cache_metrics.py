"""What the caches of this process hold and how often they were of use, in the Prometheus text format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from firstline.api.metric_lines import head
from firstline.caches.store import Kept


def cache_metrics(caches: Iterable[Kept[Any]]) -> str:
    """Caches that are turned off are not told of. What is too old goes first: only what may be used is counted."""
    on = [kept for kept in caches if kept.bytes_max]
    for kept in on:
        kept.sweep()
    lines: list[str] = []
    if on:
        lines += head("firstline_cache_lookups_total", "counter", "Look-ups, by what came of them.")
        for kept in on:
            for result, count in (
                ("hit", kept.counts.hits),
                ("miss", kept.counts.misses),
                ("passed", kept.counts.passed),
            ):
                lines.append(f'firstline_cache_lookups_total{{cache="{kept.name}",result="{result}"}} {count}')
        for name, meaning, count in _COUNTED:
            lines += head(f"firstline_cache_{name}_total", "counter", meaning)
            lines += [f'firstline_cache_{name}_total{{cache="{kept.name}"}} {count(kept)}' for kept in on]
        for name, meaning, value in _HELD:
            lines += head(f"firstline_cache_{name}", "gauge", meaning)
            lines += [f'firstline_cache_{name}{{cache="{kept.name}"}} {value(kept)}' for kept in on]
    return "".join(f"{line}\n" for line in lines)


_Number = Callable[[Kept[Any]], int | float]

_COUNTED: tuple[tuple[str, str, _Number], ...] = (
    ("joined", "Of the hits, those that waited for somebody who was working it out.", lambda kept: kept.counts.joined),
    ("stale", "Of the misses, those that found what may not be shown any more.", lambda kept: kept.counts.stale),
    ("alike", "Of the misses, those answered by what another question came to.", lambda kept: kept.counts.alike),
    ("evicted", "Entries that went to make room.", lambda kept: kept.counts.evicted),
    ("dropped", "Entries that went because something was forgotten.", lambda kept: kept.counts.dropped),
)
_HELD: tuple[tuple[str, str, _Number], ...] = (
    ("entries", "Entries held.", len),
    ("bytes", "Bytes held.", lambda kept: kept.bytes),
    ("bytes_max", "Bytes that may be held.", lambda kept: kept.bytes_max),
    ("hit_ratio", "Hits per hit and miss since the start.", lambda kept: round(kept.counts.hit_ratio, 6)),
)
