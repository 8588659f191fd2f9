"""What every JobQueue promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from firstline.domain import Job
from firstline.engines.job_patience import Patience
from firstline.engines.memory.jobs import MemoryJobs
from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.jobs import PostgresJobs
from firstline.errors import Conflict, InvalidInput, NotFound, TooManyRequests, Unavailable
from firstline.ports import JobQueue

QUICK = Patience(attempts_max=3, backoff_s=0.05, conflict_s=0.05)


@pytest.fixture(params=["memory", "postgres"])
async def queue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[JobQueue]:
    if request.param == "memory":
        yield MemoryJobs(QUICK)
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
        jobs = PostgresJobs(ledgers.database, patience=QUICK)
        library = (await jobs._opened())._app
        await jobs.backlog()  # makes the schema
        await library.connector.execute_query_async("DELETE FROM procrastinate_jobs")
        yield jobs
        await jobs.close()


class Doing:
    """A handler that remembers; it fails as it is told, then works."""

    def __init__(self, *fails: Exception, holds_s: float = 0.0) -> None:
        self.fails = list(fails)
        self.holds_s = holds_s
        self.done: list[Mapping[str, str]] = []
        self.tried = self.running = self.most = 0

    async def __call__(self, args: Mapping[str, str]) -> None:
        self.tried += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(self.holds_s)
            if self.fails:
                raise self.fails.pop(0)
            self.done.append(dict(args))
        finally:
            self.running -= 1


async def until(says: Callable[[], bool] | Callable[[], Awaitable[bool]], seconds: float = 15.0) -> None:
    async with asyncio.timeout(seconds):
        while True:
            said = says()
            if said if isinstance(said, bool) else await said:
                return
            await asyncio.sleep(0.02)


def job(name: str = "a", **args: str) -> Job:
    return Job(name=name, args=args)


async def test_a_job_is_done_with_its_arguments(queue: JobQueue):
    doing = Doing()
    assert await queue.put(job(kb="docs", tenant="é ☃"))
    async with queue.working({"a": doing}, at_once=2):
        await until(lambda: bool(doing.done))
        assert doing.done == [{"kb": "docs", "tenant": "é ☃"}]
        await queue.put(job(kb="other"))
        await until(lambda: len(doing.done) == 2)
    assert (await queue.backlog()).waiting == 0


async def test_of_one_key_one_waits(queue: JobQueue):
    puts = await asyncio.gather(*(queue.put(job(kb="docs")) for _ in range(5)))
    assert sum(puts) == 1
    assert await queue.put(job(kb="other")) and await queue.put(job("b", kb="docs"))
    assert (await queue.backlog()).waiting == 3


async def test_of_one_key_one_runs_and_one_that_is_put_meanwhile_is_not_lost(queue: JobQueue):
    doing = Doing(holds_s=0.15)
    async with queue.working({"a": doing}, at_once=4):
        await queue.put(job(kb="docs"))
        await until(lambda: doing.running == 1)
        assert await queue.put(job(kb="docs"))
        await until(lambda: len(doing.done) == 2)
    assert doing.most == 1


async def test_jobs_of_several_keys_run_beside_each_other(queue: JobQueue):
    doing = Doing(holds_s=0.3)
    for number in range(4):
        await queue.put(job(kb=str(number)))
    async with queue.working({"a": doing}, at_once=2):
        await until(lambda: len(doing.done) == 4)
    assert doing.most == 2


async def test_what_may_pass_is_tried_again(queue: JobQueue):
    doing = Doing(Unavailable("Down."), TooManyRequests("Slowly.", retry_after_s=0.1))
    await queue.put(job())
    async with queue.working({"a": doing}, at_once=1):
        await until(lambda: bool(doing.done))
    assert doing.tried == 3


async def test_who_is_in_the_way_is_waited_for_without_counting(queue: JobQueue):
    doing = Doing(*(Conflict("Held.") for _ in range(5)))
    await queue.put(job())
    async with queue.working({"a": doing}, at_once=1):
        await until(lambda: bool(doing.done))
    assert doing.tried == 6


async def test_what_may_pass_is_tried_again_however_often_somebody_was_in_the_way(queue: JobQueue):
    doing = Doing(*(Conflict("Held.") for _ in range(5)), Unavailable("Down."))
    await queue.put(job())
    async with queue.working({"a": doing}, at_once=1):
        await until(lambda: bool(doing.done))
    assert doing.tried == 7 and (await queue.backlog()).dead == 0


async def test_a_job_that_is_put_while_one_of_its_key_fails_is_done(queue: JobQueue):
    doing = Doing(Unavailable("Down."), holds_s=0.1)
    await queue.put(job())
    async with queue.working({"a": doing}, at_once=2):
        await until(lambda: doing.running == 1)
        await queue.put(job())
        await until(lambda: bool(doing.done))
        await until(lambda: _is_idle(queue))
    assert (await queue.backlog()).dead == 0


async def test_news_is_not_hidden_by_a_job_that_waits_for_its_next_attempt(queue: JobQueue):
    doing = Doing(TooManyRequests("Slowly.", retry_after_s=3_600), TooManyRequests("Slowly.", retry_after_s=3_600))
    await queue.put(job())
    async with queue.working({"a": doing}, at_once=2):
        for tried in (1, 2):
            await until(lambda tried=tried: doing.tried == tried and doing.running == 0)
            await until(lambda: _waits(queue))
            assert not await queue.put(job()), "who only looks whether it waits does not hurry it"
            assert not await queue.put(job(), news=True)
        await until(lambda: len(doing.done) == 1)
    assert (await queue.backlog()).dead == 0


async def test_news_counts_attempts_anew_and_of_one_key_one_waits(queue: JobQueue):
    slowly = [TooManyRequests("Slowly.", retry_after_s=3_600) for _ in range(QUICK.attempts_max + 1)]
    doing = Doing(*slowly)
    async with queue.working({"a": doing}, at_once=2):
        await queue.put(job(), news=True)
        while not doing.done:
            # The second may come when what the first has hurried was tried already: then it is hurried once more.
            await until(lambda: _waits_or_is_idle(queue))
            assert (await queue.backlog()).dead == 0
            await asyncio.gather(*(queue.put(job(), news=True) for _ in range(3)))
        await until(lambda: _is_idle(queue))
    assert (await queue.backlog()).dead == 0


async def _waits(queue: JobQueue) -> bool:
    backlog = await queue.backlog()
    return backlog.waiting == 1 and backlog.running == 0


async def _waits_or_is_idle(queue: JobQueue) -> bool:
    return await _waits(queue) or await _is_idle(queue)


async def _is_idle(queue: JobQueue) -> bool:
    backlog = await queue.backlog()
    return backlog.waiting == backlog.running == 0


@pytest.mark.parametrize(
    ("fails", "tried"),
    [([Unavailable("Down.", remedy="Wait.")] * 3, 3), ([InvalidInput("Down.", remedy="Wait.")], 1)],
)
async def test_a_job_that_fails_for_good_is_dead_until_it_is_retried(queue: JobQueue, fails: list, tried: int):
    doing = Doing(*fails)
    await queue.put(job(kb="docs"))
    async with queue.working({"a": doing}, at_once=1):
        await until(lambda: _is_dead(queue))
        (dead,) = await queue.dead(limit=10)
        assert (dead.job, dead.attempts, dead.problem) == (job(kb="docs"), tried, "Down. Wait.")
        assert await queue.retry(["4711"]) == []
        assert await queue.retry([dead.job_id]) == [dead.job_id]
        await until(lambda: bool(doing.done))
    assert await queue.dead(limit=10) == []


async def _is_dead(queue: JobQueue) -> bool:
    return (await queue.backlog()).dead == 1


async def test_an_accident_is_told_without_what_it_says(queue: JobQueue, caplog: pytest.LogCaptureFixture):
    await queue.put(job())
    async with queue.working({"a": Doing(KeyError("a secret"))}, at_once=1):
        await until(lambda: _is_dead(queue))
    (dead,) = await queue.dead(limit=10)
    assert "KeyError" in dead.problem and "secret" not in dead.problem


async def test_a_dead_job_is_no_obstacle_to_the_next(queue: JobQueue):
    doing = Doing(NotFound("Gone."))
    await queue.put(job())
    async with queue.working({"a": doing}, at_once=1):
        await until(lambda: _is_dead(queue))
        assert await queue.put(job())
        await until(lambda: bool(doing.done))
        # Retried while none of its key waits: done once more; the queue is not stuck.
        assert len(await queue.retry(None)) == 1
        await until(lambda: len(doing.done) == 2)


async def test_what_was_under_way_when_the_worker_ended_is_done_by_the_next(queue: JobQueue):
    doing = Doing(holds_s=30)
    await queue.put(job(kb="docs"))
    async with queue.working({"a": doing}, at_once=1):
        await until(lambda: doing.running == 1)
    second = Doing()
    async with queue.working({"a": second}, at_once=1):
        await until(lambda: second.done == [{"kb": "docs"}])
