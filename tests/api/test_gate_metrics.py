"""The drift of calibrated gates among the metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.api.fake_firstline import FakeFirstline, open_fake
from tests.contracts.ledger_samples import gates

from firstline.api import gate_metrics
from firstline.api.gate_metrics import GateMetrics, lines_of
from firstline.domain import CalibratedGates
from firstline.errors import Unavailable
from firstline.evals.drift import Drift
from firstline.ports import GateLedger

STEADY = Drift(turns=200, reference=300, distance=0.05, luck=0.8, shift=0.0)
DRIFTED = Drift(turns=200, reference=300, distance=0.4, luck=0.001, shift=0.2)


def test_the_one_that_drifted_most_is_shown() -> None:
    shown = lines_of([STEADY, DRIFTED])
    assert "firstline_gate_drift_checked 2\n" in shown
    assert "firstline_gate_drift 0.400000\n" in shown and "firstline_gate_drifted 1\n" in shown
    assert "firstline_gate_drifted 0\n" in lines_of([STEADY])
    assert lines_of([]).endswith("firstline_gate_drift_checked 0\n")


@pytest.fixture
async def calibrated() -> FakeFirstline:
    opened = await open_fake()
    await opened.gates.add_gates(replace(gates("acme"), knobs={}))
    return opened


async def test_it_is_worked_out_now_and_then(calibrated: FakeFirstline, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    async def drift_since(ledger: GateLedger, one: CalibratedGates) -> tuple[int, Drift | None]:
        asked.append(one.version)
        return 200, DRIFTED

    monkeypatch.setattr(gate_metrics, "drift_since", drift_since)
    metrics = GateMetrics()
    first, second = [await metrics.text(calibrated) for _ in range(2)]  # pyright: ignore[reportArgumentType]  (a fake)
    assert first == second and "firstline_gate_drifted 1" in first
    assert asked == [1]


async def test_a_ledger_that_is_down_takes_no_other_metric_along(
    calibrated: FakeFirstline, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(ledger: GateLedger, one: CalibratedGates) -> tuple[int, Drift | None]:
        raise Unavailable("The database is down.", remedy="Wait.")

    monkeypatch.setattr(gate_metrics, "drift_since", down)
    assert await GateMetrics().text(calibrated) == ""  # pyright: ignore[reportArgumentType]  (a fake)
