"""How does a registered source stay in step with its knowledge base?

The source is listened to OUTSIDE the knowledge base's ingest lock: a vendor that makes us wait keeps nobody else
waiting. Who syncs holds a claim that ends by itself when they die, so a sync that hangs or is killed never blocks the
next, and the next goes on from the place that was kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from firstline.documents.following import Following, SyncLimits, shape_of, stands
from firstline.documents.journey import DocumentJourney, Progress
from firstline.domain import QuarantineState, RegisteredSource, SyncReport, next_due
from firstline.errors import Broken, Conflict, FirstlineError, TooManyRequests, Unavailable
from firstline.ports import ChangeLedger, Incremental, KnowledgeLedger, QuarantineLedger, SnapshotLedger, SourceLedger

logger = logging.getLogger(__name__)

DECISIONS_READ_MAX: Final = 10_000
SOON_S: Final = 60.0
"""What failed for a reason that may pass is tried again so soon, when its schedule is no sooner."""
RENEWALS_PER_LEASE: Final = 4


class SourceSync:
    """Syncs the sources of a registry. Safe to call for several sources at once."""

    def __init__(
        self,
        *,
        sources: SourceLedger,
        changes: ChangeLedger,
        knowledge: KnowledgeLedger,
        snapshots: SnapshotLedger,
        quarantine: QuarantineLedger,
        documents: DocumentJourney,
        open_source: Callable[[RegisteredSource], Incremental],
        origin_of: Callable[[str], str],
        limits: SyncLimits | None = None,
    ) -> None:
        """`origin_of` a source's name: what its documents' metadata calls the place they came from."""
        self._sources = sources
        self._changes = changes
        self._knowledge = knowledge
        self._snapshots = snapshots
        self._quarantine = quarantine
        self._documents = documents
        self._open = open_source
        self._origin_of = origin_of
        self._limits = limits or SyncLimits()

    async def sync(
        self,
        name: str,
        *,
        tenant: str,
        kb: str,
        full: bool = False,
        force: bool = False,
        moved: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> SyncReport:
        """Bring the knowledge base up to date with this source. Accidents are in the report, which is kept.

        `full` reads everything anew. `force` believes a listing that misses much of what stands. `moved` takes over
        documents of its name that came from elsewhere. NotFound when there is no such source, Conflict while another
        process syncs it.
        """
        source = await self._sources.claim_source(name, tenant=tenant, kb=kb, lease_s=self._limits.lease_s)
        started = time.monotonic()
        following = self._following(source, force=force, moved=moved, on_progress=on_progress)
        error: FirstlineError | None = None
        try:
            async with self._held(source):
                cursor = None if full else await self._place(source)
                await following.follow(self._open(source), cursor=cursor)
        except FirstlineError as failed:
            error = failed
        except asyncio.CancelledError:
            stopped = Unavailable("The sync was stopped.", remedy="The next one goes on from where it was.")
            with contextlib.suppress(FirstlineError):
                await asyncio.shield(self._finish(source, following, stopped, started))
            raise
        except Exception as failed:
            # One broken connector must not stop the worker that syncs the others.
            logger.exception("the sync of source %s failed", source.name)
            error = Broken(
                f"Something happened that was not foreseen ({type(failed).__name__}).",
                remedy="The log says more; report it.",
            )
        return await self._finish(source, following, error, started)

    async def remove(self, name: str, *, tenant: str, kb: str, documents: bool = False) -> int:
        """Take a source out of the registry, with `documents` those that came from it, too. Returns how many ended.
        NotFound when there is no such source, Conflict while it is synced."""
        source = await self._sources.claim_source(name, tenant=tenant, kb=kb, lease_s=self._limits.lease_s)
        following = self._following(source)
        async with self._held(source):
            if documents:
                await following.end(await following.standing(source.prefix))
        await self._sources.remove_source(name, tenant=tenant, kb=kb)
        # Last: nothing can be announced of it any more.
        await self._changes.forget_source(name, tenant=tenant, kb=kb)
        return following.heard.removed

    def _following(
        self,
        source: RegisteredSource,
        *,
        force: bool = False,
        moved: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Following:
        return Following(
            source,
            sources=self._sources,
            knowledge=self._knowledge,
            snapshots=self._snapshots,
            documents=self._documents,
            origin=self._origin_of(source.name),
            limits=self._limits,
            force=force,
            moved=moved,
            on_progress=on_progress,
        )

    async def _place(self, source: RegisteredSource) -> str | None:
        """Where to go on from; None: everything is read. What a person released or rejected since must come by once
        more; a place that was kept for documents of another shape, or that were rolled back, says nothing."""
        if source.cursor is None or source.cursor_shape != shape_of(source):
            return None
        if not await stands(
            source.cursor_snapshot,
            tenant=source.tenant,
            kb=source.kb,
            knowledge=self._knowledge,
            snapshots=self._snapshots,
        ):
            return None
        since = source.finished_at
        decided = await self._quarantine.quarantined(
            tenant=source.tenant,
            kb=source.kb,
            limit=DECISIONS_READ_MAX,
            states=frozenset({QuarantineState.RELEASED, QuarantineState.REJECTED}),
        )
        again = any(
            one.doc_id.startswith(source.prefix)
            and one.decided_at is not None
            and (since is None or one.decided_at > since)
            for one in decided
        )
        return None if again else source.cursor

    @asynccontextmanager
    async def _held(self, source: RegisteredSource) -> AsyncGenerator[None]:
        """Renew the claim while the block runs. Conflict when it is lost: the block is stopped."""
        working = asyncio.current_task()
        lost: list[FirstlineError] = []

        async def renew() -> None:
            while True:
                await asyncio.sleep(self._limits.lease_s / RENEWALS_PER_LEASE)
                try:
                    await self._sources.renew_source(source, lease_s=self._limits.lease_s)
                except Conflict as error:
                    lost.append(error)
                    if working is not None:
                        working.cancel()
                    return
                except FirstlineError as error:
                    logger.warning("the claim on source %s could not be renewed: %s", source.name, error)

        renewing = asyncio.create_task(renew())
        try:
            yield
        except asyncio.CancelledError:
            if lost and working is not None and working.uncancel() == 0:
                raise lost[0] from None
            raise
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing

    async def _finish(
        self, source: RegisteredSource, following: Following, error: FirstlineError | None, started: float
    ) -> SyncReport:
        heard = following.heard
        report = heard.report(error=str(error or ""), duration_s=time.monotonic() - started)
        now = datetime.now(UTC)
        due_at = next_due(source.schedule, now)
        if due_at is not None and isinstance(error, Unavailable | TooManyRequests | Conflict):
            wait_s = error.retry_after_s if isinstance(error, TooManyRequests) else SOON_S
            soon = now + timedelta(seconds=max(SOON_S, wait_s))
            # Who wants us to wait longer than the schedule gets it.
            due_at = max(due_at, soon) if wait_s > SOON_S else min(due_at, soon)
        documents = len(heard.seen) if heard.complete else max(0, source.documents + heard.added - heard.removed)
        try:
            await self._sources.finish_source(source, report=report, documents=documents, due_at=due_at)
        except Conflict:
            # Somebody else has it by now: their report counts, and what we committed stays.
            logger.warning("the claim on source %s was lost before its sync ended", source.name)
        return report
