"""What does each stage of retrieval give? Every setting below against the shipped one, on all sets.

python -m benchmarks.ablation

Differences are of the macro average (each set counts the same), with a 95% interval from a paired bootstrap; a star
when zero is outside. An interval says how sure a difference is on THESE questions, and many settings are looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from benchmarks.evaluate import rank_sets
from benchmarks.measured import run
from benchmarks.workbench import load_set, open_workbench, question_sets, real_data
from firstline.evals.compare import differences, paired
from firstline.evals.evaluate import Ranked
from firstline.evals.report import table
from firstline.evals.scorers import Difference, mean_scores

SHOWN: Final = ("hit1", "hit3", "mrr", "recall5", "recall10")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """`settings` differ from the shipped ones; `alone` leaves every earlier turn out."""

    name: str
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    alone: bool = False


VARIANTS: Final = (
    Variant(name="words alone", settings={"weight_dense": 0.0, "weight_document": 0.0}),
    Variant(name="best chunk's vector alone", settings={"weight_words": 0.0, "weight_document": 0.0}),
    Variant(name="without words", settings={"weight_words": 0.0}),
    Variant(name="without the chunk's vector", settings={"weight_dense": 0.0}),
    Variant(name="without the document's mean", settings={"weight_document": 0.0}),
    Variant(name="words 1, dense 2, document 1", settings={"weight_words": 1.0, "weight_document": 1.0}),
    Variant(name="30 candidates of each kind", settings={"candidates": 30}),
    Variant(name="300 candidates of each kind", settings={"candidates": 300}),
    Variant(name="the last message alone", alone=True),
)


async def ranked(variant: Variant) -> list[Ranked]:
    data = real_data()
    async with open_workbench(data=data, flags=variant.settings) as bench:
        cases = {name: load_set(name, data=data) for name in question_sets(data)}
        if variant.alone:
            cases = {name: [replace(case, turns=case.turns[-1:]) for case in own] for name, own in cases.items()}
        return await rank_sets(bench, cases)


def absolute(found: list[Ranked]) -> str:
    names = list(dict.fromkeys(one.set_name for one in found))
    rows: list[list[str]] = []
    for name in names:
        own = mean_scores([one.scores for one in found if one.set_name == name])
        rows.append([name, *[f"{own[metric]:.3f}" for metric in SHOWN]])
    return table(["set", *SHOWN], rows)


def change(found: Difference) -> str:
    star = "*" if found.low > 0 or found.high < 0 else ""
    return f"{found.mean:+.3f}{star} ({found.low:+.3f} {found.high:+.3f})"


async def report() -> None:
    full = await ranked(Variant(name="as shipped"))
    rows: list[list[str]] = []
    for variant in VARIANTS:
        macro = differences(paired(full, await ranked(variant)))["macro"]
        rows.append([variant.name, *[change(macro[metric]) for metric in SHOWN]])
    print(f"As shipped\n\n{absolute(full)}\n\nMinus as shipped, macro\n\n{table(['setting', *SHOWN], rows)}")


if __name__ == "__main__":
    sys.exit(run("ablation", report()))
