"""`make peers`: measure every entrant in a process of its own, then print the table as Markdown.

python -m benchmarks.peers                        everything
python -m benchmarks.peers --only lancedb         some, and the table of all runs that are kept
python -m benchmarks.peers --table                the table alone; --write puts it into docs/peers.md
python -m benchmarks.evaluate --compare A B       two of the kept runs, question by question
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.peers.costs import load_costs, save_costs
from benchmarks.peers.entrants import ENTRANTS, OURS
from benchmarks.peers.folder import FOLDER, costs_path, results_path
from benchmarks.peers.measure import measure
from benchmarks.peers.memory import wait_and_watch
from benchmarks.peers.table import Run, full_table, with_tables
from benchmarks.peers.wording import Wording
from benchmarks.workbench import ROOT, real_data
from firstline.errors import FirstlineError
from firstline.evals.datasets import DataMissing
from firstline.evals.results import load

EXIT_FAILED: Final = 1
EXIT_NO_DATA: Final = 3
EXIT_AGAIN: Final = 10
"""Vectors were computed while indexing: they are on disk now, and the next run's figures are the true ones."""
ENTRANT_S_MAX: Final = 3_600.0
RUNS_MAX: Final = 2
PAGE: Final = ROOT / "docs" / "peers.md"
QUIET: Final = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "DO_NOT_TRACK": "1",
    "LANCEDB_LOG": "error",
}
"""Nothing of a run is told to anybody, and no time goes into a warning at each search."""


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description="Retrieval beside its peers.")
    parser.add_argument("--only", nargs="+", choices=tuple(ENTRANTS), default=list(ENTRANTS), metavar="NAME")
    parser.add_argument("--table", action="store_true", help="print the table of the runs that are kept")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/peers.md as well")
    parser.add_argument("--demo", action="store_true", help="the demo alone, without the public data")
    parser.add_argument("--split", default="dev", help="prefix of the question files (default: dev)")
    parser.add_argument("--measure", choices=tuple(ENTRANTS), metavar="NAME", help="one, in this process")
    return parser.parse_args(arguments)


def measure_apart(name: str, given: argparse.Namespace) -> None:
    """In a process of its own, watched for its memory. CalledProcessError when it fails."""
    command = [sys.executable, "-m", "benchmarks.peers", "--measure", name, "--split", given.split]
    if given.demo:
        command.append("--demo")
    code, peak_mb = EXIT_AGAIN, 0.0
    for _ in range(RUNS_MAX):
        process = subprocess.Popen(command, env={**os.environ, **QUIET})  # noqa: S603 - our own command
        peak_mb = wait_and_watch(process, wait_s_max=ENTRANT_S_MAX)
        code = process.returncode
        if code != EXIT_AGAIN:
            break
    if code:
        raise subprocess.CalledProcessError(code, command)
    for wording in ENTRANTS[name].wordings:
        path = costs_path(name, wording)
        costs = load_costs(path)
        save_costs(replace(costs, memory_peak_mb=max(costs.memory_peak_mb, peak_mb)), path)


def kept_table() -> str:
    """The table of every run that is kept; InvalidInput when ours is not."""
    runs = [
        Run(
            label=entrant.label,
            results=load(results_path(name, wording)),
            costs=load_costs(costs_path(name, wording)),
        )
        for name, entrant in ENTRANTS.items()
        for wording in entrant.wordings
        if results_path(name, wording).is_file() and costs_path(name, wording).is_file()
    ]
    return full_table(runs, load(results_path(OURS, Wording.OWN)))


def main(arguments: list[str] | None = None) -> int:
    given = parse(arguments)
    try:
        data: Path | None = None if given.demo or given.table else real_data()
        if given.measure:
            # Asked to end, it still stops what it started and removes its folder.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            return 0 if asyncio.run(measure(given.measure, data=data, split=given.split)) else EXIT_AGAIN
        names: list[str] = [] if given.table else given.only
        for name in names:
            measure_apart(name, given)
        found = kept_table()
        print(found)
        if given.write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(with_tables(page, found), encoding="utf-8")
        print(
            f"\nThe runs are kept in {FOLDER}: `python -m benchmarks.evaluate --compare A.json B.json`.",
            file=sys.stderr,
        )
    except DataMissing as error:
        print(f"Nothing was measured: {error}", file=sys.stderr)
        return EXIT_NO_DATA
    except FirstlineError as error:
        print(f"peers: {error}", file=sys.stderr)
        return error.exit_code
    except (subprocess.CalledProcessError, TimeoutError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return EXIT_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
