"""What every vendor's connector does: pages, what changed, what is gone, kills, limits, pages of errors."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import Said, hear
from site_server import Asked, Says, Site, page, said_json, serving
from vendor_worlds import SECRET, WORLDS, World, world_of

from firstline.connectors.vendors.exported import Unreadable, exported
from firstline.domain import Cursor, Failure, Removed, SourceItem, Unchanged
from firstline.errors import Forbidden, InvalidInput, TooManyRequests, Unauthenticated, Unavailable


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of(request.param, monkeypatch, site)


def keys(world: World, *numbers: int) -> set[str]:
    return {world.key(number) for number in numbers}


def later(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """So much later that the whole list is walked again."""
    if world.late:
        ahead = time.time() + world.late
        monkeypatch.setattr(time, "time", lambda: ahead)


def standing(*syncs: Said) -> set[str]:
    """Documents after these syncs, as the sync counts them."""
    found: set[str] = set()
    for said in syncs:
        seen: set[str] = set()
        for change in said.changes:
            match change:
                case SourceItem():
                    found.add(change.item_id)
                    seen.add(change.item_id)
                case Unchanged():
                    seen.add(change.item_id)
                case Removed():
                    found.discard(change.item_id)
                case _:
                    continue
        for prefix in said.complete if not said.keeps else []:
            found = {each for each in found if not each.startswith(prefix) or each in seen}
    return {each.removeprefix("src/") for each in found}


async def test_everything_is_read_over_several_pages(world: World, site: Site, tmp_path: Path):
    said = await hear(world.open(site, tmp_path))
    assert said.error is None
    assert set(said.items) == keys(world, 1, 2, 3, 4, 5)
    assert sum(asked.path == world.listing for asked in site.asked) >= 3
    for number in range(1, 6):
        assert f"Problem {number}" in said.texts[world.key(number)]
        assert said.items[world.key(number)].metadata["firstline.origin"] == "here"
        assert said.items[world.key(number)].content_hash
    assert said.cursor and SECRET not in said.cursor


async def test_a_later_sync_reads_what_changed_and_came(world: World, site: Site, tmp_path: Path):
    first = await hear(world.open(site, tmp_path))
    world.edit(world, 2, "Another problem", 900)
    world.edit(world, 6, "Problem 6", 901)
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.error is None
    # The last one of the first sync may be looked at again: its second was not over.
    assert keys(world, 2, 6) <= set(second.items) <= keys(world, 2, 5, 6)
    assert "Another problem" in second.texts[world.key(2)]
    assert standing(first, second) == keys(world, 1, 2, 3, 4, 5, 6)


async def test_what_is_gone_is_removed(world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = await hear(world.open(site, tmp_path))
    world.drop(world, 3)
    later(monkeypatch, world)
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.error is None
    assert standing(first, second) == keys(world, 1, 2, 4, 5)


async def test_killed_anywhere_the_next_goes_on(world: World, site: Site, tmp_path: Path):
    whole = await hear(world.open(site, tmp_path))
    for stop in range(1, len(whole.changes)):
        cut = Said(changes=[])
        changes = world.open(site, tmp_path).changes(None)
        async for change in changes:
            cut.changes.append(change)
            if len(cut.changes) == stop:
                break
        await changes.aclose()  # type: ignore[attr-defined]  # every connector is a generator
        # What stands behind the last place was not kept.
        last = max((at for at, change in enumerate(cut.changes) if isinstance(change, Cursor)), default=-1)
        kept = Said(changes=cut.changes[: last + 1])
        rest = await hear(world.open(site, tmp_path), kept.cursor)
        assert rest.error is None
        assert standing(kept, rest) == keys(world, 1, 2, 3, 4, 5), stop


async def test_a_place_that_cannot_be_read_is_none(world: World, site: Site, tmp_path: Path):
    for place in ("", "{", "[1]", '{"mark": "x", "topics": [1], "after": 5, "again": 3}', '{"acme/app": 7}'):
        said = await hear(world.open(site, tmp_path), place)
        assert said.error is None
        assert set(said.items) == keys(world, 1, 2, 3, 4, 5)


async def test_limits_and_faults_of_the_server_are_waited_for(world: World, site: Site, tmp_path: Path):
    list_of = site.routes[world.listing]
    troubles = [Says(status=429, headers={"Retry-After": "0.01"}), Says(status=503)]

    def troubled(asked: Asked) -> Any:
        # One trouble for every second asking: each try gets through in the end.
        troubled.count += 1  # type: ignore[attr-defined]
        if troubled.count % 2 and troubles:  # type: ignore[attr-defined]
            return troubles.pop(0)
        return list_of(asked)  # type: ignore[operator]

    troubled.count = 0  # type: ignore[attr-defined]
    site.routes[world.listing] = troubled
    said = await hear(world.open(site, tmp_path))
    assert said.error is None and troubles == []
    assert set(said.items) == keys(world, 1, 2, 3, 4, 5)


async def test_who_asks_for_more_time_gets_it(world: World, site: Site, tmp_path: Path):
    site.routes[world.listing] = Says(status=429, headers={"Retry-After": "900"})
    said = await hear(world.open(site, tmp_path))
    assert isinstance(said.error, TooManyRequests) and said.error.retry_after_s == 900
    assert said.complete == []


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (page("<h1>Log in</h1>"), InvalidInput),
        (Says(status=401), Unauthenticated),
        (Says(status=403), Forbidden),
        (Says(status=403, body='{"message": "You have exceeded a secondary rate limit"}'), TooManyRequests),
        (Says(status=500), Unavailable),
        (said_json({"error": "something else"}), InvalidInput),
        (said_json("null"), InvalidInput),
        (Says(body='{"tickets": [{"id": 1', headers={"Content-Type": "application/json"}), Unavailable),
        (Says(status=302, headers={"Location": "https://login.example/"}), InvalidInput),
    ],
    ids=["login", "401", "403", "limited", "500", "error in 200", "null", "truncated", "elsewhere"],
)
async def test_a_list_that_is_none_removes_nothing(
    world: World, site: Site, tmp_path: Path, answer: Says, error: type[Exception]
):
    first = await hear(world.open(site, tmp_path))
    site.routes[world.listing] = answer
    said = await hear(world.open(site, tmp_path), first.cursor)
    assert isinstance(said.error, error)
    assert (said.items, said.complete, said.removed) == ({}, [], set())
    assert SECRET not in str(said.error)


async def test_truncated_json_is_asked_again(world: World, site: Site, tmp_path: Path):
    list_of = site.routes[world.listing]
    cut = [True]

    def cutting(asked: Asked):
        whole: Says = list_of(asked)  # type: ignore[operator]
        if cut:
            cut.clear()
            return Says(body=whole.body[: len(whole.body) // 2], headers={"Content-Type": "application/json"})
        return whole

    site.routes[world.listing] = cutting
    said = await hear(world.open(site, tmp_path))
    assert said.error is None
    assert set(said.items) == keys(world, 1, 2, 3, 4, 5)


async def test_one_that_fails_is_listed_and_read_the_next_time(world: World, site: Site, tmp_path: Path):
    whole = site.otherwise
    if world.kind == "discourse":
        broken = "/t/3.json"
    elif world.kind in ("confluence", "notion"):
        broken = {"confluence": "/rest/api/content/3", "notion": "/v1/blocks/3/children"}[world.kind]
    else:
        broken = next(
            asked.path
            for asked in [*site.asked, *(await _asked_for(world, site, tmp_path))]
            if "/3/" in asked.path or asked.path.endswith("/conversations/3")
        )
    site.otherwise = lambda asked: Says(status=500) if asked.path == broken else whole(asked)  # type: ignore[operator]
    first = await hear(world.open(site, tmp_path))
    assert first.error is None
    assert set(first.failures) == keys(world, 3)
    assert set(first.items) == keys(world, 1, 2, 4, 5)
    site.otherwise = whole
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert world.key(3) in second.items
    third = await hear(world.open(site, tmp_path), second.cursor)
    assert world.key(3) not in third.items


async def _asked_for(world: World, site: Site, tmp_path: Path) -> list[Asked]:
    await hear(world.open(site, tmp_path))
    return site.asked


async def test_many_that_fail_end_the_sync(world: World, site: Site, tmp_path: Path):
    site.otherwise = Says(status=500)
    said = await hear(world.open(site, tmp_path))
    assert isinstance(said.error, Unavailable)
    assert said.complete == [] and len(said.of(Failure)) <= 3


async def test_the_token_goes_along_and_nowhere_else(world: World, site: Site, tmp_path: Path):
    said = await hear(world.open(site, tmp_path))
    assert all({"authorization", "private-token", "api-key"} & asked.headers.keys() for asked in site.asked)
    assert not any(SECRET in asked.path or SECRET in str(asked.query) for asked in site.asked)
    assert not any(SECRET in text for text in said.texts.values())


async def test_a_missing_token_names_its_place(
    world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("VENDOR_TOKEN")
    said = await hear(world.open(site, tmp_path))
    assert isinstance(said.error, InvalidInput) and "VENDOR_TOKEN" in str(said.error)
    assert site.asked == []


def test_a_damaged_zip_is_told_and_no_accident(tmp_path: Path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.jsonl", "\n".join(f'{{"id": {number * 7919 % 1009}}}' for number in range(5_000)))
    raw = bytearray(packed.getvalue())
    raw[60:400] = bytes(one ^ 0x5A for one in raw[60:400])
    (tmp_path / "export.zip").write_bytes(raw)
    said = list(exported(str(tmp_path / "export.zip"), lists=(), bytes_max=1_000_000))
    assert isinstance(said[-1], Unreadable) and "cannot be read" in said[-1].reason
