"""procrastinate, held to what ports.JobQueue promises.

A job that is to be repeated is put anew with its attempts counted in its arguments, instead of being handed back: the
library cannot hand one back while another of the same queueing lock waits, and would leave it running for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final, cast

import procrastinate
from procrastinate import exceptions
from procrastinate import jobs as library_jobs
from psycopg import AsyncConnection

from firstline.domain import DeadJob, Job, JobBacklog
from firstline.engines.job_patience import Patience
from firstline.engines.postgres.job_schema import SCHEMA, ensure_schema
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.errors import Broken, FirstlineError, Unavailable
from firstline.ports import JobHandler

logger = logging.getLogger(__name__)

QUEUE: Final = "firstline"
ATTEMPTS: Final = "_attempts"
CONNECTIONS_MAX: Final = 6
POLL_S: Final = 1.0
"""Jobs are announced; this is for those that become due."""
HEARTBEATS_PER_STALL: Final = 6
ENDING_S_MAX: Final = 5.0
KEPT_HOURS: Final = 30 * 24
TAKE_OVER_KEY: Final = 6_118_370_275_400_233_019
"""Any number that nobody else uses: one worker at a time looks for what the dead have left."""


class GivenUp(Exception):
    """Tells the library that a job failed for good. Its text is the problem, and quotes nothing."""


def _not_told_twice(record: logging.LogRecord) -> bool:
    """The library tells of every failure, with a traceback of its own inside."""
    return not (record.exc_info and isinstance(record.exc_info[1], GivenUp))


logging.getLogger("procrastinate.worker").addFilter(_not_told_twice)


async def open_job_app(database: Database, *, patience: Patience, stalled_s: float) -> JobApp:
    """Unavailable and Broken as ports say."""
    await ensure_schema(database)
    connector = procrastinate.PsycopgConnector(
        conninfo=database.conninfo,
        kwargs={"application_name": "firstline jobs"},
        configure=_configure,
        min_size=1,
        max_size=CONNECTIONS_MAX,
    )
    app = procrastinate.App(connector=connector)
    with translated():
        await app.open_async()
    return JobApp(app, database, patience=patience, stalled_s=stalled_s)


async def _configure(connection: AsyncConnection[Any]) -> None:
    await connection.set_autocommit(True)
    await connection.execute(f"SET search_path TO {SCHEMA}".encode())


class JobApp:
    """One open connection pool of the library, and the tasks on it."""

    def __init__(self, app: procrastinate.App, database: Database, *, patience: Patience, stalled_s: float) -> None:
        self._app = app
        self._database = database
        self._patience = patience
        self._stalled_s = stalled_s

    async def close(self) -> None:
        await self._app.close_async()

    async def put(self, job: Job, *, attempts: int = 0, in_s: float = 0.0, news: bool = False) -> bool:
        key = storable(job.key)
        with translated():
            if news and await self._hurry(key):
                return False  # a worker may have it by now, and does it after this news
            waiting = await self._app.job_manager.list_jobs_async(queueing_lock=key, status="todo")
            if list(waiting):
                return False
            more: dict[str, Any] = {"schedule_in": {"seconds": in_s}} if in_s > 0 else {}
            deferrer = self._app.configure_task(job.name, queue=QUEUE, lock=key, queueing_lock=key, **more)
            try:
                await deferrer.defer_async(**{**job.args, **({ATTEMPTS: attempts} if attempts else {})})
            except (exceptions.AlreadyEnqueued, AssertionError):
                # Somebody was quicker. On a server that does not speak English the library asserts in vain.
                if news:
                    await self._hurry(key)
                return False
        return True

    async def _hurry(self, key: str) -> bool:
        """One that waits for its next attempt is due now, as if it had never been tried; workers are told as of a new
        one. The library says nothing of a job whose time was moved, and would find it only when it polls.

        Whether there was one."""
        hurried = await self._app.connector.execute_query_all_async(
            """WITH due AS (
                UPDATE procrastinate_jobs SET scheduled_at = NULL, args = args - %(attempts)s
                WHERE queueing_lock = %(key)s AND status = 'todo' AND scheduled_at > now() RETURNING id, queue_name
            ) SELECT pg_notify('procrastinate_queue_v1#' || queue_name,
                json_build_object('type', 'job_inserted', 'job_id', id)::text) FROM due""",
            key=key,
            attempts=ATTEMPTS,
        )
        return bool(hurried)

    async def work(self, handlers: Mapping[str, JobHandler], *, at_once: int) -> None:
        """Until it is cancelled, or the library stops because a connection of its own was lost."""
        app = procrastinate.App(connector=self._app.connector)
        for name, handler in handlers.items():
            app.task(name=name, queue=QUEUE, pass_context=True)(self._task(name, handler))
        _forget_old(app, self._database)
        taking_over = asyncio.create_task(self._take_over())
        try:
            with translated():
                await app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=at_once,
                    fetch_job_polling_interval=POLL_S,
                    shutdown_graceful_timeout=ENDING_S_MAX,
                    delete_jobs="successful",
                    install_signal_handlers=False,
                    update_heartbeat_interval=self._stalled_s / HEARTBEATS_PER_STALL,
                    stalled_worker_timeout=self._stalled_s,
                )
        finally:
            taking_over.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await taking_over

    def _task(self, name: str, handler: JobHandler) -> Callable[..., Awaitable[None]]:
        async def task(context: procrastinate.JobContext, **args: Any) -> None:
            attempts = int(args.pop(ATTEMPTS, 0))
            job = Job(name=name, args=args)
            try:
                await handler(args)
            except asyncio.CancelledError:
                # The worker ends: the next one does it again.
                await asyncio.shield(self.put(job, attempts=attempts))
                raise
            except Exception as error:
                problem = self._patience.problem_of(error)
                again_in_s = self._patience.again_in_s(error, attempts=attempts)
                if again_in_s is not None:
                    logger.info("the job %s is done again in %.1f s: %s", name, again_in_s, problem)
                    await self.put(job, attempts=self._patience.counted(error, attempts=attempts), in_s=again_in_s)
                    return
                logger.error("the job %s is given up: %s", name, problem, exc_info=problem.startswith("It failed ("))
                await self._note(context.job.id or 0, problem)
                raise GivenUp(problem) from None

        return task

    async def _note(self, job_id: int, problem: str) -> None:
        await self._database.rows(
            """INSERT INTO firstline.job_problems (job_id, problem) VALUES (%s, %s)
            ON CONFLICT (job_id) DO UPDATE SET problem = excluded.problem, at = now() RETURNING job_id""",
            [job_id, storable(problem)],
        )

    async def _take_over(self) -> None:
        """What a worker that died was doing waits again."""
        while True:
            try:
                async with self._database.dedicated(application_name="firstline takes over jobs") as connection:
                    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", [TAKE_OVER_KEY])
                    row = await cursor.fetchone()
                    while row is not None and row[0]:
                        await self._revive()
                        await asyncio.sleep(self._stalled_s / HEARTBEATS_PER_STALL)
                        await connection.execute("SELECT")
            except FirstlineError as error:
                logger.warning("stalled jobs are not looked for: %s", error)
            except Exception as error:
                # Jobs of the dead must not wait until somebody restarts the server.
                logger.exception("looking for stalled jobs failed", exc_info=error)
            await asyncio.sleep(self._stalled_s / 2)

    async def _revive(self) -> None:
        with translated():
            stalled = await self._app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=self._stalled_s)
            for job in stalled:
                logger.warning("the job %s was left by a worker that died: it is done again", job.task_name)
                await self._again(job)

    async def _again(self, job: library_jobs.Job) -> None:
        """From running or failed to waiting; where another of its key waits, that one will do."""
        manager, job_id = self._app.job_manager, job.id or 0
        try:
            await manager.retry_job_by_id_async(job_id, retry_at=datetime.now(UTC))
        except (exceptions.UniqueViolation, AssertionError):
            if job.status == library_jobs.Status.FAILED.value:
                await self._remove(job_id)
            else:
                await manager.finish_job_by_id_async(job_id, library_jobs.Status.ABORTED, delete_job=True)

    async def _remove(self, job_id: int) -> None:
        # On a connection of its own: its triggers look for its tables where that one does.
        query = "DELETE FROM procrastinate_jobs WHERE id = %(job_id)s"
        await self._app.connector.execute_query_async(query, job_id=job_id)

    async def dead(self, *, limit: int) -> list[DeadJob]:
        rows = await self._database.rows(
            """SELECT id, task_name, args, problem FROM firstline_jobs.procrastinate_jobs
            LEFT JOIN firstline.job_problems ON job_id = id
            WHERE status = 'failed' AND queue_name = %s ORDER BY id DESC LIMIT %s""",
            [QUEUE, limit],
        )
        return [
            DeadJob(
                job_id=str(row["id"]),
                job=Job(name=row["task_name"], args={k: v for k, v in row["args"].items() if k != ATTEMPTS}),
                attempts=int(row["args"].get(ATTEMPTS, 0)) + 1,
                problem=row["problem"] or "",
            )
            for row in rows
        ]

    async def retry(self, job_ids: Collection[str] | None) -> list[str]:
        with translated():
            found = await self._app.job_manager.list_jobs_async(queue=QUEUE, status="failed")
            wanted = [job for job in found if job_ids is None or str(job.id) in job_ids]
            for job in wanted:
                await self._again(job)
        return [str(job.id) for job in wanted]

    async def backlog(self) -> JobBacklog:
        row = await self._database.row(
            """SELECT count(*) FILTER (WHERE status = 'todo') AS waiting,
                count(*) FILTER (WHERE status = 'doing') AS running, count(*) FILTER (WHERE status = 'failed') AS dead
            FROM firstline_jobs.procrastinate_jobs WHERE queue_name = %s""",
            [QUEUE],
        )
        return JobBacklog(**row) if row else JobBacklog()


def _forget_old(app: procrastinate.App, database: Database) -> None:
    """Given up a month ago. Its schedule also keeps the library's watch over its own connections awake."""

    async def forget(timestamp: int) -> None:
        await app.job_manager.delete_old_jobs(
            nb_hours=KEPT_HOURS, queue=QUEUE, include_failed=True, include_cancelled=True, include_aborted=True
        )
        await database.rows(
            "DELETE FROM firstline.job_problems WHERE at < now() - make_interval(hours => %s) RETURNING job_id",
            [KEPT_HOURS],
        )

    task = app.task(name="forget_old_jobs", queue=QUEUE, queueing_lock="forget_old_jobs")(forget)
    app.periodic(cron="17 * * * *")(cast(Any, task))


@contextmanager
def translated() -> Generator[None]:
    """The library's exceptions as firstline's."""
    try:
        yield
    except exceptions.ConnectorException as error:
        raise Unavailable("The database of the jobs does not answer.", remedy="Repeat in a moment.") from error
    except exceptions.ProcrastinateException as error:
        raise Broken(f"The jobs cannot be worked on ({type(error).__name__}).", remedy="The log says more.") from error
