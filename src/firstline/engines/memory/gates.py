"""Calibrated gates in memory: the reference that says what the others must do. Nothing is kept.

No method awaits anything but memory, so each one is atomic on its event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from firstline.domain import CalibratedGates, Session, Turn
from firstline.errors import NotFound

HISTORY = "`firstline gates` lists the versions of a knowledge base."

Recorded = Callable[[], Iterable[tuple[Session, Turn]]]
"""Every recorded turn with its session."""


class MemoryGateLedger:
    """See ports.GateLedger. `exists` says whether there is such a knowledge base (tenant, kb)."""

    def __init__(self, *, exists: Callable[[str, str], bool]) -> None:
        self.recorded: Recorded = lambda: ()
        """The turns that live values are read from: to be set to those of a conversation ledger."""
        self._exists = exists
        self._kept: dict[int, CalibratedGates] = {}
        self._in_force: dict[tuple[str, str], int] = {}

    def version(self, tenant: str, kb: str) -> int:
        """Of the gates in force; 0 when none are. For the knowledge ledger beside it."""
        return self._in_force.get((tenant, kb), 0)

    async def add_gates(self, gates: CalibratedGates) -> CalibratedGates:
        if not self._exists(gates.tenant, gates.kb):
            raise NotFound("What this belongs to does not exist.", remedy="Create that first.")
        stored = replace(gates, version=len(self._kept) + 1)
        self._kept[stored.version] = stored
        self._in_force[stored.tenant, stored.kb] = stored.version
        return stored

    async def gates(self, version: int, *, tenant: str, kb: str) -> CalibratedGates | None:
        found = self._kept.get(version)
        return found if found is not None and (found.tenant, found.kb) == (tenant, kb) else None

    async def gates_in_force(self, *, tenant: str, kb: str) -> CalibratedGates | None:
        return self._kept.get(self.version(tenant, kb))

    async def gates_history(self, *, tenant: str, kb: str, limit: int) -> list[CalibratedGates]:
        own = [gates for gates in self._kept.values() if (gates.tenant, gates.kb) == (tenant, kb)]
        return own[::-1][:limit]

    async def put_in_force(self, version: int, *, tenant: str, kb: str) -> None:
        if version and await self.gates(version, tenant=tenant, kb=kb) is None:
            raise NotFound(f"The knowledge base {kb!r} has no gates of version {version}.", remedy=HISTORY)
        self._in_force[tenant, kb] = version

    async def live_values(
        self, version: int, *, tenant: str, kb: str, gate: str, without_user: str, limit: int
    ) -> list[float]:
        turns = [
            turn
            for session, turn in self.recorded()
            if (session.tenant, session.kb) == (tenant, kb)
            and session.user != without_user
            and turn.gates_version == version
        ]
        turns.sort(key=lambda turn: turn.asked_at, reverse=True)
        values = [reading.value for turn in turns for reading in turn.gates if reading.name == gate]
        return values[:limit]
