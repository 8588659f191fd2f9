"""Intercom over its API: conversations by a search in the order of their update, articles by a complete listing."""

from __future__ import annotations

import html
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Literal, cast

from pydantic import Field

from firstline.connectors.http import HttpClient
from firstline.connectors.intercom.conversations import Conversations
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.vendors.answers import Json, ask, inner, record, records, text
from firstline.connectors.vendors.following import DAY_S, Entry, Mark, follow_updates, left_out, mark_of, place_of
from firstline.connectors.vendors.item import LevelName, Making, at_least, moment, notes_allowed
from firstline.connectors.vendors.paging import broken_off, place_after
from firstline.domain import Alert, Change, Complete, Cursor, DocumentKind, Failure, SourceItem

API_VERSION: Final = "2.11"
PER_PAGE: Final = 150
PAGES_MAX: Final = 20_000
MISSED_MAX: Final = 5
MISSED_SHARE_MAX: Final = 0.01
OVERLAP_S: Final = DAY_S
"""Its search compares dates by the day."""


class IntercomConfig(WebConfig):
    url: WebAddress = Field(
        "https://api.intercom.io", description="The API: https://api.intercom.io, api.eu.intercom.io or api.au."
    )
    token: SecretRef = Field("", description="Where the access token is: env:NAME or file:PATH.")
    content: tuple[Literal["conversations", "articles"], ...] = Field(
        ("conversations", "articles"), description="What is read: conversations, articles."
    )
    states: tuple[Literal["open", "closed", "snoozed"], ...] = Field(
        ("closed",), description="States of conversations that become documents."
    )
    since: str = Field("", description="Date (2024-01-31): conversations that changed since. Empty: all.")
    ticket_level: LevelName = Field("customer", description="Least level of conversations.")
    notes: bool = Field(False, description="Take notes of the team, too; the source's level must be internal.")
    fields: dict[str, str] = Field(
        default_factory=dict[str, str], description="Attributes by the name they get: product=Product line."
    )
    sweep_s: float = Field(DAY_S, ge=60, description="How often the whole list is walked for what is gone.")


class IntercomSource:
    """Implements `ports.Incremental`. Ids: `NAME/conversations/ID`, `NAME/articles/ID`. The cursor is the last update
    that was read."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("IntercomConfig", opening.config)
        self._making = Making(opening=opening)
        self._site = self._config.url.rstrip("/")

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        config, opening = self._config, self._opening
        notes = notes_allowed(opening, wanted=config.notes)
        token = opening.secret(config.token)
        async with opening.http(
            self._site,
            headers={"Intercom-Version": API_VERSION, "Accept": "application/json"},
            secret_headers={"Authorization": f"Bearer {token}"} if token else {},
        ) as http:
            if "articles" in config.content:
                async for change in self._articles(http):
                    yield change
            if "conversations" in config.content:
                conversations = Conversations(
                    making=self._making,
                    access=at_least(opening.access, config.ticket_level, DocumentKind.TICKET),
                    fields=config.fields,
                    notes=notes,
                )
                async for change in self._conversations(http, conversations, mark_of(place_of(cursor).get("mark"))):
                    yield change
        for gone in left_out(cursor, opening.name, ("articles", "conversations"), config.content):
            yield gone

    async def _conversations(self, http: HttpClient, conversations: Conversations, mark: Mark) -> AsyncIterator[Change]:
        async def read(entry: Entry) -> Sequence[Change]:
            number = entry.key.partition("/")[2]
            answer, reply = await ask(http, f"{self._site}/conversations/{number}")
            whole = record(answer, reply.url)
            return [conversations.change(whole)] if text(whole, "state") in self._config.states else []

        async for change in follow_updates(
            lambda since: self._search(http, since),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/conversations/",
            mark=mark,
            sweep_s=self._config.sweep_s,
        ):
            yield Cursor(value=json.dumps({"mark": change.told()})) if isinstance(change, Mark) else change

    async def _search(self, http: HttpClient, since: float) -> AsyncIterator[list[Entry]]:
        """Pages in the order of their update. Its own cursor goes by that order: what moves is met again, later."""
        after, total = "", 0
        met: set[str] = set()
        earliest = max(0, int(max(since - OVERLAP_S, moment(self._config.since))))
        for _ in range(PAGES_MAX):
            asked: dict[str, Any] = {
                "query": {"field": "updated_at", "operator": ">", "value": earliest},
                "sort": {"field": "updated_at", "order": "ascending"},
                "pagination": {"per_page": PER_PAGE, **({"starting_after": after} if after else {})},
            }
            answer, reply = await ask(http, f"{self._site}/conversations/search", data=asked)
            found = records(answer, "conversations", reply.url)
            total = total or int(moment(cast("Json", answer).get("total_count")))
            met.update(text(each, "id") for each in found)
            yield [
                Entry(
                    key=f"conversations/{text(each, 'id')}",
                    updated=moment(each.get("updated_at")),
                    aside=text(each, "state") not in self._config.states,
                    data=each,
                )
                for each in found
            ]
            told = text(inner(cast("Json", answer), "pages", "next"), "starting_after")
            after = place_after(after, told, more=bool(told), where="The search for conversations")
            if not after:
                break
        # Some are deleted while we walk; where more are missing, the list broke off.
        if total - len(met) > max(MISSED_MAX, MISSED_SHARE_MAX * total):
            raise broken_off(f"The search for conversations (it listed {len(met):,} of {total:,})")

    async def _articles(self, http: HttpClient) -> AsyncIterator[Change]:
        listed: set[str] = set()
        page, total = 1, 0
        answer: object = {}
        for _ in range(PAGES_MAX):
            asked = {"page": str(page), "per_page": str(PER_PAGE)}
            answer, reply = await ask(http, f"{self._site}/articles", params=asked)
            for article in records(answer, "data", reply.url):
                listed.add(text(article, "id"))
                if text(article, "state") == "published":
                    yield self._article(article)
            total = int(moment(cast("Json", answer).get("total_count")))
            pages = int(moment(inner(cast("Json", answer), "pages").get("total_pages")))
            page += 1
            if page > pages:
                break
        if "total_count" not in cast("Json", answer) or len(listed) < total:
            # Something moved from page to page while we read: what is gone is not known this time.
            yield Alert(said=f"Of {total:,} articles {len(listed):,} were listed; none is removed.", keeps=False)
            return
        yield Complete(prefix=f"{self._opening.name}/articles/")

    def _article(self, article: Json) -> SourceItem | Failure:
        number, title, body = text(article, "id"), text(article, "title"), text(article, "body")
        return self._making.item(
            f"articles/{number}",
            media_type="text/html",
            raw=f"<main><h1>{html.escape(title)}</h1>\n{body}</main>\n".encode("utf-8", "replace") if body else b"",
            title=title,
            url=text(article, "url"),
            fields={"description": text(article, "description"), "updated_at": text(article, "updated_at")},
            access=self._opening.access,
        )


KIND = SourceKind(
    name="intercom",
    says="Conversations and articles of Intercom.",
    config=IntercomConfig,
    open=IntercomSource,
    main="url",
)
