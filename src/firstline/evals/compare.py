"""Two runs side by side: is B better than A, how sure is that, and which questions changed?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from firstline.evals.check import came
from firstline.evals.evaluate import Judged, Ranked
from firstline.evals.report import short, table
from firstline.evals.results import Results
from firstline.evals.scorers import METRICS, Difference, macro_bootstrap, paired_bootstrap

CHANGED_MAX: Final = 60

Pairs = dict[str, list[tuple[Ranked, Ranked]]]


def compare(before: Results, after: Results) -> str:
    """Differences with paired bootstrap intervals (a star: zero is outside), per set and averaged over sets, then the
    questions whose first gold place or outcome changed. Only cases that both runs have are compared."""
    pairs = paired(before.ranked, after.ranked)
    parts = [f"A: {before.name}\nB: {after.name}"]
    if pairs:
        parts += ["Retrieval, B minus A", difference_table(pairs), *_changed_places(pairs)]
    parts += _changed_outcomes(before.judged, after.judged)
    return "\n\n".join(parts)


def paired(before: Sequence[Ranked], after: Sequence[Ranked]) -> Pairs:
    """By set: the same case in both runs. A case whose gold documents changed is another case."""
    old = {one.key: one for one in before}
    found: Pairs = {}
    for one in after:
        other = old.get(one.key)
        if other is not None and set(other.gold) == set(one.gold):
            found.setdefault(one.set_name, []).append((other, one))
    return found


def differences(pairs: Pairs) -> dict[str, dict[str, Difference]]:
    """Set -> metric -> difference; the set `macro` is the unweighted mean over sets."""
    found = {
        name: {metric: paired_bootstrap(*_columns(own, metric)) for metric in METRICS} for name, own in pairs.items()
    }
    if len(pairs) > 1:
        found["macro"] = {
            metric: macro_bootstrap([_columns(own, metric) for own in pairs.values()]) for metric in METRICS
        }
    return found


def difference_table(pairs: Pairs) -> str:
    rows: list[list[str]] = []
    for name, by_metric in differences(pairs).items():
        rows.append(
            [name, str(next(iter(by_metric.values())).cases), *[_signed(by_metric[metric]) for metric in METRICS]]
        )
        low_high = [f"{by_metric[metric].low:+.3f} {by_metric[metric].high:+.3f}" for metric in METRICS]
        rows.append(["  95%", "", *low_high])
    return table(["set", "cases", *METRICS], rows)


def place(one: Ranked) -> int | None:
    """The place of the first gold document, from 1."""
    gold = set(one.gold)
    return next((at for at, doc in enumerate(dict.fromkeys(one.ranked), start=1) if doc in gold), None)


def _columns(own: Sequence[tuple[Ranked, Ranked]], metric: str) -> tuple[list[float], list[float]]:
    return [old.scores[metric] for old, _ in own], [new.scores[metric] for _, new in own]


def _signed(difference: Difference) -> str:
    return f"{difference.mean:+.3f}{'*' if difference.significant else ' '}"


def _changed_places(pairs: Pairs) -> list[str]:
    changed = [(old, new) for own in pairs.values() for old, new in own if place(old) != place(new)]
    # The largest changes first: from or to "not found" counts as the place after the last.
    changed.sort(key=lambda pair: -abs(_weight(pair[0]) - _weight(pair[1])))
    lines = [
        f"  {new.key}: place {place(old) or 'none'} -> {place(new) or 'none'}: {short(new.question)}"
        for old, new in changed[:CHANGED_MAX]
    ]
    return [f"{len(changed)} questions found their document at another place", "\n".join(lines)] if changed else []


def _weight(one: Ranked) -> float:
    at = place(one)
    return 1 / at if at else 0.0


def _changed_outcomes(before: Sequence[Judged], after: Sequence[Judged]) -> list[str]:
    old: Mapping[tuple[str, str], Judged] = {(one.key, one.condition): one for one in before}
    lines = [
        f"  {new.key} ({new.condition}): {came(was)} -> {came(new)}: {short(new.question)}"
        for new in after
        if (was := old.get((new.key, new.condition))) is not None and came(was) != came(new)
    ]
    return [f"{len(lines)} outcomes changed", "\n".join(lines[:CHANGED_MAX])] if lines else []
