"""Warm turns, one after the other, with the time of every step."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.workbench import Workbench, load_set, question_sets
from firstline.domain import acting_for

QUESTIONS_PER_SET: Final = 50
WARM_UP: Final = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnLatency:
    """Milliseconds. `steps` holds (p50, p95) by step over the turns that took it; `total` is the whole turn without
    the writing of its record, `with record` everything that a caller waits for, the new session included."""

    turns: int
    steps: dict[str, tuple[float, float]]

    @property
    def p50_ms(self) -> float:
        return self.steps["with record"][0]

    @property
    def p95_ms(self) -> float:
        return self.steps["with record"][1]


async def measure_turns(bench: Workbench, data: Path | None) -> TurnLatency:
    """Last messages of cases of every set, mixed, each asked once in a session of its own: no cache knows them.

    `bench` must be opened without cached embeddings.
    """
    mixed = random.Random(0)  # noqa: S311 - a repeatable order, no secret
    chosen = [
        (name, replace(case, turns=(case.question,)))
        for name in question_sets(data)
        for case in load_set(name, data=data)[:QUESTIONS_PER_SET]
    ]
    mixed.shuffle(chosen)
    spent: dict[str, list[float]] = defaultdict(list)
    for place, (name, case) in enumerate(chosen):
        began = time.perf_counter()
        # As a request does: the ledger keeps the tenant's rows apart by itself.
        with acting_for(bench.firstline.settings.tenant):
            turn = await bench.runner(name).ask(case, frozenset())
        if place >= WARM_UP:
            for step, milliseconds in turn.timings_ms.items():
                spent[step].append(milliseconds)
            spent["with record"].append((time.perf_counter() - began) * 1000)
    return TurnLatency(
        turns=len(spent["with record"]),
        steps={step: (nearest_rank(own, 0.5), nearest_rank(own, 0.95)) for step, own in spent.items()},
    )


def nearest_rank(values: list[float], share: float) -> float:
    """The value at this share of the sorted values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]
