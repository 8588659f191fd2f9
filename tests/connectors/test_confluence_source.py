"""Confluence: the storage format as text, and who may see a page."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opened import hear
from site_server import Says, Site, said_json, serving
from vendor_worlds import World, world_of

from firstline.connectors.confluence.storage import storage_html
from firstline.documents.parse import parse
from firstline.domain import DocumentKind, SourceItem


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("confluence", monkeypatch, site, things=2)


def markdown(storage: str) -> str:
    item = SourceItem(
        item_id="x", kind=DocumentKind.DOCUMENTATION, media_type="text/html",
        raw=f"<main>{storage_html(storage)}</main>".encode(),
    )  # fmt: skip
    return parse(item).text.strip()


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ("<h2>How</h2><p>Do&nbsp;it &amp; <strong>go</strong></p>", "## How\n\nDo it & **go**"),
        (
            '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">bash</ac:parameter>'
            "<ac:plain-text-body><![CDATA[if [ a < b ]; then\n  echo '<b>'\nfi]]></ac:plain-text-body>"
            "</ac:structured-macro><p>After</p>",
            "```\nif [ a < b ]; then\n  echo '<b>'\nfi\n```\n\nAfter",
        ),
        (
            '<ac:structured-macro ac:name="warning"><ac:rich-text-body><p>Hot</p></ac:rich-text-body>'
            "</ac:structured-macro>",
            "**Warning**\n\nHot",
        ),
        (
            '<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">More</ac:parameter>'
            "<ac:rich-text-body><p>Inside</p></ac:rich-text-body></ac:structured-macro>",
            "**More**\n\nInside",
        ),
        ('<p>A</p><ac:structured-macro ac:name="toc" ac:schema-version="1" /><p>B</p>', "A\n\nB"),
        (
            '<ac:structured-macro ac:name="jira"><ac:parameter ac:name="key">X-1</ac:parameter></ac:structured-macro>'
            "<p>B</p>",
            "B",
        ),
        (
            '<p>See <ac:link><ri:page ri:content-title="Set up" /></ac:link> and <ac:link>'
            '<ri:page ri:content-title="x" /><ac:plain-text-link-body><![CDATA[this & that]]>'
            "</ac:plain-text-link-body></ac:link>"
            ".</p>",
            "See Set up and this & that.",
        ),
        (
            "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status>"
            "<ac:task-body>Turn on</ac:task-body></ac:task></ac:task-list>",
            "- Turn on",
        ),
        ('<p><ac:image ac:alt="The pump"><ri:attachment ri:filename="a.png" /></ac:image>x</p>', None),
        (
            '<p>State: <ac:structured-macro ac:name="status"><ac:parameter ac:name="title">DONE</ac:parameter>'
            "</ac:structured-macro></p>",
            "State: DONE",
        ),
        ('<p>On <time datetime="2024-05-01" /></p>', "On 2024-05-01"),
        (
            "<ac:layout><ac:layout-section><ac:layout-cell><p>L</p></ac:layout-cell><ac:layout-cell><p>R</p>"
            "</ac:layout-cell></ac:layout-section></ac:layout>",
            "L\n\nR",
        ),
        (
            "<table><tbody><tr><th>Code</th><th>Means</th></tr><tr><td><p>E1</p></td><td><p>Hot</p></td></tr></tbody>"
            "</table>",
            "| Code | Means |\n| --- | --- |\n| E1 | Hot |",
        ),
        (
            '<ac:structured-macro ac:name="info"><ac:rich-text-body><ac:structured-macro ac:name="noformat">'
            "<ac:plain-text-body><![CDATA[raw]]></ac:plain-text-body></ac:structured-macro></ac:rich-text-body>"
            "</ac:structured-macro>",
            "**Info**\n\n```\nraw\n```",
        ),
    ],
)
def test_the_storage_format_as_text(storage: str, expected: str | None):
    text = markdown(storage)
    if expected is None:
        assert "The pump" in storage_html(storage) and "a.png" not in text
    else:
        assert text == expected


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<ac:link>", "</ac:link>", '<ri:page ri:content-title="t" />', "<![CDATA[", "]]>", "word ",
             '<ac:structured-macro ac:name="code">', "</ac:structured-macro>", "<ac:plain-text-body>", "<", "&", "<td>",
             "</ac:plain-text-body>", "<ac:parameter", ">", "<ac:rich-text-body>", "<ul><li>", '"', "<!--"]
        ),
        max_size=40,
    )
)  # fmt: skip
def test_any_storage_is_read(pieces: list[str]):
    found = storage_html("".join(pieces))
    assert "<ac:" not in found and "<ri:" not in found and "CDATA" not in found.replace("&lt;![CDATA[", "")


def test_depth_costs_nothing():
    assert "x" in storage_html("<div>" * 20_000 + "x")
    assert "x" in storage_html("<ac:layout-cell>" * 20_000 + "x")


def only(groups: list[str], users: list[str] | None = None) -> dict[str, Any]:
    found = {
        "group": {"results": [{"type": "group", "name": name} for name in groups]},
        "user": {"results": [{"accountId": name} for name in users or []]},
    }
    return {"read": {"operation": "read", "restrictions": found}}


async def test_restrictions_say_who_may_see_a_page(world: World, site: Site, tmp_path: Path):
    world.things[2]["restrictions"] = only(["staff"], ["u-1"])
    said = await hear(world.open(site, tmp_path, tags={"confluence:group:staff": "staff"}))
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "pages/1": {"everyone"}, "pages/2": {"staff", "confluence:user:u-1"},
    }  # fmt: skip


async def test_those_of_the_pages_above_hold_too(world: World, site: Site, tmp_path: Path):
    world.things[1]["restrictions"] = only(["staff", "ops"])
    world.things[2]["ancestors"] = [{"id": "1", "title": "Page 1"}]
    world.things[3] = {
        **world.say(3, "x"),
        "ancestors": [{"id": "1", "title": "Page 1"}],
        "restrictions": only(["ops"]),
    }
    world.things[4] = {**world.say(4, "x"), "ancestors": [{"id": "1", "title": "P"}], "restrictions": only(["sales"])}
    said = await hear(world.open(site, tmp_path))
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "pages/1": {"confluence:group:staff", "confluence:group:ops"},
        "pages/2": {"confluence:group:staff", "confluence:group:ops"},
        "pages/3": {"confluence:group:ops"},
        "pages/4": set(),
    }
    assert said.items["pages/2"].metadata["section"] == "Page 1"


async def test_a_page_above_that_is_not_listed_is_asked_for(world: World, site: Site, tmp_path: Path):
    world.things[1]["ancestors"] = [{"id": "90", "title": "Folder"}]
    world.things[2]["ancestors"] = [{"id": "91", "title": "Folder"}]
    site.routes["/rest/api/content/90/restriction/byOperation/read"] = said_json(only(["ops"])["read"])
    site.routes["/rest/api/content/91/restriction/byOperation/read"] = Says(status=403)
    said = await hear(world.open(site, tmp_path))
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "pages/1": {"confluence:group:ops"}, "pages/2": set(),
    }  # fmt: skip


async def test_a_server_that_leaves_restrictions_out_is_asked(world: World, site: Site, tmp_path: Path):
    del world.things[1]["restrictions"], world.things[2]["restrictions"]
    site.routes["/rest/api/content/1/restriction/byOperation/read"] = said_json(only([])["read"])
    site.routes["/rest/api/content/2/restriction/byOperation/read"] = said_json({"unexpected": True})
    said = await hear(world.open(site, tmp_path))
    assert set(said.items["pages/1"].acl) == {"everyone"}
    assert set(said.items["pages/2"].acl) == set(), "not to be told who may see it means nobody"


async def test_a_new_restriction_is_seen_without_a_new_version(world: World, site: Site, tmp_path: Path):
    world.things[2]["ancestors"] = [{"id": "1", "title": "Page 1"}]
    first = await hear(world.open(site, tmp_path))
    world.things[1]["restrictions"] = only(["ops"])
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert {name: set(item.acl) for name, item in second.items.items()} == {
        "pages/1": {"confluence:group:ops"}, "pages/2": {"confluence:group:ops"},
    }  # fmt: skip
    third = await hear(world.open(site, tmp_path), second.cursor)
    assert third.unchanged == {"pages/1", "pages/2"}


async def test_attachments_are_left_out_with_a_notice(world: World, site: Site, tmp_path: Path):
    world.things[1]["storage"] = '<p>See <ac:link><ri:attachment ri:filename="plan.pdf" /></ac:link></p>'
    said = await hear(world.open(site, tmp_path))
    assert said.alerts == ["1 attachments are named by the pages that were read; files are left out."]
    assert not said.keeps and said.complete == ["src/pages/"]
    assert "plan.pdf" in said.texts["pages/1"]


async def test_spaces_and_kinds_are_asked_for(world: World, site: Site, tmp_path: Path):
    await hear(world.open(site, tmp_path, spaces=["DOC", "~me"], content=["page", "blogpost"]))
    asked = next(each for each in site.asked if each.path == world.listing)
    assert asked.query["cql"] == 'type in (page,blogpost) and space in ("DOC","~me") order by created'


async def test_a_page_of_labels_and_links(world: World, site: Site, tmp_path: Path):
    item = (await hear(world.open(site, tmp_path))).items["pages/1"]
    assert (item.url, item.metadata["labels"], item.metadata["space"]) == (
        f"{site.url}/spaces/DOC/pages/1",
        "howto",
        "DOC",
    )
    assert parse(item).text == "# Page 1\n\nProblem 1\n"
