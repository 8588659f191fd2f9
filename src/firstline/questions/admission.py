"""How many turns are worked on at once? The others wait in the order they came.

Two hundred turns begun together would each take a slice of the event loop in every round: nobody would be answered
before all were nearly done, and a new message could not even be acknowledged. A few at a time finish one after the
other in the same time overall, and what arrives meanwhile finds the loop free. A turn that waits for a language model
works on nothing: it leaves its place to the next one, and how many models may write at once is the gateway's matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

_LEAVE: Final[ContextVar[Callable[[], None] | None]] = ContextVar("leave_place", default=None)


def leave_place() -> None:
    """The turn under way gives its place back now; a second time nothing happens, nor where there is none."""
    if (leave := _LEAVE.get()) is not None:
        leave()


class Admission:
    def __init__(self, places: int) -> None:
        # Fair: asyncio.Semaphore serves its waiters first come, first served.
        self._places = asyncio.Semaphore(places)

    @asynccontextmanager
    async def place(self, *, wait_s_max: float) -> AsyncGenerator[bool]:
        """Hold a place for the block, or until `leave_place`. False when none came free within `wait_s_max` seconds:
        then none is held."""
        try:
            async with asyncio.timeout(wait_s_max):
                await self._places.acquire()
        except TimeoutError:
            yield False
            return
        held = True

        def leave() -> None:
            nonlocal held
            if held:
                held = False
                self._places.release()

        token = _LEAVE.set(leave)
        try:
            yield True
        finally:
            _LEAVE.reset(token)
            leave()
