"""Snapshots in memory: the reference that says what the others must do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime

from firstline.domain import FOREVER, ChangeKind, DocumentChange, Snapshot, SnapshotEntry, SnapshotState
from firstline.engines.memory.base import Base, Sealed, ended_at, no_knowledge_base, not_open, revision
from firstline.errors import Conflict, NotFound
from firstline.ports import Abandoned, Revision

LISTED = "`firstline snapshot list` shows those that are there."


class MemorySnapshots:
    """See ports.SnapshotLedger. For the knowledge ledger, whose bases these are."""

    _bases: dict[tuple[str, str], Base]

    @abstractmethod
    def _snapshot(self, tenant: str, kb: str, number: int) -> Snapshot: ...

    def _known(self, tenant: str, kb: str) -> Base:
        if (tenant, kb) not in self._bases:
            raise no_knowledge_base(kb)
        return self._bases[tenant, kb]

    async def snapshots(self, *, tenant: str, kb: str, limit: int) -> list[SnapshotEntry]:
        base = self._known(tenant, kb)
        return [
            SnapshotEntry(
                number=number,
                state=_state(number, base),
                documents=(counted := self._snapshot(tenant, kb, number)).documents,
                chunks=counted.chunks,
                sealed_at=base.sealed[number].sealed_at,
                published_at=base.sealed[number].published_at,
                waits=base.sealed[number].waits,
                share=base.canary_share if number == base.canary else 0.0,
            )
            for number in sorted(base.sealed, reverse=True)[:limit]
        ]

    async def point_on(self, number: int, *, tenant: str, kb: str) -> Snapshot:
        base = self._known(tenant, kb)
        self._snapshot(tenant, kb, number)
        if number < base.published:
            raise Conflict(
                f"Snapshot {number} is older than the published one, {base.published}.",
                remedy=f"`firstline snapshot rollback --to {number}` goes back to it.",
            )
        base.published, base.head = number, max(base.head, number)
        base.canary = base.canary if base.canary > number else 0
        sealed = base.sealed[number]
        sealed.published_at, sealed.waits = sealed.published_at or datetime.now(UTC), ""
        return self._snapshot(tenant, kb, number)

    async def point_back(self, number: int | None, *, tenant: str, kb: str) -> Snapshot:
        base = self._known(tenant, kb)
        earlier = [one for one, sealed in base.sealed.items() if one < base.published and sealed.published_at]
        if number is None and not earlier:
            raise Conflict(f"There is no earlier snapshot of {kb!r} to go back to.", remedy=LISTED)
        to = max(earlier) if number is None else number
        self._snapshot(tenant, kb, to)
        if to >= base.published:
            raise Conflict(
                f"Snapshot {to} is not older than the published one, {base.published}.",
                remedy=f"`firstline snapshot publish {to}` publishes a newer one.",
            )
        base.published = base.head = to
        base.candidate, base.canary = None, 0
        return self._snapshot(tenant, kb, to)

    async def discard(self, *, tenant: str, kb: str) -> list[int]:
        base = self._known(tenant, kb)
        numbers = sorted(one for one in base.sealed if base.published < one <= base.head)
        base.head, base.candidate, base.canary = base.published, None, 0
        return numbers

    async def try_out(self, number: int, *, tenant: str, kb: str, share: float) -> Snapshot:
        base = self._known(tenant, kb)
        self._snapshot(tenant, kb, number)
        if not base.published < number <= base.head:
            raise NotFound(f"Snapshot {number} does not wait for publication.", remedy=LISTED)
        base.canary, base.canary_share = number if share > 0 else 0, share
        return self._snapshot(tenant, kb, base.published or number)

    async def changes(self, before: int, after: int, *, tenant: str, kb: str, limit: int) -> list[DocumentChange]:
        base = self._known(tenant, kb)
        for number in (before, after):
            if number:
                self._snapshot(tenant, kb, number)
        old, new = (
            {
                one.document.doc_id: one.document
                for one in base.held(number)
                if not base.buried(one.document.doc_id, one.document.since)
            }
            for number in (before, after)
        )
        found = [
            DocumentChange(
                doc_id=doc_id,
                title=(new.get(doc_id) or old[doc_id]).title,
                change=ChangeKind.ADDED
                if doc_id not in old
                else ChangeKind.REMOVED
                if doc_id not in new
                else ChangeKind.CHANGED,
            )
            for doc_id in sorted(old.keys() | new.keys())
            if doc_id not in old or doc_id not in new or old[doc_id].since != new[doc_id].since
        ]
        return found[:limit]

    async def retire(self, *, tenant: str, kb: str, keep: int) -> int:
        base = self._known(tenant, kb)
        numbers = sorted(one for one, sealed in base.sealed.items() if one <= base.published and sealed.published_at)
        oldest = min(numbers[-max(1, keep) :], default=0)
        base.sealed = {number: sealed for number, sealed in base.sealed.items() if number >= oldest}
        return oldest

    async def retired(self, *, tenant: str, kb: str, limit: int) -> list[Revision]:
        base = self._known(tenant, kb)
        oldest = min(base.sealed, default=0)
        gone = [revision(one) for one in base.revisions.values() if one.document.until <= oldest]
        return sorted(gone, key=lambda one: (one.doc_id, one.since))[:limit]

    async def remove(self, revisions: Sequence[Revision], *, tenant: str, kb: str) -> None:
        base = self._known(tenant, kb)
        for one in revisions:
            base.drop(one.doc_id, one.since)

    async def doomed(self, *, limit: int) -> list[str]:
        return sorted(blob for base in self._bases.values() for blob in base.doomed)[:limit]

    def unused(self, blob: str) -> AbstractAsyncContextManager[bool]:
        return self._unused(blob)

    @asynccontextmanager
    async def _unused(self, blob: str) -> AsyncGenerator[bool]:
        yield not any(base.used(blob) for base in self._bases.values())

    async def spared(self, blob: str) -> None:
        for base in self._bases.values():
            base.doomed.discard(blob)

    def _seal(self, tenant: str, kb: str, candidate: int, *, waits: str, publish: bool) -> Snapshot:
        if (tenant, kb) not in self._bases:
            raise not_open(kb, candidate)
        base = self._bases[tenant, kb].claimed(kb, candidate)
        now = datetime.now(UTC)
        base.sealed[candidate] = Sealed(sealed_at=now, published_at=now if publish else None, waits=waits)
        base.head, base.candidate = candidate, None
        if publish:
            base.published, base.canary = candidate, 0
        base.planned = {number: plan for number, plan in base.planned.items() if number > candidate}
        return self._snapshot(tenant, kb, candidate)

    def _is_beyond(self, base: Base) -> bool:
        documents = [one.document for one in base.revisions.values()]
        moved = any(one.since > base.head or base.head < one.until < FOREVER for one in documents)
        return moved or any(plan for number, plan in base.planned.items() if number > base.head)

    def _beyond(self, base: Base, limit: int) -> Abandoned:
        base.sealed = {number: sealed for number, sealed in base.sealed.items() if number <= base.head}
        kept = sorted(base.revisions.values(), key=lambda one: (one.document.doc_id, one.document.since))
        return Abandoned(
            written=tuple(revision(one) for one in kept if one.document.since > base.head)[:limit],
            ended=tuple(
                revision(one)
                for one in kept
                if one.document.since <= base.head and base.head < one.document.until < FOREVER
            )[:limit],
            planned=tuple(
                (doc_id, number)
                for number, plan in sorted(base.planned.items())
                if number > base.head
                for doc_id in sorted(plan)
            )[:limit],
        )

    def _undo(self, base: Base, given: Abandoned) -> None:
        for one in given.written:
            if one.since > base.head:
                base.drop(one.doc_id, one.since)
        for one in given.ended:
            stored = base.revisions.get((one.doc_id, one.since))
            if stored is not None and one.since <= base.head < stored.document.until < FOREVER:
                base.put(ended_at(stored, FOREVER))
        for doc_id, number in given.planned:
            base.planned.get(number, {}).pop(doc_id, None)


def _state(number: int, base: Base) -> SnapshotState:
    if number == base.published:
        return SnapshotState.PUBLISHED
    if number == base.canary:
        return SnapshotState.CANARY
    if number < base.published:
        return SnapshotState.EARLIER
    return SnapshotState.WAITING if number <= base.head else SnapshotState.AHEAD
