"""Small vendors: each answers as its API documentation says, from what is in its lists. Tests change the lists."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from opened import opened
from site_server import Asked, Says, Site, said_json

from firstline.domain import Level
from firstline.ports import Incremental

SECRET = "a-secret-of-the-tests"
BEGAN = 1_700_000_000
MINE = "/repos/acme/app"
FRESHDESK_PAGES = 300


def iso(second: int) -> str:
    return datetime.fromtimestamp(BEGAN + second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def epoch(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@dataclass(kw_only=True)
class World:
    """`things` by number; `listing` is the path of the main list. `key` names a thing's document."""

    kind: str
    listing: str
    page_names: tuple[str, ...]
    things: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    key: Callable[[int], str] = str
    install: Callable[[World, Site], None] = lambda world, site: None
    edit: Callable[[World, int, str, int], None] = lambda world, number, said, at: None
    drop: Callable[[World, int], object] = lambda world, number: None
    say: Callable[[int, str], dict[str, Any]] = lambda number, said: {}
    level: Level = Level.PUBLIC
    late: float = 0.0

    def open(self, site: Site, folder: Path, **options: Any) -> Incremental:
        level = options.pop("level", self.level)
        given: dict[str, Any] = {
            "url": site.url,
            "allow_private": True,
            "token": "env:VENDOR_TOKEN",
            "pace_s": 0,
            **self.options,
        }
        return opened(self.kind, folder, level=level, **{**given, **options})

    def small_pages(self, monkeypatch: pytest.MonkeyPatch, size: int = 2) -> None:
        monkeypatch.setenv("VENDOR_TOKEN", SECRET)
        for name in self.page_names:
            monkeypatch.setattr(f"firstline.connectors.{name}", size)


def numbered(found: list[Any], asked: Asked, *, first: int = 1) -> list[Any]:
    size, page = int(asked.query["per_page"]), int(asked.query.get("page", first))
    return found[(page - first) * size : (page - first + 1) * size]


# --- Zendesk -------------------------------------------------------------------------------------------------------


def zendesk() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        comment = {"author_id": 1, "public": True, "html_body": f"<p>{said}</p>", "created_at": iso(0)}
        reply = {"author_id": 2, "public": True, "html_body": f"<p>Fix {number}</p>", "created_at": iso(1)}
        return {
            "id": number, "subject": f"Ticket {number}", "status": "solved", "requester_id": 1, "tags": ["crash"],
            "custom_fields": [{"id": 77, "value": "pumps"}], "updated_at": iso(number),
            "generated_timestamp": BEGAN + number, "comments": [comment, reply],
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def export(asked: Asked) -> Says:
            cursor = asked.query.get("cursor", "")
            if cursor and not cursor.startswith("c"):
                return said_json({"error": "InvalidCursor"}, status=400)
            start = tuple(map(int, cursor[1:].split("-"))) if cursor else (int(asked.query["start_time"]), -1)
            ordered = sorted(world.things.values(), key=lambda each: (each["generated_timestamp"], each["id"]))
            left = [each for each in ordered if (each["generated_timestamp"], each["id"]) > start]
            page = left[: int(asked.query["per_page"])]
            last = (page[-1]["generated_timestamp"], page[-1]["id"]) if page else start
            shown = [{name: value for name, value in each.items() if name != "comments"} for each in page]
            told = {"tickets": shown, "after_cursor": f"c{last[0]}-{last[1]}", "end_of_stream": len(page) == len(left)}
            return said_json(told)

        def comments(asked: Asked) -> Says:
            number = int(asked.path.split("/")[4])
            if world.things.get(number, {}).get("status", "deleted") == "deleted":
                return said_json({"error": "RecordNotFound"}, status=404)
            users = [{"id": 1, "role": "end-user"}, {"id": 2, "role": "agent"}]
            told = {"comments": world.things[number]["comments"], "users": users, "meta": {"has_more": False}}
            return said_json(told)

        def other(asked: Asked) -> Says:
            if asked.path.endswith("/comments.json"):
                return comments(asked)
            if asked.path.startswith("/api/v2/tickets/"):
                found = world.things.get(int(asked.path.split("/")[4].removesuffix(".json")))
                return said_json({"ticket": found}) if found else said_json({"error": "RecordNotFound"}, status=404)
            return Says(status=404)

        site.routes[world.listing] = export
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "updated_at": iso(at), "generated_timestamp": BEGAN + at}

    def drop(world: World, number: int) -> None:
        world.things[number] |= {"status": "deleted", "generated_timestamp": BEGAN + 5_000}

    return World(
        kind="zendesk", listing="/api/v2/incremental/tickets/cursor.json",
        page_names=("zendesk.source.TICKETS_PER_PAGE",), options={"content": ["tickets"], "email": "a@example.com"},
        key=lambda number: f"tickets/{number}", install=install, edit=edit, drop=drop, say=say,
    )  # fmt: skip


