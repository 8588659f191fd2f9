"""python -m benchmarks.leaks: the trials, layer by layer, and what was found."""

from __future__ import annotations

import argparse
import asyncio
import sys

from benchmarks.leaks.measure import TRIALS, Shares, try_all
from firstline.evals.report import table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaks", description="Random trials of access.")
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    layers = asyncio.run(try_all(Shares.of(given.trials), seed=given.seed, tell=lambda line: print(line, flush=True)))
    rows = [[one.name, f"{one.trials:,}", str(one.leaks), f"{one.seconds:.0f}"] for one in layers]
    print(table(["layer", "trials", "leaks", "seconds"], rows))
    for layer in layers:
        print(f"{layer.name}: {', '.join(f'{route} {count:,}' for route, count in layer.routes.most_common())}")
    found = [problem for layer in layers for problem in layer.problems]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
