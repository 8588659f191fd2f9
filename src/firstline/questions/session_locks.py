"""Messages of one session are answered one after the other."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

LOCKS_MAX: Final = 10_000


class SessionLocks:
    """One lock per session, at most LOCKS_MAX: the oldest that nobody holds goes first."""

    def __init__(self) -> None:
        self._locks: OrderedDict[str, asyncio.Lock] = OrderedDict()

    def of(self, session_id: str) -> asyncio.Lock:
        lock = self._locks.pop(session_id, None) or asyncio.Lock()
        self._locks[session_id] = lock
        while len(self._locks) > LOCKS_MAX:
            oldest = next(iter(self._locks))
            if self._locks[oldest].locked():
                break
            del self._locks[oldest]
        return lock
