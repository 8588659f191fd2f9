"""When does a long run let a small one go first? When announced changes wait, and some of its own work is done.

It publishes what it has so far, frees the knowledge base, and goes on as the next snapshot. A run that may not publish
by itself keeps the knowledge base to its end: half of a change that waits for its check must not be shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from firstline.documents.publish_policy import Publish

WINDOW_S: Final = 1.0
"""A run works at least so long before it gives way."""

BATCH_S: Final = 0.8
"""Aim of a batch's time: up to five of them are under way."""
CHUNKS_MIN: Final = 8
CHUNKS_AT_FIRST: Final = 16

GIVES_WAY_S: Final = 0.3
GIVES_WAY_S_MAX: Final = 5.0
LOOKS_S: Final = 0.1
LONGER: Final = 4.0
RETAKE_S_MAX: Final = 600.0
RETAKE_PAUSE_S: Final = 0.1
TAKEN_S_MAX: Final = 15.0
"""Taking a few changes in is over soon: a run that begins waits for that, and for nobody else."""

ChangesWait = Callable[[str, str], Awaitable[bool]]
"""Whether announced changes of a tenant's knowledge base wait to be taken."""


def may_part(publish: Publish, *, golden: bool) -> bool:
    """`golden`: a large change would wait for its check."""
    return publish is Publish.ALWAYS or (publish is Publish.AUTO and not golden)


class GivingWay:
    """Of one run. Without `waits` it gives way to nobody."""

    def __init__(self, waits: ChangesWait | None, *, tenant: str, kb: str) -> None:
        self._waits = waits
        self._tenant = tenant
        self._kb = kb
        self._window_s = WINDOW_S
        self._began = time.monotonic()
        self._committed = 0

    @property
    def gives(self) -> bool:
        return self._waits is not None

    def begin(self, *, committed: int) -> None:
        """The knowledge base is held from here on; so many chunks were committed before."""
        self._began = time.monotonic()
        self._committed = committed

    def chunks_max(self, limit: int, *, committed: int) -> int:
        """Chunks of the next batch, by how fast `committed` grew since the run began or went on: what is under way
        must be over before anybody else goes."""
        if not self.gives:
            return limit
        grown, took_s = committed - self._committed, time.monotonic() - self._began
        return max(CHUNKS_MIN, min(limit, round(grown / took_s * BATCH_S))) if grown else CHUNKS_AT_FIRST

    def stop(self) -> None:
        """To nobody any more."""
        self._waits = None

    async def wanted(self) -> bool:
        if self._waits is None or time.monotonic() - self._began < self._window_s:
            return False
        return await self._waits(self._tenant, self._kb)

    async def let_go_first(self) -> None:
        """The knowledge base is free: wait until those who waited are done, not for ever. When nobody takes what
        waits, there is no worker, and the run gives way less often."""
        deadline = time.monotonic() + GIVES_WAY_S_MAX
        await asyncio.sleep(GIVES_WAY_S)
        while self._waits is not None and await self._waits(self._tenant, self._kb):
            if time.monotonic() > deadline:
                self._window_s *= LONGER
                return
            await asyncio.sleep(LOOKS_S)
