"""May a rule be said beside those in force? What would contradict one of them is refused, with its number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import EntityKind, GraphRule, RuleKind
from firstline.domain.graph_rules import CLASS_MAX, PLACES, RULES_MAX, classes, kind_of
from firstline.errors import Conflict, InvalidInput

ID_CHARS_SHOWN: Final = 100
UNDO: Final = "Undo that one first: `firstline graph review --undo {number}`."


@dataclass(frozen=True, kw_only=True, slots=True)
class Naming:
    """What documents go by, by their ids: of those that rules keep names apart from. `seen` are the entities that
    whoever says the rule may see: an error names no other."""

    names: Mapping[str, frozenset[str]]
    seen: frozenset[str]

    def of(self, document: str) -> frozenset[str]:
        return self.names.get(document, frozenset())

    def shown(self, entity_id: str) -> str:
        return repr(entity_id[:ID_CHARS_SHOWN]) if entity_id in self.seen else "another entity"


def refuse(rule: GraphRule, force: Sequence[GraphRule], naming: Naming) -> None:
    """Raises InvalidInput for what no rule can say, Conflict for what one in `force` forbids. A rule that is taken back
    never makes another one wrong, so rules can be undone in any order."""
    if len(force) >= RULES_MAX:
        raise InvalidInput(f"A knowledge base has at most {RULES_MAX} rules.", remedy="Undo those of no use any more.")
    if rule.first == rule.second:
        raise InvalidInput(
            f"{naming.shown(rule.first)} is named twice: it is one with itself.", remedy="Name two entities."
        )
    for end in filter(None, (rule.first, rule.second)):
        if kind_of(end) in PLACES:
            raise InvalidInput(
                f"{end[:100]!r} is a place in a document, and no name.", remedy="Rules are said of names and documents."
            )
    if rule.kind is RuleKind.SAME:
        _refuse_same(rule, force, naming)
    elif rule.kind is RuleKind.NOT_A_NAME:
        _refuse_nameless(rule, force, naming)
    elif rule.of_two:
        _refuse_one(rule, rule.second, force, naming, "they cannot be two")
    else:
        _refuse_apart(rule, force, naming)


def _refuse_same(rule: GraphRule, force: Sequence[GraphRule], naming: Naming) -> None:
    if kind_of(rule.first) != kind_of(rule.second):
        raise InvalidInput("Two of different kinds cannot be one.", remedy="Name two of one kind.")
    nameless = _of(RuleKind.NOT_A_NAME, force)
    if said := next((one for one in nameless if one.first in (rule.first, rule.second)), None):
        raise _conflict(f"{naming.shown(said.first)} is no name", said)
    together = classes([*force, rule])[rule.first]
    if len(together) > CLASS_MAX:
        raise InvalidInput(f"At most {CLASS_MAX} entities can be one.", remedy="These would be more; undo some first.")
    for said in _of(RuleKind.APART, force):
        if said.first not in together:
            continue
        if said.of_two and said.second in together:
            raise _conflict(f"{naming.shown(said.first)} and {naming.shown(said.second)} are two", said)
        others = (naming.of(said.second) & together) - _kept_from(said.second, force)
        if not said.of_two and others:
            means = f"{naming.shown(said.first)} does not mean {naming.shown(said.second)}"
            raise _conflict(f"{means}, which goes by {naming.shown(min(others))}", said)


def _refuse_nameless(rule: GraphRule, force: Sequence[GraphRule], naming: Naming) -> None:
    if kind_of(rule.first) is EntityKind.DOCUMENT:
        raise InvalidInput(
            f"{naming.shown(rule.first)} is a document, and no name.",
            remedy="Say it of a name; `firstline forget` forgets documents.",
        )
    if said := next((one for one in _of(RuleKind.SAME, force) if rule.first in (one.first, one.second)), None):
        raise _conflict(f"{naming.shown(said.first)} and {naming.shown(said.second)} are one", said)


def _refuse_apart(rule: GraphRule, force: Sequence[GraphRule], naming: Naming) -> None:
    if kind_of(rule.second) is not EntityKind.DOCUMENT:
        raise InvalidInput("A name is kept apart from a document.", remedy="Name a name, and a document by its id.")
    names = naming.of(rule.second)
    if rule.first not in names:
        raise InvalidInput(
            f"{naming.shown(rule.second)} does not go by {naming.shown(rule.first)}: there is nothing to keep apart.",
            remedy="`firstline graph show` with the document's id says what it goes by.",
        )
    for other in sorted((names - {rule.first}) - _kept_from(rule.second, force)):
        _refuse_one(
            rule, other, force, naming, f"and {naming.shown(rule.second)} goes by both: it would still be meant"
        )


def _refuse_one(rule: GraphRule, other: str, force: Sequence[GraphRule], naming: Naming, so: str) -> None:
    """Conflict when the rule's first entity and this one are one by others."""
    if other in classes(force).get(rule.first, ()):
        same = _of(RuleKind.SAME, force)
        said = next(one for one in same if rule.first in (one.first, one.second))
        raise _conflict(f"{naming.shown(rule.first)} is one with {naming.shown(other)}, {so}", said)


def _kept_from(document: str, force: Iterable[GraphRule]) -> frozenset[str]:
    """Names that do not mean it by rules."""
    return frozenset(one.first for one in _of(RuleKind.APART, force) if one.second == document)


def _of(kind: RuleKind, force: Iterable[GraphRule]) -> list[GraphRule]:
    return [one for one in force if one.kind is kind]


def _conflict(what: str, said: GraphRule) -> Conflict:
    if not said.number:
        return Conflict(f"{what}, as another rule here says.", remedy="Leave one of them out.")
    return Conflict(f"{what}, by rule {said.number}.", remedy=UNDO.format(number=said.number))
