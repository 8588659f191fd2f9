"""Figures about the chunk index at size. One measurement gives all three."""

from __future__ import annotations

from benchmarks.index_at_size import IndexAtSize, measure_index
from benchmarks.measured import Measured, Registry

_found: list[IndexAtSize] = []


async def index_at_size() -> IndexAtSize:
    if not _found:
        _found.append(await measure_index())
    return _found[0]


async def p50() -> Measured:
    return Measured(value=(await index_at_size()).tenth.p50_ms, unit="ms")


async def p95() -> Measured:
    return Measured(value=(await index_at_size()).tenth.p95_ms, unit="ms")


async def recall10() -> Measured:
    found = await index_at_size()
    return Measured(value=min(found.plain.recall10, found.tenth.recall10), unit="ratio")


def register(registry: Registry) -> None:
    registry["index.200k_p50_ms"] = p50
    registry["index.200k_p95_ms"] = p95
    registry["index.200k_recall10"] = recall10
