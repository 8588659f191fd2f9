"""kill -9 of a worker in the middle of a job, and two workers on one queue."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firstline.domain import Job
from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.server import EmbeddedServer

WORKER = Path(__file__).with_name("killed_worker.py")


@pytest.fixture
def folder() -> Generator[Path]:
    found = Path(tempfile.mkdtemp(prefix="firstline-workers-"))
    found.chmod(0o711)
    yield found
    shutil.rmtree(found, ignore_errors=True)


@asynccontextmanager
async def worker(url: str, folder: Path, *arguments: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(WORKER), url, str(folder), *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert await asyncio.wait_for(process.stdout.readline(), 40) == b"works\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def journal(folder: Path, line: str, seconds: float = 40.0) -> list[str]:
    """Waits until this line is written."""
    async with asyncio.timeout(seconds):
        while True:
            path = folder / "journal"
            lines = path.read_text().splitlines() if path.exists() else []
            if line in lines:
                return lines
            await asyncio.sleep(0.05)


async def done_by_all(folder: Path, jobs: int, seconds: float = 40.0) -> None:
    path = folder / "journal"
    async with asyncio.timeout(seconds):
        while True:
            if path.exists() and path.read_text().count(" did ") >= jobs:
                return
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_what_a_killed_worker_had_in_hand_is_done_by_another(folder: Path):
    server = EmbeddedServer(folder / "data")
    await asyncio.to_thread((folder / "data").mkdir)
    await asyncio.to_thread(server.open)
    try:
        async with open_postgres(data_folder=folder / "data", database_url=server.conninfo) as ledgers:
            await ledgers.jobs.put(Job(name="work", args={"kb": "docs"}))
            async with worker(server.conninfo, folder, "first", "holds") as first:
                await journal(folder, "first began docs")
                async with worker(server.conninfo, folder, "second"):
                    # While the first lives, nobody else gets what it has in hand.
                    await asyncio.sleep(3.0)
                    assert await journal(folder, "first began docs") == ["first began docs"]
                    # One of the same key that is put meanwhile is not lost, and not done beside it.
                    assert await ledgers.jobs.put(Job(name="work", args={"kb": "docs"}))
                    first.kill()
                    lines = await journal(folder, "second did docs")
                    assert lines[:2] == ["first began docs", "second began docs"]
                    await asyncio.sleep(1.0)
                    backlog = await ledgers.jobs.backlog()
                    assert (backlog.waiting, backlog.running, backlog.dead) == (0, 0, 0)
    finally:
        await asyncio.to_thread(server.close)


@pytest.mark.slow
async def test_two_workers_share_and_none_is_done_twice(folder: Path):
    server = EmbeddedServer(folder / "data")
    await asyncio.to_thread((folder / "data").mkdir)
    await asyncio.to_thread(server.open)
    try:
        async with open_postgres(data_folder=folder / "data", database_url=server.conninfo) as ledgers:
            async with worker(server.conninfo, folder, "first"), worker(server.conninfo, folder, "second"):
                for number in range(30):
                    await ledgers.jobs.put(Job(name="work", args={"kb": str(number)}))
                await done_by_all(folder, 30)
            done = [line.split(" did ")[1] for line in (folder / "journal").read_text().splitlines() if " did " in line]
            assert sorted(done, key=int) == [str(number) for number in range(30)]
    finally:
        await asyncio.to_thread(server.close)
