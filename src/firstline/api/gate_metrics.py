"""The drift of calibrated gates for Prometheus. Worked out now and then, not at every scrape."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from firstline.errors import FirstlineError
from firstline.evals.drift import Drift, drift_since

if TYPE_CHECKING:
    from firstline.wiring import Firstline

FRESH_S: Final = 300.0
DRIFT_S_MAX: Final = 2.0

logger = logging.getLogger(__name__)


class GateMetrics:
    """Over the knowledge bases of the tenant with calibrated gates: the one that drifted most counts. One per app."""

    def __init__(self) -> None:
        self._text = ""
        self._at = float("-inf")

    async def text(self, firstline: Firstline) -> str:
        if time.monotonic() - self._at >= FRESH_S:
            # Set first: scrapes that come meanwhile get the last one instead of working it out beside this one.
            self._at = time.monotonic()
            try:
                self._text = lines_of(await asyncio.wait_for(_drifts(firstline), DRIFT_S_MAX))
            except (TimeoutError, FirstlineError):
                logger.warning("the drift of the gates could not be read")
        return self._text


def lines_of(found: list[Drift]) -> str:
    worst = min(found, key=lambda drift: (drift.luck, -drift.distance), default=None)
    lines = [
        *_head(
            "firstline_gate_drift_checked",
            "gauge",
            "Knowledge bases with calibrated gates and turns enough to compare.",
        ),
        f"firstline_gate_drift_checked {len(found)}",
    ]
    if worst is not None:
        lines += [
            *_head(
                "firstline_gate_drift", "gauge", "Largest distance of live gate values from calibration time, 0 to 1."
            ),
            f"firstline_gate_drift {worst.distance:.6f}",
            *_head("firstline_gate_drifted", "gauge", "1 when that distance is no luck: calibrate again."),
            f"firstline_gate_drifted {int(worst.drifted)}",
        ]
    return "\n".join(lines) + "\n"


def _head(name: str, kind: str, meaning: str) -> list[str]:
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


async def _drifts(firstline: Firstline) -> list[Drift]:
    tenant = firstline.settings.tenant
    found: list[Drift] = []
    for kb in await firstline.knowledge.knowledge_bases(tenant=tenant):
        gates = await firstline.gates.gates_in_force(tenant=tenant, kb=kb)
        if gates is not None:
            _, drift = await drift_since(firstline.gates, gates)
            found += [drift] if drift is not None else []
    return found
