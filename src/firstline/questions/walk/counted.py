"""How did walks of the graph end? Told to whoever runs the turns, and kept in no record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Final


class WalkEnd(StrEnum):
    WHOLE = "whole"
    NOTHING_NAMED = "nothing_named"
    """The question names nothing that the graph knows: the classic ranking stands."""
    LATE = "late"
    BROKEN = "broken"


WalkCounts = Counter[tuple[str, WalkEnd]]
"""By why the graph was walked (`route.Routed.why`), and how that ended."""

_COUNTS: Final[ContextVar[WalkCounts | None]] = ContextVar("walk_counts", default=None)


@contextmanager
def walks_told_to(counts: WalkCounts) -> Generator[None]:
    """Walks that begin inside the block are counted there."""
    token = _COUNTS.set(counts)
    try:
        yield
    finally:
        _COUNTS.reset(token)


def tell_walk(why: str, end: WalkEnd) -> None:
    counts = _COUNTS.get()
    if counts is not None:
        counts[why, end] += 1
