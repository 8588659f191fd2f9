"""A sync that is killed, again and again, loses nothing and repeats nothing for ever."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.connectors.site_server import Asked, Says, page, serving

from firstline.domain import EVERYONE, FOREVER, Level, SourceState
from firstline.ports import Scope
from firstline.settings import load_settings
from firstline.wiring import open_ledgers

PAGES = 60
KILLS = 6


@pytest.fixture
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-kill-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


async def run(data: Path, *arguments: str, kill_after_s: float | None = None) -> int:
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).parent / "firstline"), "--data", str(data), "source", *arguments),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    if kill_after_s is not None:
        await asyncio.sleep(kill_after_s)
        if process.returncode is None:
            os.kill(process.pid, signal.SIGKILL)
    return await process.wait()


async def release(data: Path) -> None:
    """The minute that a dead sync's claim lasts, without waiting for it."""
    async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
        await ledgers.database.row("UPDATE firstline.sources SET leased_until = now() RETURNING name")


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_a_sync_that_is_killed_again_and_again_loses_nothing(data: Path) -> None:
    texts = {number: f"All there is to know about page {number}." for number in range(PAGES)}

    async def answer(asked: Asked) -> Says:
        await asyncio.sleep(0.03)
        if asked.path == "/":
            links = "".join(f'<a href="/p{number}">x</a>' for number in texts)
            return page(f"<main><h1>Home</h1><p>All the pages of this handbook.</p>{links}</main>")
        number = int(asked.path[2:]) if asked.path[2:].isdigit() else -1
        if number not in texts:
            return Says(status=404)
        tag = f'"{hash(texts[number])}"'
        if asked.headers.get("if-none-match") == tag:
            return Says(status=304)
        return page(f"<main><h1>Page {number}</h1><p>{texts[number]}</p></main>", ETag=tag)

    chance = random.Random(5)  # noqa: S311 (when to kill)
    async with serving() as site:
        site.otherwise = answer
        options = ("--set", "allow_private=true", "--set", "pace_s=0")
        assert await run(data, "add", "docs", "website", site.url, *options) == 0
        for number in range(KILLS):
            await run(data, "sync", "docs", kill_after_s=chance.uniform(1.5, 5.0))
            await release(data)
            texts[number] = f"Changed after {number} kills, and known to everybody."
            texts.pop(PAGES - 1 - number, None)
        assert await run(data, "sync", "docs") == 0

    async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
        (source,) = await ledgers.sources.sources(tenant="default")
        snapshot = await ledgers.knowledge.published(tenant="default", kb="docs")
        current = await ledgers.knowledge.current(tenant="default", kb="docs")
        scope = Scope(
            tenant="default",
            kb="docs",
            acl_tags=frozenset({EVERYONE}),
            level_max=Level.PUBLIC,
            snapshot=snapshot.number,
        )
        standing = {doc_id for doc_id, document in current.items() if document.until == FOREVER}
        readable = {doc_id for doc_id in standing if await ledgers.knowledge.document(doc_id, scope)}
    assert source.state is SourceState.OK
    assert standing == readable == {"docs/index", *(f"docs/p{number}" for number in texts)}
