"""The solutions of a Freshdesk portal: categories, folders in them, articles in those; a folder says who may see it."""

from __future__ import annotations

import html
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from firstline.connectors.http import HttpClient
from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, ask, records, text, texts
from firstline.connectors.vendors.item import Making, only
from firstline.domain import Failure, SourceItem

PAGE: Final = 100
PAGES_MAX: Final = 1_000
DEPTH_MAX: Final = 6
PUBLISHED: Final = 2
_ALL, _USERS, _AGENTS, _COMPANIES = 1, 2, 3, 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Solutions:
    """`tags` renames `freshdesk:users`, `freshdesk:agents`, `freshdesk:company:ID` and `freshdesk:folder:ID`."""

    making: Making
    access: Access
    tags: Mapping[str, str]
    site: str

    async def items(self, http: HttpClient) -> AsyncIterator[SourceItem | Failure]:
        """Every published article. Raises when a list cannot be read: then it is not known what there is."""
        async for category in _pages(http, f"{self.site}/api/v2/solutions/categories"):
            folders = f"{self.site}/api/v2/solutions/categories/{text(category, 'id')}/folders"
            async for folder in _pages(http, folders):
                async for item in self._folder(http, folder, depth=0):
                    yield item

    async def _folder(self, http: HttpClient, folder: Json, *, depth: int) -> AsyncIterator[SourceItem | Failure]:
        base = f"{self.site}/api/v2/solutions/folders/{text(folder, 'id')}"
        async for article in _pages(http, f"{base}/articles"):
            if article.get("status") == PUBLISHED:
                yield self._item(article, folder)
        below = folder.get("sub_folders_count")
        if isinstance(below, int) and below > 0 and depth < DEPTH_MAX:
            async for inside in _pages(http, f"{base}/subfolders"):
                async for item in self._folder(http, inside, depth=depth + 1):
                    yield item

    def _item(self, article: Json, folder: Json) -> SourceItem | Failure:
        number, title, body = text(article, "id"), text(article, "title"), text(article, "description")
        return self.making.item(
            f"articles/{number}",
            media_type="text/html",
            raw=f"<main><h1>{html.escape(title)}</h1>\n{body}</main>\n".encode("utf-8", "replace") if body else b"",
            title=title,
            url=f"{self.site}/support/solutions/articles/{number}",
            fields={
                "folder": text(folder, "name"),
                "labels": ", ".join(texts(article, "tags")),
                "updated_at": text(article, "updated_at"),
            },
            access=self._access(folder),
        )

    def _access(self, folder: Json) -> Access:
        sight = folder.get("visibility")
        if sight == _ALL:
            return self.access
        if sight == _USERS:
            tags = {"freshdesk:users"}
        elif sight == _AGENTS:
            tags = {"freshdesk:agents"}
        elif sight == _COMPANIES:
            companies = folder.get("company_ids")
            listed = cast("list[object]", companies) if isinstance(companies, list) else []
            tags = {f"freshdesk:company:{each}" for each in listed}
        else:
            # Segments, bots, and whatever comes: its own tag, which nobody holds by chance.
            tags = {f"freshdesk:folder:{text(folder, 'id')}"}
        return only(self.access, frozenset(tags), self.tags)


async def _pages(http: HttpClient, url: str) -> AsyncIterator[Json]:
    for page in range(1, PAGES_MAX + 1):
        answer, _ = await ask(http, url, params={"per_page": str(PAGE), "page": str(page)})
        found = records(answer, "", url)
        for each in found:
            yield each
        if len(cast("list[object]", answer)) < PAGE:
            return
