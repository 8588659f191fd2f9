"""Which document does a conversation of Intercom become?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, inner, inner_list, text
from firstline.connectors.vendors.item import Making
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change

PUBLIC: Final = frozenset({"comment", "close", "open", "quick_reply"})
"""Kinds of parts that the customer sees, when they have a text. Every other kind is taken for internal."""
NOTES: Final = frozenset({"note", "note_and_reopen"})
TITLE_CHARS: Final = 120
_CUSTOMERS: Final = frozenset({"user", "lead", "contact", "visitor"})
_TAGS: Final = re.compile(r"<[^>]{0,2000}>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversations:
    """`fields`: names of attributes by the name that they get. `notes`: notes of the team are taken, too."""

    making: Making
    access: Access
    fields: Mapping[str, str]
    notes: bool

    def change(self, conversation: Json) -> Change:
        number, source = text(conversation, "id"), inner(conversation, "source")
        problem = _remark(source)
        parts = inner_list(conversation, "conversation_parts", "conversation_parts")
        said = [part for part in parts if part.get("redacted") is not True and text(part, "body")]
        remarks = [_remark(part) for part in said if text(part, "part_type") in PUBLIC | NOTES]
        if problem.role != "Customer":
            # The team or a bot wrote first: the problem is what the customer said then.
            first = next((each for each in remarks if each.role == "Customer" and not each.internal), None)
            if first is not None:
                problem, remarks = first, [problem, *(each for each in remarks if each is not first)]
        answer = None
        if text(conversation, "state") == "closed":
            answer = next((each for each in reversed(remarks) if each.role == "Agent" and not each.internal), None)
        title = self._title(conversation, problem)
        thread = Thread(title=title, problem=problem, remarks=remarks, answer=answer)
        media_type, raw = thread.page(notes=self.notes)
        attributes = inner(conversation, "custom_attributes")
        return self.making.item(
            f"conversations/{number}",
            media_type=media_type,
            raw=raw,
            title=title,
            url="",
            fields={
                "status": text(conversation, "state"),
                **{name: text(attributes, field) for name, field in self.fields.items()},
                "tags": ", ".join(text(tag, "name") for tag in inner_list(conversation, "tags", "tags")),
                "updated_at": text(conversation, "updated_at"),
            },
            access=self.access,
        )

    def _title(self, conversation: Json, problem: Remark) -> str:
        told = text(conversation, "title") or text(inner(conversation, "source"), "subject")
        told = _plain(told) or _plain(problem.text)
        return told[:TITLE_CHARS] or f"Conversation {text(conversation, 'id')}"


def _remark(part: Json) -> Remark:
    author = text(inner(part, "author"), "type")
    role = "Customer" if author in _CUSTOMERS else "Agent" if author == "admin" else "Assistant"
    return Remark(text=text(part, "body"), form="html", role=role, internal=text(part, "part_type") in NOTES)


def _plain(html: str) -> str:
    return " ".join(_TAGS.sub(" ", html).split())
