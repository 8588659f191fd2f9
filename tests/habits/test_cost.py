"""The measure of tests/cost.py tells work that grows with the square from work that does not."""

from __future__ import annotations

import asyncio
import time

from tests.cost import costs_less, ends_within, grows_evenly


def spend(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_the_square_is_told_from_the_line() -> None:
    assert not grows_evenly(lambda length: spend(length**2 * 1e-3), 1, free_s=0.01)
    assert grows_evenly(lambda length: spend(length * 1e-3), 1, free_s=0.001)


def test_a_slow_run_between_quick_ones_is_no_failure() -> None:
    runs = iter((0.03, 0.001))
    assert costs_less(lambda: spend(next(runs)), than_s=0.02)
    assert not costs_less(lambda: spend(0.01), than_s=0.005)


async def test_what_waits_every_time_is_told_from_what_waits_once() -> None:
    waits = iter((0.1, 0.0))
    assert await ends_within(lambda: asyncio.sleep(next(waits)), 0.05)
    assert not await ends_within(lambda: asyncio.sleep(0.06), 0.05)
