"""Jobs in memory: the reference that says what the others must do. Nothing outlives the process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Final

from firstline.domain import DeadJob, Job, JobBacklog
from firstline.engines.job_patience import Patience
from firstline.ports import JobHandler

logger = logging.getLogger(__name__)

LOOKS_S: Final = 0.05


@dataclass(kw_only=True, slots=True)
class _Put:
    job: Job
    due_at: float
    attempts: int = 0
    problem: str = ""
    dead: bool = False


class MemoryJobs:
    """See ports.JobQueue."""

    def __init__(self, patience: Patience | None = None) -> None:
        self._patience = patience or Patience()
        self._ids = count(1)
        self._put: dict[int, _Put] = {}
        self._running: dict[int, asyncio.Task[None]] = {}
        self._news = asyncio.Event()

    async def put(self, job: Job, *, news: bool = False) -> bool:
        waiting = (one for at, one in self._put.items() if at not in self._running and not one.dead)
        there = next((one for one in waiting if one.job.key == job.key), None)
        if there is not None:
            if news and there.due_at > asyncio.get_running_loop().time():
                there.due_at, there.attempts = 0.0, 0
                self._news.set()
            return False
        self._put[next(self._ids)] = _Put(job=job, due_at=0.0)
        self._news.set()
        return True

    @asynccontextmanager
    async def working(self, handlers: Mapping[str, JobHandler], *, at_once: int) -> AsyncGenerator[None]:
        loop = asyncio.create_task(self._loop(handlers, at_once))
        try:
            yield
        finally:
            ending = [loop, *self._running.values()]
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)

    async def _loop(self, handlers: Mapping[str, JobHandler], at_once: int) -> None:
        while True:
            self._news.clear()
            for job_id in self._next(at_once):
                task = asyncio.create_task(self._do(job_id, handlers))
                self._running[job_id] = task
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOKS_S):
                    await self._news.wait()

    def _next(self, at_once: int) -> list[int]:
        busy = {self._put[job_id].job.key for job_id in self._running}
        now, chosen = asyncio.get_running_loop().time(), list[int]()
        for job_id, one in self._put.items():
            if len(self._running) + len(chosen) >= at_once:
                break
            if job_id not in self._running and not one.dead and one.due_at <= now and one.job.key not in busy:
                busy.add(one.job.key)
                chosen.append(job_id)
        return chosen

    async def _do(self, job_id: int, handlers: Mapping[str, JobHandler]) -> None:
        one = self._put[job_id]
        try:
            await handlers[one.job.name](one.job.args)
        except Exception as error:
            one.problem = self._patience.problem_of(error)
            again_in_s = self._patience.again_in_s(error, attempts=one.attempts)
            one.attempts = (
                one.attempts + 1 if again_in_s is None else self._patience.counted(error, attempts=one.attempts)
            )
            one.dead = again_in_s is None
            one.due_at = asyncio.get_running_loop().time() + (again_in_s or 0.0)
            if one.dead:
                logger.error("the job %s is given up: %s", one.job.name, one.problem)
            self._yield_to_newer(job_id)
        else:
            del self._put[job_id]
        finally:
            self._running.pop(job_id, None)
            self._news.set()

    def _yield_to_newer(self, job_id: int) -> None:
        """One of the same key was put meanwhile: it will do, and is not made to wait."""
        key = self._put[job_id].job.key
        others = (at for at, one in self._put.items() if at != job_id and not one.dead and one.job.key == key)
        if not self._put[job_id].dead and next(others, None) is not None:
            del self._put[job_id]

    async def dead(self, *, limit: int) -> list[DeadJob]:
        found = [(job_id, one) for job_id, one in self._put.items() if one.dead]
        return [
            DeadJob(job_id=str(job_id), job=one.job, attempts=one.attempts, problem=one.problem)
            for job_id, one in sorted(found, key=lambda pair: -pair[0])[:limit]
        ]

    async def retry(self, job_ids: Collection[str] | None) -> list[str]:
        retried: list[str] = []
        for job_id, one in list(self._put.items()):
            if not one.dead or (job_ids is not None and str(job_id) not in job_ids):
                continue
            one.dead, one.attempts, one.due_at = False, 0, 0.0
            self._yield_to_newer(job_id)
            retried.append(str(job_id))
        self._news.set()
        return retried

    async def backlog(self) -> JobBacklog:
        dead = sum(one.dead for one in self._put.values())
        running = len(self._running)
        return JobBacklog(waiting=len(self._put) - dead - running, running=running, dead=dead)
