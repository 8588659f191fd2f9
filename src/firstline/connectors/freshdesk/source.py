"""Freshdesk over its API: tickets by the time of their update, solutions by a complete listing.

Its list of tickets ends at page 300 and leaves out archived tickets: pages are asked for by the last update that was
met, and a ticket that is not listed any more is asked for by its number before it counts as gone.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Literal, cast

from pydantic import Field

from firstline.connectors.freshdesk.solutions import Solutions
from firstline.connectors.freshdesk.tickets import Tickets
from firstline.connectors.http import HttpClient
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.vendors.answers import Json, ask, records, text
from firstline.connectors.vendors.following import (
    DAY_S,
    Entry,
    Mark,
    follow_updates,
    left_out,
    mark_of,
    place_of,
    updated_since,
)
from firstline.connectors.vendors.item import LevelName, Making, at_least, basic, iso, moment, notes_allowed
from firstline.domain import Alert, Change, Complete, Cursor, DocumentKind, Removed, SourceItem
from firstline.errors import Forbidden, NotFound

PAGE: Final = 100
CONVERSATION_PAGES_MAX: Final = 50
DELETED_PAGES_MAX: Final = 10
FIRST_MOMENT_S: Final = 946_684_800.0
"""2000-01-01: without a date the list has the last 30 days alone."""
CHECKS_MAX: Final = 300
"""Tickets asked for by number in one sync; the others wait for the next."""

State = Literal["open", "pending", "resolved", "closed"]


class FreshdeskConfig(WebConfig):
    url: WebAddress = Field(description="The help desk: https://example.freshdesk.com")
    token: SecretRef = Field("", description="Where the API key is: env:NAME or file:PATH.")
    content: tuple[Literal["tickets", "articles"], ...] = Field(
        ("tickets", "articles"), description="What is read: tickets, articles."
    )
    states: tuple[State, ...] = Field(("resolved", "closed"), description="States of tickets that become documents.")
    since: str = Field("", description="Date (2024-01-31): tickets that changed since. Empty: all.")
    ticket_level: LevelName = Field("customer", description="Least level of tickets.")
    notes: bool = Field(False, description="Take private notes, too; the source's level must be internal.")
    fields: dict[str, str] = Field(
        default_factory=dict[str, str], description="Custom fields by the name they get: product=cf_product."
    )
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for who may see a folder: freshdesk:users=customers."
    )
    sweep_s: float = Field(DAY_S, ge=60, description="How often the whole list is walked for what is gone.")


class FreshdeskSource:
    """Implements `ports.Incremental`. Ids: `NAME/tickets/ID`, `NAME/articles/ID`. The cursor: the last update that was
    read, the tickets that are documents, and those of them that are archived."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("FreshdeskConfig", opening.config)
        self._making = Making(opening=opening)
        self._site = self._config.url.rstrip("/")
        self._known: set[int] = set()
        self._archived: set[int] = set()
        self._listed: set[int] = set()

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        config, opening = self._config, self._opening
        notes = notes_allowed(opening, wanted=config.notes)
        token = opening.secret(config.token)
        async with opening.http(self._site, secret_headers=basic(token, "X") if token else {}) as http:
            if "articles" in config.content:
                solutions = Solutions(making=self._making, access=opening.access, tags=config.tags, site=self._site)
                async for item in solutions.items(http):
                    yield item
                yield Complete(prefix=f"{opening.name}/articles/")
            if "tickets" in config.content:
                access = at_least(opening.access, config.ticket_level, DocumentKind.TICKET)
                tickets = Tickets(
                    making=self._making,
                    access=access,
                    states=frozenset(config.states),
                    fields=config.fields,
                    notes=notes,
                    site=self._site,
                )
                async for change in self._tickets(http, tickets, place_of(cursor)):
                    yield change
        for gone in left_out(cursor, opening.name, ("articles", "tickets"), config.content):
            yield gone

    async def _tickets(self, http: HttpClient, tickets: Tickets, place: dict[str, Any]) -> AsyncIterator[Change]:
        mark = mark_of(place.get("mark"))
        self._known, self._archived, self._listed = _numbers(place.get("known")), _numbers(place.get("archived")), set()
        if mark.since:
            async for change in self._thrown_away(http, mark.since):
                yield change

        async def fetch(since: float, page: int) -> tuple[list[Entry], bool]:
            return await self._page(http, tickets, since, page)

        async def read(entry: Entry) -> Sequence[Change]:
            return [tickets.change(entry.data, await self._conversations(http, entry.key))]

        earliest = max(FIRST_MOMENT_S, moment(self._config.since))
        last = mark
        async for change in follow_updates(
            lambda since: updated_since(fetch, max(since, earliest)),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/tickets/",
            mark=mark,
            sweep_s=self._config.sweep_s,
            removes=False,
        ):
            if isinstance(change, Mark):
                last = change
                yield self._cursor(change)
                continue
            if isinstance(change, SourceItem):
                self._known.add(_number(change.item_id))
            elif isinstance(change, Removed):
                self._known.discard(_number(change.item_id))
            yield change
        if last.swept != mark.swept:
            async for change in self._unlisted(http):
                yield change
            yield self._cursor(last)

    def _cursor(self, mark: Mark) -> Cursor:
        place = {"mark": mark.told(), "known": sorted(self._known), "archived": sorted(self._archived)}
        return Cursor(value=json.dumps(place, separators=(",", ":")))

    async def _page(self, http: HttpClient, tickets: Tickets, since: float, page: int) -> tuple[list[Entry], bool]:
        url = f"{self._site}/api/v2/tickets"
        asked = {
            "updated_since": iso(since),
            "order_by": "updated_at",
            "order_type": "asc",
            "include": "description",
            "per_page": str(PAGE),
            "page": str(page),
        }
        answer, reply = await ask(http, url, params=asked)
        found = records(answer, "", url)
        self._listed |= {_number(text(ticket, "id")) for ticket in found}
        entries = [
            Entry(
                key=f"tickets/{text(ticket, 'id')}",
                updated=moment(ticket.get("updated_at")),
                aside=not tickets.wanted(ticket),
                data=ticket,
            )
            for ticket in found
        ]
        return entries, len(found) >= PAGE or bool(reply.link("next"))

    async def _conversations(self, http: HttpClient, key: str) -> list[Json]:
        url = f"{self._site}/api/v2/{key}/conversations"
        found: list[Json] = []
        for page in range(1, CONVERSATION_PAGES_MAX + 1):
            answer, _ = await ask(http, url, params={"per_page": str(PAGE), "page": str(page)})
            found.extend(records(answer, "", url))
            if len(cast("list[object]", answer)) < PAGE:
                break
        return sorted(found, key=lambda each: moment(each.get("created_at")))

    async def _thrown_away(self, http: HttpClient, since: float) -> AsyncIterator[Change]:
        """Tickets in the trash or marked as spam since: the list does not have them."""
        url = f"{self._site}/api/v2/tickets"
        for where in ("deleted", "spam"):
            for page in range(1, DELETED_PAGES_MAX + 1):
                asked = {"filter": where, "order_by": "updated_at", "order_type": "desc", "per_page": str(PAGE)}
                found = records((await ask(http, url, params={**asked, "page": str(page)}))[0], "", url)
                late = [ticket for ticket in found if moment(ticket.get("updated_at")) >= since]
                for ticket in late:
                    self._known.discard(_number(text(ticket, "id")))
                    yield Removed(item_id=self._making.item_id(f"tickets/{text(ticket, 'id')}"))
                if len(late) < PAGE:
                    break

    async def _unlisted(self, http: HttpClient) -> AsyncIterator[Change]:
        """Documents whose ticket the walk did not meet: archived, and kept, or gone."""
        missing = sorted(self._known - self._listed - self._archived)
        if len(missing) > CHECKS_MAX:
            yield Alert(
                said=f"{len(missing):,} tickets are not listed any more; {CHECKS_MAX:,} of them are looked at a sync.",
                keeps=False,
            )
        for number in missing[:CHECKS_MAX]:
            if await self._is_there(http, number):
                continue
            self._known.discard(number)
            yield Removed(item_id=self._making.item_id(f"tickets/{number}"))

    async def _is_there(self, http: HttpClient, number: int) -> bool:
        try:
            answer, _ = await ask(http, f"{self._site}/api/v2/tickets/{number}")
        except NotFound:
            try:
                await ask(http, f"{self._site}/api/v2/tickets/archived/{number}")
            except NotFound:
                return False
            except Forbidden:
                # A plan without an archive: it is not known, so it stays.
                return True
            self._archived.add(number)
            return True
        ticket = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
        return not (ticket.get("deleted") is True or ticket.get("spam") is True)


def _number(value: str) -> int:
    end = value.rpartition("/")[2]
    return int(end) if end.isascii() and end.isdigit() else 0


def _numbers(value: object) -> set[int]:
    return {each for each in cast("list[object]", value) if isinstance(each, int)} if isinstance(value, list) else set()


KIND = SourceKind(
    name="freshdesk",
    says="Tickets and solutions of Freshdesk.",
    config=FreshdeskConfig,
    open=FreshdeskSource,
    main="url",
)
