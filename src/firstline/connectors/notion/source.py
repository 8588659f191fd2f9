"""Notion over its API: what was shared with the integration is listed, what was edited is read block by block."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, cast

from pydantic import Field

from firstline.connectors.http import HttpClient
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.notion.markdown import Block, blocks_markdown, properties, rich, table, title_of
from firstline.connectors.vendors.answers import Json, ask, inner, record, records, text
from firstline.connectors.vendors.following import Entry, follow_stamps, known_of, place_of, stamp_of
from firstline.connectors.vendors.item import Making, moment
from firstline.connectors.vendors.paging import place_after
from firstline.domain import Change, Cursor, Removed
from firstline.errors import Forbidden, NotAccepted, NotFound

API_VERSION: Final = "2022-06-28"
PAGE: Final = 100
PAGES_MAX: Final = 10_000
BLOCKS_MAX: Final = 20_000
DEPTH_MAX: Final = 12
ROWS_MAX: Final = 2_000
REQUEST_COST: Final = 10
"""Blocks that a request counts for: a page of many small lists inside each other is bounded in time, too."""
MINUTE_S: Final = 120.0
"""Its times are to the minute: what was edited just now may be edited once more at the same time."""
_OWN: Final = frozenset({"child_page", "child_database"})


class NotionConfig(WebConfig):
    url: WebAddress = Field("https://api.notion.com", description="The API.")
    token: SecretRef = Field("", description="Where the integration's token is: env:NAME or file:PATH.")
    databases: bool = Field(True, description="Take databases, each as one table.")
    fields: dict[str, str] = Field(
        default_factory=dict[str, str], description="Properties by the name they get: product=Product line."
    )
    pace_s: float = Field(
        0.34, ge=0, le=600, description="Least time between two requests: three a second are allowed."
    )


class NotionSource:
    """Implements `ports.Incremental`. Ids: `NAME/pages/ID`, `NAME/databases/ID`. The cursor keeps when each was last
    edited."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("NotionConfig", opening.config)
        self._making = Making(opening=opening)
        self._api = f"{self._config.url.rstrip('/')}/v1"

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        token = self._opening.secret(self._config.token)
        async with self._opening.http(
            self._config.url,
            headers={"Notion-Version": API_VERSION},
            secret_headers={"Authorization": f"Bearer {token}"} if token else {},
        ) as http:

            async def read(entry: Entry) -> Sequence[Change]:
                found = entry.data["of"]
                change = await (
                    self._database(http, found) if text(found, "object") == "database" else self._page(http, found)
                )
                return [change]

            async def still(key: str) -> bool:
                return await self._still(http, key)

            async for change in follow_stamps(
                self._entries(http),
                read,
                name=self._opening.name,
                prefix=f"{self._opening.name}/",
                known=known_of(place_of(cursor).get("known")),
                still=still,
            ):
                if isinstance(change, dict):
                    yield Cursor(value=json.dumps({"known": change}, separators=(",", ":")))
                else:
                    yield cast("Change", change)

    async def _entries(self, http: HttpClient) -> AsyncIterator[Entry]:
        listed = [each async for each in self._listed(http)]
        # A database's own date says nothing of its rows.
        rows: dict[str, list[str]] = {}
        for each in listed:
            parent = text(inner(each, "parent"), "database_id")
            if parent and not _gone(each):
                rows.setdefault(parent, []).append(f"{text(each, 'id')} {text(each, 'last_edited_time')}")
        now = time.time()
        for each in listed:
            number, edited = text(each, "id"), text(each, "last_edited_time")
            database = text(each, "object") == "database"
            inside = sorted(rows.get(number, []))
            late = max([moment(edited), *(moment(row.partition(" ")[2]) for row in inside)])
            yield Entry(
                key=f"{'databases' if database else 'pages'}/{number}",
                stamp="" if now - late < MINUTE_S else stamp_of(edited, inside),
                aside=_gone(each) or (database and not self._config.databases),
                data={"of": each},
            )

    async def _listed(self, http: HttpClient) -> AsyncIterator[Json]:
        after = ""
        for _ in range(PAGES_MAX):
            asked: dict[str, Any] = {
                "page_size": PAGE,
                "sort": {"timestamp": "last_edited_time", "direction": "ascending"},
                **({"start_cursor": after} if after else {}),
            }
            answer, _ = await ask(http, f"{self._api}/search", data=asked)
            for each in records(answer, "results", "The search"):
                if text(each, "id") and text(each, "object") in ("page", "database"):
                    yield each
            after = _next(answer, after)
            if not after:
                return

    async def _page(self, http: HttpClient, page: Json) -> Change:
        number, title = text(page, "id"), title_of(page)
        blocks, left = await self._blocks(http, number, 0, [BLOCKS_MAX])
        if left:
            raise NotAccepted(f"It has more than {BLOCKS_MAX:,} blocks.", remedy="Split the page.")
        body = blocks_markdown(blocks)
        told = properties(page)
        if not body.strip():
            # A row with nothing in it but its properties stands in the table of its database.
            return Removed(item_id=self._making.item_id(f"pages/{number}"))
        lines = [f"- {name}: {' '.join(value.split())}" for name, value in told.items()]
        listed = "\n".join(lines) + "\n\n" if lines else ""
        return self._item(f"pages/{number}", page, title, f"# {title or 'Untitled'}\n\n{listed}{body}", told)

    async def _database(self, http: HttpClient, database: Json) -> Change:
        number, title = text(database, "id"), title_of(database)
        rows: list[Json] = []
        after = ""
        for _ in range(PAGES_MAX):
            if len(rows) >= ROWS_MAX:
                break
            asked = {"page_size": PAGE, **({"start_cursor": after} if after else {})}
            answer, _ = await ask(http, f"{self._api}/databases/{number}/query", data=asked)
            rows.extend(row for row in records(answer, "results", "The database") if not _gone(row))
            after = _next(answer, after)
            if not after:
                break
        if not rows:
            return Removed(item_id=self._making.item_id(f"databases/{number}"))
        names = [name for name, value in inner(database, "properties").items() if not _is_title(value)]
        told = [properties(row) for row in rows]
        names = [name for name in names if any(name in each for each in told)]
        lines = table([
            ["Title", *names],
            *([title_of(row), *(each.get(name, "") for name in names)] for row, each in zip(rows, told, strict=True)),
        ])  # fmt: skip
        described = rich(database.get("description"))
        parts = [f"# {title or 'Untitled'}", described, "\n".join(lines)]
        if after:
            parts.append(f"The first {ROWS_MAX:,} rows.")
        return self._item(
            f"databases/{number}", database, title, "\n\n".join(part for part in parts if part) + "\n", {}
        )

    def _item(self, key: str, found: Json, title: str, body: str, told: dict[str, str]) -> Change:
        public = text(found, "public_url")
        return self._making.item(
            key,
            media_type="text/markdown",
            raw=body.encode("utf-8", "replace"),
            title=title or "Untitled",
            url=public or text(found, "url"),
            fields={
                **{name: told.get(field, "") for name, field in self._config.fields.items()},
                "updated_at": text(found, "last_edited_time"),
            },
            access=self._opening.access,
        )

    async def _blocks(self, http: HttpClient, number: str, depth: int, budget: list[int]) -> tuple[list[Block], bool]:
        """(blocks with those inside them, whether some were left out). `budget[0]` is how many may still be read."""
        found: list[Block] = []
        after = ""
        for _ in range(PAGES_MAX):
            asked = {"page_size": str(PAGE), **({"start_cursor": after} if after else {})}
            budget[0] -= REQUEST_COST
            answer, _ = await ask(http, f"{self._api}/blocks/{number}/children", params=asked)
            for data in records(answer, "results", "The blocks"):
                budget[0] -= 1
                if budget[0] < 0:
                    return found, True
                inside: list[Block] = []
                if data.get("has_children") is True and text(data, "type") not in _OWN and depth < DEPTH_MAX:
                    inside, left = await self._blocks(http, _children_of(data), depth + 1, budget)
                    if left:
                        return found, True
                found.append(Block(data=data, inside=inside))
            after = _next(answer, after)
            if not after:
                break
        return found, False

    async def _still(self, http: HttpClient, key: str) -> bool:
        """Its search is not promised to be complete: what is missing is asked for."""
        if key.startswith("databases/") and not self._config.databases:
            return False
        try:
            answer, _ = await ask(http, f"{self._api}/{key}")
        except (NotFound, Forbidden):
            return False
        return not _gone(record(answer, key))


def _children_of(block: Json) -> str:
    """A block that shows another one's content holds it there."""
    if text(block, "type") != "synced_block":
        return text(block, "id")
    return text(inner(block, "synced_block", "synced_from"), "block_id") or text(block, "id")


def _gone(found: Json) -> bool:
    return any(found.get(name) is True for name in ("in_trash", "archived"))


def _is_title(value: object) -> bool:
    return isinstance(value, dict) and text(cast("Json", value), "type") == "title"


def _next(answer: object, before: str) -> str:
    told = cast("Json", answer)
    return place_after(before, text(told, "next_cursor"), more=told.get("has_more") is True, where="Notion")


KIND = SourceKind(name="notion", says="Pages and databases of Notion.", config=NotionConfig, open=NotionSource)
