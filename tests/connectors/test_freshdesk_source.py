"""Freshdesk: private notes, its limit of pages, archived and deleted tickets, folders that not everybody sees."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Says, Site, said_json, serving
from vendor_worlds import World, iso, world_of

from firstline.documents.parse import parse
from firstline.domain import DocumentKind, Level
from firstline.errors import InvalidInput


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("freshdesk", monkeypatch, site, things=2)


def talk(said: str, *, incoming: bool = False, private: object = False, at: int = 0) -> dict[str, Any]:
    return {"body": f"<p>{said}</p>", "incoming": incoming, "private": private, "created_at": iso(at)}


async def test_a_ticket_is_one_document(world: World, site: Site, tmp_path: Path):
    world.things[1] |= {
        "talk": [
            talk("Which one?", at=1), talk("secret", private=True, at=2), talk("The red one", incoming=True, at=3),
            talk("Turn it on", at=4), talk("unmarked", private=None, at=5),
        ],
    }  # fmt: skip
    said = await hear(world.open(site, tmp_path, fields={"product": "cf_product"}))
    item = said.items["tickets/1"]
    assert parse(item).text == (
        "# Ticket 1\n\n## Symptom\n\nProblem 1\n\n## Conversation\n\n**Agent:**\n\nWhich one?\n\n**Customer:**\n\n"
        "The red one\n\n## Resolution\n\nTurn it on\n"
    )
    assert (item.kind, item.level, item.metadata["product"]) == (DocumentKind.TICKET, Level.CUSTOMER, "pumps")
    assert item.metadata["status"] == "resolved"


async def test_notes_need_an_internal_source(world: World, site: Site, tmp_path: Path):
    world.things[1]["talk"] = [talk("secret", private=True)]
    assert isinstance((await hear(world.open(site, tmp_path, notes=True))).error, InvalidInput)
    said = await hear(world.open(site, tmp_path, notes=True, level=Level.INTERNAL))
    assert "secret" in said.texts["tickets/1"]


async def test_open_tickets_wait_and_reopened_ones_leave(world: World, site: Site, tmp_path: Path):
    world.things[1]["status"] = 2
    first = await hear(world.open(site, tmp_path))
    assert set(first.items) == {"tickets/2"}
    world.things[1] |= {"status": 5, "updated_at": iso(50)}
    world.things[2] |= {"status": 3, "updated_at": iso(51)}
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert (set(second.items), second.removed) == ({"tickets/1"}, {"tickets/2"})


async def test_the_limit_of_pages_is_none(world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vendor_worlds.FRESHDESK_PAGES", 10)
    for number in range(1, 101):
        world.things[number] = {**world.say(number, "p"), "talk": [], "status": 4 if number > 90 else 2}
        world.things[number]["updated_at"] = iso(number // 3)
    said = await hear(world.open(site, tmp_path))
    assert said.error is None
    assert set(said.items) == {f"tickets/{number}" for number in range(91, 101)}


async def test_many_updates_in_one_second(world: World, site: Site, tmp_path: Path):
    for number in range(1, 12):
        world.things[number] = {**world.say(number, "p"), "talk": [], "updated_at": iso(3)}
    assert len((await hear(world.open(site, tmp_path))).items) == 11


async def test_archived_tickets_stay_and_purged_ones_go(
    world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = await hear(world.open(site, tmp_path))
    world.things[1]["archived"] = True
    del world.things[2]
    ahead = time.time() + 100_000
    monkeypatch.setattr(time, "time", lambda: ahead)
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.error is None
    assert (second.removed, second.complete) == ({"tickets/2"}, [])
    asked = len(site.asked)
    monkeypatch.setattr(time, "time", lambda: ahead + 100_000)
    third = await hear(world.open(site, tmp_path), second.cursor)
    assert third.removed == set()
    assert not any("archived" in each.path for each in site.asked[asked:]), "who is archived is asked for once"


async def test_the_trash_is_looked_into_at_every_sync(world: World, site: Site, tmp_path: Path):
    first = await hear(world.open(site, tmp_path))
    world.drop(world, 1)
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.removed == {"tickets/1"}


FOLDERS = [
    {"id": 1, "name": "Open", "visibility": 1, "sub_folders_count": 1},
    {"id": 2, "name": "Users", "visibility": 2},
    {"id": 3, "name": "Agents", "visibility": 3},
    {"id": 4, "name": "Firms", "visibility": 4, "company_ids": [8, 9]},
    {"id": 5, "name": "Segment", "visibility": 6},
    {"id": 6, "name": "New kind"},
]


def portal(site: Site) -> None:
    site.routes["/api/v2/solutions/categories"] = said_json([{"id": 7, "name": "Help"}])
    site.routes["/api/v2/solutions/categories/7/folders"] = said_json(FOLDERS)
    site.routes["/api/v2/solutions/folders/1/subfolders"] = said_json([{"id": 11, "name": "Below", "visibility": 3}])
    for number in (1, 2, 3, 4, 5, 6, 11):
        site.routes[f"/api/v2/solutions/folders/{number}/articles"] = said_json([
            {"id": number, "title": f"A{number}", "description": f"<p>Text {number}</p>", "status": 2, "tags": ["t"]},
            {"id": number + 100, "title": "Draft", "description": "<p>secret</p>", "status": 1},
        ])  # fmt: skip


async def test_folders_say_who_may_see_an_article(world: World, site: Site, tmp_path: Path):
    portal(site)
    said = await hear(world.open(site, tmp_path, content=["articles"], tags={"freshdesk:users": "customers"}))
    assert said.error is None and said.complete == ["src/articles/", "src/tickets/"]
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "articles/1": {"everyone"},
        "articles/2": {"customers"},
        "articles/3": {"freshdesk:agents"},
        "articles/4": {"freshdesk:company:8", "freshdesk:company:9"},
        "articles/5": {"freshdesk:folder:5"},
        "articles/6": {"freshdesk:folder:6"},
        "articles/11": {"freshdesk:agents"},
    }


async def test_a_folder_that_cannot_be_read_removes_nothing(world: World, site: Site, tmp_path: Path):
    portal(site)
    site.routes["/api/v2/solutions/folders/4/articles"] = Says(status=500)
    said = await hear(world.open(site, tmp_path, content=["articles"]))
    assert said.error is not None and said.complete == []
