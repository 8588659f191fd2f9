"""Whose source is synced next by this worker? No tenant takes all of its places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

from firstline.errors import Conflict

PER_TENANT: Final = 2
IN_ALL: Final = 3
"""A worker does four things at a time: one place is left for announced changes and purging, whatever is synced."""


class SyncTurns:
    """Wraps what syncs a source (name, tenant, knowledge base)."""

    def __init__(
        self,
        sync: Callable[[str, str, str], Awaitable[object]],
        *,
        per_tenant: int = PER_TENANT,
        in_all: int = IN_ALL,
    ) -> None:
        self._sync = sync
        self._per_tenant = per_tenant
        self._in_all = in_all
        self._going: Counter[str] = Counter()

    async def __call__(self, name: str, tenant: str, kb: str) -> object:
        """Conflict when the tenant, or all of them, have their share of this worker: the job comes again, and does not
        keep a place meanwhile."""
        if self._going[tenant] >= self._per_tenant or self._going.total() >= self._in_all:
            raise Conflict("Other sources are synced already.", remedy="This one is synced after them.")
        self._going[tenant] += 1
        try:
            return await self._sync(name, tenant, kb)
        finally:
            self._going[tenant] -= 1
            if not self._going[tenant]:
                del self._going[tenant]
