"""May a rule be said beside those in force? What would contradict one of them is refused, with its number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from firstline.domain import EntityKind, GraphRule, RuleKind
from firstline.domain.graph_rules import CLASS_MAX, PLACES, RULES_MAX, kind_of
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


class Force:
    """Rules in force, found by what they are about: a list of a thousand is compared with ten thousand of them."""

    def __init__(self, rules: Iterable[GraphRule] = ()) -> None:
        self.count = 0
        self._same: defaultdict[str, list[GraphRule]] = defaultdict(list)
        self._apart: defaultdict[str, list[GraphRule]] = defaultdict(list)
        self._kept_from: defaultdict[str, set[str]] = defaultdict(set)
        self._nameless: dict[str, GraphRule] = {}
        for rule in rules:
            self.add(rule)

    def add(self, rule: GraphRule) -> None:
        self.count += 1
        if rule.kind is RuleKind.SAME:
            self._same[rule.first].append(rule)
            self._same[rule.second].append(rule)
        elif rule.kind is RuleKind.NOT_A_NAME:
            self._nameless.setdefault(rule.first, rule)
        else:
            self._apart[rule.first].append(rule)
            self._kept_from[rule.second].add(rule.first)

    def together(self, *entity_ids: str) -> frozenset[str]:
        """These, and all that are one with any of them."""
        found, waiting = set(entity_ids), list(entity_ids)
        while waiting:
            for rule in self.same(waiting.pop()):
                more = {rule.first, rule.second} - found
                found |= more
                waiting += more
        return frozenset(found)

    def joining(self, first: str, other: str) -> GraphRule:
        """The rule by which `other` is one with `first`: that of the two where there is one, else the last one between
        them. They must be together."""
        by: dict[str, GraphRule] = {}
        waiting = [first]
        for reached in waiting:
            for rule in self.same(reached):
                for end in (rule.first, rule.second):
                    if end != first and end not in by:
                        by[end] = rule
                        waiting.append(end)
        return by[other]

    def same(self, entity_id: str) -> Sequence[GraphRule]:
        return self._same.get(entity_id, ())

    def nameless(self, *entity_ids: str) -> GraphRule | None:
        return next((said for one in entity_ids if (said := self._nameless.get(one)) is not None), None)

    def apart(self, entity_ids: Iterable[str]) -> list[GraphRule]:
        """Those that keep one of these from something, in the order of their numbers."""
        found = [said for one in sorted(entity_ids) for said in self._apart.get(one, ())]
        return sorted(found, key=lambda said: (not said.number, said.number))

    def kept_from(self, document: str) -> Set[str]:
        """Names that do not mean it by rules."""
        return self._kept_from.get(document, frozenset())


def refuse(rule: GraphRule, force: Force, naming: Naming) -> None:
    """Raises InvalidInput for what no rule can say, Conflict for what one in `force` forbids. A rule that is taken back
    never makes another one wrong, so rules can be undone in any order."""
    if force.count >= RULES_MAX:
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
        _refuse_one(rule, force, naming, {rule.second}, "they cannot be two")
    else:
        _refuse_apart(rule, force, naming)


def _refuse_same(rule: GraphRule, force: Force, naming: Naming) -> None:
    if kind_of(rule.first) != kind_of(rule.second):
        raise InvalidInput("Two of different kinds cannot be one.", remedy="Name two of one kind.")
    if said := force.nameless(rule.first, rule.second):
        raise _conflict(f"{naming.shown(said.first)} is no name", said)
    together = force.together(rule.first, rule.second)
    if len(together) > CLASS_MAX:
        raise InvalidInput(f"At most {CLASS_MAX} entities can be one.", remedy="These would be more; undo some first.")
    for said in force.apart(together):
        if said.of_two and said.second in together:
            raise _conflict(f"{naming.shown(said.first)} and {naming.shown(said.second)} are two", said)
        others = (naming.of(said.second) & together) - force.kept_from(said.second)
        if not said.of_two and others:
            means = f"{naming.shown(said.first)} does not mean {naming.shown(said.second)}"
            raise _conflict(f"{means}, which goes by {naming.shown(min(others))}", said)


def _refuse_nameless(rule: GraphRule, force: Force, naming: Naming) -> None:
    if kind_of(rule.first) is EntityKind.DOCUMENT:
        raise InvalidInput(
            f"{naming.shown(rule.first)} is a document, and no name.",
            remedy="Say it of a name; `firstline forget` forgets documents.",
        )
    for said in force.same(rule.first):
        raise _conflict(f"{naming.shown(said.first)} and {naming.shown(said.second)} are one", said)


def _refuse_apart(rule: GraphRule, force: Force, naming: Naming) -> None:
    if kind_of(rule.second) is not EntityKind.DOCUMENT:
        raise InvalidInput("A name is kept apart from a document.", remedy="Name a name, and a document by its id.")
    names = naming.of(rule.second)
    if rule.first not in names:
        raise InvalidInput(
            f"{naming.shown(rule.second)} does not go by {naming.shown(rule.first)}: there is nothing to keep apart.",
            remedy="`firstline graph show` with the document's id says what it goes by.",
        )
    others = (names - {rule.first}) - force.kept_from(rule.second)
    so = f"and {naming.shown(rule.second)} goes by both: it would still be meant"
    _refuse_one(rule, force, naming, others, so)


def _refuse_one(rule: GraphRule, force: Force, naming: Naming, others: Set[str], so: str) -> None:
    """Conflict when the rule's first entity and one of these are one by others."""
    for other in sorted(force.together(rule.first) & others):
        said = force.joining(rule.first, other)
        raise _conflict(f"{naming.shown(rule.first)} is one with {naming.shown(other)}, {so}", said)


def _conflict(what: str, said: GraphRule) -> Conflict:
    if not said.number:
        return Conflict(f"{what}, as another rule here says.", remedy="Leave one of them out.")
    return Conflict(f"{what}, by rule {said.number}.", remedy=UNDO.format(number=said.number))
