"""Vendors through the whole of a sync: documents come, change and go, and a sync that breaks goes on."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from site_server import Asked, Says, Site, serving
from tests.journeys.test_source_sync import QUICK, Synced
from vendor_worlds import WORLDS, World, world_of

from firstline.connectors.overrides import Access
from firstline.domain import EVERYONE, DocumentKind, Level, SourceState
from firstline.ports import Incremental

CALM = replace(QUICK, gone_always=5, lock_wait_s=30.0)


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


class Opened:
    """The connector as the sync opens it, under the name of the source that the stories have."""

    def __init__(self, world: World, site: Site, folder: Path) -> None:
        self._how = (world, site, folder)
        self.says: list[Any] = []

    def changes(self, cursor: str | None) -> Any:
        world, site, folder = self._how
        source = cast("Any", world.open(site, folder))
        access = Access(kind=DocumentKind.DOCUMENTATION, acl=frozenset({EVERYONE}), level=Level.PUBLIC, origin="docs")
        opening = replace(source._opening, name="docs", access=access)
        return cast("Incremental", type(source)(opening)).changes(cursor)


@pytest.mark.parametrize("name", WORLDS)
async def test_from_the_first_sync_to_a_deletion(
    name: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of(name, monkeypatch, site)
    synced: Any = Synced(limits=CALM)
    synced.connector = Opened(world, site, tmp_path)
    await synced.add()

    # The server breaks in the middle: what was read stays, and is not read again.
    whole, count = site.routes[world.listing], [0]

    def breaking(asked: Asked) -> Any:
        count[0] += 1
        return Says(status=500) if count[0] in (2, 3) else whole(asked)  # type: ignore[operator]

    site.routes[world.listing] = breaking
    first = await synced.sync()
    assert (first.state, first.removed) == (SourceState.FAILED, 0)
    site.routes[world.listing] = whole
    second = await synced.sync()
    assert (second.state, second.error) == (SourceState.OK, "")
    everything = {world.key(number) for number in range(1, 6)}
    assert await synced.ids() == everything

    world.edit(world, 2, "Another problem", 900)
    world.drop(world, 3)
    if world.late:
        ahead = time.time() + world.late
        monkeypatch.setattr(time, "time", lambda: ahead)
    third = await synced.sync()
    assert (third.state, third.changed, third.removed) == (SourceState.OK, 1, 1)
    assert await synced.ids() == everything - {world.key(3)}
    fourth = await synced.sync()
    assert (fourth.added, fourth.changed, fourth.removed) == (0, 0, 0)
