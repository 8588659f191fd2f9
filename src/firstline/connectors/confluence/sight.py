"""Who may see a page of Confluence? Who is named by its own restrictions and by those of every page above it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firstline.connectors.http import HttpClient
from firstline.connectors.vendors.answers import Json, ask, inner, inner_list, record, text
from firstline.errors import Forbidden, InvalidInput, NotFound

READERS_PER_LIST: Final = 200


class Sight:
    """Restrictions by the number of the page: the tags that may read it, None for everybody."""

    def __init__(self, http: HttpClient, api: str) -> None:
        self._http = http
        self._api = api
        self._known: dict[str, frozenset[str] | None] = {}

    def learn(self, page: Json) -> None:
        """What a list says of a page. A server that leaves restrictions out is asked for them when they matter."""
        read = inner(page, "restrictions", "read", "restrictions")
        if _is_told(read):
            self._known[text(page, "id")] = _tags(read)

    async def of(self, page: Json) -> frozenset[str] | None:
        """Tags that may see the page; None: as the source says. A page that nobody fits is nobody's."""
        numbers = [text(page, "id"), *(text(each, "id") for each in inner_list(page, "ancestors"))]
        allowed: frozenset[str] | None = None
        for number in numbers:
            tags = await self._tags_of(number)
            if tags is not None:
                # A tag for each, since one tag is enough to see a document: who is in both lists by one name.
                allowed = tags if allowed is None else allowed & tags
        return allowed

    async def _tags_of(self, number: str) -> frozenset[str] | None:
        if number not in self._known:
            url = f"{self._api}/content/{number}/restriction/byOperation/read"
            try:
                answer, _ = await ask(self._http, url, params={"limit": str(READERS_PER_LIST)})
                read = inner(record(answer, url), "restrictions")
                # Not to be told who may see it means nobody, too.
                self._known[number] = _tags(read) if _is_told(read) else frozenset()
            except (NotFound, Forbidden, InvalidInput):
                # Not to know who may see it means nobody.
                self._known[number] = frozenset()
        return self._known[number]


def _is_told(read: Mapping[str, object]) -> bool:
    """Both lists are there, if only as empty ones."""
    return all(isinstance(inner(read, name).get("results"), list) for name in ("user", "group"))


def _tags(read: Mapping[str, object]) -> frozenset[str] | None:
    groups = {f"confluence:group:{text(each, 'name')}" for each in inner_list(read, "group", "results")}
    users = {
        f"confluence:user:{text(each, 'accountId') or text(each, 'username') or text(each, 'userKey')}"
        for each in inner_list(read, "user", "results")
    }
    return frozenset(groups | users) or None
