"""Figures about snapshots: how quickly the pointer moves, and whether a crash ever leaves a mixture."""

from __future__ import annotations

from benchmarks.crash_mixtures import crash_mixtures
from benchmarks.measured import Measured, Registry
from benchmarks.snapshot_speed import SnapshotSpeed, measure_snapshots
from firstline.errors import Broken

_speeds: list[SnapshotSpeed] = []


async def speed() -> SnapshotSpeed:
    if not _speeds:
        _speeds.append(await measure_snapshots())
    if _speeds[0].failed:
        raise Broken(f"{_speeds[0].failed} questions failed meanwhile.", remedy="Look at the log of the run.")
    return _speeds[0]


async def publish_ms() -> Measured:
    return Measured(value=(await speed()).publish_p95_ms, unit="ms (p95, 200,000 chunks in the ledger)")


async def rollback_ms() -> Measured:
    return Measured(value=(await speed()).rollback_p95_ms, unit="ms (p95, 200,000 chunks in the ledger)")


async def mixtures() -> Measured:
    return Measured(value=float(len((await crash_mixtures()).findings)), unit="broken promises in 200 kills")


def register(registry: Registry) -> None:
    registry["snapshot.publish_ms"] = publish_ms
    registry["snapshot.rollback_ms"] = rollback_ms
    registry["crash.mixtures"] = mixtures
