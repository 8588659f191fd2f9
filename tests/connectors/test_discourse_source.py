"""Discourse: closed categories, whispers, long topics, solutions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Site, said_json, serving
from vendor_worlds import World, world_of

from firstline.documents.parse import parse
from firstline.domain import DocumentKind, Level
from firstline.errors import InvalidInput


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("discourse", monkeypatch, site, things=2)


def post(number: int, said: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "post_number": number, "user_id": number, "post_type": 1, "cooked": f"<p>{said}</p>", **more}


async def test_a_topic_is_one_document(world: World, site: Site, tmp_path: Path):
    world.things[1]["posts"] = [
        post(1, "It stops"),
        post(2, "Me too", user_id=1),
        post(3, "secret", post_type=4, staff=True),
        post(4, "closed it", post_type=3),
        post(5, "flagged", hidden=True),
        post(6, "withdrawn", user_deleted=True),
        post(7, "Turn it on", accepted_answer=True),
        post(8, "Noted", staff=True),
    ]
    item = (await hear(world.open(site, tmp_path))).items["topics/1"]
    assert parse(item).text == (
        "# Topic 1\n\n## Symptom\n\nIt stops\n\n## Conversation\n\n**Author:**\n\nMe too\n\n**Staff:**\n\nNoted\n\n"
        "## Resolution\n\nTurn it on\n"
    )
    assert (item.kind, item.url) == (DocumentKind.FORUM_POST, f"{site.url}/t/topic-1/1")
    assert (item.metadata["status"], item.metadata["category"], item.metadata["tags"]) == ("solved", "Help", "crash")


async def test_whispers_need_an_internal_source(world: World, site: Site, tmp_path: Path):
    world.things[1]["posts"] = [post(1, "It stops"), post(2, "look at 7", post_type=4, accepted_answer=True)]
    assert isinstance((await hear(world.open(site, tmp_path, notes=True))).error, InvalidInput)
    said = await hear(world.open(site, tmp_path, notes=True, level=Level.INTERNAL))
    assert "look at 7" in said.texts["topics/1"] and "Resolution" not in said.texts["topics/1"]


async def test_the_answer_that_the_topic_names(world: World, site: Site, tmp_path: Path):
    world.things[1] |= {"posts": [post(1, "It stops"), post(2, "Turn it on")], "accepted_answer": {"post_number": 2}}
    raw = (await hear(world.open(site, tmp_path))).texts["topics/1"]
    assert "<h2>Resolution</h2>\n<p>Turn it on</p>" in raw


async def test_long_topics_are_read_whole_and_in_order(world: World, site: Site, tmp_path: Path):
    world.things[1]["posts"] = [post(number, f"Post {number:03}.") for number in range(1, 61)]
    raw = (await hear(world.open(site, tmp_path))).texts["topics/1"]
    places = [raw.index(f"Post {number:03}.") for number in range(1, 61)]
    assert places == sorted(places)


async def test_closed_categories_have_tags_of_their_own(world: World, site: Site, tmp_path: Path):
    categories = [
        {"id": 5, "name": "Help", "slug": "help", "read_restricted": False},
        {"id": 6, "name": "Staff", "slug": "staff", "read_restricted": True},
    ]
    site.routes["/site.json"] = said_json({"categories": categories})
    world.things[2]["category_id"] = 6
    world.things[3] = {**world.say(3, "x"), "category_id": 77}
    said = await hear(world.open(site, tmp_path))
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "topics/1": {"everyone"}, "topics/2": {"discourse:category:staff"}, "topics/3": {"discourse:category:77"},
    }  # fmt: skip
    categories[0]["read_restricted"] = True
    site.routes["/site.json"] = said_json({"categories": categories})
    again = await hear(world.open(site, tmp_path), said.cursor)
    assert {name: set(item.acl) for name, item in again.items.items()} == {"topics/1": {"discourse:category:help"}}


async def test_only_what_is_wanted(world: World, site: Site, tmp_path: Path):
    world.things[1]["has_accepted_answer"] = False
    world.things[3] = {**world.say(3, "x"), "archetype": "private_message"}
    world.things[4] = {**world.say(4, "x"), "visible": False}
    said = await hear(world.open(site, tmp_path, solved_only=True))
    assert set(said.items) == {"topics/2"}
    assert (await hear(world.open(site, tmp_path, categories=["other"]))).items == {}


async def test_one_that_slips_through_the_pages_is_asked_for(
    world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = await hear(world.open(site, tmp_path))
    hidden = world.things[2]
    listing = site.routes["/latest.json"]

    def without(asked: Any) -> Any:
        world.things.pop(2)
        try:
            return listing(asked)  # type: ignore[operator]
        finally:
            world.things[2] = hidden

    site.routes["/latest.json"] = without
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.unchanged == {"topics/1", "topics/2"}


async def test_without_a_key_it_reads_as_a_guest(world: World, site: Site, tmp_path: Path):
    said = await hear(world.open(site, tmp_path, token=""))
    assert len(said.items) == 2 and "api-key" not in site.asked[0].headers
