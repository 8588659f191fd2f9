"""How long does a walk of two hops take in a graph of 2,000,000 entities and 8,000,000 edges?

    python -m benchmarks.graph_traverse [--edges 8000000] [--folder FOLDER]

The graph is `graph_of_millions`. Its folder (5 GB, under .cache if none is given) takes some 8 minutes to fill, is kept
and used again.

A walk starts at 50 entities, half of them documents, the others drawn like ends of edges, so that hubs are among them.
The first hop takes the best edges of each in both directions, the second those of the 50 surest ends that are new. All
through the port, one walk at a time, as a principal who may see most of the edges, at its tenant's snapshot. The files
are read once before, so that the operating system has them in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.graph_of_millions import KB, SHARES, SNAPSHOT, entity, fill, folder_of, is_filled, sizes, zipf
from benchmarks.measured import Measured, Registry, run
from firstline.domain import Edge, Level, Relation, acting_for
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.ports import Scope

EDGES: Final = 8_000_000
SEEDS: Final = 50
LIMIT_EACH: Final = 8
WALKS: Final = 300
WARM_UP: Final = 20
WALKED: Final = tuple(one for one in Relation if one not in (Relation.PART_OF, Relation.NEXT))


@dataclass(frozen=True, kw_only=True, slots=True)
class Walks:
    """Times in ms of each walk; `edges` taken in both hops by each; `load` is what else the machine did meanwhile, in
    processes that run or want to."""

    stored: int
    load: float
    ms: tuple[float, ...]
    edges: tuple[int, ...]

    @property
    def told(self) -> str:
        return f"{len(self.ms)} walks, {self.stored / 1e6:g}M edges in Postgres, load {self.load:.1f}"

    def at(self, share: float) -> float:
        return float(np.percentile(self.ms, 100 * share))


async def measure_walks(*, edges: int = EDGES, folder: Path | None = None) -> Walks:
    place = folder or folder_of(edges)
    filled = await asyncio.to_thread(is_filled, place, edges)
    async with open_postgres(data_folder=place / "data", database_url="") as ledgers:
        if not filled:
            await fill(ledgers, edges, place)
        await asyncio.to_thread(_read_once, place / "data")
        return await _walk(ledgers, edges)


def _read_once(folder: Path) -> None:
    """A server that has been running has them in the memory of its machine."""
    for path in folder.rglob("*"):
        if path.is_file() and "base" in path.parts:
            with path.open("rb") as file:
                while file.read(1 << 20):
                    pass


async def _walk(ledgers: PostgresLedgers, stored: int) -> Walks:
    draw = np.random.default_rng(5)
    times: list[float] = []
    counts: list[int] = []
    tenants = list(SHARES)
    for number in range(WARM_UP + WALKS):
        tenant = tenants[number % len(tenants)]
        seeds = _seeds(draw, tenant, stored)
        scope = Scope(
            tenant=tenant,
            kb=KB,
            acl_tags=frozenset({"everyone", "staff", "emea"}),
            level_max=Level.INTERNAL,
            snapshot=SNAPSHOT,
        )
        with acting_for(tenant):
            began = time.perf_counter()
            first = await ledgers.graph.around(seeds, scope, relations=WALKED, limit_each=LIMIT_EACH)
            frontier = _ends(first, seen=set(seeds))
            second = await ledgers.graph.around(frontier, scope, relations=WALKED, limit_each=LIMIT_EACH)
            took = time.perf_counter() - began
        if number >= WARM_UP:
            times.append(1e3 * took)
            counts.append(len(first) + len(second))
    return Walks(stored=stored, load=os.getloadavg()[0], ms=tuple(times), edges=tuple(counts))


def _ends(edges: list[Edge], seen: set[str]) -> list[str]:
    found: list[str] = []
    for edge in edges:
        for end in (edge.source.entity_id, edge.target.entity_id):
            if end not in seen:
                seen.add(end)
                found.append(end)
        if len(found) >= SEEDS:
            break
    return found[:SEEDS]


def _seeds(draw: np.random.Generator, tenant: str, stored: int) -> list[str]:
    documents, others = sizes(stored, SHARES[tenant])
    half = SEEDS // 2
    picked = [entity(0, int(one)) for one in draw.integers(0, documents, half)]
    picked += [entity(1, int(one)) for one in zipf(draw, others, SEEDS - half)]
    return [f"{kind}:{key}" for kind, key in picked]


_walks: list[Walks] = []


async def _measured() -> Walks:
    if not _walks:
        _walks.append(await measure_walks())
    return _walks[0]


async def traverse_p95_ms() -> Measured:
    walks = await _measured()
    return Measured(
        value=walks.at(0.95), unit=f"ms (p95 of {len(walks.ms)} walks, 8M edges in Postgres, load {walks.load:.1f})"
    )


async def traverse_p50_ms() -> Measured:
    walks = await _measured()
    return Measured(
        value=walks.at(0.5), unit=f"ms (p50 of {len(walks.ms)} walks, 8M edges in Postgres, load {walks.load:.1f})"
    )


def register(registry: Registry) -> None:
    registry["graph.traverse_p95_ms"] = traverse_p95_ms
    registry["graph.traverse_p50_ms"] = traverse_p50_ms


async def _print(edges: int, folder: Path | None) -> None:
    walks = await measure_walks(edges=edges, folder=folder)
    print(
        f"{walks.stored:,} edges; {len(walks.ms)} walks of 2 hops from {SEEDS} entities, at most {LIMIT_EACH} edges of"
        f" each and direction: p50 {walks.at(0.5):.1f} ms, p95 {walks.at(0.95):.1f} ms, max {walks.at(1):.1f} ms;"
        f" {np.median(walks.edges):.0f} edges in the median; load of the machine {walks.load:.1f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph_traverse")
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    sys.exit(run("graph_traverse", _print(options.edges, options.folder)))
