"""Lists that break off in the middle, go round in a circle, or say what went wrong beside an empty list: what they do
not name must not look as if it were gone."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Asked, Says, Site, said_json, serving
from vendor_worlds import world_of

from firstline.connectors.vendors.answers import records
from firstline.connectors.vendors.following import Entry, Mark, follow_updates, updated_since
from firstline.connectors.vendors.paging import place_after
from firstline.domain import Change, Failure, SourceItem
from firstline.errors import FirstlineError, InvalidInput, Unavailable

Told = dict[str, Any]


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


BROKEN: dict[str, dict[str, Callable[[Told], object]]] = {
    "zendesk": {
        "no place": lambda told: told.update(after_cursor=None, end_of_stream=False),
        "no end": lambda told: told.pop("end_of_stream"),
    },
    "intercom": {
        "another place is the same": lambda told: told["pages"].update(next={"starting_after": "WzAsIDBd"}),
        "far too few": lambda told: (told.update(total_count=100), told["pages"].pop("next", None)),
    },
    "confluence": {"the same place": lambda told: told["_links"].update(next="/rest/api/content/search?start=0")},
    "notion": {
        "no place": lambda told: told.update(has_more=True, next_cursor=None),
        "the same place": lambda told: told.update(has_more=True, next_cursor="0"),
    },
    "discourse": {"the same page": lambda told: told["topic_list"].update(more_topics_url="/latest?page=9")},
}
EACH = [(kind, how) for kind, ways in BROKEN.items() for how in ways]


@pytest.mark.parametrize(("kind", "how"), EACH, ids=[f"{kind}: {how}" for kind, how in EACH])
async def test_a_list_that_breaks_off_removes_nothing(
    kind: str, how: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of(kind, monkeypatch, site)
    first = await hear(world.open(site, tmp_path))
    assert first.error is None and first.items
    whole = site.routes[world.listing]
    page: list[Told] = []

    def broken(asked: Asked) -> Says:
        # Always the same first page, whatever is asked for.
        if not page:
            said: Says = whole(asked)  # type: ignore[operator]
            page.append(json.loads(said.body))
            BROKEN[kind][how](page[0])
        return said_json(page[0])

    site.routes[world.listing] = broken
    ahead = time.time() + 100_000
    monkeypatch.setattr(time, "time", lambda: ahead)
    for cursor in (None, first.cursor):
        asked = len(site.asked)
        said = await hear(world.open(site, tmp_path), cursor)
        # Articles are not wanted at all: what stands of them ends.
        assert {*said.complete, *said.removed} <= {"src/articles/"}
        assert isinstance(said.error, Unavailable) or (kind, how) == ("zendesk", "no end")
        assert len(site.asked) - asked < 20, "nobody goes round in a circle"


@pytest.mark.parametrize("kind", ["github", "gitlab"])
async def test_a_page_that_is_not_full_is_not_the_last_when_another_follows(
    kind: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of(kind, monkeypatch, site)
    whole = site.routes[world.listing]

    def hiding(asked: Asked) -> Says:
        """It counts number 2 on its page, and does not show it."""
        said: Says = whole(asked)  # type: ignore[operator]
        shown = json.loads(said.body)
        left = [each for each in shown if (each.get("number") or each.get("iid")) != 2]
        headers: dict[str, str] = {}
        if len(shown) == int(asked.query["per_page"]):
            headers = (
                {"Link": f'<{site.url}/more>; rel="next"'}
                if kind == "github"
                else {"X-Next-Page": str(int(asked.query["page"]) + 1)}
            )
        return Says(body=json.dumps(left), headers={"Content-Type": "application/json", **headers})

    site.routes[world.listing] = hiding
    said = await hear(world.open(site, tmp_path))
    assert said.error is None
    assert set(said.items) == {world.key(number) for number in (1, 3, 4, 5)}


async def test_a_server_that_never_ends_is_given_up():
    async def fetch(since: float, page: int) -> tuple[list[Entry], bool]:
        return [Entry(key="a", updated=5.0)], True

    met: list[Entry] = []
    with pytest.raises(Unavailable):
        async for entries in updated_since(fetch, 0.0):
            met.extend(entries)
    assert [entry.key for entry in met] == ["a"]


async def test_a_place_on_a_page_out_of_order_loses_nothing(monkeypatch: pytest.MonkeyPatch):
    """A kill between two places: what the place says was read was."""
    monkeypatch.setattr("firstline.connectors.vendors.following.READS_PER_CURSOR", 1)
    entries = [Entry(key=str(at), updated=float(at)) for at in (3, 9, 1, 7, 5)]

    async def pages(since: float) -> AsyncIterator[list[Entry]]:
        yield entries

    async def read(entry: Entry) -> list[Change]:
        return [Failure(item_id=entry.key, reason="stands for a document")]

    seen: set[float] = set()
    mark = Mark(swept=time.time())
    async for change in follow_updates(pages, read, name="n", prefix="n/", mark=mark, sweep_s=1e9):
        if isinstance(change, Failure):
            seen.add(float(change.item_id))
        elif isinstance(change, Mark):
            assert {entry.updated for entry in entries if entry.updated < change.since} <= seen


async def test_a_help_centre_that_answers_in_the_older_way_is_not_taken_for_whole(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of("zendesk", monkeypatch, site)
    article = {"id": 1, "title": "One", "body": "<p>b</p>", "user_segment_id": None}
    site.routes["/api/v2/help_center/articles.json"] = said_json(
        {"articles": [article], "count": 150, "next_page": f"{site.url}/api/v2/help_center/articles.json?page=2"}
    )
    said = await hear(world.open(site, tmp_path, content=["articles"]))
    assert isinstance(said.error, Unavailable) and "src/articles/" not in said.complete
    assert set(said.items) == {"articles/1"}


async def test_intercom_articles_without_a_count_remove_nothing(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of("intercom", monkeypatch, site)
    article = {"id": "1", "title": "One", "body": "<p>b</p>", "state": "published"}
    site.routes["/articles"] = said_json({"data": [article]})
    said = await hear(world.open(site, tmp_path, content=["articles"]), "{}")
    assert set(said.items) == {"articles/1"} and "src/articles/" not in said.complete
    assert said.alerts and not said.keeps


async def test_discussions_without_a_place_to_go_on_remove_nothing(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of("github", monkeypatch, site)
    told = {"discussions": {"pageInfo": {"hasNextPage": True, "endCursor": None}, "nodes": []}}
    site.routes["/graphql"] = said_json({"data": {"repository": told}})
    said = await hear(world.open(site, tmp_path, content=["discussions"]))
    assert isinstance(said.error, Unavailable) and said.complete == []


async def test_a_plan_without_an_archive_keeps_what_it_cannot_look_up(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of("freshdesk", monkeypatch, site)
    first = await hear(world.open(site, tmp_path))
    world.things[1]["archived"] = True
    site.routes["/api/v2/tickets/archived/1"] = Says(status=403)
    ahead = time.time() + 100_000
    monkeypatch.setattr(time, "time", lambda: ahead)
    said = await hear(world.open(site, tmp_path), first.cursor)
    assert (said.error, said.removed) == (None, set())


@pytest.mark.parametrize("restrictions", [{}, {"user": {}, "group": {}}, {"user": {"results": []}, "group": {}}])
async def test_restrictions_that_are_not_told_mean_nobody(
    restrictions: Told, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of("confluence", monkeypatch, site)
    world.things[2]["restrictions"] = {"read": {"restrictions": restrictions}}
    asked_for = "/rest/api/content/2/restriction/byOperation/read"
    site.routes[asked_for] = said_json({"restrictions": restrictions})
    said = await hear(world.open(site, tmp_path))
    assert set(said.items["pages/2"].acl) == set() and set(said.items["pages/1"].acl) == {"everyone"}
    assert any(asked.path == asked_for for asked in site.asked)


async def test_what_has_no_id_is_told_and_ends_nothing(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    world = world_of("zendesk", monkeypatch, site)
    good = {"id": 1, "title": "One", "body": "<p>b</p>", "user_segment_id": None}
    bad = {name: value for name, value in good.items() if name != "id"}
    site.routes["/api/v2/help_center/articles.json"] = said_json({"articles": [bad, good], "meta": {"has_more": False}})
    said = await hear(world.open(site, tmp_path, content=["articles"]))
    assert set(said.items) == {"articles/1"} and all(isinstance(one, SourceItem) for one in said.items.values())
    failure = next(one for one in said.of(Failure) if one.item_id == "src/articles/")
    assert failure.keeps and "no id" in failure.reason


async def test_a_database_of_notion_without_end_is_given_up(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = world_of("notion", monkeypatch, site)
    site.routes["/v1/search"] = said_json(
        {"results": [{"object": "database", "id": "d", "last_edited_time": "2024-01-01T00:00:00Z"}], "has_more": False}
    )
    site.routes["/v1/databases/d/query"] = said_json({"results": [], "has_more": True, "next_cursor": "again"})
    said = await hear(world.open(site, tmp_path))
    assert sum(asked.path == "/v1/databases/d/query" for asked in site.asked) == 2
    assert set(said.failures) == {"databases/d"}


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        ({"tickets": []}, True),
        ({"tickets": [], "error": None}, True),
        ({"tickets": [{"id": 1}], "errors": ["a warning"]}, True),
        ({"tickets": [], "error": "quota"}, False),
        ({"tickets": [], "errors": [{"code": "quota"}]}, False),
        ({"tickets": None}, False),
        ({}, False),
    ],
)
def test_an_error_beside_an_empty_list_is_an_error(value: Told, fine: bool):
    if fine:
        assert records(value, "tickets", "The list") == (value["tickets"])
    else:
        with pytest.raises(InvalidInput, match="did not answer as documented"):
            records(value, "tickets", "The list")


def test_where_a_list_goes_on():
    assert place_after("a", "b", more=True, where="It") == "b"
    assert place_after("a", "", more=False, where="It") == place_after("a", "b", more=False, where="It") == ""
    for told in ("", "a"):
        with pytest.raises(FirstlineError):
            place_after("a", told, more=True, where="It")
