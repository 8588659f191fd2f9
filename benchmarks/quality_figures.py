"""Figures about quality: retrieval, sufficiency of the evidence, answers."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from benchmarks.citations import carried_sentences
from benchmarks.evaluate import ask_sets, rank_sets
from benchmarks.measured import Measured, Registry
from benchmarks.workbench import DEMO_KB, load_set, open_workbench, question_sets, real_data
from firstline.evals.datasets import DOCUMENTATION
from firstline.evals.evaluate import Judged
from firstline.evals.halves import Halves, halves
from firstline.evals.scorers import mean_scores
from firstline.evals.summary import (
    REMOVED,
    UNANSWERABLE,
    crossfitted,
    mean_citation_precision,
    mean_f1,
    risk_area,
    wrong_rate,
)
from firstline.questions.gate import load_gates

WRONG_MAX: Final = 0.007
"""Asked for on the fitted half: what the shipped thresholds are set to (training.gates.fit)."""
SETS: Final = (*(one.name for one in DOCUMENTATION if one.name != "openshift_runbooks"), DEMO_KB)
METRICS: Final = ("hit1", "hit3", "hit5", "hit10", "mrr", "recall5", "recall10")

_ranked: dict[str, dict[str, float]] = {}
_judged: dict[tuple[str, bool], list[Judged]] = {}


async def retrieval(set_name: str, metric: str) -> Measured:
    """One run gives every metric of a set; within one process it is not repeated."""
    if set_name not in _ranked:
        data = None if set_name == DEMO_KB else real_data()
        async with open_workbench(data=data) as bench:
            found = await rank_sets(bench, {set_name: load_set(set_name, data=data)})
        _ranked[set_name] = mean_scores([one.scores for one in found])
    return Measured(value=_ranked[set_name][metric], unit="ratio")


async def judged(set_name: str, *, open_gates: bool) -> list[Judged]:
    key = (set_name, open_gates)
    if key not in _judged:
        data = real_data()
        async with open_workbench(data=data, open_gates=open_gates) as bench:
            _judged[key] = await ask_sets(bench, {set_name: load_set(set_name, data=data)})
    return _judged[key]


async def sufficiency(against: str) -> Measured:
    """AUROC of answerable questions of techqa against the others; a model over the gates' features, cross-fitted."""
    return Measured(value=crossfitted(await judged("techqa", open_gates=True), against=against).auroc, unit="auroc")


async def coverage_at_1(against: str) -> Measured:
    found = crossfitted(await judged("techqa", open_gates=True), against=against)
    return Measured(value=found.coverage_at_1, unit="ratio")


async def f1(set_name: str) -> Measured:
    return Measured(value=mean_f1(await judged(set_name, open_gates=True)), unit="token F1")


async def _every_set(*, open_gates: bool) -> list[Judged]:
    names = [name for name in question_sets(real_data()) if name != DEMO_KB]
    return [one for name in names for one in await judged(name, open_gates=open_gates)]


async def wrong() -> Measured:
    """On the halves of the questions that the gates were not fitted on."""
    return Measured(value=(await _halves()).wrong_rate, unit="ratio")


async def coverage() -> Measured:
    """Answerable questions that got a right answer, with the gates of `answers.wrong_rate`."""
    return Measured(value=(await _halves()).coverage, unit="ratio")


async def wrong_as_shipped() -> Measured:
    """The shipped gates, which were fitted on these questions."""
    return Measured(value=wrong_rate(await _every_set(open_gates=False)), unit="ratio")


async def _halves() -> Halves:
    judged_open = await _every_set(open_gates=True)
    return halves(judged_open, features=tuple(load_gates()["confidence"].weights), wrong_max=WRONG_MAX)


async def area() -> Measured:
    return Measured(value=risk_area(await _every_set(open_gates=True)), unit="aurc")


async def recall() -> Measured:
    """Sentences of shown answers whose words stand in the spans that they cite, read afresh from the documents: not by
    the verifier's own rules."""
    carried = total = 0
    for name in question_sets(real_data()):
        if name != DEMO_KB:
            held, said = await carried_sentences(name)
            carried, total = carried + held, total + said
    return Measured(value=carried / total if total else math.nan, unit="ratio")


async def precision() -> Measured:
    return Measured(value=mean_citation_precision(await _every_set(open_gates=False)), unit="ratio")


def register(registry: Registry) -> None:
    for set_name in SETS:
        for metric in METRICS:
            registry[f"retrieval.{set_name}.{metric}"] = partial(retrieval, set_name, metric)
    for label, against in (("labelled", UNANSWERABLE), ("removed", REMOVED)):
        registry[f"sufficiency.techqa.auroc_{label}"] = partial(sufficiency, against)
        registry[f"answers.coverage_at_1.{label}"] = partial(coverage_at_1, against)
    for set_name in ("wixqa", "techqa"):
        registry[f"answers.f1.{set_name}"] = partial(f1, set_name)
    registry["answers.wrong_rate"] = wrong
    registry["answers.coverage"] = coverage
    registry["answers.wrong_rate_as_shipped"] = wrong_as_shipped
    registry["citations.recall"] = recall
    registry["answers.aurc"] = area
    registry["citations.precision"] = precision
