"""What a kept answer saves: the same questions with warm caches and without any, in turn, in one run."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.turn_latency import nearest_rank
from benchmarks.workbench import Workbench, load_set, question_sets
from firstline.caches.caches import CACHES
from firstline.domain import acting_for
from firstline.evals.cases import Case
from firstline.questions.kept_answers import HIT

QUESTIONS_PER_SET: Final = 25
OFF: Final = {f"cache_{name}_mb": 0 for name in CACHES}
"""Settings of a bench without caches."""


@dataclass(frozen=True, kw_only=True)
class KeptLatency:
    """Milliseconds from message to recorded turn, p50 and p95: `hits` of the `turns` came from the cache of answers;
    `anew_ms` are the same questions without any cache, `warm_ms` those not kept (hand-overs, personal messages) with
    the other caches warm. `lookup_ms`: finding a kept answer and reading back what it was made of."""

    turns: int
    hits: int
    hit_ms: tuple[float, float]
    anew_ms: tuple[float, float]
    warm_ms: tuple[float, float]
    lookup_ms: tuple[float, float]
    bytes_per_answer: float


async def measure_kept(with_caches: Workbench, without: Workbench, data: Path | None) -> KeptLatency:
    """`without` is opened with OFF, on the same folder; both without cached embeddings."""
    mixed = random.Random(0)  # noqa: S311 - a repeatable order, no secret
    chosen = [
        (name, replace(case, turns=(case.question,)))
        for name in question_sets(data)
        for case in load_set(name, data=data)[:QUESTIONS_PER_SET]
    ]
    mixed.shuffle(chosen)
    spent: dict[str, list[float]] = {name: [] for name in ("hit", "anew", "warm", "lookup")}
    for bench in (with_caches, without):
        for name, case in chosen:
            await _ask(bench, name, case)
    for name, case in chosen:
        ms, lookup = await _ask(with_caches, name, case)
        anew, _ = await _ask(without, name, case)
        if lookup is None:
            spent["warm"].append(ms)
        else:
            spent["hit"].append(ms)
            spent["lookup"].append(lookup)
            spent["anew"].append(anew)
    answers = with_caches.firstline.caches.answer
    both = {name: (nearest_rank(own, 0.5), nearest_rank(own, 0.95)) for name, own in spent.items() if own}
    return KeptLatency(
        turns=len(chosen),
        hits=len(spent["hit"]),
        hit_ms=both.get("hit", (0.0, 0.0)),
        anew_ms=both.get("anew", (0.0, 0.0)),
        warm_ms=both.get("warm", (0.0, 0.0)),
        lookup_ms=both.get("lookup", (0.0, 0.0)),
        bytes_per_answer=answers.bytes / max(1, len(answers)),
    )


async def _ask(bench: Workbench, name: str, case: Case) -> tuple[float, float | None]:
    """(what a caller waited for, the time of the look-up when it was a hit)"""
    began = time.perf_counter()
    with acting_for(bench.firstline.settings.tenant):
        turn = await bench.runner(name).ask(case, frozenset())
    return (time.perf_counter() - began) * 1000, turn.timings_ms.get(HIT)
