"""The chat page in the languages of the catalogue, the graph's page and the API's own documentation, both for those who
run it: a handful of files, read once."""

from __future__ import annotations

import hashlib
import html
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Final

from fastapi import APIRouter, Header
from fastapi.responses import Response

from firstline.errors import NotFound
from firstline.questions.wording.voice import Voice, Wording

MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
JSON_TYPE: Final = "application/json; charset=utf-8"
TEXTS_PLACE: Final = b"{}</template>"
LANG_PLACE: Final = b'<html lang="en">'
ACCEPTED_MAX: Final = 20
"""Languages of a browser that are looked at."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _File:
    data: bytes
    media_type: str
    etag: str


def page_router(wording: Wording) -> APIRouter:
    found = _read_all()
    page = found.pop("index.html")
    # In English, as every surface for those who run it.
    found["graph.html"] = _in_language(found["graph.html"], wording.voice("en"))
    for language, voice in wording.voices.items():
        found[_page_name(language)] = _in_language(page, voice)
        found[_texts_name(language)] = _file(json.dumps(_told(voice), ensure_ascii=False).encode(), JSON_TYPE)
    router = APIRouter(include_in_schema=False)

    def respond(name: str, known_etag: str | None) -> Response:
        file = found.get(name)
        if file is None:
            raise NotFound("There is no such file.", remedy="Reload the page; / is the chat, /graph the graph.")
        headers = {"ETag": file.etag, "Cache-Control": "no-cache", "Vary": "Accept-Language"}
        if known_etag == file.etag:
            return Response(status_code=304, headers=headers)
        return Response(file.data, media_type=file.media_type, headers=headers)

    @router.api_route("/", methods=["GET", "HEAD"])
    async def chat(
        if_none_match: Annotated[str | None, Header()] = None, accept_language: Annotated[str, Header()] = ""
    ) -> Response:
        return respond(_page_name(_accepted(accept_language, wording)), if_none_match)

    @router.api_route("/texts/{language}", methods=["GET", "HEAD"])
    async def texts(language: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond(_texts_name(wording.voice(language).language), if_none_match)

    @router.api_route("/docs", methods=["GET", "HEAD"])
    async def docs(if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond("docs.html", if_none_match)

    @router.api_route("/graph", methods=["GET", "HEAD"])
    async def graph(if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond("graph.html", if_none_match)

    @router.api_route("/static/{name}", methods=["GET", "HEAD"])
    async def static(name: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return respond(name, if_none_match)

    # Registered by decoration above; named here so that readers see what there is.
    _ = (chat, texts, docs, graph, static)
    return router


def _read_all() -> dict[str, _File]:
    found: dict[str, _File] = {}
    for entry in files("firstline.api").joinpath("static").iterdir():
        suffix = entry.name[entry.name.rfind(".") :]
        if suffix in MEDIA_TYPES:
            found[entry.name] = _file(entry.read_bytes(), MEDIA_TYPES[suffix])
    return found


def _file(data: bytes, media_type: str) -> _File:
    return _File(data=data, media_type=media_type, etag=f'"{hashlib.sha256(data).hexdigest()[:16]}"')


def _page_name(language: str) -> str:
    """No path reaches it: a name of /static/ holds no slash."""
    return f"page/{language}"


def _texts_name(language: str) -> str:
    return f"texts/{language}"


def _told(voice: Voice) -> dict[str, object]:
    return {"language": voice.language, "texts": voice.page}


def _in_language(page: _File, voice: Voice) -> _File:
    told = html.escape(json.dumps(_told(voice), ensure_ascii=False), quote=False).encode()
    lang = f'<html lang="{voice.language}">'.encode()
    data = page.data.replace(TEXTS_PLACE, told + b"</template>", 1).replace(LANG_PLACE, lang, 1)
    return _file(data, page.media_type)


def _accepted(header: str, wording: Wording) -> str:
    """The first language that the browser asks for and the catalogue has; q-values follow this order in practice."""
    for wanted in header.split(",")[:ACCEPTED_MAX]:
        language = re.split(r"[-;]", wanted.strip())[0].casefold()
        if language in wording.voices:
            return language
    return wording.language
