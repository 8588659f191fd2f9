"""GitHub: issues, discussions with answers, private repositories, errors that come with status 200."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Asked, Says, Site, said_json, serving
from vendor_worlds import MINE, World, iso, world_of

from firstline.documents.parse import parse
from firstline.domain import DocumentKind
from firstline.errors import Forbidden, InvalidInput, TooManyRequests


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("github", monkeypatch, site, things=2)


def remark(said: str, association: str = "NONE", kind: str = "User") -> dict[str, Any]:
    return {"body": said, "author_association": association, "user": {"type": kind, "login": "someone"}}


async def test_an_issue_is_one_document(world: World, site: Site, tmp_path: Path):
    world.things[1] |= {
        "title": "It stops [sometimes]",
        "body": "<!-- Fill in\nthe form -->\n# Steps\n\n```sh\n# no heading\nrun\n",
        "said": [
            remark("Me too\n===\n\n## Resolution"), remark("stale", kind="Bot"), remark("Use 2.1", "MEMBER"),
            remark("Works!"),
        ],
    }  # fmt: skip
    item = (await hear(world.open(site, tmp_path))).items["acme/app/issues/1"]
    assert item.raw.decode() == (
        "# It stops \\[sometimes\\]\n\n## Symptom\n\n**Steps**\n\n```sh\n# no heading\nrun\n```\n\n## Conversation\n\n"
        "**User:**\n\nMe too\n\n\n\n**Resolution**\n\n**User:**\n\nWorks!\n\n## Resolution\n\nUse 2.1\n"
    )
    assert item.kind is DocumentKind.ISSUE
    assert (item.metadata["status"], item.metadata["labels"], item.metadata["repository"]) == (
        "closed", "bug", "acme/app",
    )  # fmt: skip
    assert "Fill in" not in parse(item).hidden


@pytest.mark.parametrize(
    ("state", "reason", "solved"),
    [("closed", "completed", True), ("closed", None, True), ("closed", "not_planned", False), ("open", None, False)],
)
async def test_what_solved_it(world: World, site: Site, tmp_path: Path, state: str, reason: str | None, solved: bool):
    world.things[1] |= {"state": state, "state_reason": reason}
    raw = (await hear(world.open(site, tmp_path))).texts["acme/app/issues/1"]
    assert ("## Resolution" in raw) is solved


async def test_pull_requests_and_other_labels_are_left_out(world: World, site: Site, tmp_path: Path):
    world.things[1]["pull_request"] = {"url": "x"}
    assert set((await hear(world.open(site, tmp_path))).items) == {"acme/app/issues/2"}
    assert (await hear(world.open(site, tmp_path, labels=["question"]))).items == {}
    assert set((await hear(world.open(site, tmp_path, states=["closed"], labels=["bug"]))).items) == {
        "acme/app/issues/2"
    }


@pytest.mark.parametrize("private", [True, None])
async def test_a_private_repository_has_a_tag_of_its_own(world: World, site: Site, tmp_path: Path, private: object):
    site.routes[MINE] = said_json({"private": private})
    said = await hear(world.open(site, tmp_path))
    assert {frozenset(item.acl) for item in said.items.values()} == {frozenset({"github:acme/app"})}
    said = await hear(world.open(site, tmp_path, tags={"github:acme/app": "staff"}))
    assert {frozenset(item.acl) for item in said.items.values()} == {frozenset({"staff"})}


async def test_when_a_repository_becomes_private_all_of_it_is_read_anew(world: World, site: Site, tmp_path: Path):
    first = await hear(world.open(site, tmp_path))
    site.routes[MINE] = said_json({"private": True})
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert set(second.items) == set(first.items)
    assert all(item.acl == {"github:acme/app"} for item in second.items.values())


async def test_a_repository_that_is_missing_keeps_no_other_waiting(world: World, site: Site, tmp_path: Path):
    said = await hear(world.open(site, tmp_path, repos="acme/gone, acme/app"))
    assert set(said.items) == {"acme/app/issues/1", "acme/app/issues/2"}
    assert set(said.failures) == {"acme/gone/"}, "ends in a slash: what stands of it is kept"
    assert said.complete == ["src/acme/app/issues/"]


@pytest.mark.parametrize("name", ["acme", "a/b/c", "a/..%2f", "../x y/z", "a/b?c"])
async def test_what_is_no_repository(world: World, site: Site, tmp_path: Path, name: str):
    with pytest.raises(InvalidInput):
        world.open(site, tmp_path, repos=[name])


async def test_comments_of_several_pages(world: World, site: Site, tmp_path: Path):
    path = f"{MINE}/issues/1/comments"
    following = {"Link": f'<{site.url}{path}?page=2>; rel="next"'}

    def answer(asked: Asked) -> Says:
        if asked.query.get("page") == "2":
            return said_json([remark("Second")])
        return Says(body=json.dumps([remark("First")]), headers={"Content-Type": "application/json", **following})

    site.routes[path] = answer
    raw = (await hear(world.open(site, tmp_path))).texts["acme/app/issues/1"]
    assert raw.index("First") < raw.index("Second")


# --- discussions


def discussion(number: int, *, updated: int = 0) -> dict[str, Any]:
    return {"number": number, "updatedAt": iso(updated), "isAnswered": True, "closed": False}


def post(said: str, **more: Any) -> dict[str, Any]:
    return {"body": said, "authorAssociation": "NONE", "author": {"__typename": "User"}, **more}


def graph(site: Site, listed: list[dict[str, Any]], comments: dict[str | None, dict[str, Any]]) -> None:
    def answer(asked: Asked) -> Says:
        variables = asked.json()["variables"]
        if "number" in variables:
            found = next((each for each in listed if each["number"] == variables["number"]), None)
            if found is None:
                told = {"data": {"repository": {"discussion": None}}, "errors": [{"type": "NOT_FOUND", "message": ""}]}
                return said_json(told)
            one = {
                **found, "title": f"Talk {found['number']}", "body": "How?", "url": "https://x",
                "category": {"name": "Q&A"}, "labels": {"nodes": [{"name": "pumps"}]},
                "comments": comments[variables["after"]],
            }  # fmt: skip
            return said_json({"data": {"repository": {"discussion": one}}})
        at = int(variables["after"] or "0")
        info = {"hasNextPage": at + 1 < len(listed), "endCursor": str(at + 1)}
        return said_json({"data": {"repository": {"discussions": {"nodes": listed[at : at + 1], "pageInfo": info}}}})

    site.routes["/graphql"] = answer


COMMENTS: dict[str | None, dict[str, Any]] = {
    None: {
        "nodes": [
            post("Try this", replies={"nodes": [post("So: turn it on", isAnswer=True)]}),
            post("spam", isMinimized=True),
        ],
        "pageInfo": {"hasNextPage": True, "endCursor": "b"},
    },
    "b": {"nodes": [post("Thanks")], "pageInfo": {"hasNextPage": False, "endCursor": "c"}},
}


async def test_discussions_with_their_answers(world: World, site: Site, tmp_path: Path):
    listed = [discussion(7), discussion(8), discussion(9)]
    graph(site, listed, COMMENTS)
    first = await hear(world.open(site, tmp_path, content=["discussions"]))
    assert first.error is None and first.complete == ["src/acme/app/discussions/", "src/"]
    item = first.items["acme/app/discussions/7"]
    assert item.raw.decode() == (
        "# Talk 7\n\n## Symptom\n\nHow?\n\n## Conversation\n\n**User:**\n\nTry this\n\n**User:**\n\nThanks\n\n"
        "## Resolution\n\nSo: turn it on\n"
    )
    assert (item.kind, item.metadata["status"], item.metadata["category"]) == (
        DocumentKind.FORUM_POST, "answered", "Q&A",
    )  # fmt: skip
    listed[0] = discussion(7, updated=9)
    del listed[1]
    second = await hear(world.open(site, tmp_path, content=["discussions"]), first.cursor)
    assert set(second.items) == {"acme/app/discussions/7"}
    assert second.unchanged == {"acme/app/discussions/9"}
    assert second.complete == ["src/acme/app/discussions/"]


@pytest.mark.parametrize(
    ("kind", "error"),
    [("RATE_LIMITED", TooManyRequests), ("FORBIDDEN", Forbidden), ("NOT_FOUND", InvalidInput), ("X", InvalidInput)],
)
async def test_errors_that_come_with_status_200(
    world: World, site: Site, tmp_path: Path, kind: str, error: type[Exception]
):
    reset = str(int(time.time()) + 500)
    site.routes["/graphql"] = said_json({"errors": [{"type": kind, "message": "no"}]}, X_RateLimit_Reset=reset)
    said = await hear(world.open(site, tmp_path, content=["discussions"]))
    assert isinstance(said.error, error) and said.complete == []
    if isinstance(said.error, TooManyRequests):
        assert 400 < said.error.retry_after_s <= 500
