"""Which questions gain by the graph, and what would it cost the others? Classic, graph and both, by the route's reason.

python -m benchmarks.graph_routes

Every development question of every set is ranked four ways: `classic` knows no graph; `graph` is what the graph alone
leads to from the names in the question; `always` joins it whatever the question asks; `routed` is the product, which
joins it where the route says so. A question's score is the share of its gold documents among the first eight. `ms` is
what walking adds to one question, on the reference engines, at the median.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from unittest.mock import patch

from benchmarks.graph_questions import FIRST, TWO_HOP, two_hop_cases
from benchmarks.ground import ASKER, Ground
from benchmarks.measured import run
from benchmarks.workbench import DATA_KB, load_set, question_sets, real_data
from firstline.domain import Route, SearchPlan
from firstline.evals.datasets import DataSource, present
from firstline.evals.report import table
from firstline.evals.scorers import paired_bootstrap
from firstline.questions import journey as journey_module
from firstline.questions.route import routed

WAYS: Final = ("classic", "graph", "always", "routed")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question and the documents that answer it, by one of their ids or, in two-hop questions, by their titles."""

    set_name: str
    turns: tuple[str, ...]
    gold: frozenset[str]
    by_title: bool = False

    @property
    def why(self) -> str:
        return routed(self.turns[-1]).why


@dataclass(frozen=True, kw_only=True)
class Scored:
    asked: Asked
    shares: dict[str, float]
    walking_ms: float


async def score(ground: Ground, asked: Asked) -> Scored:
    shares: dict[str, float] = {}
    spent: dict[str, float] = {}
    for way in WAYS:
        began = time.perf_counter()
        found = await _ranked(ground, asked, way)
        spent[way] = (time.perf_counter() - began) * 1000
        names = {ground.documents[one].title for one in found} if asked.by_title else set(found)
        shares[way] = len(asked.gold & names) / len(asked.gold)
    return Scored(asked=asked, shares=shares, walking_ms=max(0.0, spent["always"] - spent["classic"]))


async def _ranked(ground: Ground, asked: Asked, way: str) -> list[str]:
    *history, question = asked.turns
    if way == "graph":
        return (await ground.led_to(question))[:FIRST]
    journey = ground.journey(graph=way != "classic")
    with patch.object(journey_module, "route", _always if way == "always" else journey_module.route):
        found = await journey.rank(principal=ASKER, kb=DATA_KB, question=question, history=history, limit=FIRST)
    return [one.doc_id for one in found]


def _always(plan: SearchPlan) -> SearchPlan:
    return replace(plan, route=Route.GRAPH)


def rows_of(scored: Sequence[Scored]) -> list[list[str]]:
    """A row for each reason of the route in each set."""
    groups: defaultdict[tuple[str, str], list[Scored]] = defaultdict(list)
    for one in scored:
        groups[one.asked.set_name, one.asked.why].append(one)
        if one.asked.why != routed("").why:
            groups["all sets", "sent over the graph"].append(one)
        groups["all sets", "all"].append(one)
    return [[*key, *_row(group)] for key, group in sorted(groups.items())]


def _row(group: Sequence[Scored]) -> list[str]:
    means = [f"{statistics.fmean(one.shares[way] for one in group):.3f}" for way in WAYS]
    changes = [_change(group, way) for way in ("always", "routed")]
    return [str(len(group)), *means, *changes, f"{statistics.median(one.walking_ms for one in group):.0f}"]


def _change(group: Sequence[Scored], way: str) -> str:
    change = paired_bootstrap([one.shares["classic"] for one in group], [one.shares[way] for one in group])
    return f"{change.mean:+.3f} ({change.low:+.3f} {change.high:+.3f})"


async def report() -> None:
    data = real_data()
    two_hop = [
        Asked(set_name="twowiki", turns=(case.question,), gold=frozenset(case.titles), by_title=True)
        for case in two_hop_cases(data)
    ]
    others = [
        Asked(set_name=name, turns=tuple(case.turns), gold=frozenset(case.docs))
        for name in question_sets(data)
        if name != "demo"
        for case in load_set(name, data=data)
        if case.docs
    ]
    scored: list[Scored] = []
    for source, cases in ((DataSource(data, [TWO_HOP]), two_hop), (DataSource(data, present(data)), others)):
        ground = await Ground.filled(source)
        scored += [await score(ground, asked) for asked in cases]
    print(f"Share of the gold documents among the first {FIRST}; differences to classic with their 95% intervals\n")
    head = ["set", "why", "questions", *WAYS, "always - classic", "routed - classic", "ms"]
    print(table(head, rows_of(scored)))


if __name__ == "__main__":
    sys.exit(run("graph_routes", report()))
