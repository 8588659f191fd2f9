"""What is wrong with a request, field by field, in plain sentences and without repeating what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from firstline.plain_words import plain_words

ERRORS_SHOWN_MAX: Final = 5
NAME_CHARS_MAX: Final = 60
PLACES: Final = frozenset({"body", "query", "path", "header", "cookie"})

Entry = Mapping[str, Any]
"""An error as pydantic lists it: type, loc, msg, ctx."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldError:
    """`place` is body, query, path or header; `field` is "" when the whole of it is meant."""

    place: str
    field: str
    problem: str
    allowed: str

    def __str__(self) -> str:
        subject = f"`{self.field}` ({self.place})" if self.field else f"The {self.place}"
        return f"{subject} {self.problem}; allowed: {self.allowed}." if self.allowed else f"{subject} {self.problem}."


def field_errors(entries: Sequence[Entry]) -> list[FieldError]:
    """The first few; one per field is enough to begin with."""
    return [_field_error(entry) for entry in entries[:ERRORS_SHOWN_MAX]]


def _field_error(entry: Entry) -> FieldError:
    kind = str(entry["type"])
    loc = [str(part) for part in entry["loc"]]
    place = loc[0] if loc and loc[0] in PLACES else "request"
    names = loc[1:] if place != "request" else loc
    # Where the JSON reader gave up is a position, not a field.
    field = "" if kind == "json_invalid" else ".".join(names)[:NAME_CHARS_MAX]
    problem, allowed = plain_words(kind, entry.get("ctx") or {})
    return FieldError(place=place, field=field, problem=problem, allowed=allowed)
