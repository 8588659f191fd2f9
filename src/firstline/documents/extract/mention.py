"""What a text names, before it becomes an edge. Offsets are characters of the page's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from firstline.domain import Entity, EntityKind
from firstline.entity_names import name_key

NAME_CHARS_MAX: Final = 120
PLACEHOLDER: Final = re.compile(r"\[[A-Z]{2,}(?:_[A-Z]+)*_\d+\]")
"""What stands for something that was redacted names nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """`weight` orders what is kept where a limit bites: 3 an identifier, 2 a name by its shape, 1 a guess."""

    kind: EntityKind
    key: str
    name: str
    start: int
    end: int
    weight: int = 2

    @property
    def entity(self) -> Entity:
        return Entity(kind=self.kind, key=self.key, name=self.name)


def mention(kind: EntityKind, name: str, start: int, end: int, *, weight: int = 2, key: str = "") -> Mention | None:
    """None when the name names nothing: a word like "it", a sentence, what was redacted."""
    name = " ".join(name.split())
    if not name or len(name) > NAME_CHARS_MAX or PLACEHOLDER.search(name):
        return None
    key = key or name_key(name)
    return Mention(kind=kind, key=key, name=name, start=start, end=end, weight=weight) if key else None
