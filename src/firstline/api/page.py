"""The chat page and the API's own documentation: a handful of static files, read once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Final

from fastapi import APIRouter, Header
from fastapi.responses import Response

from firstline.errors import NotFound

MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _File:
    data: bytes
    media_type: str
    etag: str


def page_router() -> APIRouter:
    found = _read_all()
    router = APIRouter(include_in_schema=False)

    def respond(name: str, known_etag: str | None) -> Response:
        file = found.get(name)
        if file is None:
            raise NotFound("There is no such file.", remedy="Reload the page; / is the chat.")
        headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
        if known_etag == file.etag:
            return Response(status_code=304, headers=headers)
        return Response(file.data, media_type=file.media_type, headers=headers)

    @router.api_route("/", methods=["GET", "HEAD"])
    async def chat(if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond("index.html", if_none_match)

    @router.api_route("/docs", methods=["GET", "HEAD"])
    async def docs(if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond("docs.html", if_none_match)

    @router.api_route("/static/{name}", methods=["GET", "HEAD"])
    async def static(name: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond(name, if_none_match)

    # Registered by decoration above; named here so that readers see what there is.
    _ = (chat, docs, static)
    return router


def _read_all() -> dict[str, _File]:
    found: dict[str, _File] = {}
    for entry in files("firstline.api").joinpath("static").iterdir():
        suffix = entry.name[entry.name.rfind(".") :]
        if suffix in MEDIA_TYPES:
            data = entry.read_bytes()
            etag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
            found[entry.name] = _File(data=data, media_type=MEDIA_TYPES[suffix], etag=etag)
    return found
