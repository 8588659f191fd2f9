"""The runs side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.peers.costs import Costs, quantile
from firstline.evals.compare import differences, paired
from firstline.evals.results import Results
from firstline.evals.scorers import Difference, mean_scores

SHOWN: Final = {
    "hit1": "hit@1",
    "hit3": "hit@3",
    "hit5": "hit@5",
    "hit10": "hit@10",
    "mrr": "MRR",
    "recall5": "recall@5",
    "recall10": "recall@10",
}
MACRO: Final = "macro"
MARK: Final = "<!-- What follows is written by `python -m benchmarks.peers --table --write`. -->"


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """`label`: whose run it is; it has one for each wording of a conversation."""

    label: str
    results: Results
    costs: Costs


def full_table(runs: Sequence[Run], ours: Results) -> str:
    """Quality per set and averaged over sets, the difference to ours with its interval, cost, versions."""
    parts = [f"### {_heading(name, runs)}\n\n{quality_table(runs, name)}" for name in [MACRO, *_sets(runs)]]
    others = [run for run in runs if run.results.name != ours.name]
    if others:
        parts.append(
            f"### {ours.name} minus the other, macro average\n\nPaired bootstrap, 95% interval; a star: zero is "
            f"outside.\n\n{difference_table(ours, [run.results for run in others])}"
        )
        parts.append(f"### Where another one is ahead\n\n{ahead_table(ours, others)}")
    parts.append(f"### Cost\n\n{cost_table(runs)}")
    parts.append(f"### Versions\n\n{version_list(runs)}")
    return "\n\n".join(parts)


def with_tables(page: str, tables: str) -> str:
    """The page with these tables after its mark, in place of those that stood there. ValueError without the mark."""
    head, mark, _ = page.partition(MARK)
    if not mark:
        raise ValueError(f"the page lacks the line {MARK}")
    return f"{head}{mark}\n\n{tables}\n"


def quality_table(runs: Sequence[Run], set_name: str) -> str:
    """The best of each column is bold. `macro` is the unweighted mean over sets."""
    rows = [(name, means(results, set_name)) for name, results in _distinct(runs, set_name)]
    best = {metric: max((found[metric] for _, found in rows if found), default=0.0) for metric in SHOWN}
    return markdown(
        ["retriever", *SHOWN.values()],
        [[name, *[_figure(found[metric], best[metric]) for metric in SHOWN]] for name, found in rows if found],
    )


def means(results: Results, set_name: str) -> Mapping[str, float]:
    """Metric -> mean over the set's questions, or over sets for `macro`; empty when there is none."""
    if set_name != MACRO:
        return mean_scores([one.scores for one in results.ranked if one.set_name == set_name])
    names = dict.fromkeys(one.set_name for one in results.ranked)
    return mean_scores([means(results, name) for name in names])


def difference_table(ours: Results, others: Sequence[Results]) -> str:
    rows: list[list[str]] = []
    for other in others:
        found = differences(paired(other.ranked, ours.ranked))
        # One set alone has no average: it is the average.
        own = found.get(MACRO) or next(iter(found.values()))
        rows.append([other.name, *[_interval(own[metric]) for metric in SHOWN]])
    return markdown(["against", *SHOWN.values()], rows)


def ahead_table(ours: Results, runs: Sequence[Run]) -> str:
    """Every set and metric on which another run has the higher mean."""
    rows: list[list[str]] = []
    for name in [MACRO, *_sets(runs)]:
        for label, other in _distinct(runs, name):
            by_metric = differences(paired(other.ranked, ours.ranked)).get(name, {})
            behind = [(metric, by_metric[metric]) for metric in SHOWN if by_metric and by_metric[metric].mean < 0]
            if behind:
                rows.append([name, label, "; ".join(f"{SHOWN[metric]} {_interval(one)}" for metric, one in behind)])
    return markdown(["set", "retriever", f"{ours.name} minus it"], rows) if rows else "Nowhere."


def cost_table(runs: Sequence[Run]) -> str:
    rows = [
        [
            run.results.name,
            *[f"{quantile(run.costs.live_ms, share):.1f}" for share in (0.5, 0.95)],
            *[f"{quantile(run.costs.search_ms, share):.1f}" for share in (0.5, 0.95)],
            f"{run.costs.index_s:.1f}",
            f"{run.costs.chunks:,}",
            f"{run.costs.memory_mb:.0f}",
            f"{run.costs.memory_peak_mb:.0f}",
        ]
        for run in runs
    ]
    header = ["retriever", "p50 ms", "p95 ms", "p50 ms, no embedding", "p95 ms, no embedding"]
    return markdown([*header, "index s, no embedding", "chunks", "MB, searching", "MB, peak"], rows)


def version_list(runs: Sequence[Run]) -> str:
    found = {key: value for run in runs for key, value in run.results.about.items()}
    return "\n".join(f"- {key} {value}" for key, value in sorted(found.items()))


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, marks, *rows])


def _distinct(runs: Sequence[Run], set_name: str) -> list[tuple[str, Results]]:
    """Runs by name. Where a set holds no conversation, one run stands for every wording."""
    found: list[tuple[str, Results]] = []
    for label in dict.fromkeys(run.label for run in runs):
        own = [run.results for run in runs if run.label == label]
        orders = {tuple(one.ranked for one in results.ranked if set_name in (one.set_name, MACRO)) for results in own}
        found += [(results.name, results) for results in own] if len(orders) > 1 else [(label, own[0])]
    return found


def _sets(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(one.set_name for run in runs for one in run.results.ranked))


def _heading(name: str, runs: Sequence[Run]) -> str:
    if name == MACRO:
        return "Average over sets"
    questions = sum(one.set_name == name for one in runs[0].results.ranked)
    return f"{name}, {questions} questions"


def _figure(value: float, best: float) -> str:
    text = f"{value:.3f}"
    return f"**{text}**" if text == f"{best:.3f}" else text


def _interval(found: Difference) -> str:
    star = "*" if found.significant else ""
    return f"{found.mean:+.3f}{star} ({found.low:+.3f} to {found.high:+.3f})"
