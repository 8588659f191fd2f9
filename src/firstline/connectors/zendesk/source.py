"""Zendesk over its API: tickets by the incremental cursor export, articles by a complete listing.

The export has tickets that were archived, knows no limit of their number, and names deleted ones.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, Literal, cast

from pydantic import Field

from firstline.connectors.http import HttpClient, shown_url
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.vendors.answers import Expired, Json, ask, inner, inner_list, record, records, text
from firstline.connectors.vendors.following import Entry, Reading, left_out, place_of
from firstline.connectors.vendors.item import LevelName, Making, at_least, basic, moment, notes_allowed
from firstline.connectors.vendors.paging import place_after
from firstline.connectors.zendesk.articles import Articles
from firstline.connectors.zendesk.tickets import Tickets
from firstline.domain import Alert, Change, Complete, Cursor, DocumentKind, Removed
from firstline.errors import NotFound

PAGES_MAX: Final = 100_000
TICKETS_PER_PAGE: Final = 200
COMMENT_PAGES_MAX: Final = 50
BACK_S: Final = 3_600.0
EXPIRED: Final = (400, 404, 410, 422)
STATES: Final = ("solved", "closed")

State = Literal["new", "open", "pending", "hold", "solved", "closed"]


class ZendeskConfig(WebConfig):
    url: WebAddress = Field(description="The help desk: https://example.zendesk.com")
    email: str = Field("", description="Whose API token it is, an administrator's; empty: `token` is an OAuth token.")
    token: SecretRef = Field("", description="Where the token is: env:NAME or file:PATH.")
    content: tuple[Literal["tickets", "articles"], ...] = Field(
        ("tickets", "articles"), description="What is read: tickets, articles."
    )
    states: tuple[State, ...] = Field(STATES, description="States of tickets that become documents.")
    since: str = Field("", description="Date (2024-01-31): tickets that changed since. Empty: all.")
    ticket_level: LevelName = Field("customer", description="Least level of tickets.")
    notes: bool = Field(False, description="Take private comments, too; the source's level must be internal.")
    fields: dict[str, str] = Field(
        default_factory=dict[str, str], description="Names for ids of custom fields: product=360001,version=360002."
    )
    locales: tuple[str, ...] = Field((), description="Locales of articles; empty: the help centre's default.")
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for user segments: zendesk:segment:4711=partners."
    )


class ZendeskSource:
    """Implements `ports.Incremental`. Ids: `NAME/tickets/ID`, `NAME/articles/ID`. The cursor is the export's own, with
    the time that it stands for and the tickets that could not be read."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("ZendeskConfig", opening.config)
        self._making = Making(opening=opening)
        self._site = self._config.url.rstrip("/")
        self._ended = False

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        config, opening = self._config, self._opening
        notes = notes_allowed(opening, wanted=config.notes)
        token = opening.secret(config.token)
        if config.email:
            secret = basic(f"{config.email}/token", token)
        else:
            secret = {"Authorization": f"Bearer {token}"} if token else {}
        async with opening.http(self._site, secret_headers=secret) as http:
            if "articles" in config.content:
                async for change in self._articles(http):
                    yield change
            if "tickets" in config.content:
                tickets = Tickets(
                    making=self._making,
                    access=at_least(opening.access, config.ticket_level, DocumentKind.TICKET),
                    states=frozenset(config.states),
                    fields=config.fields,
                    notes=notes,
                    site=self._site,
                )
                async for change in self._tickets(http, tickets, place_of(cursor)):
                    yield change
                if cursor is None and self._ended:
                    # The export was read from its beginning to its end: what it did not name is not there.
                    yield Complete(prefix=f"{opening.name}/tickets/")
        for gone in left_out(cursor, opening.name, ("articles", "tickets"), config.content):
            yield gone

    async def _articles(self, http: HttpClient) -> AsyncIterator[Change]:
        articles = Articles(making=self._making, access=self._opening.access, tags=self._config.tags)
        for locale in self._config.locales or ("",):
            path = f"/api/v2/help_center/{locale}/articles.json" if locale else "/api/v2/help_center/articles.json"
            after = ""
            for _ in range(PAGES_MAX):
                asked = {"page[size]": "100", **({"page[after]": after} if after else {})}
                try:
                    answer, reply = await ask(http, f"{self._site}{path}", params=asked)
                except NotFound:
                    yield Alert(said=f"There is no help centre at {path}: leave `articles` or that locale out.")
                    return
                for article in records(answer, "articles", reply.url):
                    item = articles.item(article, locale=locale)
                    if item is not None:
                        yield item
                after = _next(answer, after, reply.url)
                if not after:
                    break
        yield Complete(prefix=f"{self._opening.name}/articles/")

    async def _tickets(self, http: HttpClient, tickets: Tickets, place: Mapping[str, Any]) -> AsyncIterator[Change]:
        reading = self._reading(http, tickets, place.get("again"))
        async for change in self._again(http, reading):
            yield change
        after, at = place.get("after"), place.get("at")
        after = after if isinstance(after, str) else ""
        at = float(at) if isinstance(at, int | float) else 0.0
        for _ in range(PAGES_MAX):
            answer = await self._exported(http, after, at)
            for ticket in records(answer, "tickets", "The ticket export"):
                # Of what the export goes by: a ticket's own date stays when a machine changes it.
                at = max(at, moment(ticket.get("generated_timestamp") or ticket.get("updated_at")))
                if not tickets.wanted(ticket):
                    yield Removed(item_id=self._making.item_id(tickets.key(ticket)))
                    continue
                async for change in reading.of(Entry(key=tickets.key(ticket), data=ticket)):
                    yield change
            told, more = text(answer, "after_cursor"), answer.get("end_of_stream") is False
            self._ended = answer.get("end_of_stream") is True
            before, after = after, told or after
            yield Cursor(value=json.dumps({"after": after, "at": at, "again": sorted(reading.again)}))
            if not place_after(before, told, more=more, where="The ticket export"):
                return

    async def _exported(self, http: HttpClient, after: str, at: float) -> Json:
        """A page of the export. A cursor that is not known any more is replaced by the time that it stood for."""
        url = f"{self._site}/api/v2/incremental/tickets/cursor.json"
        size = {"per_page": str(TICKETS_PER_PAGE)}
        if after:
            try:
                return record((await ask(http, url, params={"cursor": after, **size}, expired=EXPIRED))[0], url)
            except Expired:
                pass
        start = max(moment(self._config.since), at - BACK_S, 0.0)
        return record((await ask(http, url, params={"start_time": str(int(start)), **size}))[0], url)

    async def _again(self, http: HttpClient, reading: Reading) -> AsyncIterator[Change]:
        """Tickets that could not be read last time: the export does not name them again."""
        for key in sorted(reading.again):
            async for change in reading.of(Entry(key=key)):
                yield change

    def _reading(self, http: HttpClient, tickets: Tickets, again: object) -> Reading:
        keys = [key for key in cast("list[object]", again) if isinstance(key, str)] if isinstance(again, list) else []

        async def read(entry: Entry) -> list[Change]:
            number = entry.key.partition("/")[2]
            ticket: Json = entry.data
            if not ticket:
                answer, _ = await ask(http, f"{self._site}/api/v2/tickets/{number}.json")
                ticket = inner(record(answer, entry.key), "ticket")
                if not tickets.wanted(ticket):
                    return []
            comments, roles = await self._comments(http, number)
            return [tickets.change(ticket, comments, roles)]

        return Reading(read, name=self._opening.name, again=frozenset(keys))

    async def _comments(self, http: HttpClient, number: str) -> tuple[list[Json], dict[str, str]]:
        url = f"{self._site}/api/v2/tickets/{number}/comments.json"
        found: list[Json] = []
        roles: dict[str, str] = {}
        after = ""
        for _ in range(COMMENT_PAGES_MAX):
            asked = {"include": "users", "page[size]": "100", **({"page[after]": after} if after else {})}
            answer, _ = await ask(http, url, params=asked)
            found.extend(records(answer, "comments", url))
            roles |= {text(each, "id"): text(each, "role") for each in inner_list(cast("Json", answer), "users")}
            after = _next(answer, after, url)
            if not after:
                break
        return sorted(found, key=lambda comment: moment(comment.get("created_at"))), roles


def _next(answer: object, before: str, where: str) -> str:
    """Some answer with an address where they have no cursor: a list of the older kind, which goes on all the same."""
    told = cast("Json", answer)
    meta = inner(told, "meta")
    more = meta.get("has_more") is True or ("has_more" not in meta and bool(text(told, "next_page")))
    return place_after(before, text(meta, "after_cursor"), more=more, where=shown_url(where))


KIND = SourceKind(
    name="zendesk", says="Tickets and help centre of Zendesk.", config=ZendeskConfig, open=ZendeskSource, main="url"
)
