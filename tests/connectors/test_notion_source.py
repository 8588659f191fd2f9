"""Notion: blocks as Markdown, databases as tables, what was thrown away."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Site, serving
from vendor_worlds import BEGAN, World, iso, rich, world_of

from firstline.connectors.notion.markdown import Block, blocks_markdown


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("notion", monkeypatch, site, things=2)


def block(kind: str, said: str = "", inside: list[Block] | None = None, **more: Any) -> Block:
    return Block(data={"type": kind, kind: {"rich_text": rich(said), **more}}, inside=inside or [])


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([block("heading_1", "A"), block("heading_3", "B"), block("paragraph", "x\ny")], "# A\n\n### B\n\nx\ny\n"),
        ([block("paragraph", "# no heading"), block("paragraph", "- no list")], "\\# no heading\n\n\\- no list\n"),
        (
            [block("bulleted_list_item", "a", [block("bulleted_list_item", "b")]), block("bulleted_list_item", "c")],
            "- a\n  - b\n- c\n",
        ),
        (
            [block("numbered_list_item", "a", [block("paragraph", "more")]), block("numbered_list_item", "b"),
             block("paragraph", "p"), block("numbered_list_item", "c")],
            "1. a\n   more\n2. b\n\np\n\n1. c\n",
        ),
        ([block("to_do", "a", checked=True), block("to_do", "b")], "- [x] a\n- [ ] b\n"),
        ([block("toggle", "More", [block("paragraph", "inside")])], "- More\n  inside\n"),
        ([block("code", "a ``` b\nc", language="plain text")], "````\na ``` b\nc\n````\n"),
        ([block("code", "x = 1", language="python")], "```python\nx = 1\n```\n"),
        ([block("quote", "a\nb")], "> a\n> b\n"),
        ([block("callout", "Hot", [block("paragraph", "very")])], "> Hot\n>\n> very\n"),
        ([block("divider")], "---\n"),
        ([block("equation", expression="e=mc^2")], "$$e=mc^2$$\n"),
        ([block("image", caption=rich("The pump"))], "[image: The pump]\n"),
        ([block("image")], "\n"),
        ([block("bookmark", url="https://a.example/")], "[https://a.example/](https://a.example/)\n"),
        ([block("bookmark", url="javascript:x")], "\n"),
        ([block("column_list", "", [block("column", "", [block("paragraph", "left")])])], "left\n"),
        ([block("some_new_kind", "words")], "words\n"),
        (
            [Block(data={"type": "table", "table": {}}, inside=[
                Block(data={"type": "table_row", "table_row": {"cells": [rich("a|b"), rich("c")]}}),
                Block(data={"type": "table_row", "table_row": {"cells": [rich("1")]}}),
            ])],
            "| a\\|b | c |\n| --- | --- |\n| 1 |  |\n",
        ),
    ],
)  # fmt: skip
def test_blocks_as_markdown(blocks: list[Block], expected: str):
    assert blocks_markdown(blocks).strip("\n") == expected.strip("\n")


def test_styles_and_links():
    pieces: list[Any] = [
        {"plain_text": "bold ", "annotations": {"bold": True}},
        {"plain_text": "code", "annotations": {"code": True, "bold": True}},
        {"plain_text": " link", "annotations": {}, "href": "https://a.example/"},
        {"plain_text": " bad", "annotations": {}, "href": "javascript:x"},
        "odd",
    ]
    said = blocks_markdown([Block(data={"type": "paragraph", "paragraph": {"rich_text": pieces}})])
    assert said == "**bold** **`code`** [link](https://a.example/) bad\n"


async def test_blocks_inside_blocks_are_read(world: World, site: Site, tmp_path: Path):
    world.things[1]["blocks"] = [
        {"id": "1-t", "type": "toggle", "toggle": {"rich_text": rich("Open")}, "has_children": True},
        {"id": "1-u", "type": "paragraph", "paragraph": {"rich_text": rich("Inside")}, "under": "1-t"},
        {"id": "1-c", "type": "child_page", "child_page": {"title": "Another"}, "has_children": True},
        {
            "id": "1-s", "type": "synced_block", "synced_block": {"synced_from": {"block_id": "2"}},
            "has_children": True,
        },
    ]  # fmt: skip
    said = await hear(world.open(site, tmp_path))
    assert said.texts["pages/1"] == "# Page 1\n\n- Open\n  Inside\n\n- Another\n\nProblem 2\n"
    assert "/v1/blocks/1-c/children" not in site.paths


async def test_a_database_is_a_table(world: World, site: Site, tmp_path: Path):
    world.things[9] = {
        "object": "database", "id": "9", "last_edited_time": iso(9), "parent": {"type": "workspace"},
        "title": rich("Errors"), "description": rich("All of them"),
        "properties": {"Code": {"type": "title"}, "Severity": {"type": "select"}, "Owner": {"type": "people"}},
    }  # fmt: skip
    for number in (3, 4, 5):
        world.things[number] = world.say(number, "") | {
            "parent": {"type": "database_id", "database_id": "9"},
            "properties": {
                "Code": {"type": "title", "title": rich(f"E{number}")},
                "Severity": {"type": "select", "select": {"name": "high"}},
                "Owner": {"type": "people", "people": [{"name": "Nobody Told"}]},
            },
            "blocks": [],
        }  # fmt: skip
    world.things[5]["blocks"] = [{"id": "5-b", "type": "paragraph", "paragraph": {"rich_text": rich("Turn it on")}}]
    first = await hear(world.open(site, tmp_path, fields={"severity": "Severity"}))
    assert set(first.items) == {"pages/1", "pages/2", "pages/5", "databases/9"}
    assert first.texts["databases/9"] == (
        "# Errors\n\nAll of them\n\n| Title | Severity |\n| --- | --- |\n| E3 | high |\n| E4 | high |\n| E5 | high |\n"
    )
    assert first.texts["pages/5"] == "# E5\n\n- Severity: high\n\nTurn it on\n"
    assert first.items["pages/5"].metadata["severity"] == "high"
    world.things[3] |= {"last_edited_time": iso(500)}
    second = await hear(world.open(site, tmp_path, fields={"severity": "Severity"}), first.cursor)
    assert set(second.items) == {"databases/9"}, "a row that changed changes its table"
    assert "databases/9" not in (await hear(world.open(site, tmp_path, databases=False))).items


async def test_what_was_thrown_away_is_gone(world: World, site: Site, tmp_path: Path):
    first = await hear(world.open(site, tmp_path))
    world.things[1]["in_trash"] = True
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.complete == ["src/"] and second.unchanged == {"pages/2"}


async def test_what_the_search_forgets_is_asked_for(world: World, site: Site, tmp_path: Path):
    first = await hear(world.open(site, tmp_path))
    search = site.routes["/v1/search"]

    def forgetful(asked: Any) -> Any:
        kept = world.things.pop(2)
        try:
            return search(asked)  # type: ignore[operator]
        finally:
            world.things[2] = kept

    site.routes["/v1/search"] = forgetful
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert second.unchanged == {"pages/1", "pages/2"}


async def test_what_was_edited_just_now_is_read_once_more(
    world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(time, "time", lambda: BEGAN + 30.0)
    first = await hear(world.open(site, tmp_path))
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert set(second.items) == {"pages/1", "pages/2"}
    monkeypatch.setattr(time, "time", lambda: BEGAN + 900.0)
    third = await hear(world.open(site, tmp_path), second.cursor)
    fourth = await hear(world.open(site, tmp_path), third.cursor)
    assert fourth.unchanged == {"pages/1", "pages/2"}


async def test_a_page_that_is_too_long_is_listed(
    world: World, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("firstline.connectors.notion.source.BLOCKS_MAX", 11)
    world.things[1]["blocks"] *= 2
    said = await hear(world.open(site, tmp_path))
    assert set(said.failures) == {"pages/1"} and set(said.items) == {"pages/2"}
