"""OpenAPI and Swagger documents: every operation is a document of its own, short enough to be one chunk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, cast

import yaml
from pydantic import Field

from firstline.connectors.hashing import content_hash
from firstline.connectors.http import HttpReply, shown_url
from firstline.connectors.kind import Opening, Place, PlacedConfig, SourceKind
from firstline.connectors.operations import Api, Operation, api_of
from firstline.domain import Alert, Change, Complete, Cursor, SourceItem
from firstline.errors import InvalidInput, NotAccepted

YAML_BYTES_MAX: Final = 16 * 1024 * 1024


class OpenApiConfig(PlacedConfig):
    place: Place = Field(description="The address or file of the OpenAPI document, JSON or YAML.")
    link: str = Field("", description="Address of an operation's page, with {operation} (its id) in it.")


class OpenApiSource:
    """Implements `ports.Incremental`. Item ids are the source's name, method and path: `api/GET /pets/{id}`."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("OpenApiConfig", opening.config)

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        if self._config.reads_this_machine:
            raw, place = await asyncio.to_thread(_read, Path(self._config.place), self._opening.bytes_max), ""
        else:
            reply = await self._fetched(cursor)
            if reply.unchanged:
                return
            if reply.media_type == "text/html":
                yield Alert(said=f"{shown_url(reply.url)} answers with a web page: a login or error page.")
                return
            raw, place = reply.body, json.dumps([reply.etag, reply.modified])
        api = await asyncio.to_thread(lambda: api_of(_loaded(raw)))
        if api.overview:
            yield self._item(api, "overview", api.title, api.overview, {}, None)
        for operation in api.operations:
            yield self._operation(api, operation)
        yield Complete(prefix=f"{self._opening.name}/")
        if place != json.dumps(["", ""]):
            yield Cursor(value=place)

    async def _fetched(self, cursor: str | None) -> HttpReply:
        token = self._opening.secret(self._config.token)
        secret = {"Authorization": f"Bearer {token}"} if token else {}
        etag, modified = _validators(cursor)
        async with self._opening.http(self._config.place, secret_headers=secret) as http:
            return await http.get(self._config.place, etag=etag, modified=modified)

    def _operation(self, api: Api, operation: Operation) -> SourceItem:
        link = self._config.link.replace("{operation}", operation.operation_id) if operation.operation_id else ""
        told = {
            "method": operation.method,
            "path": operation.path,
            "operation_id": operation.operation_id,
            "tags": ", ".join(operation.tags),
        }
        name = f"{operation.method} {operation.path}".replace("#", "%23")
        url = link or operation.link or None
        return self._item(api, name, operation.title, operation.text, told, url)

    def _item(self, api: Api, name: str, title: str, text: str, told: dict[str, str], url: str | None) -> SourceItem:
        access = self._opening.access
        told = {"api": api.title, "api_version": api.version, **told}
        return content_hash(
            SourceItem(
                item_id=f"{self._opening.name}/{name}",
                kind=access.kind,
                media_type="text/markdown",
                raw=text.encode("utf-8", "replace"),
                title=title,
                url=url,
                metadata={**{key: value for key, value in told.items() if value}, **access.metadata(title)},
                acl=access.acl,
                level=access.level,
            )
        )


def _read(path: Path, bytes_max: int) -> bytes:
    if not path.is_file():
        raise InvalidInput(f"There is no file at {path}.", remedy="Check that it is there; nothing was removed.")
    with path.open("rb") as file:
        raw = file.read(bytes_max + 1)
    if len(raw) > bytes_max:
        raise NotAccepted(f"{path} is too large.", remedy="Split it, or raise the setting `file_bytes_max`.")
    return raw


def _loaded(raw: bytes) -> Any:
    try:
        if raw.lstrip()[:1] == b"{":
            return json.loads(raw)
        if len(raw) > YAML_BYTES_MAX:
            raise NotAccepted("It is too large for YAML.", remedy="Give it as JSON.")
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return yaml.load(raw, Loader=loader)  # noqa: S506 (a safe loader, in C where there is one)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise InvalidInput(
            "It is neither JSON nor YAML.", remedy="Check the address of the source; nothing was removed."
        ) from error


def _validators(cursor: str | None) -> tuple[str, str]:
    try:
        etag, modified = json.loads(cursor or "")
    except (ValueError, TypeError):
        return "", ""
    return (etag, modified) if isinstance(etag, str) and isinstance(modified, str) else ("", "")


KIND = SourceKind(
    name="openapi",
    says="The operations of an OpenAPI or Swagger document.",
    config=OpenApiConfig,
    open=OpenApiSource,
    main="place",
)
