"""Do questions still come as they came when the gates were calibrated?

Two-sample Kolmogorov-Smirnov on the values of the relevance gate, which is read for every question that is looked up,
answered or not. The chance that as large a distance comes by luck is counted by shuffling, so it is exact for samples
of any size and with ties (Phipson and Smyth, "Permutation p-values should never be zero", 2010).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from firstline.domain import CalibratedGates
from firstline.evals.run import USER
from firstline.ports import GateLedger

Floats = npt.NDArray[np.float64]

TURNS_MIN: Final = 100
TURNS_MAX: Final = 2_000
"""The newest so many are compared: an old month must not hide what changed this week."""
REFERENCE_MAX: Final = 2_000
SHUFFLES: Final = 999
LUCK_MAX: Final = 0.01
"""Rarer than this by luck, and it is called drift."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """`distance`: the largest difference between the two cumulative shares, 0 to 1. `luck`: how often as large a one
    comes by luck. `shift`: median of the live values minus that of the calibration's."""

    turns: int
    reference: int
    distance: float
    luck: float
    shift: float

    @property
    def drifted(self) -> bool:
        return self.luck <= LUCK_MAX


def drift(reference: Sequence[float], live: Sequence[float]) -> Drift | None:
    """None while there are fewer than TURNS_MIN live values, or nothing to compare them with."""
    if len(live) < TURNS_MIN or not reference:
        return None
    then, now = np.asarray(reference[:REFERENCE_MAX], dtype=np.float64), np.asarray(live[:TURNS_MAX], dtype=np.float64)
    distance, luck = _kolmogorov_smirnov(then, now)
    return Drift(
        turns=len(now),
        reference=len(then),
        distance=distance,
        luck=luck,
        shift=float(np.median(now) - np.median(then)),
    )


async def drift_since(ledger: GateLedger, gates: CalibratedGates) -> tuple[int, Drift | None]:
    """(turns these gates decided, at most TURNS_MAX; drift of their relevance values, None while they are too few).
    Questions of an evaluation are no live ones."""
    live = await ledger.live_values(
        gates.version, tenant=gates.tenant, kb=gates.kb, gate="relevance", without_user=USER, limit=TURNS_MAX
    )
    return len(live), await asyncio.to_thread(drift, gates.relevance_values, live)


def _kolmogorov_smirnov(then: Floats, now: Floats) -> tuple[float, float]:
    values = np.concatenate([then, now])
    order = np.argsort(values, kind="stable")
    # A step to either side: at the end of a value and its equals the sum is the difference of both shares.
    steps = np.concatenate([np.full(len(then), 1 / len(then)), np.full(len(now), -1 / len(now))])[order]
    arranged = values[order]
    last_of_equals = np.append(arranged[1:] != arranged[:-1], True)
    distance = _largest(steps, last_of_equals)
    # Seeded: the same turns give the same verdict on every surface.
    random = np.random.default_rng(0)
    as_large = sum(_largest(random.permutation(steps), last_of_equals) >= distance - 1e-12 for _ in range(SHUFFLES))
    return distance, (1 + as_large) / (1 + SHUFFLES)


def _largest(steps: Floats, last_of_equals: npt.NDArray[np.bool_]) -> float:
    return float(np.abs(np.cumsum(steps)[last_of_equals]).max())
