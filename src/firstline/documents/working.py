"""What is there to do between questions? Take announced changes, sync sources that are due, purge what was deleted.

Everything is a job that may be repeated, and every worker looks for what has none: a job that was lost is put again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from firstline.documents.changes import ChangeTaking
from firstline.documents.communities.build import CommunityBuilder
from firstline.documents.jobs import (
    CHANGES,
    COMMUNITIES,
    PURGE,
    SWEEP,
    SYNC,
    changes_of,
    communities_of,
    purge_of,
    sync_of,
)
from firstline.domain import EVERY_TENANT, Job, SourceState, acting_for
from firstline.errors import FirstlineError, NotFound, TooManyRequests
from firstline.ports import ChangeLedger, JobHandler, JobQueue, SourceLedger

logger = logging.getLogger(__name__)

PLACES_AT_ONCE: Final = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkLimits:
    """`look_s`: how often a worker looks for what has no job. Event ids are remembered for `events_kept_s`. Communities
    of a knowledge base are made at most every `communities_rest_s`."""

    at_once: int = 4
    look_s: float = 2.0
    look_failed_s: float = 30.0
    round_s: float = 86_400.0
    events_kept_s: float = 90 * 86_400.0
    communities_rest_s: float = 30.0


class Working:
    """One worker. Several of them, in as many processes, share the work."""

    def __init__(
        self,
        *,
        jobs: JobQueue,
        changes: ChangeLedger,
        sources: SourceLedger,
        taking: ChangeTaking,
        sync: Callable[[str, str, str], Awaitable[object]],
        purge: Callable[[str | None], Awaitable[object]],
        limits: WorkLimits | None = None,
        communities: CommunityBuilder | None = None,
    ) -> None:
        """`sync` takes a source's name, tenant and knowledge base; `purge` a tenant, or None for every one. Without
        `communities` none are made."""
        self.jobs = jobs
        self.changes = changes
        self._sources = sources
        self._taking = taking
        self._sync = sync
        self._purge = purge
        self._limits = limits or WorkLimits()
        self._communities = communities

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Work while the block runs."""
        with acting_for(EVERY_TENANT):
            looking = asyncio.create_task(self._look())
        try:
            async with self.jobs.working(self._handlers(), at_once=self._limits.at_once):
                yield
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking

    def _handlers(self) -> Mapping[str, JobHandler]:
        return {
            CHANGES: self._take_changes,
            SYNC: self._sync_source,
            PURGE: self._purge_tenant,
            SWEEP: self._sweep,
            COMMUNITIES: self._make_communities,
        }

    async def _take_changes(self, args: Mapping[str, str]) -> None:
        if await self._taking.take(tenant=args["tenant"], kb=args["kb"]):
            await self.jobs.put(purge_of(args["tenant"]))

    async def _sync_source(self, args: Mapping[str, str]) -> None:
        try:
            await self._sync(args["name"], args["tenant"], args["kb"])
        except NotFound:
            logger.info("the source %s is not there any more", args["name"])

    async def _purge_tenant(self, args: Mapping[str, str]) -> None:
        await self._purge(args["tenant"])

    async def _make_communities(self, args: Mapping[str, str]) -> None:
        """A job that was put before they were switched off does nothing."""
        if self._communities is not None:
            await self._communities.build(tenant=args["tenant"], kb=args["kb"])

    async def _sweep(self, _: Mapping[str, str]) -> None:
        """Once a day: what announces its changes is asked for what it may have failed to announce, and what failed is
        tried again."""
        await self.changes.forget_events(older_s=self._limits.events_kept_s)
        # What has to wait for a run is purged by the job of its own.
        with contextlib.suppress(TooManyRequests):
            await self._purge(None)
        for source in await self._sources.sources(tenant=None):
            if source.config.get("hook_secret") or source.state is SourceState.FAILED:
                await self.jobs.put(sync_of(source))

    async def _look(self) -> None:
        while True:
            pause_s = self._limits.look_s
            try:
                await self.look()
            except FirstlineError as error:
                pause_s = self._limits.look_failed_s
                logger.warning("what is due is not looked for: %s", error)
            except Exception as error:
                # What is due must not wait until somebody restarts the server.
                pause_s = self._limits.look_failed_s
                logger.exception("looking for what is due failed", exc_info=error)
            await asyncio.sleep(pause_s)

    async def look(self) -> None:
        """Put a job for everything that is due and may have none."""
        for source in await self._sources.due_sources(tenant=None, limit=PLACES_AT_ONCE):
            await self.jobs.put(sync_of(source))
        for tenant, kb in await self.changes.places(limit=PLACES_AT_ONCE):
            await self.jobs.put(changes_of(tenant, kb))
        if self._communities is not None:
            for tenant, kb in await self._communities.due(rest_s=self._limits.communities_rest_s, limit=PLACES_AT_ONCE):
                await self.jobs.put(communities_of(tenant, kb))
        if await self.changes.claim_round(SWEEP, every_s=self._limits.round_s):
            await self.jobs.put(Job(name=SWEEP))
