"""Which document does a ticket of Zendesk become? Its public comments in order, and what solved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, inner, text, texts
from firstline.connectors.vendors.item import Making
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change, Removed

MERGED: Final = "closed_by_merge"
DONE: Final = frozenset({"solved", "closed"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Tickets:
    """`states` are those of tickets that become documents. `fields` are the ids of custom fields by the name that they
    get. `notes`: private comments are taken, too. `site` is the address of the help desk, for links."""

    making: Making
    access: Access
    states: frozenset[str]
    fields: Mapping[str, str]
    notes: bool
    site: str

    def key(self, ticket: Json) -> str:
        return f"tickets/{text(ticket, 'id')}"

    def wanted(self, ticket: Json) -> bool:
        return text(ticket, "status") in self.states and MERGED not in texts(ticket, "tags")

    def change(self, ticket: Json, comments: Sequence[Json], roles: Mapping[str, str]) -> Change:
        """`comments` as the API lists them, `roles` of their authors by id. Removed when nothing of it is public."""
        remarks = [_remark(ticket, comment, roles) for comment in comments]
        # The ticket's own description may be a private note: only comments say whether they are public.
        seen = [remark for remark in remarks if remark.text.strip() and (self.notes or not remark.internal)]
        if not seen:
            return Removed(item_id=self.making.item_id(self.key(ticket)))
        problem, *rest = seen
        answer = None
        if text(ticket, "status") in DONE:
            answer = next((each for each in reversed(rest) if each.role == "Agent" and not each.internal), None)
        title = text(ticket, "subject") or text(ticket, "raw_subject") or f"Ticket {text(ticket, 'id')}"
        thread = Thread(title=title, problem=problem, remarks=rest, answer=answer)
        media_type, raw = thread.page(notes=self.notes)
        return self.making.item(
            self.key(ticket),
            media_type=media_type,
            raw=raw,
            title=title,
            url=f"{self.site}/agent/tickets/{text(ticket, 'id')}" if self.site else "",
            fields=self._fields(ticket),
            access=self.access,
        )

    def _fields(self, ticket: Json) -> dict[str, str]:
        custom = {text(each, "id"): each for each in _objects(ticket.get("custom_fields"))}
        named = {name: _value(custom.get(number, {}).get("value")) for name, number in self.fields.items()}
        return {
            "status": text(ticket, "status"),
            **named,
            "type": text(ticket, "type"),
            "priority": text(ticket, "priority"),
            "tags": ", ".join(texts(ticket, "tags")),
            "updated_at": text(ticket, "updated_at"),
        }


def _remark(ticket: Json, comment: Json, roles: Mapping[str, str]) -> Remark:
    author = text(comment, "author_id") or text(inner(comment, "author"), "id")
    role = roles.get(author) or text(inner(comment, "author"), "role")
    requester = text(ticket, "requester_id") or text(inner(ticket, "requester"), "id")
    customer = role == "end-user" if role else author == requester
    said = text(comment, "html_body")
    return Remark(
        text=said or text(comment, "plain_body") or text(comment, "body"),
        form="html" if said else "plain",
        role="Customer" if customer else "Agent",
        # What does not say that it is public is not.
        internal=comment.get("public") is not True,
    )


def _objects(value: object) -> list[Json]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Json", each) for each in listed if isinstance(each, dict)]


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(each) for each in cast("list[object]", value) if isinstance(each, str | int | float))
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
