"""How many turns are worked on at once? The others wait in the order they came.

Two hundred turns begun together would each take a slice of the event loop in every round: nobody would be answered
before all were nearly done, and a new message could not even be acknowledged. A few at a time finish one after the
other in the same time overall, and what arrives meanwhile finds the loop free.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Admission:
    def __init__(self, places: int) -> None:
        # Fair: asyncio.Semaphore serves its waiters first come, first served.
        self._places = asyncio.Semaphore(places)

    @asynccontextmanager
    async def place(self, *, wait_s_max: float) -> AsyncGenerator[bool]:
        """Hold a place for the block. False when none came free within `wait_s_max` seconds: then none is held."""
        try:
            async with asyncio.timeout(wait_s_max):
                await self._places.acquire()
        except TimeoutError:
            yield False
            return
        try:
            yield True
        finally:
            self._places.release()
