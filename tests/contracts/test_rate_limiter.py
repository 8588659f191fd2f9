"""What every rate limiter promises."""

from __future__ import annotations

import pytest

from firstline.engines.memory.limits import MemoryLimits
from firstline.errors import InvalidInput


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limits(clock: Clock) -> MemoryLimits:
    return MemoryLimits(buckets_max=3, clock=clock)


async def test_a_full_bucket_lets_its_size_through_and_then_says_how_long_to_wait(
    limits: MemoryLimits, clock: Clock
) -> None:
    assert [await limits.take("key", per_minute=3) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert await limits.take("key", per_minute=3) == pytest.approx(20.0)
    clock.now += 15
    assert await limits.take("key", per_minute=3) == pytest.approx(5.0)


@pytest.mark.parametrize("per_minute", [1, 7, 30, 600])
async def test_who_waits_as_told_is_let_through(limits: MemoryLimits, clock: Clock, per_minute: int) -> None:
    for _ in range(per_minute):
        assert await limits.take("key", per_minute=per_minute) == 0.0
    for _ in range(50):
        wait = await limits.take("key", per_minute=per_minute)
        assert 0 < wait <= 60 / per_minute + 1e-6
        clock.now += wait
        assert await limits.take("key", per_minute=per_minute) == 0.0


async def test_no_minute_gets_more_than_a_full_bucket_and_its_refill(limits: MemoryLimits, clock: Clock) -> None:
    clock.now += 100_000
    allowed = 0
    for _ in range(600):
        allowed += await limits.take("key", per_minute=10) == 0.0
        clock.now += 0.1
    assert allowed == 19 or allowed == 20


async def test_buckets_do_not_touch_each_other(limits: MemoryLimits) -> None:
    assert await limits.take("a", per_minute=1) == 0.0
    assert await limits.take("b", per_minute=1) == 0.0
    assert await limits.take("a", per_minute=1) > 0


async def test_a_lowered_limit_holds_at_once(limits: MemoryLimits) -> None:
    assert await limits.take("a", per_minute=100) == 0.0
    assert await limits.take("a", per_minute=1) == 0.0
    assert await limits.take("a", per_minute=1) > 0


async def test_the_number_of_buckets_is_bounded_and_the_longest_unused_goes(limits: MemoryLimits) -> None:
    for bucket in ("a", "b", "c"):
        assert await limits.take(bucket, per_minute=1) == 0.0
    assert await limits.take("a", per_minute=1) > 0
    assert await limits.take("d", per_minute=1) == 0.0  # pushes b out: a was asked for later
    assert await limits.take("a", per_minute=1) > 0
    assert await limits.take("c", per_minute=1) > 0
    assert await limits.take("b", per_minute=1) == 0.0


async def test_a_limit_that_allows_nothing_is_refused(limits: MemoryLimits) -> None:
    with pytest.raises(InvalidInput):
        await limits.take("a", per_minute=0)
