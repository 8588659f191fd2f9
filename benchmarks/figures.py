"""`make figure NAME=...`: one figure, measured now; the last line is `NAME = VALUE UNIT`.

Exit code 2: there is no such figure (the names are listed). Exit code 3: it cannot be measured on this machine.
`--all` measures every one of them into docs/figures.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import time
from typing import Any, Final

from benchmarks import quality_figures, speed_figures
from benchmarks.measured import Measured, NotMeasurable, Registry
from benchmarks.workbench import ROOT, commit
from firstline.errors import FirstlineError
from firstline.evals.datasets import DataMissing

EXIT_UNKNOWN: Final = 2
EXIT_NOT_HERE: Final = 3
FILE: Final = ROOT / "docs" / "figures.json"


def registry() -> Registry:
    found: Registry = {}
    quality_figures.register(found)
    speed_figures.register(found)
    return found


def line(name: str, measured: Measured) -> str:
    """Four significant digits are more than any of these measurements repeats."""
    return f"{name} = {measured.value:.4g} {measured.unit}"


async def measure_all(figures: Registry) -> dict[str, Any]:
    """Every figure; one that cannot be measured says why and the rest goes on."""
    found: dict[str, Any] = {}
    for name, measure in figures.items():
        try:
            measured = await measure()
        except (NotMeasurable, FirstlineError) as error:
            found[name] = {"why_not": str(error)}
            print(f"{name}: not measured: {error}", flush=True)
            continue
        if math.isnan(measured.value):
            found[name] = {"why_not": "there was nothing to measure it on"}
        else:
            found[name] = {"value": float(f"{measured.value:.6g}"), "unit": measured.unit}
        print(line(name, measured), flush=True)
    return found


def write_all(figures: Registry) -> int:
    found = asyncio.run(measure_all(figures))
    record = {"commit": commit(), "measured": time.strftime("%Y-%m-%d"), "figures": found}
    FILE.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} figures are in {FILE.relative_to(ROOT)}.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description="Measure one figure, or all.")
    parser.add_argument("name", nargs="?", default="", help="for example retrieval.techqa.hit3")
    parser.add_argument("--all", action="store_true", help="every figure, into docs/figures.json")
    given = parser.parse_args(arguments)
    figures = registry()
    if given.all:
        return write_all(figures)
    if given.name not in figures:
        print(f"There is no figure named {given.name!r}. There are:", file=sys.stderr)
        print("\n".join(f"  {name}" for name in sorted(figures)), file=sys.stderr)
        return EXIT_UNKNOWN
    try:
        measured = asyncio.run(_one(figures, given.name))
    except (NotMeasurable, DataMissing) as error:
        print(f"{given.name} cannot be measured here: {error}", file=sys.stderr)
        return EXIT_NOT_HERE
    except FirstlineError as error:
        print(f"{given.name} failed: {error}", file=sys.stderr)
        return error.exit_code
    if math.isnan(measured.value):
        print(f"{given.name} cannot be measured here: there was nothing to measure it on.", file=sys.stderr)
        return EXIT_NOT_HERE
    print(line(given.name, measured))
    return 0


async def _one(figures: Registry, name: str) -> Measured:
    return await figures[name]()


if __name__ == "__main__":
    sys.exit(main())
