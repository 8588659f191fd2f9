"""Which document does a ticket of Freshdesk become?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, inner, text, texts
from firstline.connectors.vendors.item import Making
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change

STATES: Final = {2: "open", 3: "pending", 4: "resolved", 5: "closed"}
DONE: Final = frozenset({"resolved", "closed"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Tickets:
    """`states`: of tickets that become documents. `fields`: names of custom fields by the name that they get."""

    making: Making
    access: Access
    states: frozenset[str]
    fields: Mapping[str, str]
    notes: bool
    site: str

    def wanted(self, ticket: Json) -> bool:
        if ticket.get("deleted") is True or ticket.get("spam") is True:
            return False
        return state_of(ticket) in self.states

    def change(self, ticket: Json, conversations: Sequence[Json]) -> Change:
        number = text(ticket, "id")
        remarks = [_remark(each) for each in conversations]
        title = text(ticket, "subject") or f"Ticket {number}"
        answer = None
        if state_of(ticket) in DONE:
            answer = next((each for each in reversed(remarks) if each.role == "Agent" and not each.internal), None)
        said = text(ticket, "description")
        problem = Remark(text=said or text(ticket, "description_text"), form="html" if said else "plain")
        thread = Thread(title=title, problem=problem, remarks=remarks, answer=answer)
        media_type, raw = thread.page(notes=self.notes)
        custom = inner(ticket, "custom_fields")
        return self.making.item(
            f"tickets/{number}",
            media_type=media_type,
            raw=raw,
            title=title,
            url=f"{self.site}/a/tickets/{number}",
            fields={
                "status": state_of(ticket),
                **{name: text(custom, field) for name, field in self.fields.items()},
                "type": text(ticket, "type"),
                "tags": ", ".join(texts(ticket, "tags")),
                "updated_at": text(ticket, "updated_at"),
            },
            access=self.access,
        )


def state_of(ticket: Json) -> str:
    """By its name; states that the help desk has made itself by their number."""
    number = ticket.get("status")
    return STATES.get(number, str(number)) if isinstance(number, int) else ""


def _remark(conversation: Json) -> Remark:
    said = text(conversation, "body")
    return Remark(
        text=said or text(conversation, "body_text"),
        form="html" if said else "plain",
        role="Customer" if conversation.get("incoming") is True else "Agent",
        # What does not say that it is public is not.
        internal=conversation.get("private") is not False,
    )