# --- Freshdesk -----------------------------------------------------------------------------------------------------


def freshdesk() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        talk = [
            {"id": 1, "incoming": False, "private": False, "body": f"<p>Fix {number}</p>", "created_at": iso(1)},
        ]
        return {
            "id": number, "subject": f"Ticket {number}", "status": 4, "description": f"<p>{said}</p>",
            "custom_fields": {"cf_product": "pumps"}, "tags": ["crash"], "updated_at": iso(number), "talk": talk,
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def tickets(asked: Asked) -> Says:
            if int(asked.query["page"]) > FRESHDESK_PAGES:
                return said_json({"errors": [{"field": "page"}]}, status=400)
            gone = asked.query.get("filter", "")
            since = epoch(asked.query.get("updated_since", iso(-BEGAN)))
            found = [
                each for each in world.things.values()
                if bool(each.get("deleted")) == (gone == "deleted")
                and gone != "spam" and not each.get("archived") and epoch(each["updated_at"]) >= since
            ]  # fmt: skip
            found.sort(key=lambda each: (each["updated_at"], each["id"]), reverse=bool(gone))
            return said_json(numbered(found, asked))

        def other(asked: Asked) -> Says:
            parts = asked.path.split("/")
            number = int(parts[5] if parts[4] == "archived" else parts[4])
            found = world.things.get(number)
            if found is None or bool(found.get("archived")) != (parts[4] == "archived"):
                return said_json({"message": "not found"}, status=404)
            return said_json(numbered(found["talk"], asked) if asked.path.endswith("/conversations") else found)

        site.routes[world.listing] = tickets
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "updated_at": iso(at)}

    def drop(world: World, number: int) -> None:
        world.things[number] |= {"deleted": True, "updated_at": iso(5_000)}

    return World(
        kind="freshdesk", listing="/api/v2/tickets", page_names=("freshdesk.source.PAGE",),
        options={"content": ["tickets"]}, key=lambda number: f"tickets/{number}", install=install, edit=edit,
        drop=drop, say=say,
    )  # fmt: skip


# --- Intercom ------------------------------------------------------------------------------------------------------


