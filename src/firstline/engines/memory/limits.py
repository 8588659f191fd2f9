"""Rate limits in process: token buckets, a bounded number of them."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from firstline.errors import InvalidInput


class MemoryLimits:
    """A `RateLimiter`. A bucket starts full, holds `per_minute` tokens and gains them evenly over a minute.

    Past `buckets_max` the bucket that was asked for longest ago is forgotten, which refills it. One that nobody asked
    for in a minute is full anyway, so this matters only when more than `buckets_max` are in use within a minute.
    """

    def __init__(self, *, buckets_max: int = 100_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._buckets_max = buckets_max
        self._clock = clock
        # bucket -> (tokens, when they were counted), longest unused first
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, bucket: str, *, per_minute: int) -> float:
        if per_minute < 1:
            raise InvalidInput(f"A limit of {per_minute} a minute allows nothing.", remedy="Use 1 or more.")
        now = self._clock()
        tokens, counted_at = self._buckets.pop(bucket, (float(per_minute), now))
        tokens = min(float(per_minute), tokens + (now - counted_at) * per_minute / 60)
        # A token counts as whole despite rounding, or a caller who waits as told would be refused once more.
        allowed = tokens >= 1 - 1e-9
        self._buckets[bucket] = (max(0.0, tokens - 1) if allowed else tokens, now)
        if len(self._buckets) > self._buckets_max:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - tokens) * 60 / per_minute
