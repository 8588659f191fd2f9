"""Real folders, repositories and websites, kept in step with a knowledge base."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.site_server import Asked, Says, Site, page, serving
from tests.journeys.world import KB, TENANT, World

from firstline.connectors.kinds import checked_config, open_source
from firstline.connectors.roots import origin_of_name
from firstline.documents.following import SyncLimits
from firstline.documents.sync import SourceSync
from firstline.domain import EVERYONE, FOREVER, DocumentKind, Level, RegisteredSource, SourceState
from firstline.engines.memory.changes import MemoryChangeLedger
from firstline.engines.memory.quarantine import MemoryQuarantineLedger
from firstline.engines.memory.sources import MemorySourceLedger


class Kept:
    def __init__(self, folder: Path) -> None:
        self.world = World()
        self.sources = MemorySourceLedger()
        self.syncing = SourceSync(
            sources=self.sources,
            changes=MemoryChangeLedger(sources=self.sources),
            knowledge=self.world.knowledge,
            snapshots=self.world.knowledge,
            quarantine=MemoryQuarantineLedger(),
            documents=self.world.documents,
            open_source=lambda source: open_source(source, bytes_max=100_000, folder=folder / "sources"),
            origin_of=origin_of_name,
            limits=SyncLimits(window_items=3, window_s=1.0),
        )

    async def add(self, kind: str, **options: Any) -> None:
        await self.sources.add_source(
            RegisteredSource(
                tenant=TENANT, kb=KB, name="docs", kind=kind, config=checked_config(kind, options),
                document_kind=DocumentKind.DOCUMENTATION, acl=frozenset({EVERYONE}), level=Level.PUBLIC,
                added_at=datetime.now(UTC),
            )
        )  # fmt: skip

    async def sync(self, **how: bool):
        return await self.syncing.sync("docs", tenant=TENANT, kb=KB, **how)

    async def ids(self) -> set[str]:
        current = await self.world.knowledge.current(tenant=TENANT, kb=KB)
        return {doc_id.removeprefix("docs/") for doc_id, document in current.items() if document.until == FOREVER}


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


async def test_a_folder_is_kept_in_step(kept: Kept, tmp_path: Path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in "abcd":
        (folder / f"{name}.md").write_text(f"# {name}\n\nAbout {name}.")
    await kept.add("folder", path=str(folder))
    assert (await kept.sync()).added == 4
    (folder / "a.md").write_text("# a\n\nSomething else.")
    (folder / "b.md").unlink()
    (folder / "e.md").write_text("# e\n\nNew.")
    report = await kept.sync()
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 2)
    again = await kept.sync()
    assert (again.published, again.unchanged, again.state) == (False, 4, SourceState.OK)


async def test_a_folder_that_is_not_mounted_loses_nothing(kept: Kept, tmp_path: Path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# a\n\nAbout a.")
    await kept.add("folder", path=str(folder))
    await kept.sync()
    (folder / "a.md").unlink()
    assert (await kept.sync()).state is SourceState.ALERT
    folder.rmdir()
    assert (await kept.sync()).state is SourceState.FAILED
    assert await kept.ids() == {"a.md"}
    folder.mkdir()
    assert (await kept.sync(force=True)).removed == 1
    assert await kept.ids() == set()


async def test_a_repository_is_kept_in_step(kept: Kept, tmp_path: Path):
    folder = tmp_path / "work"
    folder.mkdir()

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    for name in "abcd":
        (folder / f"{name}.md").write_text(f"# {name}\n\nAbout {name}.")
    git("add", "--all")
    git("commit", "-qm", "1")
    await kept.add("git", url=str(folder))
    assert (await kept.sync()).added == 4
    (folder / "a.md").write_text("# a\n\nSomething else.")
    git("rm", "-q", "b.md")
    git("commit", "-qam", "2")
    report = await kept.sync()
    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 1, 1, 0)
    git("rm", "-q", "a.md", "c.md", "d.md")
    git("commit", "-qm", "3", "--allow-empty")
    report = await kept.sync()
    assert report.state is SourceState.ALERT and "yielded nothing" in report.alerts[0]
    assert await kept.ids() == {"a.md", "c.md", "d.md"}
    assert (await kept.sync(force=True)).removed == 3


@asynccontextmanager
async def website(*names: str) -> AsyncGenerator[Site]:
    async with serving() as site:
        links = "".join(f'<a href="/{name}">{name}</a>' for name in names)
        site.routes["/"] = page(f"<main><h1>Home</h1><p>All the pages of this handbook are here.</p>{links}</main>")
        for name in names:
            site.routes[f"/{name}"] = page(f"<main><h1>{name}</h1><p>All there is to know about {name}.</p></main>")
        yield site


async def test_a_website_is_kept_in_step(kept: Kept):
    async with website("alpha", "beta", "gamma", "delta") as site:
        await kept.add("website", url=site.url, allow_private=True, pace_s=0)
        assert (await kept.sync()).added == 5
        assert await kept.ids() == {"index", "alpha", "beta", "gamma", "delta"}
        site.routes["/alpha"] = page("<main><h1>alpha</h1><p>Something else altogether is told here.</p></main>")
        site.routes["/beta"] = Says(status=404)
        report = await kept.sync()
        assert (report.changed, report.removed, report.unchanged) == (1, 1, 3)


@pytest.mark.parametrize(
    "what",
    [
        *("login", "login page", "error page", "empty", "403", "gone", "nothing linked"),
        pytest.param("500", marks=pytest.mark.slow),
    ],
)
async def test_a_website_that_breaks_loses_nothing(kept: Kept, what: str):
    names = [f"page{number}" for number in range(8)]
    async with website(*names) as site:
        await kept.add("website", url=site.url, allow_private=True, pace_s=0)
        await kept.sync()
        before = await kept.ids()
        assert len(before) == 9
        if what == "nothing linked":
            site.routes["/"] = page("<main><h1>Home</h1><p>We are working on a new site for you.</p></main>")
        else:
            site.routes.clear()
            site.otherwise = {
                "login": lambda asked: _login(asked),
                "login page": page("<main><h1>Log in</h1><input type=password></main>"),
                "error page": page("<main><h1>Service unavailable</h1></main>"),
                "500": Says(status=500),
                "empty": page("<html><body><div id=root></div></body></html>"),
                "403": Says(status=403),
                "gone": Says(status=404),
            }[what]
        report = await kept.sync()
        assert report.state in (SourceState.ALERT, SourceState.FAILED), report
        assert await kept.ids() == before


def _login(asked: Asked) -> Says:
    if asked.path == "/login":
        return page("<main><h1>Log in</h1><input type=password></main>")
    return Says(status=302, headers={"Location": "/login"})


async def test_a_website_that_comes_back_goes_on(kept: Kept):
    async with website("alpha", "beta") as site:
        await kept.add("website", url=site.url, allow_private=True, pace_s=0)
        await kept.sync()
        routes = dict(site.routes)
        site.routes.clear()
        site.otherwise = Says(status=302, headers={"Location": "https://login.example/"})
        assert (await kept.sync()).state is SourceState.ALERT
        site.routes.update(routes)
        site.otherwise = Says(status=404)
        assert (await kept.sync()).state is SourceState.OK
        assert await kept.ids() == {"index", "alpha", "beta"}
