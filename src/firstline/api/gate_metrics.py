"""Calibrated gates for Prometheus and the readiness check: do they fit the settings, and how far did they drift."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from firstline.api.metric_lines import head
from firstline.errors import FirstlineError, Unavailable
from firstline.evals.drift import Drift, drift_since
from firstline.questions.gates_in_force import refusals

if TYPE_CHECKING:
    from firstline.wiring import Firstline

FRESH_S: Final = 300.0
"""The drift is worked out this often, not at every scrape."""
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


async def unfit(firstline: Firstline) -> int:
    """How many knowledge bases of the tenant have gates that were calibrated for other settings: every question to them
    is handed over. Unavailable when the ledger does not say so in time."""
    tenant = firstline.settings.tenant
    try:
        async with asyncio.timeout(DRIFT_S_MAX):
            kbs = await firstline.knowledge.knowledge_bases(tenant=tenant)
            return len(await refusals(kbs, tenant=tenant, ledger=firstline.gates, knobs=firstline.knobs))
    except TimeoutError as error:
        raise Unavailable("The gates in force could not be read in time.", remedy="Ask again in a moment.") from error


async def unfit_text(firstline: Firstline) -> str:
    """For a scrape, anew each time; empty when the ledger is down."""
    try:
        count = await unfit(firstline)
    except FirstlineError:
        logger.warning("whether the gates fit could not be read")
        return ""
    lines = head(
        "firstline_gates_unfit",
        "gauge",
        "Knowledge bases whose gates were calibrated for other settings: every question to them is handed over.",
    )
    return "\n".join([*lines, f"firstline_gates_unfit {count}"]) + "\n"


def lines_of(found: list[Drift]) -> str:
    worst = min(found, key=lambda drift: (drift.luck, -drift.distance), default=None)
    lines = [
        *head(
            "firstline_gate_drift_checked",
            "gauge",
            "Knowledge bases with calibrated gates and turns enough to compare.",
        ),
        f"firstline_gate_drift_checked {len(found)}",
    ]
    if worst is not None:
        lines += [
            *head(
                "firstline_gate_drift", "gauge", "Largest distance of live gate values from calibration time, 0 to 1."
            ),
            f"firstline_gate_drift {worst.distance:.6f}",
            *head("firstline_gate_drifted", "gauge", "1 when that distance is no luck: calibrate again."),
            f"firstline_gate_drifted {int(worst.drifted)}",
        ]
    return "\n".join(lines) + "\n"


async def _drifts(firstline: Firstline) -> list[Drift]:
    tenant = firstline.settings.tenant
    found: list[Drift] = []
    for kb in await firstline.knowledge.knowledge_bases(tenant=tenant):
        gates = await firstline.gates.gates_in_force(tenant=tenant, kb=kb)
        if gates is not None:
            _, drift = await drift_since(firstline.gates, gates)
            found += [drift] if drift is not None else []
    return found
