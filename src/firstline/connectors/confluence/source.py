"""Confluence, in the cloud or on an own server: every page is listed with its version, those that changed are read."""

from __future__ import annotations

import html
import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Final, Literal, cast

from pydantic import Field, StringConstraints

from firstline.connectors.confluence.sight import Sight
from firstline.connectors.confluence.storage import attachments, storage_html
from firstline.connectors.http import HttpClient, shown_url
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.vendors.answers import Json, ask, inner, inner_list, record, records, text
from firstline.connectors.vendors.following import Entry, follow_stamps, known_of, place_of, stamp_of
from firstline.connectors.vendors.item import Making, basic, only
from firstline.connectors.vendors.paging import place_after
from firstline.domain import Alert, Change, Cursor
from firstline.errors import Forbidden, NotFound

PAGE: Final = 100
PAGES_MAX: Final = 10_000
SIGN_EVERY: Final = 1_000
LISTED: Final = (
    "version,ancestors,space,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group"
)

Space = Annotated[str, StringConstraints(pattern=r"^~?[A-Za-z0-9_.:-]{1,255}$")]


class ConfluenceConfig(WebConfig):
    url: WebAddress = Field(description="Cloud: https://example.atlassian.net/wiki; a server: its address.")
    email: str = Field("", description="Whose API token it is (cloud); empty: `token` is a personal access token.")
    token: SecretRef = Field("", description="Where the token is: env:NAME or file:PATH.")
    spaces: tuple[Space, ...] = Field((), description="Only these spaces, by key; empty: all that the token may see.")
    content: tuple[Literal["page", "blogpost"], ...] = Field(
        ("page",), min_length=1, description="What is read: page, blogpost."
    )
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for who may read: confluence:group:staff=staff."
    )


class ConfluenceSource:
    """Implements `ports.Incremental`. Ids: `NAME/pages/ID`. The cursor keeps the stamp of each page: its version, its
    place, and who may see it."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("ConfluenceConfig", opening.config)
        self._making = Making(opening=opening)
        self._site = self._config.url.rstrip("/")
        self._api = f"{self._site}/rest/api"
        self._files = 0

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        token = self._opening.secret(self._config.token)
        if self._config.email:
            secret = basic(self._config.email, token)
        else:
            secret = {"Authorization": f"Bearer {token}"} if token else {}
        self._files = 0
        async with self._opening.http(
            self._site, headers={"Accept": "application/json"}, secret_headers=secret
        ) as http:
            async for change in self._follow(http, cursor):
                yield change
        if self._files:
            yield Alert(
                said=f"{self._files:,} attachments are named by the pages that were read; files are left out.",
                keeps=False,
            )

    async def _follow(self, http: HttpClient, cursor: str | None) -> AsyncIterator[Change]:
        sight = Sight(http, self._api)
        # All of them first: a page is restricted by those above it.
        listed: list[Json] = []
        async for page in self._listed(http):
            listed.append(page)
            sight.learn(page)
            if len(listed) % SIGN_EVERY == 0:
                # The place where we are: who says nothing for long is given up.
                yield Cursor(value=cursor or "{}")

        async def entries() -> AsyncIterator[Entry]:
            for page in listed:
                tags = await sight.of(page)
                above = [text(each, "title") for each in inner_list(page, "ancestors")]
                version = text(inner(page, "version"), "number")
                told = [version, text(page, "title"), above, _labels(page), text(inner(page, "space"), "key")]
                yield Entry(
                    key=f"pages/{text(page, 'id')}",
                    # Labels and restrictions change without a new version.
                    stamp=stamp_of(*told, None if tags is None else sorted(tags)),
                    data={"page": page, "tags": tags},
                )

        async def read(entry: Entry) -> Sequence[Change]:
            return [await self._page(http, entry.data["page"], entry.data["tags"])]

        async def still(key: str) -> bool:
            try:
                answer, _ = await ask(http, f"{self._api}/content/{key.partition('/')[2]}")
            except (NotFound, Forbidden):
                return False
            found = record(answer, key)
            spaces = self._config.spaces
            return text(found, "status") == "current" and (not spaces or text(inner(found, "space"), "key") in spaces)

        async for change in follow_stamps(
            entries(),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/pages/",
            known=known_of(place_of(cursor).get("pages")),
            still=still,
        ):
            if isinstance(change, dict):
                yield Cursor(value=json.dumps({"pages": change}, separators=(",", ":")))
            else:
                yield cast("Change", change)

    async def _listed(self, http: HttpClient) -> AsyncIterator[Json]:
        kinds = ",".join(self._config.content)
        query = f"type in ({kinds})"
        if self._config.spaces:
            query += " and space in (" + ",".join(f'"{key}"' for key in self._config.spaces) + ")"
        asked = {"cql": f"{query} order by created", "expand": LISTED, "limit": str(PAGE)}
        url = f"{self._api}/content/search"
        place = ""
        for _ in range(PAGES_MAX):
            answer, _ = await ask(http, url, params=asked)
            for page in records(answer, "results", url):
                if text(page, "id"):
                    yield page
            links = inner(cast("Json", answer), "_links")
            following = text(links, "next")
            place = place_after(place, following, more=bool(following), where=shown_url(url))
            if not place:
                return
            # Relative to the site, with or without the folder that it lies in.
            base = text(links, "base") or self._site
            path = following if following.startswith(("http:", "https:")) else f"{base.rstrip('/')}{following}"
            url, asked = (path if http.allows(path) else f"{self._site}{following}"), {}

    async def _page(self, http: HttpClient, listed: Json, tags: frozenset[str] | None) -> Change:
        number = text(listed, "id")
        answer, reply = await ask(http, f"{self._api}/content/{number}", params={"expand": "body.storage,version"})
        page = record(answer, reply.url)
        storage = text(inner(page, "body", "storage"), "value")
        self._files += attachments(storage)
        title = text(page, "title") or text(listed, "title")
        access = self._opening.access
        body = storage_html(storage)
        return self._making.item(
            f"pages/{number}",
            media_type="text/html",
            raw=f"<main><h1>{html.escape(title)}</h1>\n{body}</main>\n".encode("utf-8", "replace") if body else b"",
            title=title,
            url=self._link(listed),
            fields={
                "space": text(inner(listed, "space"), "key"),
                "section": " > ".join(text(each, "title") for each in inner_list(listed, "ancestors")),
                "labels": ", ".join(_labels(listed)),
                "updated_at": text(inner(page, "version"), "when"),
            },
            access=access if tags is None else only(access, tags, self._config.tags),
        )

    def _link(self, page: Json) -> str:
        path = text(inner(page, "_links"), "webui")
        return f"{self._site}{path}" if path.startswith("/") else ""


def _labels(page: dict[str, Any] | Json) -> list[str]:
    return [text(each, "name") for each in inner_list(page, "metadata", "labels", "results")]


KIND = SourceKind(
    name="confluence",
    says="Pages of Confluence, in the cloud or on a server.",
    config=ConfluenceConfig,
    open=ConfluenceSource,
    main="url",
)