def intercom() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        part = {
            "part_type": "comment", "body": f"<p>Fix {number}</p>", "author": {"type": "admin"}, "created_at": BEGAN,
        }  # fmt: skip
        return {
            "id": str(number), "title": f"Talk {number}", "state": "closed", "updated_at": BEGAN + number,
            "source": {"body": f"<p>{said}</p>", "author": {"type": "user"}},
            "conversation_parts": {"conversation_parts": [part]}, "custom_attributes": {"Product line": "pumps"},
            "tags": {"tags": [{"name": "crash"}]},
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def search(asked: Asked) -> Says:
            body = asked.json()
            size, after = body["pagination"]["per_page"], body["pagination"].get("starting_after", "")
            start = tuple(json.loads(base64.b64decode(after))) if after else (0, 0)
            found = sorted((each["updated_at"], int(each["id"])) for each in world.things.values())
            # By the day, as the documentation of its search says of dates.
            day = body["query"]["value"] // 86_400
            left = [each for each in found if each > start and each[0] // 86_400 > day]
            page = left[:size]
            told: dict[str, Any] = {
                "type": "conversation.list",
                "conversations": [
                    {name: value for name, value in world.things[number].items() if name != "conversation_parts"}
                    for _, number in page
                ],
                "pages": {"type": "pages"},
            }
            if len(page) < len(left):
                following = base64.b64encode(json.dumps(page[-1]).encode()).decode()
                told["pages"]["next"] = {"starting_after": following}
            return said_json(told)

        def other(asked: Asked) -> Says:
            found = world.things.get(int(asked.path.rpartition("/")[2]))
            return said_json(found) if found else said_json({"type": "error.list"}, status=404)

        site.routes[world.listing] = search
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "updated_at": BEGAN + at}

    return World(
        kind="intercom", listing="/conversations/search", page_names=("intercom.source.PER_PAGE",),
        options={"content": ["conversations"], "sweep_s": 60}, key=lambda number: f"conversations/{number}",
        install=install, edit=edit, drop=lambda world, number: world.things.pop(number), say=say, late=61.0,
    )  # fmt: skip


# --- GitHub --------------------------------------------------------------------------------------------------------


def github() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        comments = [{"body": f"Fix {number}", "author_association": "MEMBER", "user": {"type": "User"}}]
        return {
            "number": number, "title": f"Issue {number}", "state": "closed", "state_reason": "completed",
            "body": said, "updated_at": iso(number), "labels": [{"name": "bug"}], "comments": 1,
            "html_url": f"https://git.example/{number}", "said": comments,
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def issues(asked: Asked) -> Says:
            since = epoch(asked.query["since"])
            found = [each for each in world.things.values() if epoch(each["updated_at"]) >= since]
            found.sort(key=lambda each: (each["updated_at"], each["number"]))
            return said_json(numbered(found, asked))

        def other(asked: Asked) -> Says:
            if not asked.path.endswith("/comments"):
                return said_json({"message": "Not Found"}, status=404)
            found = world.things.get(int(asked.path.split("/")[5]))
            return said_json(found["said"]) if found else said_json({"message": "Not Found"}, status=404)

        site.routes[MINE] = said_json({"private": False, "full_name": "acme/app"})
        site.routes[world.listing] = issues
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "updated_at": iso(at)}

    return World(
        kind="github", listing=f"{MINE}/issues", page_names=("github.source.PAGE",),
        options={"repos": ["acme/app"], "sweep_s": 60}, key=lambda number: f"acme/app/issues/{number}",
        install=install, edit=edit, drop=lambda world, number: world.things.pop(number), say=say, late=61.0,
    )  # fmt: skip


# --- GitLab --------------------------------------------------------------------------------------------------------


def gitlab() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        notes = [
            {"body": "changed the milestone", "system": True, "author": {"id": 9}, "internal": False},
            {"body": f"Fix {number}", "system": False, "author": {"id": 9}, "internal": False},
        ]
        return {
            "iid": number, "title": f"Issue {number}", "state": "closed", "description": said, "confidential": False,
            "updated_at": iso(number), "labels": ["bug"], "web_url": f"https://lab.example/{number}", "notes": notes,
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def issues(asked: Asked) -> Says:
            since = epoch(asked.query["updated_after"])
            found = [each for each in world.things.values() if epoch(each["updated_at"]) >= since]
            found.sort(key=lambda each: (each["updated_at"], each["iid"]))
            return said_json(numbered(found, asked))

        def other(asked: Asked) -> Says:
            parts = asked.path.split("/")
            if parts[-1] != "notes":
                return said_json({"message": "404 Not found"}, status=404)
            found = world.things.get(int(parts[-2]))
            return said_json(numbered(found["notes"], asked)) if found else said_json({}, status=404)

        project = "/api/v4/projects/acme%2Fapp"
        site.routes[project] = said_json({"visibility": "public", "issues_access_level": "enabled"})
        site.routes[f"{project}/members/all"] = said_json([{"id": 9, "access_level": 40}])
        site.routes[world.listing] = issues
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "updated_at": iso(at)}

    return World(
        kind="gitlab", listing="/api/v4/projects/acme%2Fapp/issues", page_names=("gitlab.source.PAGE",),
        options={"projects": ["acme/app"], "sweep_s": 60}, key=lambda number: f"acme/app/issues/{number}",
        install=install, edit=edit, drop=lambda world, number: world.things.pop(number), say=say, late=61.0,
    )  # fmt: skip


# --- Discourse -----------------------------------------------------------------------------------------------------


def discourse() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        posts = [
            {"id": number * 10, "post_number": 1, "user_id": 1, "post_type": 1, "cooked": f"<p>{said}</p>"},
            {
                "id": number * 10 + 1, "post_number": 2, "user_id": 2, "post_type": 1, "staff": True,
                "cooked": f"<p>Fix {number}</p>", "accepted_answer": True,
            },
        ]  # fmt: skip
        return {
            "id": number, "title": f"Topic {number}", "slug": f"topic-{number}", "category_id": 5, "tags": ["crash"],
            "created_at": iso(number), "bumped_at": iso(number), "posts_count": 2, "has_accepted_answer": True,
            "archetype": "regular", "visible": True, "posts": posts,
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def latest(asked: Asked) -> Says:
            found = sorted(world.things.values(), key=lambda each: each["created_at"])
            page = int(asked.query["page"])
            shown = [{name: value for name, value in each.items() if name != "posts"} for each in found]
            listing: dict[str, Any] = {"topics": shown[page * 2 : page * 2 + 2]}
            if page * 2 + 2 < len(shown):
                listing["more_topics_url"] = f"/latest?page={page + 1}"
            return said_json({"topic_list": listing})

        def other(asked: Asked) -> Says:
            number = int(asked.path.split("/")[2].removesuffix(".json"))
            found = world.things.get(number)
            if found is None:
                return said_json({"error_type": "not_found"}, status=404)
            posts = found["posts"] if asked.path.endswith("posts.json") else found["posts"][:1]
            stream = {"posts": posts, "stream": [post["id"] for post in found["posts"]]}
            return said_json({**found, "post_stream": stream})

        site.routes["/site.json"] = said_json(
            {"categories": [{"id": 5, "name": "Help", "slug": "help", "read_restricted": False}]}
        )
        site.routes[world.listing] = latest
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "bumped_at": iso(at)}

    return World(
        kind="discourse", listing="/latest.json", page_names=("discourse.source.POSTS_PER_ASK",), options={},
        key=lambda number: f"topics/{number}", install=install, edit=edit,
        drop=lambda world, number: world.things.pop(number), say=say,
    )  # fmt: skip


# --- Confluence ----------------------------------------------------------------------------------------------------

OPEN_TO_ALL: dict[str, Any] = {"read": {"restrictions": {"user": {"results": []}, "group": {"results": []}}}}


def confluence() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        return {
            "id": str(number), "type": "page", "status": "current", "title": f"Page {number}",
            "version": {"number": 1, "when": iso(number)}, "ancestors": [], "space": {"key": "DOC"},
            "metadata": {"labels": {"results": [{"name": "howto"}]}}, "restrictions": OPEN_TO_ALL,
            "_links": {"webui": f"/spaces/DOC/pages/{number}"}, "storage": f"<p>{said}</p>",
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def search(asked: Asked) -> Says:
            start, size = int(asked.query.get("start", "0")), 2
            found = [world.things[number] for number in sorted(world.things)]
            shown = [{name: value for name, value in each.items() if name != "storage"} for each in found]
            links = {"base": site.url}
            if start + size < len(found):
                links["next"] = f"/rest/api/content/search?start={start + size}"
            return said_json({"results": shown[start : start + size], "_links": links})

        def other(asked: Asked) -> Says:
            found = world.things.get(int(asked.path.split("/")[4]))
            if found is None:
                return said_json({"message": "No content"}, status=404)
            return said_json({**found, "body": {"storage": {"value": found["storage"]}}})

        site.routes[world.listing] = search
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "version": {"number": at, "when": iso(at)}}

    return World(
        kind="confluence", listing="/rest/api/content/search", page_names=(), options={"email": "a@example.com"},
        key=lambda number: f"pages/{number}", install=install, edit=edit,
        drop=lambda world, number: world.things.pop(number), say=say,
    )  # fmt: skip


# --- Notion --------------------------------------------------------------------------------------------------------


def rich(said: str, **more: Any) -> list[dict[str, Any]]:
    return [{"plain_text": said, "annotations": {}, **more}]


def notion() -> World:
    def say(number: int, said: str) -> dict[str, Any]:
        return {
            "object": "page", "id": str(number), "last_edited_time": iso(number), "parent": {"type": "workspace"},
            "url": f"https://notes.example/{number}",
            "properties": {"Name": {"type": "title", "title": rich(f"Page {number}")}},
            "blocks": [{"id": f"{number}-b", "type": "paragraph", "paragraph": {"rich_text": rich(said)}}],
        }  # fmt: skip

    def install(world: World, site: Site) -> None:
        def paged(found: list[Any], start: str) -> Says:
            at = int(start or "0")
            more = at + 2 < len(found)
            told = {"results": found[at : at + 2], "has_more": more, "next_cursor": str(at + 2) if more else None}
            return said_json(told)

        def search(asked: Asked) -> Says:
            found = sorted(world.things.values(), key=lambda each: (each["last_edited_time"], each["id"]))
            return paged(found, asked.json().get("start_cursor", ""))

        def other(asked: Asked) -> Says:
            parts = asked.path.split("/")
            found = world.things.get(int(parts[3].split("-")[0]))
            if found is None:
                return said_json({"code": "object_not_found"}, status=404)
            if parts[2] == "pages":
                return said_json(found)
            if parts[2] == "databases":
                rows = [each for each in world.things.values() if each["parent"].get("database_id") == parts[3]]
                return paged(rows, asked.json().get("start_cursor", ""))
            inside = [each for each in found["blocks"] if each.get("under", parts[3].split("-")[0]) == parts[3]]
            return paged(inside, asked.query.get("start_cursor", ""))

        site.routes[world.listing] = search
        site.otherwise = other

    def edit(world: World, number: int, said: str, at: int) -> None:
        world.things[number] = {**world.say(number, said), "last_edited_time": iso(at)}

    return World(
        kind="notion", listing="/v1/search", page_names=(), options={}, key=lambda number: f"pages/{number}",
        install=install, edit=edit, drop=lambda world, number: world.things.pop(number), say=say,
    )  # fmt: skip


WORLDS: dict[str, Callable[[], World]] = {
    "zendesk": zendesk,
    "freshdesk": freshdesk,
    "intercom": intercom,
    "github": github,
    "gitlab": gitlab,
    "discourse": discourse,
    "confluence": confluence,
    "notion": notion,
}


def world_of(name: str, monkeypatch: pytest.MonkeyPatch, site: Site, *, things: int = 5) -> World:
    """Its things say "Problem NUMBER" and "Fix NUMBER"; two on a page."""
    world = WORLDS[name]()
    world.small_pages(monkeypatch)
    for number in range(1, things + 1):
        world.things[number] = world.say(number, f"Problem {number}")
    world.install(world, site)
    return world
