"""Records that may quote a document or a person, the caches of this process among them. Same port in and out."""

from __future__ import annotations

from typing import Final

from firstline.caches.caches import Caches
from firstline.ports import Marks, RecordLedger

KIND: Final = "cache entries"


class RecordsAndCaches:
    """What is scrubbed from the ledger goes from the caches too, and is looked for in both."""

    def __init__(self, inner: RecordLedger, caches: Caches) -> None:
        self._inner = inner
        self._caches = caches

    async def scrub(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        changed = await self._inner.scrub(marks, tenant=tenant)
        # Afterwards: what is worked out from now on is made of scrubbed records.
        quoted = await self._naming(marks, tenant)
        self._caches.forget_tenant(tenant)
        return {**changed, KIND: quoted}

    async def quoting(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        return {**await self._inner.quoting(marks, tenant=tenant), KIND: await self._naming(marks, tenant)}

    async def forget_tenant(self, tenant: str) -> dict[str, int]:
        removed = await self._inner.forget_tenant(tenant)
        self._caches.forget_tenant(tenant)
        return removed

    async def of_tenant(self, tenant: str) -> dict[str, int]:
        return await self._inner.of_tenant(tenant)

    async def _naming(self, marks: Marks, tenant: str) -> int:
        return await self._caches.naming(marks.doc_ids | marks.chunk_ids | marks.texts, tenant=tenant)
