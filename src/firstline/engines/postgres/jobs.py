"""Jobs on Postgres, by procrastinate. Its tables lie in a schema of their own, which it makes itself.

procrastinate is imported when the first job is put or done: a command that does neither does not wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from firstline.domain import EVERY_TENANT, DeadJob, Job, JobBacklog, acting_for
from firstline.engines.job_patience import Patience
from firstline.engines.postgres.pool import Database
from firstline.errors import Broken, FirstlineError
from firstline.ports import JobHandler

if TYPE_CHECKING:
    from firstline.engines.postgres.job_app import JobApp

logger = logging.getLogger(__name__)

AGAIN_S: Final = 2.0
"""After the database was down, or the listener lost its connection."""

BROKEN_S: Final = 60.0
"""After something that an operator must mend: the log is not to be filled meanwhile."""


class PostgresJobs:
    """See ports.JobQueue. A worker that says nothing for `stalled_s` is taken for dead, and its jobs are done again."""

    def __init__(self, database: Database, *, patience: Patience | None = None, stalled_s: float = 12.0) -> None:
        self._database = database
        self._patience = patience or Patience()
        self._stalled_s = stalled_s
        self._app: JobApp | None = None
        self._opening = asyncio.Lock()

    async def put(self, job: Job, *, news: bool = False) -> bool:
        # Jobs are no tenant's: whoever puts one does so outside the wall around their own rows.
        with acting_for(EVERY_TENANT):
            return await (await self._opened()).put(job, news=news)

    @asynccontextmanager
    async def working(self, handlers: Mapping[str, JobHandler], *, at_once: int) -> AsyncGenerator[None]:
        with acting_for(EVERY_TENANT):
            working = asyncio.create_task(self._work(handlers, at_once))
        try:
            yield
        finally:
            working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await working

    async def _work(self, handlers: Mapping[str, JobHandler], at_once: int) -> None:
        while True:
            pause_s = AGAIN_S
            try:
                await (await self._opened()).work(handlers, at_once=at_once)
            except Broken as error:
                pause_s = BROKEN_S
                logger.error("jobs wait: %s", error)
            except FirstlineError as error:
                logger.warning("jobs wait: %s", error)
            except Exception as error:
                # What is waiting must not wait until somebody restarts the server.
                logger.exception("working on jobs failed in a way that was not foreseen", exc_info=error)
            await asyncio.sleep(pause_s)

    async def dead(self, *, limit: int) -> list[DeadJob]:
        with acting_for(EVERY_TENANT):
            return await (await self._opened()).dead(limit=limit)

    async def retry(self, job_ids: Collection[str] | None) -> list[str]:
        with acting_for(EVERY_TENANT):
            return await (await self._opened()).retry(job_ids)

    async def backlog(self) -> JobBacklog:
        with acting_for(EVERY_TENANT):
            return await (await self._opened()).backlog()

    async def close(self) -> None:
        if self._app is not None:
            await self._app.close()
            self._app = None

    async def _opened(self) -> JobApp:
        async with self._opening:
            if self._app is None:
                try:
                    from firstline.engines.postgres.job_app import open_job_app
                except ImportError as error:
                    raise Broken(
                        f"The package procrastinate, which does the jobs, cannot be loaded: {error}.",
                        remedy="Install firstline again.",
                    ) from error
                self._app = await open_job_app(self._database, patience=self._patience, stalled_s=self._stalled_s)
            return self._app
