"""`make figure NAME=...`: one figure, measured now; the last line is `NAME = VALUE UNIT`.

Exit code 2: there is no such figure (the names are listed). Exit code 3: it cannot be measured on this machine.
`--all` measures every one of them into docs/figures.json, `--all retrieval answers` those whose names begin so. Each
stands there with the commit and the day it was measured at.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, Final

from benchmarks import (
    fresh,
    gateway,
    graph_extract,
    graph_incremental,
    graph_questions,
    graph_traverse,
    index_figures,
    model_chats,
    pii,
    pii_engineers,
    quality_figures,
    shown_claims,
    shown_latency,
    snapshot_figures,
    speed_figures,
    triage_figures,
    verification,
)
from benchmarks.injection import measure as injection_figures
from benchmarks.leaks import measure as leaks_figures
from benchmarks.measured import EXIT_NOT_HERE, Measured, NotMeasurable, Registry
from benchmarks.workbench import ROOT, commit
from firstline.errors import FirstlineError
from firstline.evals.datasets import DataMissing

EXIT_UNKNOWN: Final = 2
FILE: Final = ROOT / "docs" / "figures.json"


def registry() -> Registry:
    found: Registry = {}
    quality_figures.register(found)
    triage_figures.register(found)
    speed_figures.register(found)
    snapshot_figures.register(found)
    index_figures.register(found)
    injection_figures.register(found)
    verification.register(found)
    fresh.register(found)
    leaks_figures.register(found)
    pii.register(found)
    pii_engineers.register(found)
    graph_extract.register(found)
    graph_questions.register(found)
    graph_incremental.register(found)
    graph_traverse.register(found)
    gateway.register(found)
    model_chats.register(found)
    shown_latency.register(found)
    shown_claims.register(found)
    return found


def line(name: str, measured: Measured) -> str:
    """Four significant digits are more than any of these measurements repeats."""
    return f"{name} = {measured.value:.4g} {measured.unit}"


async def measure_all(figures: Registry, keep: Callable[[dict[str, Any]], None] = lambda _: None) -> dict[str, Any]:
    """Every figure; one that cannot be measured, or that fails, says why and the rest goes on.
    `keep` is told after each one what there is so far."""
    found: dict[str, Any] = {}
    for place, (name, measure) in enumerate(figures.items(), start=1):
        print(f"[{place}/{len(figures)}] {name} ...", file=sys.stderr, flush=True)
        began = time.monotonic()
        try:
            measured = await measure()
        except (NotMeasurable, FirstlineError) as error:
            found[name] = {"why_not": str(error)}
        except Exception as error:
            # Hours of other figures must not be lost to a mistake in one.
            traceback.print_exc()
            found[name] = {"why_not": f"measuring it failed: {type(error).__name__}: {error}"}
        else:
            if math.isnan(measured.value):
                found[name] = {"why_not": "there was nothing to measure it on"}
            else:
                found[name] = {"value": float(f"{measured.value:.6g}"), "unit": measured.unit}
        told = found[name]
        outcome = f"not measured: {told['why_not']}" if "why_not" in told else f"= {told['value']:.4g} {told['unit']}"
        print(f"{name} {outcome} (in {time.monotonic() - began:.0f} s)", flush=True)
        keep(found)
    return found


def write_record(found: dict[str, Any], before: dict[str, Any], at: dict[str, str]) -> None:
    """After every figure, in one move: an interrupted run keeps what it has, and what was not measured again."""
    figures = {**before, **{name: {**told, **at} for name, told in found.items()}}
    draft = FILE.with_suffix(".json.part")
    draft.write_text(json.dumps({"figures": figures}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(FILE)


def write_all(figures: Registry, beginning: tuple[str, ...]) -> int:
    chosen = {name: measure for name, measure in figures.items() if not beginning or name.startswith(beginning)}
    if not chosen:
        print(f"No figure's name begins with {' or '.join(beginning)}.", file=sys.stderr)
        return EXIT_UNKNOWN
    known = json.loads(FILE.read_text(encoding="utf-8"))["figures"] if FILE.is_file() else {}
    before = {name: told for name, told in known.items() if name in figures}
    # What is measured is the code that was read when the run began, whatever is committed meanwhile.
    at = {"commit": commit(), "measured": time.strftime("%Y-%m-%d")}
    found = asyncio.run(measure_all(chosen, lambda so_far: write_record(so_far, before, at)))
    missing = sum("why_not" in one for one in found.values())
    print(f"{len(found)} figures are in {FILE.relative_to(ROOT)}; {missing} of them could not be measured.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description="Measure one figure, or all.")
    parser.add_argument("name", nargs="?", default="", help="for example retrieval.techqa.hit3")
    parser.add_argument(
        "--all", nargs="*", metavar="BEGINNING", help="every figure, or those so named, into docs/figures.json"
    )
    given = parser.parse_args(arguments)
    figures = registry()
    if given.all is not None:
        return write_all(figures, tuple(given.all))
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
