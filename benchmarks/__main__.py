"""`make bench`: speed and memory of this machine, against the budgets."""

from __future__ import annotations

import asyncio
import os
import platform
import sys

from benchmarks.speed_figures import data_or_none, ingest_rate, turn_latency
from benchmarks.start_up import demo_folder, measure_start
from benchmarks.workbench import CACHE, commit
from firstline.errors import FirstlineError
from firstline.evals.report import table


def main() -> int:
    cores, busy = os.cpu_count() or 1, os.getloadavg()[0]
    print(f"commit {commit()}, Python {platform.python_version()}, {cores} cores")
    if busy > cores / 4:
        print(f"The machine is busy (load {busy:.1f}): what follows is slower than it would be alone.")
    if data_or_none() is None:
        print("The public data is not here (FIRSTLINE_DATA): the demo's documents and questions are taken instead.")
    try:
        _ingest()
        _turns()
        _start()
    except FirstlineError as error:
        print(f"bench: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _ingest() -> None:
    rate = asyncio.run(ingest_rate())
    rows = [
        ["ingest", f"{rate.chunks_per_s:.1f} chunks/s", ""],
        ["embedder alone, same texts", f"{rate.embedder_chunks_per_s:.1f} chunks/s", ""],
        ["embedder, per core-second", f"{rate.embedder_chunks_per_core_s:.1f} chunks", ""],
        ["share", f"{rate.embedder_share:.3f}", "at least 0.9"],
        ["share by processor time", f"{rate.embedder_cpu_share:.3f}", ""],
    ]
    print(f"\nIngest of {rate.chunks} chunks into an empty folder\n\n{table(['what', 'measured', 'budget'], rows)}")


def _turns() -> None:
    latency = asyncio.run(turn_latency())
    budgets = {"with record": ("60", "150"), "triage": ("5", "5")}
    rows = [
        [step, f"{p50:.1f}", f"{p95:.1f}", *budgets.get(step, ("", ""))] for step, (p50, p95) in latency.steps.items()
    ]
    header = ["step, ms", "p50", "p95", "budget p50", "budget p95"]
    print(f"\n{latency.turns} warm turns, no language model\n\n{table(header, rows)}")


def _start() -> None:
    start = measure_start(demo_folder(CACHE))
    rows = [
        ["firstline --help", f"{start.help_s:.2f} s", "0.3 s"],
        ["server, start to ready, existing folder", f"{start.server_s:.2f} s", "3 s"],
        ["memory of the server and its workers", f"{start.server_mb:.0f} MB", ""],
        ["memory of Postgres", f"{start.postgres_mb:.0f} MB", ""],
    ]
    print(f"\nStart and memory (the demo's knowledge base)\n\n{table(['what', 'measured', 'budget'], rows)}")


if __name__ == "__main__":
    sys.exit(main())
