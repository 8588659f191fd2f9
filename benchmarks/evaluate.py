"""`make eval`: the labelled questions of every data set and of the demo, scored.

python -m benchmarks.evaluate                       everything, in minutes
python -m benchmarks.evaluate --only retrieval      ranking alone
python -m benchmarks.evaluate --compare A.json B.json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
import time
from pathlib import Path
from typing import Final

from benchmarks.workbench import (
    CACHE,
    DEMO_KB,
    Workbench,
    commit,
    load_set,
    open_workbench,
    question_sets,
    real_data,
    show_progress,
)
from firstline.errors import FirstlineError
from firstline.evals.cases import Case
from firstline.evals.compare import compare
from firstline.evals.datasets import DataMissing
from firstline.evals.evaluate import LABELLED, REMOVED, Judged, Ranked, ask_cases, rank_cases
from firstline.evals.report import Baselines, full_report
from firstline.evals.results import Results, load, save

EXIT_USAGE: Final = 2
EXIT_NO_DATA: Final = 3


def baselines() -> Baselines:
    path = Path(__file__).with_name("baselines.json")
    found: Baselines = json.loads(path.read_text(encoding="utf-8"))["retrieval"]
    return found


def sample(cases: list[Case], limit: int) -> list[Case]:
    """At most `limit` cases, always the same ones, in their order. 0: all."""
    if not limit or len(cases) <= limit:
        return cases
    chosen = set(random.Random(0).sample(range(len(cases)), limit))  # noqa: S311 - a repeatable sample, no secret
    return [case for place, case in enumerate(cases) if place in chosen]


async def rank_sets(bench: Workbench, cases: dict[str, list[Case]]) -> list[Ranked]:
    found: list[Ranked] = []
    for name, own in cases.items():
        found += await rank_cases(own, bench.runner(name).rank, on_done=show_progress(f"rank {name}"))
    return found


async def ask_sets(bench: Workbench, cases: dict[str, list[Case]]) -> list[Judged]:
    """Every case as labelled, then without its gold documents."""
    found: list[Judged] = []
    for name, own in cases.items():
        for condition in (LABELLED, REMOVED):
            if name == "demo" and condition == REMOVED:
                continue  # near-duplicates are there on purpose: other pages often answer as well
            label = f"ask {name}, {condition}"
            found += await ask_cases(own, bench.runner(name).ask, condition=condition, on_done=show_progress(label))
    return found


async def evaluate(arguments: argparse.Namespace) -> Results:
    started = time.monotonic()
    # The demo can be asked without the public data.
    data = None if arguments.sets == [DEMO_KB] else real_data()
    names = arguments.sets or question_sets(data)
    cases = {
        name: sample(load_set(name, data=data, split=arguments.split, long_form=arguments.long_form), arguments.limit)
        for name in names
    }
    ranked: list[Ranked] = []
    judged: list[Judged] = []
    judged_open: list[Judged] = []
    async with open_workbench(data=data) as bench:
        settings_hash = bench.firstline.settings.settings_hash
        if arguments.only in ("retrieval", "all"):
            ranked = await rank_sets(bench, cases)
        if arguments.only in ("answers", "all"):
            judged = await ask_sets(bench, cases)
    if arguments.only in ("answers", "all"):
        async with open_workbench(data=data, open_gates=True) as bench:
            judged_open = await ask_sets(bench, cases)
    return Results(
        name=arguments.name,
        about={
            "split": arguments.split,
            "commit": commit(),
            "settings": settings_hash,
            "seconds": f"{time.monotonic() - started:.0f}",
        },
        ranked=tuple(ranked),
        judged=tuple(judged),
        judged_open=tuple(judged_open),
    )


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluate", description="Score the labelled questions.")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="two results files")
    parser.add_argument("--only", choices=("retrieval", "answers", "all"), default="all")
    parser.add_argument("--sets", nargs="+", help="only these sets")
    parser.add_argument("--split", default="dev", help="prefix of the question files (default: dev)")
    parser.add_argument("--long-form", action="store_true", help="a forum question's whole text, not its title")
    parser.add_argument("--limit", type=int, default=0, help="at most so many cases a set, always the same ones")
    parser.add_argument("--name", default=time.strftime("%Y%m%d-%H%M%S"), help="name of the results file")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    given = parse(arguments)
    try:
        if given.compare:
            print(compare(load(given.compare[0]), load(given.compare[1])))
            return 0
        results = asyncio.run(evaluate(given))
    except DataMissing as error:
        print(f"Nothing was measured: {error}", file=sys.stderr)
        return EXIT_NO_DATA
    except FirstlineError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return error.exit_code
    path = CACHE / f"results-{given.name}.json"
    save(results, path)
    print(full_report(results, baselines()))
    latencies = sorted(one.duration_ms for one in results.ranked)
    if latencies:
        at95 = latencies[min(len(latencies) - 1, math.ceil(0.95 * len(latencies)) - 1)]
        print(f"\nRetrieval took {latencies[len(latencies) // 2]:.0f} ms (p50), {at95:.0f} ms (p95).")
    print(f"\nSaved as {path}. Compare two runs: python -m benchmarks.evaluate --compare A.json B.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
