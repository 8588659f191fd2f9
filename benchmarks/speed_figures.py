"""Figures about speed, size and endurance."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Final

from benchmarks.chats import ChatsMeasured, measure_chats
from benchmarks.crash_ingest import crash_ingest
from benchmarks.ingest_rate import IngestRate, measure_ingest
from benchmarks.install_size import install_size_mb
from benchmarks.kept_answers import OFF, KeptLatency, measure_kept
from benchmarks.measured import Measured, NotMeasurable, Registry
from benchmarks.start_up import demo_folder, measure_start
from benchmarks.turn_latency import TurnLatency, measure_turns
from benchmarks.workbench import CACHE, DEMO, open_workbench, real_data
from firstline.evals.datasets import DataMissing

RERANKED: Final = 50

_rates: list[IngestRate] = []
_latencies: list[TurnLatency] = []
_chats: list[ChatsMeasured] = []


def data_or_none() -> Path | None:
    """The public data when it is here; speed can be measured on the demo as well."""
    try:
        return real_data()
    except DataMissing:
        return None


async def ingest_rate() -> IngestRate:
    if not _rates:
        _rates.append(await measure_ingest(data_or_none(), DEMO))
    return _rates[0]


async def turn_latency() -> TurnLatency:
    if not _latencies:
        data = data_or_none()
        async with open_workbench(data=data):
            pass  # brings the knowledge bases up to date from cached embeddings
        async with open_workbench(data=data, cached=False) as bench:
            _latencies.append(await measure_turns(bench, data))
    return _latencies[0]


async def kept_answers() -> KeptLatency:
    data = data_or_none()
    async with open_workbench(data=data):
        pass
    async with (
        open_workbench(data=data, cached=False) as bench,
        open_workbench(data=data, cached=False, flags=OFF) as without,
    ):
        return await measure_kept(bench, without, data)


async def chats() -> ChatsMeasured:
    if not _chats:
        folder = await asyncio.to_thread(demo_folder, CACHE)
        _chats.append(await asyncio.to_thread(measure_chats, folder))
    return _chats[0]


async def install_size() -> Measured:
    try:
        return Measured(value=await asyncio.to_thread(install_size_mb), unit="MB")
    except subprocess.CalledProcessError as error:
        raise NotMeasurable("the package could not be installed; is a package index within reach?") from error


async def embedder_share() -> Measured:
    return Measured(value=(await ingest_rate()).embedder_share, unit="ratio")


async def embedder_rate() -> Measured:
    return Measured(value=(await ingest_rate()).embedder_chunks_per_core_s, unit="chunks/core-second")


async def turn_p50() -> Measured:
    return Measured(value=(await turn_latency()).p50_ms, unit="ms")


async def turn_p95() -> Measured:
    return Measured(value=(await turn_latency()).p95_ms, unit="ms")


async def rerank_p95() -> Measured:
    """The default order of 50 found documents: versions and copies, with the look-up of what is known of them. No model
    is shipped; one of the user's adds its own time, up to `rerank_budget_s`."""
    data = data_or_none()
    async with open_workbench(data=data, flags={"documents_ranked": RERANKED}) as bench:
        return Measured(
            value=(await measure_turns(bench, data)).steps["prefer"][1],
            unit="ms (versions and copies of 50 documents; no model is shipped)",
        )


async def chats_burst_ack() -> Measured:
    return Measured(value=(await chats()).burst.ack_p95_ms, unit="ms")


async def chats_burst_answer() -> Measured:
    return Measured(value=(await chats()).burst.answer_p95_ms, unit="ms")


async def chats_steady_ack() -> Measured:
    return Measured(value=(await chats()).steady.ack_p95_ms, unit="ms")


async def chats_steady_answer() -> Measured:
    return Measured(value=(await chats()).steady.answer_p95_ms, unit="ms")


async def chats_errors() -> Measured:
    return Measured(value=float((await chats()).errors), unit="errors")


async def start_warm() -> Measured:
    folder = await asyncio.to_thread(demo_folder, CACHE)
    return Measured(value=(await asyncio.to_thread(measure_start, folder)).server_s, unit="s")


async def crash_lost() -> Measured:
    found = await crash_ingest()
    return Measured(value=float(found.lost), unit="documents lost or states broken")


def register(registry: Registry) -> None:
    registry["install.size_mb"] = install_size
    registry["ingest.embedder_share"] = embedder_share
    registry["ingest.embedder_chunks_per_core_s"] = embedder_rate
    registry["turn.p50_ms"] = turn_p50
    registry["turn.p95_ms"] = turn_p95
    registry["rerank.p95_ms"] = rerank_p95
    registry["chats.burst_ack_p95_ms"] = chats_burst_ack
    registry["chats.burst_answer_p95_ms"] = chats_burst_answer
    registry["chats.steady_ack_p95_ms"] = chats_steady_ack
    registry["chats.steady_answer_p95_ms"] = chats_steady_answer
    registry["chats.errors"] = chats_errors
    registry["start.warm_s"] = start_warm
    registry["crash.ingest_lost"] = crash_lost
