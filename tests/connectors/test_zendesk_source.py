"""Zendesk: what a ticket becomes, who may see an article, and what an export file holds."""

from __future__ import annotations

import json
import zipfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear, opened
from site_server import Asked, Site, said_json, serving
from vendor_worlds import BEGAN, SECRET, World, iso, world_of

from firstline.documents.parse import parse
from firstline.domain import DocumentKind, Level
from firstline.errors import InvalidInput


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("zendesk", monkeypatch, site, things=0)


def comment(said: str, author: int, *, public: object = True, at: int = 0, **more: Any) -> dict[str, Any]:
    return {"html_body": f"<p>{said}</p>", "author_id": author, "public": public, "created_at": iso(at), **more}


CUSTOMER, AGENT = 1, 2


def ticket(world: World, *comments: dict[str, Any], **more: Any) -> None:
    world.things[1] = {**world.say(1, "x"), "comments": list(comments), **more}


async def test_a_ticket_is_one_document(world: World, site: Site, tmp_path: Path):
    ticket(
        world,
        comment("The pump <b>stops", CUSTOMER, at=1),
        comment("Which version?<h1>Resolution</h1>", AGENT, at=2),
        comment("secret remark", AGENT, public=False, at=3),
        comment("5.2", CUSTOMER, at=4),
        comment("Set <code>flow=2</code>.", AGENT, at=5),
        comment("Thanks!", CUSTOMER, at=6),
        subject="Pump  stops & hangs",
    )
    said = await hear(world.open(site, tmp_path, fields={"product": "77"}))
    item = said.items["tickets/1"]
    assert (item.kind, item.level, item.title) == (DocumentKind.TICKET, Level.CUSTOMER, "Pump stops & hangs")
    assert item.url == f"{site.url}/agent/tickets/1"
    assert {name: item.metadata[name] for name in ("product", "status", "tags")} == {
        "product": "pumps", "status": "solved", "tags": "crash",
    }  # fmt: skip
    assert parse(item).text == (
        "# Pump stops & hangs\n\n## Symptom\n\nThe pump **stops**\n\n## Conversation\n\n**Agent:**\n\n"
        "Which version?\n\n**Resolution**\n\n**Customer:**\n\n5.2\n\n**Customer:**\n\nThanks!\n\n"
        "## Resolution\n\nSet `flow=2`.\n"
    )


@pytest.mark.parametrize("public", [False, None, 0, "true"])
async def test_what_is_not_public_is_never_told(world: World, site: Site, tmp_path: Path, public: object):
    ticket(
        world,
        comment("secret first", AGENT, public=public, at=1),
        comment("It stops", CUSTOMER, at=2),
        comment("secret last", AGENT, public=public, at=3),
        description="secret first",
    )
    raw = (await hear(world.open(site, tmp_path))).texts["tickets/1"]
    assert "secret" not in raw and "It stops" in raw and "Resolution" not in raw


async def test_a_ticket_without_a_public_word_is_none(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("secret", AGENT, public=False), description="secret", subject="Quiet")
    said = await hear(world.open(site, tmp_path))
    assert (said.items, said.removed, said.error) == ({}, {"tickets/1"}, None)


async def test_notes_need_an_internal_source(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("It stops", CUSTOMER), comment("check pump 7", AGENT, public=False, at=1))
    refused = await hear(world.open(site, tmp_path, notes=True, level=Level.CUSTOMER))
    assert isinstance(refused.error, InvalidInput) and refused.changes == []
    said = await hear(world.open(site, tmp_path, notes=True, level=Level.INTERNAL))
    assert "Agent (internal note):" in said.texts["tickets/1"] and "check pump 7" in said.texts["tickets/1"]
    assert "Resolution" not in said.texts["tickets/1"], "a note solves nothing"
    assert said.items["tickets/1"].level is Level.INTERNAL


async def test_reopened_and_merged_tickets_leave(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("It stops", CUSTOMER))
    first = await hear(world.open(site, tmp_path))
    world.things[1] |= {"status": "open", "generated_timestamp": BEGAN + 50}
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert (set(first.items), second.removed) == ({"tickets/1"}, {"tickets/1"})
    world.things[1] |= {"status": "closed", "tags": ["closed_by_merge"], "generated_timestamp": BEGAN + 60}
    assert (await hear(world.open(site, tmp_path), second.cursor)).items == {}


