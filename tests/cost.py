"""What work costs: processor seconds of this thread, the garbage collector out of the way, the quickest of a few runs.
For what waits, what the clock on the wall says instead.

Tests use it to tell a pattern that is quadratic from one that is not. Such a pattern is slow every time; a neighbour on
the machine, or a collection of everything the tests before have left, is slow once.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Awaitable, Callable
from math import inf

RUNS_MAX = 5


def costs_less(work: Callable[[], object], than_s: float) -> bool:
    """Whether one of a few runs stays below `than_s` processor seconds."""
    return any(_spent_s(work) < than_s for _ in range(RUNS_MAX))


async def awaited_costs_less(work: Callable[[], Awaitable[object]], than_s: float) -> bool:
    """The same for a coroutine that works on this thread; each run is awaited anew."""
    for _ in range(RUNS_MAX):
        began = time.thread_time()
        await work()
        if time.thread_time() - began < than_s:
            return True
    return False


def grows_evenly(work: Callable[[int], object], length: int, *, free_s: float, slack: float = 4.0) -> bool:
    """Whether eight times the length takes about eight times as long (less than `slack` times that), not sixty-four.

    Below `free_s` seconds the longer run is not looked at: there is nothing to tell apart.
    """
    small = large = inf
    for _ in range(RUNS_MAX):
        small = min(small, _spent_s(lambda: work(length)))
        large = min(large, _spent_s(lambda: work(8 * length)))
        if large < max(free_s, 8 * slack * small):
            return True
    return False


async def ends_within(work: Callable[[], Awaitable[object]], seconds: float) -> bool:
    """Whether one of a few runs, each begun anew, ends within `seconds` on the wall.

    For what must not wait for something that hangs: it would every time.
    """
    for _ in range(RUNS_MAX):
        began = time.monotonic()
        await work()
        if time.monotonic() - began < seconds:
            return True
    return False


def _spent_s(work: Callable[[], object]) -> float:
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        if collecting:
            gc.enable()
