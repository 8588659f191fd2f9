"""`make bench`: speed and memory of this machine, against the budgets.

python -m benchmarks verification    verification on labelled claims instead (see `benchmarks.verification`)
python -m benchmarks caches          kept answers against turns without caches, in one run
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import traceback

from benchmarks import verification
from benchmarks.chats import BURST_S, CHATS, STEADY_EVERY_S, STEADY_S
from benchmarks.injection import __main__ as injection
from benchmarks.speed_figures import chats, data_or_none, ingest_rate, kept_answers, turn_latency
from benchmarks.start_up import demo_folder, measure_start
from benchmarks.workbench import CACHE, commit
from firstline.errors import FirstlineError
from firstline.evals.report import table


def main() -> int:
    if sys.argv[1:2] == ["injection"]:
        return injection.main(sys.argv[2:])
    if sys.argv[1:2] == ["verification"]:
        return verification.main(sys.argv[2:])
    if sys.argv[1:2] == ["caches"]:
        _caches()
        return 0
    cores, busy = os.cpu_count() or 1, os.getloadavg()[0]
    print(f"commit {commit()}, Python {platform.python_version()}, {cores} cores")
    if busy > cores / 4:
        print(f"The machine is busy (load {busy:.1f}): what follows is slower than it would be alone.")
    if data_or_none() is None:
        print("The public data is not here (FIRSTLINE_DATA): the demo's documents and questions are taken instead.")
    failed = 0
    for measure in (_ingest, _turns, _chats, _start):
        name = measure.__name__.removeprefix("_")
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            measure()
        except FirstlineError as error:
            failed = error.exit_code
            print(f"bench: {name}: {error}", file=sys.stderr)
        except Exception:
            # The other measurements are worth having all the same.
            failed = 1
            traceback.print_exc()
    return failed


def _ingest() -> None:
    rate = asyncio.run(ingest_rate())
    rows = [
        ["ingest", f"{rate.chunks_per_s:.1f} chunks/s", ""],
        ["embedder alone, same texts", f"{rate.embedder_chunks_per_s:.1f} chunks/s", ""],
        ["embedder, per core-second", f"{rate.embedder_chunks_per_core_s:.1f} chunks", ""],
        [f"share ({rate.measure})", f"{rate.embedder_share:.3f}", "at least 0.9"],
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


def _caches() -> None:
    kept = asyncio.run(kept_answers())
    rows = [
        [what, f"{p50:.1f}", f"{p95:.1f}"]
        for what, (p50, p95) in (
            ("kept answer, whole turn", kept.hit_ms),
            ("the same questions without caches", kept.anew_ms),
            ("questions whose outcome is not kept, other caches warm", kept.warm_ms),
            ("finding it and reading back", kept.lookup_ms),
        )
    ]
    said = f"{kept.hits} of {kept.turns} questions asked again; {kept.bytes_per_answer / 1000:.1f} kB an answer"
    print(f"\n{said}\n\n{table(['ms', 'p50', 'p95'], rows)}")


def _chats() -> None:
    measured = asyncio.run(chats())
    both = (measured.burst, measured.steady)
    rows = [
        ["acknowledgement p50, ms", *(f"{one.ack_p50_ms:.0f}" for one in both), ""],
        ["acknowledgement p95, ms", *(f"{one.ack_p95_ms:.0f}" for one in both), "100"],
        ["answer p50, ms", *(f"{one.answer_p50_ms:.0f}" for one in both), ""],
        ["answer p95, ms", *(f"{one.answer_p95_ms:.0f}" for one in both), "2000"],
        ["errors", *(str(one.errors) for one in both), "0"],
        ["turns", *(str(one.turns) for one in both), ""],
        ["processor time of a turn, ms", *(f"{one.cpu_ms:.1f}" for one in both), ""],
        ["the load's own, ms", *(f"{one.load_cpu_ms:.1f}" for one in both), ""],
        ["the load behind its plan p95, ms", *(f"{one.late_p95_ms:.0f}" for one in both), ""],
    ]
    header = ["what", f"all within {BURST_S:g} s", f"each every {STEADY_EVERY_S:g} s for {STEADY_S:g} s", "budget"]
    print(f"\n{CHATS} chats on a server (the demo's knowledge base)\n\n{table(header, rows)}")
    for one in both:
        if one.first_error:
            print(f"first error: {one.first_error}")


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