async def test_archived_tickets_come_with_the_export(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("It stops", CUSTOMER), status="closed", is_archived=True)
    assert set((await hear(world.open(site, tmp_path))).items) == {"tickets/1"}


async def test_a_cursor_that_expired_goes_back_to_its_time(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("It stops", CUSTOMER))
    first = await hear(world.open(site, tmp_path))
    assert first.cursor
    place = json.loads(first.cursor) | {"after": "expired"}
    world.things[2] = {**world.say(2, "Another"), "generated_timestamp": BEGAN + 70}
    said = await hear(world.open(site, tmp_path), json.dumps(place))
    assert said.error is None and "tickets/2" in said.items
    started = [asked.query["start_time"] for asked in site.asked if "start_time" in asked.query]
    assert started == ["0", str(BEGAN + 1 - 3600)]


async def test_more_than_thirty_thousand_tickets(
    world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("firstline.connectors.zendesk.source.TICKETS_PER_PAGE", 1_000)
    for number in range(1, 30_101):
        status = "solved" if number > 30_090 else "open"
        world.things[number] = {
            "id": number, "status": status, "generated_timestamp": BEGAN + number // 7, "subject": "s",
            "comments": [comment("It stops", CUSTOMER)],
        }  # fmt: skip
    # The bodies of the server's pages are larger than these tests allow otherwise.
    said = await hear(world.open(site, tmp_path, since="2020-01-01"))
    assert said.error is None
    assert set(said.items) == {f"tickets/{number}" for number in range(30_091, 30_101)}


async def test_comments_of_several_pages_are_in_order(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("x", CUSTOMER))
    pages = {
        "": {
            "comments": [comment("Later", AGENT, at=9)],
            "users": [{"id": 2, "role": "agent"}], "meta": {"has_more": True, "after_cursor": "n"},
        },
        "n": {"comments": [comment("First", CUSTOMER, at=1)], "users": [], "meta": {"has_more": False}},
    }  # fmt: skip
    site.routes["/api/v2/tickets/1/comments.json"] = lambda asked: said_json(pages[asked.query.get("page[after]", "")])
    raw = (await hear(world.open(site, tmp_path))).texts["tickets/1"]
    assert raw.index("First") < raw.index("Later") and "<h2>Resolution</h2>\n<p>Later" in raw


def article(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "title": f"Article {number}", "body": f"<h2>How</h2><p>Text {number}</p>", "draft": False,
        "html_url": f"https://help.example/{number}", "label_names": ["pumps"], "locale": "en-us",
        "user_segment_id": None, "updated_at": iso(1), **more,
    }  # fmt: skip


def help_centre(site: Site, *pages: list[dict[str, Any]], path: str = "/api/v2/help_center/articles.json") -> None:
    def answer(asked: Asked):
        at = int(asked.query.get("page[after]", "0"))
        more = at + 1 < len(pages)
        return said_json({"articles": pages[at], "meta": {"has_more": more, "after_cursor": str(at + 1)}})

    site.routes[path] = answer


async def test_articles_carry_their_segments(world: World, site: Site, tmp_path: Path):
    help_centre(
        site,
        [article(1), article(2, user_segment_id=4711), article(3, draft=True)],
        [article(4, user_segment_id=None, user_segment_ids=[5, 6]), {"id": 5, "title": "t", "body": "<p>b</p>"}],
    )
    options: dict[str, Any] = {"content": ["articles"], "tags": {"zendesk:segment:4711": "partners"}}
    said = await hear(world.open(site, tmp_path, **options))
    assert said.complete == ["src/articles/", "src/tickets/"]
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "articles/1": {"everyone"},
        "articles/2": {"partners"},
        "articles/4": {"zendesk:segment:5", "zendesk:segment:6"},
        "articles/5": set(),
    }
    item = said.items["articles/1"]
    assert (item.kind, item.level, item.url) == (DocumentKind.DOCUMENTATION, Level.PUBLIC, "https://help.example/1")
    assert parse(item).text == "# Article 1\n\n## How\n\nText 1\n"


