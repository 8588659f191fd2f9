"""Tickets and articles as CSV, JSONL or JSON, from an address or a file: every row is a document.

`connectors/table.py` lists the columns. An address may give its rows in pages: the Link header names the next one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final, Literal, cast

from pydantic import Field

from firstline.connectors.charset import Notice
from firstline.connectors.http import HttpClient, HttpReply, shown_url
from firstline.connectors.kind import Opening, Place, PlacedConfig, SourceKind
from firstline.connectors.table import table_items
from firstline.domain import Alert, Change, Complete, Cursor, Failure, SourceItem
from firstline.errors import InvalidInput, NotAccepted

PAGES_MAX: Final = 10_000
FORMATS: Final = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json"}
TYPES: Final = {"csv": "text/csv", "jsonl": "application/jsonl", "json": "application/jsonl"}
_BY_MEDIA_TYPE: Final = {
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/x-jsonlines": "jsonl",
    "application/ndjson": "jsonl",
    "application/json": "json",
}


class TableConfig(PlacedConfig):
    place: Place = Field(description="The address or file of the table.")
    format: Literal["", "csv", "jsonl", "json"] = Field(
        "", description="csv, jsonl or json; empty: by its type or name."
    )
    map: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other column names: text=Description,title=Summary."
    )


class TableSource:
    """Implements `ports.Incremental`. The whole table is read when it has changed; rows that are gone are removed."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("TableConfig", opening.config)

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        if self._config.reads_this_machine:
            path = Path(self._config.place)
            await asyncio.to_thread(_check, path, self._opening.bytes_max)
            async for change in self._rows(path, self._format("", path.name), page=1):
                yield change
            yield Complete(prefix=f"{self._opening.name}/")
            return
        token = self._opening.secret(self._config.token)
        secret = {"Authorization": f"Bearer {token}"} if token else {}
        async with self._opening.http(self._config.place, secret_headers=secret) as http:
            async for change in self._pages(http, cursor):
                yield change

    async def _pages(self, http: HttpClient, cursor: str | None) -> AsyncIterator[Change]:
        etag, modified = _validators(cursor)
        first = reply = await http.get(self._config.place, etag=etag, modified=modified)
        if first.unchanged:
            return
        asked: set[str] = set()
        while True:
            if reply.media_type == "text/html":
                yield Alert(
                    said=f"{shown_url(reply.url)} answers with a web page, not with a table: a login or error page."
                )
                return
            asked.add(reply.url)
            async for change in self._page(reply, len(asked)):
                yield change
            url = reply.link("next")
            if not url:
                break
            if url in asked or len(asked) >= PAGES_MAX:
                yield Alert(said=f"Its pages go round in a circle, or are more than {PAGES_MAX:,}.")
                return
            reply = await http.get(url)
        yield Complete(prefix=f"{self._opening.name}/")
        # With several pages the first says nothing of the others.
        if len(asked) == 1 and (first.etag or first.modified):
            yield Cursor(value=json.dumps([first.etag, first.modified]))

    async def _page(self, reply: HttpReply, page: int) -> AsyncIterator[Change]:
        folder = self._opening.folder
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        path = folder / "page"
        await asyncio.to_thread(path.write_bytes, reply.body)
        try:
            async for change in self._rows(path, self._format(reply.media_type, reply.url.split("?")[0]), page=page):
                yield change
        finally:
            await asyncio.to_thread(path.unlink, missing_ok=True)

    async def _rows(self, path: Path, form: str, *, page: int) -> AsyncIterator[Change]:
        lines = path
        if form == "json":
            lines = await asyncio.to_thread(_as_lines, path, self._opening.folder)
        rows: Iterator[SourceItem | Failure | Notice] = table_items(
            lines,
            f"{self._opening.name}/rows",
            media_type=TYPES[form],
            access=self._opening.access,
            columns=self._config.map,
        )
        try:
            while (row := await asyncio.to_thread(next, rows, None)) is not None:
                if isinstance(row, SourceItem):
                    yield row
                elif isinstance(row, Failure):
                    yield Failure(item_id=_on_page(row.item_id, page), reason=row.reason)
        finally:
            if lines != path:
                await asyncio.to_thread(lines.unlink, missing_ok=True)

    def _format(self, media_type: str, name: str) -> str:
        found = self._config.format or FORMATS.get(Path(name).suffix.lower(), "") or _BY_MEDIA_TYPE.get(media_type, "")
        if not found:
            raise InvalidInput(
                f"It is not told whether {self._opening.name!r} is CSV, JSONL or JSON.",
                remedy="Add --set format=csv, jsonl or json.",
            )
        return found


def _check(path: Path, bytes_max: int) -> None:
    if not path.is_file():
        raise InvalidInput(
            f"There is no file at {path}.", remedy="Check that it is there and readable; nothing was removed."
        )
    if path.stat().st_size > bytes_max:
        raise NotAccepted(f"{path} is too large.", remedy="Split it, or raise the setting `file_bytes_max`.")


def _as_lines(path: Path, folder: Path) -> Path:
    """A JSON array of rows, or an object that holds one, as JSONL."""
    try:
        value: object = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InvalidInput("It is not valid JSON.", remedy="Check the address; nothing was removed.") from error
    if isinstance(value, dict):
        lists: list[object] = [part for part in cast("dict[str, object]", value).values() if isinstance(part, list)]
        value = lists[0] if len(lists) == 1 else cast("object", value)
    if not isinstance(value, list):
        raise InvalidInput(
            "It is no list of rows, and holds no single one.", remedy="Give an address that answers with a JSON list."
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lines = folder / "rows"
    with lines.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in cast("list[object]", value))
    return lines


def _on_page(item_id: str, page: int) -> str:
    return item_id if page == 1 else item_id.replace("#line ", f"#page {page}, line ", 1)


def _validators(cursor: str | None) -> tuple[str, str]:
    try:
        etag, modified = json.loads(cursor or "")
    except (ValueError, TypeError):
        return "", ""
    return (etag, modified) if isinstance(etag, str) and isinstance(modified, str) else ("", "")


KIND = SourceKind(
    name="table", says="Tickets or articles as CSV, JSONL or JSON.", config=TableConfig, open=TableSource, main="place"
)
