"""Announced changes become answerable: what waits of a knowledge base goes through the document journey, together.

A deletion is a tombstone: unreachable with the next look-up. While a snapshot waits to be published, documents wait
where they were announced (`behind`). What the journey refuses is given up with its reason; when
a run fails as a whole, its changes are tried one by one, so that a single bad one does not keep the others back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.documents.journey import DocumentJourney
from firstline.domain import Behind, Failure, IngestReport, SourceItem, WaitingChange
from firstline.errors import Conflict, FirstlineError, NotFound, TooManyRequests, Unavailable
from firstline.ports import ChangeLedger

logger = logging.getLogger(__name__)

PROBLEM_CHARS_MAX: Final = 500
HELD: Final = "It waits in quarantine for a person."

BehindOf = Callable[[str, str], Awaitable[Behind | None]]
"""What is in the way of changes of a tenant's knowledge base."""

Bury = Callable[[Sequence[str], str, str], Awaitable[object]]
"""Show these documents of a tenant and knowledge base no more. NotFound when one of them is not there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TakingLimits:
    """`lock_wait_s`: how long another ingest of the knowledge base is waited for before the job is put back.
    `held_back_s`: so much later it is looked again whether a snapshot still waits."""

    batch_changes: int = 200
    batch_bytes: int = 16 * 1024 * 1024
    attempts_max: int = 8
    backoff_s: float = 2.0
    backoff_s_max: float = 600.0
    lock_wait_s: float = 60.0
    lock_pause_s: float = 0.05
    lock_pause_s_max: float = 0.25
    held_back_s: float = 10.0

    def again_in_s(self, attempts: int) -> float | None:
        if attempts + 1 >= self.attempts_max:
            return None
        return min(self.backoff_s_max, self.backoff_s * 2.0**attempts)


class Announced:
    """Changed documents as a source: implements ports.Source."""

    def __init__(self, changes: Sequence[WaitingChange]) -> None:
        self._changes = changes

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for one in self._changes:
            if one.change.document is not None:
                yield one.change.document.item(one.change.item_id)


class ChangeTaking:
    """Takes what waits into knowledge bases. May be repeated at any point: what is settled is answerable already."""

    def __init__(
        self,
        *,
        changes: ChangeLedger,
        documents: DocumentJourney,
        bury: Bury,
        origin_of: Callable[[str], str],
        behind: BehindOf | None = None,
        limits: TakingLimits | None = None,
    ) -> None:
        """`origin_of` a source's name: what its documents' metadata calls the place they came from. Without `behind`
        nothing is in the way."""
        self._changes = changes
        self._documents = documents
        self._bury = bury
        self._origin_of = origin_of
        self._behind = behind
        self._limits = limits or TakingLimits()

    async def take(self, *, tenant: str, kb: str) -> int:
        """Everything that is due now. Returns how many deletions there were: their traces are to be purged.
        Conflict while another ingest of the knowledge base goes on for long; Unavailable: try again later."""
        deleted = 0
        while batch := self._bounded(await self._changes.due(tenant=tenant, kb=kb, limit=self._limits.batch_changes)):
            gone = [one for one in batch if one.change.document is None]
            for one in gone:
                await self._delete(one)
            deleted += len(gone)
            written = [one for one in batch if one.change.document is not None]
            if not (written and await self._held_back(tenant, kb)):
                await self._write(written)
        return deleted

    async def _held_back(self, tenant: str, kb: str) -> bool:
        """Published on top of a snapshot that waits they would publish it; in it they would be lost with it."""
        found = None if self._behind is None else await self._behind(tenant, kb)
        if found is None:
            return False
        problem = f"Snapshot {found.snapshot} waits to be published first: {found.why}."[:PROBLEM_CHARS_MAX]
        await self._changes.hold_back(tenant=tenant, kb=kb, problem=problem, again_in_s=self._limits.held_back_s)
        return True

    def _bounded(self, changes: Sequence[WaitingChange]) -> list[WaitingChange]:
        size, batch = 0, list[WaitingChange]()
        for one in changes:
            size += len(one.change.document.text) if one.change.document is not None else 0
            if batch and size > self._limits.batch_bytes:
                break
            batch.append(one)
        return batch

    async def _delete(self, one: WaitingChange) -> None:
        try:
            await self._bury([one.change.item_id], one.tenant, one.kb)
        except NotFound:
            # It was never taken, or is buried and purged already.
            logger.debug("a deleted document was not there")
        await self._changes.settle([one], answerable=True)

    async def _write(self, batch: Sequence[WaitingChange]) -> None:
        if not batch:
            return
        try:
            report = await self._patiently(batch)
        except (Conflict, Unavailable, TooManyRequests):
            raise
        except Exception as error:
            if len(batch) == 1:
                await self._failed(batch[0], error)
                return
            logger.warning("changes are taken one by one: %s", type(error).__name__)
            for one in batch:
                await self._write([one])
            return
        await self._settle(batch, report)

    async def _settle(self, batch: Sequence[WaitingChange], report: IngestReport) -> None:
        reasons = {failure.item_id: failure.reason for failure in report.failures}
        held = {failure.item_id for failure in report.held}
        for one in batch:
            if one.change.item_id in reasons:
                problem = reasons[one.change.item_id][:PROBLEM_CHARS_MAX]
                await self._changes.postpone(one, problem=problem, again_in_s=None)
            elif one.change.item_id in held:
                # Kept, for it cannot be asked for again: releasing it lets it wait anew.
                await self._changes.postpone(one, problem=HELD, again_in_s=None)
        taken = [one for one in batch if one.change.item_id not in reasons and one.change.item_id not in held]
        if taken:
            problem = f"Its snapshot waits: {report.waits}"[:PROBLEM_CHARS_MAX] if report.waits else ""
            await self._changes.settle(taken, answerable=not report.waits, problem=problem)

    async def _failed(self, one: WaitingChange, error: Exception) -> None:
        again_in_s = self._limits.again_in_s(one.attempts)
        # Only errors raised on purpose speak for themselves: another one may quote what a document says.
        problem = str(error) if isinstance(error, FirstlineError) else f"It failed ({type(error).__name__})."
        if not isinstance(error, FirstlineError):
            logger.exception("a change could not be taken", exc_info=error)
        if again_in_s is None:
            logger.error("a change of the source %s is given up: %s", one.source, problem)
        await self._changes.postpone(one, problem=problem[:PROBLEM_CHARS_MAX], again_in_s=again_in_s)

    async def _patiently(self, batch: Sequence[WaitingChange]) -> IngestReport:
        """A bulk ingest gives way when it sees what waits, at the end of a batch."""
        limits = self._limits
        deadline, pause_s = time.monotonic() + limits.lock_wait_s, limits.lock_pause_s
        while True:
            try:
                return await self._documents.ingest(
                    Announced(batch),
                    tenant=batch[0].tenant,
                    kb=batch[0].kb,
                    origins={f"{name}/": self._origin_of(name) for name in {one.source for one in batch}},
                    gives_way=False,
                )
            except Conflict:
                if time.monotonic() + pause_s > deadline:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(limits.lock_pause_s_max, pause_s * 1.5)
