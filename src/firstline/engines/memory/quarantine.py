"""The quarantine in memory: the reference that says what the others must do. Nothing is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from firstline.domain import Quarantined, QuarantineState
from firstline.errors import NotFound, content_changed

LISTED = "`firstline quarantine list` shows what is there."


class MemoryQuarantineLedger:
    """See ports.QuarantineLedger."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str, str], Quarantined] = {}

    async def hold(self, found: Sequence[Quarantined], *, tenant: str, kb: str, clear: Collection[str] = ()) -> None:
        now = {(one.doc_id, one.fingerprint) for one in found}
        again = {one.doc_id for one in found}
        for key, one in list(self._kept.items()):
            if (one.tenant, one.kb) != (tenant, kb) or one.state is not QuarantineState.HELD:
                continue
            if one.doc_id in clear or (one.doc_id in again and (one.doc_id, one.fingerprint) not in now):
                del self._kept[key]
        for one in found:
            self._kept.setdefault((tenant, kb, one.doc_id, one.fingerprint), one)

    async def decided(self, *, tenant: str, kb: str) -> dict[tuple[str, str], QuarantineState]:
        return {
            (one.doc_id, one.fingerprint): one.state
            for one in self._kept.values()
            if (one.tenant, one.kb) == (tenant, kb) and one.state is not QuarantineState.HELD
        }

    async def quarantined(
        self,
        *,
        tenant: str,
        kb: str | None,
        limit: int,
        states: Collection[QuarantineState] = frozenset({QuarantineState.HELD}),
        doc_id: str | None = None,
    ) -> list[Quarantined]:
        found = [
            one
            for one in self._kept.values()
            if one.tenant == tenant and kb in (None, one.kb) and doc_id in (None, one.doc_id) and one.state in states
        ]
        found.sort(key=lambda one: (one.kb, one.doc_id))
        found.sort(key=lambda one: one.found_at, reverse=True)
        return found[:limit]

    async def settle(
        self,
        doc_id: str,
        *,
        tenant: str,
        kb: str,
        fingerprint: str,
        state: QuarantineState,
        by: str,
        at: datetime,
        note: str = "",
    ) -> Quarantined:
        own = [one for one in self._kept.values() if (one.tenant, one.kb, one.doc_id) == (tenant, kb, doc_id)]
        if not own:
            raise NotFound(f"{doc_id!r} is not in the quarantine of {kb!r}.", remedy=LISTED)
        meant = next((one for one in own if one.fingerprint == fingerprint), None)
        if meant is None or (
            meant.state is not QuarantineState.HELD and any(one.state is QuarantineState.HELD for one in own)
        ):
            raise content_changed(doc_id)
        settled = replace(meant, state=state, decided_by=by, decided_at=at, note=note)
        self._kept[tenant, kb, doc_id, fingerprint] = settled
        return settled
