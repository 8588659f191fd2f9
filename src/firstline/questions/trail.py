"""What a turn has come to so far: the record, filled step by step, so that a turn cut short still records it."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from firstline.domain import Category, Evidence, GateReading, Handoff, RankedDocument, SearchPlan, Triage


@dataclass(kw_only=True, slots=True)
class Trail:
    """By document id: `sisters` are the other versions and the copies of the first document, `copies` those whose text
    a better placed document has, `outdated` those that were replaced, as they or others say. `story`: the first
    document tells of one customer's problem, and the asker told none. `degraded` names the
    stages that were late or broken and what was done instead, in plain words. `probabilities` is what the triage
    classifier read. `read_as` is the message with its
    misspelt words corrected. `stands` is the session's hand-over that is not closed."""

    stands: Handoff | None = None
    read_as: str = ""
    triage: Triage | None = None
    probabilities: Mapping[Category, float] = field(default_factory=dict[Category, float])
    plan: SearchPlan | None = None
    evidence: tuple[Evidence, ...] = ()
    ranked: tuple[RankedDocument, ...] = ()
    story: bool = False
    sisters: frozenset[str] = frozenset()
    copies: frozenset[str] = frozenset()
    outdated: frozenset[str] = frozenset()
    gates: list[GateReading] = field(default_factory=list[GateReading])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    degraded: dict[str, str] = field(default_factory=dict[str, str])

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + spent
