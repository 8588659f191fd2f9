"""What persons said of the graph's names, in memory: the reference that says what the others must do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from firstline.domain import EntityKind, GraphRule, RulesRead, Tombstone
from firstline.domain.graph_rules import RULES_MAX
from firstline.engines.memory.base import Base
from firstline.errors import NotFound


class MemoryGraphRules:
    """See ports.GraphRules. For the knowledge ledger, whose bases these are."""

    _bases: dict[tuple[str, str], Base]

    @abstractmethod
    def _mark(self) -> int: ...

    async def graph_rules(self, *, tenant: str, kb: str) -> RulesRead:
        base = self._bases.get((tenant, kb))
        if base is None:
            return RulesRead()
        force = tuple(rule for rule in base.rules if rule.undone_at is None)
        return RulesRead(mark=base.forgotten, rules=force[:RULES_MAX])

    async def graph_rules_said(self, *, tenant: str, kb: str, limit: int) -> list[GraphRule]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        return list(reversed(base.rules))[:limit]

    async def say_graph_rules(self, rules: Sequence[GraphRule], *, seen: int) -> list[GraphRule] | None:
        if not rules:
            return []
        base = self._bases.get((rules[0].tenant, rules[0].kb))
        if base is None:
            raise NotFound(
                f"There is no knowledge base {rules[0].kb!r}.",
                remedy="`firstline status` lists them; `firstline ingest` makes one.",
            )
        if base.forgotten != seen:
            return None
        said = [replace(rule, number=number) for number, rule in enumerate(rules, start=len(base.rules) + 1)]
        base.rules += said
        base.forgotten = self._mark()
        return said

    async def undo_graph_rule(self, number: int, *, tenant: str, kb: str, by: str, at: datetime) -> GraphRule | None:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        if not 1 <= number <= len(base.rules):
            return None
        rule = base.rules[number - 1]
        if rule.undone_at is None:
            rule = base.rules[number - 1] = replace(rule, undone_at=at, undone_by=by)
            base.forgotten = self._mark()
        return rule


def forget_graph_rules(base: Base, stone: Tombstone) -> None:
    """A rule about the document loses its names and is taken back, unless it was said of what was taken anew since."""
    document = f"{EntityKind.DOCUMENT}:{stone.doc_id}"
    for place, rule in enumerate(base.rules):
        if document in (rule.first, rule.second) and rule.at <= stone.at:
            undone_at = rule.undone_at or datetime.now(UTC)
            base.rules[place] = replace(rule, first="", second="", note="", undone_at=undone_at)
