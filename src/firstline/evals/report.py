"""Results as plain text tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from firstline.evals.evaluate import REMOVED, Judged, Ranked
from firstline.evals.results import Results
from firstline.evals.scorers import METRICS, confusion, interval, mean_scores
from firstline.evals.summary import (
    CONDITIONS,
    UNANSWERABLE,
    crossfitted,
    kind_of,
    mean_citation_precision,
    mean_f1,
    risk_area,
    separation,
    shown,
    wrong_rate,
)

QUESTION_CHARS: Final = 70
MISSED_MAX: Final = 30

Baselines = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Name of the baseline -> set -> metric -> figure."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns: the first to the left, figures to the right."""
    everything = [list(header), *[list(row) for row in rows]]
    widths = [max(len(row[at]) for row in everything) for at in range(len(header))]
    lines = [
        "  ".join(cell.ljust(widths[0]) if at == 0 else cell.rjust(widths[at]) for at, cell in enumerate(row)).rstrip()
        for row in everything
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def ratio(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.3f}"


def retrieval_report(ranked: Sequence[Ranked], baselines: Baselines | None = None) -> str:
    """Per set: our figures, under them their 95% intervals, and the baselines that name the set."""
    rows: list[list[str]] = []
    for name in dict.fromkeys(one.set_name for one in ranked):
        scores = [one.scores for one in ranked if one.set_name == name]
        means = mean_scores(scores)
        rows.append([name, str(len(scores)), *[ratio(means[metric]) for metric in METRICS]])
        ranges = [interval([one[metric] for one in scores]) for metric in METRICS]
        rows.append(["  95%", "", *[f"{low:.3f} {high:.3f}" for low, high in ranges]])
        for label, sets in (baselines or {}).items():
            known = sets.get(name, {})
            if known:
                rows.append([f"  {label}", "", *[ratio(known.get(metric)) for metric in METRICS]])
    return table(["set", "cases", *METRICS], rows)


def outcome_report(judged: Sequence[Judged]) -> str:
    """Which outcome each kind of question came to."""
    pairs = [(f"{j.set_name}, {kind_of(j) or 'not labelled'}", j.came) for j in judged]
    counts = confusion(pairs)
    columns = sorted({column for row in counts.values() for column in row})
    rows = [[row, *[str(found.get(column, 0)) for column in columns]] for row, found in counts.items()]
    return table(["question", *columns], rows)


def selective_report(judged: Sequence[Judged]) -> str:
    """Answers shown and wrong answers shown, per set and kind."""
    rows: list[list[str]] = []
    names = list(dict.fromkeys(j.set_name for j in judged))
    for name in [*names, "all"] if len(names) > 1 else names:
        for kind in CONDITIONS:
            found = shown(j for j in judged if kind_of(j) == kind and name in (j.set_name, "all"))
            if found.cases:
                rows.append([f"{name}, {kind}", str(found.cases), ratio(found.shown_share), ratio(found.wrong_share)])
    return table(["question", "cases", "shown", "wrong"], rows)


def separation_report(judged_open: Sequence[Judged]) -> str:
    """With the gates held open: how well the gates' values tell answerable questions from the others, and a model
    over the same features that is read on questions it was not fitted on."""
    rows: list[list[str]] = []
    for name in dict.fromkeys(j.set_name for j in judged_open):
        own = [j for j in judged_open if j.set_name == name]
        for against in (UNANSWERABLE, REMOVED):
            for value in ("relevance", "confidence", "cross-fitted"):
                fitted = value == "cross-fitted"
                found = crossfitted(own, against=against) if fitted else separation(own, against=against, value=value)
                if found.positives and found.negatives:
                    rows.append(
                        [
                            f"{name} against {against}, by {value}",
                            f"{found.positives}:{found.negatives}",
                            ratio(found.auroc),
                            ratio(found.coverage_at_1),
                        ]
                    )
    return table(["question", "cases", "auroc", "coverage at 1%"], rows)


def answer_report(judged_open: Sequence[Judged]) -> str:
    """With the gates held open: answer text and citations against the references."""
    rows: list[list[str]] = []
    for name in dict.fromkeys(j.set_name for j in judged_open):
        own = [j for j in judged_open if j.set_name == name]
        rows.append([name, ratio(mean_f1(own)), ratio(mean_citation_precision(own)), ratio(risk_area(own))])
    return table(["set", "token f1", "citation precision", "aurc"], rows)


def expectation_report(judged: Sequence[Judged], *, missed_max: int = MISSED_MAX) -> str:
    """Cases that expect an outcome: how many came to it, and the first of those that did not."""
    expecting = [j for j in judged if j.met is not None]
    if not expecting:
        return "No case expects a certain outcome."
    lines: list[str] = []
    for name in dict.fromkeys(j.set_name for j in expecting):
        own = [j for j in expecting if j.set_name == name]
        lines.append(f"{name}: {sum(bool(j.met) for j in own)} of {len(own)} came to the expected outcome")
    missed = [j for j in expecting if not j.met]
    for j in missed[:missed_max]:
        came = f"answered {j.completeness}" if j.completeness else j.outcome
        lines.append(f"  {j.key}: expected {_expected(j)}, came {came}: {short(j.question)}")
    if missed_max and len(missed) > missed_max:
        lines.append(f"  and {len(missed) - missed_max} more")
    return "\n".join(lines)


def _expected(j: Judged) -> str:
    """What a case that was missed asked for: the outcome, and the texts that the answer shown did not hold."""
    texts = " and ".join(repr(short(text)) for text in j.lacking)
    return " with ".join(part for part in (" or ".join(j.expected), texts) if part) or "other words"


def full_report(results: Results, baselines: Baselines | None = None) -> str:
    parts = [f"{results.name}  ({', '.join(f'{key} {value}' for key, value in results.about.items())})"]
    if results.ranked:
        parts += ["Retrieval", retrieval_report(results.ranked, baselines)]
    if results.judged:
        parts += ["Outcomes, gates as shipped", outcome_report(results.judged), selective_report(results.judged)]
        rate = wrong_rate(results.judged)
        if not math.isnan(rate):
            parts.append(f"Wrong answers shown, answerable : unanswerable : removed = 1 : 1 : 1: {rate:.4f}")
        parts += ["Expected outcomes", expectation_report(results.judged)]
    if results.judged_open:
        parts += ["Gates held open", separation_report(results.judged_open), answer_report(results.judged_open)]
        parts.append(expectation_report(results.judged_open, missed_max=0))
    return "\n\n".join(parts)


def short(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= QUESTION_CHARS else line[: QUESTION_CHARS - 1] + "…"
