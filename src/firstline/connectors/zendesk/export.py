"""Export files of Zendesk: tickets or articles as JSON, or one a line. Each run reads the whole of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal, cast

from pydantic import Field

from firstline.connectors.kind import Opening, Place, SourceConfig, SourceKind
from firstline.connectors.vendors.answers import Json, inner_list, text
from firstline.connectors.vendors.exported import Unreadable, exported
from firstline.connectors.vendors.item import LevelName, Making, at_least, moment, notes_allowed
from firstline.connectors.zendesk.articles import Articles
from firstline.connectors.zendesk.source import STATES, State
from firstline.connectors.zendesk.tickets import Tickets
from firstline.domain import Change, Complete, DocumentKind, Failure


class ZendeskExportConfig(SourceConfig):
    path: Place = Field(description="A file, a zip or a folder of them: .json, .jsonl, .ndjson.")
    states: tuple[State, ...] = Field(STATES, description="States of tickets that become documents.")
    ticket_level: LevelName = Field("customer", description="Least level of tickets.")
    notes: bool = Field(False, description="Take private comments, too; the source's level must be internal.")
    fields: dict[str, str] = Field(
        default_factory=dict[str, str], description="Names for ids of custom fields: product=360001,version=360002."
    )
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for user segments: zendesk:segment:4711=partners."
    )
    content: tuple[Literal["tickets", "articles"], ...] = Field(
        ("tickets", "articles"), description="What is read: tickets, articles."
    )

    @property
    def reads_this_machine(self) -> bool:
        return True


class ZendeskExportSource:
    """Implements `ports.Incremental`. Ids are those of the API: an account that goes on over the API keeps them."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("ZendeskExportConfig", opening.config)

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        config, opening, making = self._config, self._opening, Making(opening=self._opening)
        tickets = Tickets(
            making=making,
            access=at_least(opening.access, config.ticket_level, DocumentKind.TICKET),
            states=frozenset(config.states),
            fields=config.fields,
            notes=notes_allowed(opening, wanted=config.notes),
            site="",
        )
        articles = Articles(making=making, access=opening.access, tags=config.tags)
        rows = exported(config.path, lists=config.content, bytes_max=opening.bytes_max)
        while (row := await asyncio.to_thread(next, rows, None)) is not None:
            if isinstance(row, Unreadable):
                yield Failure(item_id=making.item_id(row.where), reason=row.reason)
                continue
            for change in self._of(row.value, row.name, tickets, articles):
                yield change
        yield Complete(prefix=f"{opening.name}/")

    def _of(self, row: Json, name: str, tickets: Tickets, articles: Articles) -> list[Change]:
        """A row outside of a named list is what it looks like."""
        if not text(row, "id"):
            return []
        if name == "articles" or (not name and "body" in row and "title" in row):
            item = articles.item(row) if "articles" in self._config.content else None
            return [item] if item is not None else []
        if "tickets" not in self._config.content or not tickets.wanted(row):
            return []
        comments = sorted(inner_list(row, "comments"), key=lambda comment: moment(comment.get("created_at")))
        return [tickets.change(row, comments, {})]


KIND = SourceKind(
    name="zendesk-export",
    says="Tickets and articles from export files of Zendesk.",
    config=ZendeskExportConfig,
    open=ZendeskExportSource,
    main="path",
    local=True,
)
