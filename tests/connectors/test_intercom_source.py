"""Intercom: notes, who wrote first, redacted parts, articles over pages."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Asked, Site, said_json, serving
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
    return world_of("intercom", monkeypatch, site, things=1)


def part(said: str, author: str, kind: str = "comment", **more: Any) -> dict[str, Any]:
    return {"part_type": kind, "body": f"<p>{said}</p>", "author": {"type": author, "name": "Nobody Told"}, **more}


def parts(world: World, *given: dict[str, Any]) -> None:
    world.things[1]["conversation_parts"] = {"conversation_parts": list(given)}


async def test_a_conversation_is_one_document(world: World, site: Site, tmp_path: Path):
    parts(
        world,
        part("Which one?", "admin"),
        part("secret", "admin", "note"),
        part("secret move", "admin", "assignment"),
        part("secret kind", "admin", "some_new_kind"),
        part("The red one", "user"),
        part("secret word", "user", redacted=True),
        part("Turn it on", "admin", "close"),
    )
    item = (await hear(world.open(site, tmp_path, fields={"product": "Product line"}))).items["conversations/1"]
    assert parse(item).text == (
        "# Talk 1\n\n## Symptom\n\nProblem 1\n\n## Conversation\n\n**Agent:**\n\nWhich one?\n\n**Customer:**\n\n"
        "The red one\n\n## Resolution\n\nTurn it on\n"
    )
    assert (item.kind, item.level) == (DocumentKind.TICKET, Level.CUSTOMER)
    assert (item.metadata["product"], item.metadata["tags"]) == ("pumps", "crash")


async def test_notes_need_an_internal_source(world: World, site: Site, tmp_path: Path):
    parts(world, part("look at pump 7", "admin", "note"))
    assert isinstance((await hear(world.open(site, tmp_path, notes=True))).error, InvalidInput)
    said = await hear(world.open(site, tmp_path, notes=True, level=Level.RESTRICTED))
    assert "look at pump 7" in said.texts["conversations/1"]


async def test_when_the_team_wrote_first_the_problem_is_the_customers(world: World, site: Site, tmp_path: Path):
    world.things[1] |= {"source": {"body": "<p>Hello, how can I help?</p>", "author": {"type": "bot"}}, "title": ""}
    parts(world, part("The pump stops", "lead"), part("Turn it on", "admin"))
    item = (await hear(world.open(site, tmp_path))).items["conversations/1"]
    assert item.title == "The pump stops"
    assert "## Symptom\n\nThe pump stops\n" in parse(item).text


async def test_a_conversation_that_is_opened_again_leaves(world: World, site: Site, tmp_path: Path):
    first = await hear(world.open(site, tmp_path))
    world.things[1] |= {"state": "open", "updated_at": world.things[1]["updated_at"] + 5}
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.removed == {"conversations/1"}


async def test_articles_over_pages(world: World, site: Site, tmp_path: Path):
    listed = [
        {"id": str(number), "title": f"A{number}", "body": f"<p>Text {number}</p>", "state": "published", "url": "u"}
        for number in range(1, 6)
    ]
    listed[2]["state"] = "draft"
    total = [5]

    def answer(asked: Asked):
        page, size = int(asked.query["page"]), int(asked.query["per_page"])
        found = listed[(page - 1) * size : page * size]
        pages = {"page": page, "total_pages": -(-len(listed) // size)}
        return said_json({"type": "list", "data": found, "pages": pages, "total_count": total[0]})

    site.routes["/articles"] = answer
    said = await hear(world.open(site, tmp_path, content=["articles"]))
    assert set(said.items) == {f"articles/{number}" for number in (1, 2, 4, 5)}
    assert said.complete == ["src/articles/", "src/conversations/"]
    total[0] = 6
    said = await hear(world.open(site, tmp_path, content=["articles"]))
    assert said.complete == ["src/conversations/"] and said.alerts
