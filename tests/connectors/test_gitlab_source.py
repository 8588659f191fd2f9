"""GitLab: internal notes, confidential issues, projects that are not public."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from opened import hear
from site_server import Says, Site, said_json, serving
from vendor_worlds import World, world_of

from firstline.domain import DocumentKind, Level
from firstline.errors import InvalidInput

PROJECT = "/api/v4/projects/acme%2Fapp"


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, site: Site) -> World:
    return world_of("gitlab", monkeypatch, site, things=2)


def note(said: str, author: int = 1, **more: Any) -> dict[str, Any]:
    return {"body": said, "system": False, "author": {"id": author}, "internal": False, **more}


async def test_an_issue_is_one_document(world: World, site: Site, tmp_path: Path):
    world.things[1]["notes"] = [
        note("assigned to nobody", 9, system=True), note("Me too"), note("secret", 9, internal=True),
        note("secret, as it was called", 9, confidential=True), note("Use 2.1", 9), note("Works"),
    ]  # fmt: skip
    item = (await hear(world.open(site, tmp_path))).items["acme/app/issues/1"]
    assert item.raw.decode() == (
        "# Issue 1\n\n## Symptom\n\nProblem 1\n\n## Conversation\n\n**User:**\n\nMe too\n\n**User:**\n\nWorks\n\n"
        "## Resolution\n\nUse 2.1\n"
    )
    assert (item.kind, item.metadata["labels"], item.url) == (DocumentKind.ISSUE, "bug", "https://lab.example/1")


async def test_notes_need_an_internal_source(world: World, site: Site, tmp_path: Path):
    world.things[1]["notes"] = [note("look at pump 7", 9, internal=True)]
    assert isinstance((await hear(world.open(site, tmp_path, notes=True))).error, InvalidInput)
    said = await hear(world.open(site, tmp_path, notes=True, level=Level.INTERNAL))
    assert "look at pump 7" in said.texts["acme/app/issues/1"]


async def test_confidential_issues_have_a_tag_of_their_own(world: World, site: Site, tmp_path: Path):
    world.things[1]["confidential"] = True
    del world.things[2]["confidential"]
    tags = {"gitlab:acme/app:confidential": "security"}
    said = await hear(world.open(site, tmp_path, tags=tags))
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        "acme/app/issues/1": {"security"},
        "acme/app/issues/2": {"security"},
    }


@pytest.mark.parametrize(
    "told",
    [
        {"visibility": "private"},
        {"visibility": "internal"},
        {},
        {"visibility": "public", "issues_access_level": "private"},
    ],
)  # fmt: skip
async def test_what_is_not_public_has_its_own_tag(world: World, site: Site, tmp_path: Path, told: dict[str, str]):
    first = await hear(world.open(site, tmp_path))
    assert {frozenset(item.acl) for item in first.items.values()} == {frozenset({"everyone"})}
    site.routes[PROJECT] = said_json(told)
    second = await hear(world.open(site, tmp_path), first.cursor)
    assert set(second.items) == set(first.items), "all of it is read anew"
    assert {frozenset(item.acl) for item in second.items.values()} == {frozenset({"gitlab:acme/app"})}


async def test_members_that_may_not_be_known_solve_nothing(world: World, site: Site, tmp_path: Path):
    site.routes[f"{PROJECT}/members/all"] = Says(status=403)
    said = await hear(world.open(site, tmp_path))
    assert said.error is None and "## Resolution" not in said.texts["acme/app/issues/1"]


async def test_moved_issues_leave(world: World, site: Site, tmp_path: Path):
    world.things[1]["moved_to_id"] = 55
    assert set((await hear(world.open(site, tmp_path))).items) == {"acme/app/issues/2"}
