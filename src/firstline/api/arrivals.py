"""Acknowledge first: turns under way give way to requests that have not been answered with a first byte yet.

A turn that pauses between two of its steps is answered a little later; a message that is not acknowledged looks lost.
So each step of a turn begins when no request is waiting, or when the turn has given way long enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from firstline.questions.asked import OnStatus

GIVE_WAY_S_MAX: Final = 0.1
"""In all, per turn: under a stream of requests that never ends, turns still go on."""


class Arrivals:
    """Counts the requests that wait for their first byte."""

    def __init__(self) -> None:
        self._waiting = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    def arrived(self) -> Callable[[], None]:
        """A request has arrived. Call what this returns when it was answered, or need not be waited for; again: nothing
        happens."""
        self._waiting += 1
        self._quiet.clear()
        pending = True

        def answered() -> None:
            nonlocal pending
            if pending:
                pending = False
                self._waiting -= 1
                if self._waiting == 0:
                    self._quiet.set()

        return answered

    async def quiet(self, *, wait_s_max: float) -> None:
        """Returns when no request waits, or after `wait_s_max` seconds."""
        if self._quiet.is_set() or wait_s_max <= 0:
            return
        try:
            async with asyncio.timeout(wait_s_max):
                await self._quiet.wait()
        except TimeoutError:
            return

    def giving_way(self, on_status: OnStatus | None, *, wait_s_max: float = GIVE_WAY_S_MAX) -> OnStatus:
        """`on_status` for a turn that gives way before each step; it tells the given one as well."""
        left_s = wait_s_max

        async def on_step(step: str) -> None:
            nonlocal left_s
            if on_status is not None:
                await on_status(step)
            began = asyncio.get_running_loop().time()
            await self.quiet(wait_s_max=left_s)
            left_s -= asyncio.get_running_loop().time() - began

        return on_step
