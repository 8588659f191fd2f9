"""What a person said of the graph's names: these two are one thing, this name does not mean that page, this is no name.

Edges stay as their documents say them. Rules are applied when the graph is looked up, and each can be taken back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from firstline.domain.graph import EntityKind

CLASS_MAX: Final = 32
"""Entities that may be one by rules."""
RULES_MAX: Final = 10_000
"""Rules in force in one knowledge base."""
NAME_CHARS_MAX: Final = 5_000
NOTE_CHARS_MAX: Final = 1_000

PLACES: Final = frozenset(
    {EntityKind.SECTION, EntityKind.SYMPTOM, EntityKind.ROOT_CAUSE, EntityKind.RESOLUTION},
)
"""Kinds whose keys name a place in one revision of one document: they go with it, and no rule is said of them."""


_KINDS: Final = {kind.value: kind for kind in EntityKind}


class RuleKind(StrEnum):
    SAME = "same"
    """Two entities of one kind are one."""
    APART = "apart"
    """A name does not mean this document; or two entities of one kind are two, however alike they look."""
    NOT_A_NAME = "not_a_name"
    """It leads nowhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GraphRule:
    """`first` and `second` are ids of entities; `second` is "" for what is no name, and a document for a name that does
    not mean it. `number` counts the rules of a knowledge base, from 1; 0: not said yet."""

    tenant: str
    kb: str
    kind: RuleKind
    first: str
    second: str = ""
    by: str
    at: datetime
    note: str = ""
    number: int = 0
    undone_at: datetime | None = None
    undone_by: str = ""

    @property
    def says(self) -> tuple[RuleKind, frozenset[str]]:
        """Two rules that say the same, whichever end was named first."""
        return self.kind, frozenset((self.first, self.second))

    @property
    def of_two(self) -> bool:
        """It is about two entities of one kind, not about a name and a document."""
        return bool(self.second) and kind_of(self.first) == kind_of(self.second)


@dataclass(frozen=True, kw_only=True, slots=True)
class RulesRead:
    """Those in force, by number. `mark` rises with every change of them (`Snapshot.forgotten`)."""

    mark: int = 0
    rules: tuple[GraphRule, ...] = ()


def kind_of(entity_id: str) -> EntityKind | None:
    """None for what is no id of an entity."""
    kind, colon, key = entity_id.partition(":")
    return _KINDS.get(kind) if colon and key else None


def classes(rules: Iterable[GraphRule]) -> Mapping[str, frozenset[str]]:
    """For every entity that is one with others: all of them, itself included. Circles are harmless."""
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for rule in rules:
        if rule.kind is RuleKind.SAME:
            beside[rule.first].add(rule.second)
            beside[rule.second].add(rule.first)
    found: dict[str, frozenset[str]] = {}
    for entity_id in beside:
        if entity_id in found:
            continue
        together, waiting = {entity_id}, [entity_id]
        while waiting:
            more = beside[waiting.pop()] - together
            together |= more
            waiting += more
        found |= dict.fromkeys(together, frozenset(together))
    return found