async def test_an_article_whose_segment_changed_is_another(world: World, site: Site, tmp_path: Path):
    help_centre(site, [article(1)])
    before = await hear(world.open(site, tmp_path, content=["articles"]))
    help_centre(site, [article(1, user_segment_id=4711)])
    after = await hear(world.open(site, tmp_path, content=["articles"]))
    assert before.items["articles/1"].content_hash != after.items["articles/1"].content_hash


async def test_locales_are_apart(world: World, site: Site, tmp_path: Path):
    for locale in ("en-us", "de"):
        help_centre(site, [article(1, locale=locale)], path=f"/api/v2/help_center/{locale}/articles.json")
    said = await hear(world.open(site, tmp_path, content=["articles"], locales=["en-us", "de"]))
    assert set(said.items) == {"articles/en-us/1", "articles/de/1"}


async def test_without_a_help_centre_the_tickets_are_read(world: World, site: Site, tmp_path: Path):
    ticket(world, comment("It stops", CUSTOMER))
    said = await hear(world.open(site, tmp_path, content=["articles", "tickets"]))
    assert set(said.items) == {"tickets/1"} and said.complete == ["src/tickets/"]
    assert "no help centre" in said.alerts[0]


async def test_an_oauth_token_needs_no_address(world: World, site: Site, tmp_path: Path):
    await hear(world.open(site, tmp_path, email=""))
    assert site.asked[0].headers["authorization"] == f"Bearer {SECRET}"


def exported_ticket(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "subject": "Pump", "status": "closed", "requester_id": 1, "updated_at": iso(1),
        "comments": [
            comment("It stops", CUSTOMER, at=1), comment("secret", AGENT, public=False, at=2),
            comment("Turn it on", AGENT, at=3),
        ], **more,
    }  # fmt: skip


@pytest.mark.parametrize("form", ["lines", "list", "named", "zip", "folder"])
async def test_export_files(tmp_path: Path, form: str):
    rows = [exported_ticket(1), exported_ticket(2, status="open"), exported_ticket(3)]
    texts = {
        "lines": "\n".join(map(json.dumps, rows)),
        "list": json.dumps(rows),
        "named": json.dumps({"tickets": rows, "articles": [article(9, user_segment_id=4)]}),
    }
    path = tmp_path / "export"
    if form == "zip":
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a/tickets.json", texts["lines"])
            archive.writestr("a/readme.txt", "not read")
    elif form == "folder":
        path.mkdir()
        (path / "tickets.ndjson").write_text(texts["lines"])
    else:
        path = tmp_path / "tickets.json"
        path.write_text(texts[form])
    said = await hear(opened("zendesk-export", tmp_path, path=str(path)))
    assert said.error is None and said.failures == {} and said.complete == ["src/"]
    assert set(said.items) == {"tickets/1", "tickets/3"} | ({"articles/9"} if form == "named" else set())
    assert parse(said.items["tickets/1"]).text.endswith("It stops\n\n## Resolution\n\nTurn it on\n")
    assert not any("secret" in text for text in said.texts.values())
    assert said.items["tickets/1"].level is Level.CUSTOMER


@pytest.mark.parametrize("broken", ['{"id": 2, "sub', "[" * 100_000, "\x00\x01"])
async def test_a_broken_line_removes_nothing(tmp_path: Path, broken: str):
    path = tmp_path / "tickets.ndjson"
    path.write_text(json.dumps(exported_ticket(1)) + "\n" + broken + "\n" + json.dumps(exported_ticket(3)) + "\n")
    said = await hear(opened("zendesk-export", tmp_path, path=str(path)))
    assert set(said.items) == {"tickets/1", "tickets/3"}
    assert "Line 2" in said.failures[""], "a failure of the whole source: what stands is kept"


async def test_a_zip_that_is_none(tmp_path: Path):
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 nothing")
    for path in ("x.zip", "nowhere.json"):
        said = await hear(opened("zendesk-export", tmp_path, path=str(tmp_path / path)))
        assert isinstance(said.error, InvalidInput) and said.complete == []
