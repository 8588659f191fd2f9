"""How long does a walk of two hops take in a graph of 2,000,000 entities and 8,000,000 edges?

    python -m benchmarks.graph_traverse [--edges 8000000] [--folder FOLDER]

The edges of five tenants are written straight into the table of the Postgres engine: documents say some 30 each, of
entities that are drawn by Zipf's law, so that the largest hubs of a tenant have hundreds of thousands. Every edge
has one of forty pairs of ACL and level, and a tenth of them have ended. The folder is kept and used again.

A walk starts at 50 entities, half of them documents, the others drawn like ends of edges, so that hubs are among them.
The first hop takes the best edges of each in both directions, the second those of the 50 surest ends that are new. All
through the port, one walk at a time, as a principal who may see most of the edges, at its tenant's snapshot. The files
are read once before, so that the operating system has them in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from psycopg import sql

from benchmarks.measured import Measured, Registry, run
from firstline.domain import FOREVER, Edge, EntityKind, Level, Relation, acting_for
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.engines.postgres.graph_rows import KINDS, RELATIONS, hash_of
from firstline.ports import Scope

EDGES: Final = 8_000_000
EDGES_PER_ENTITY: Final = 4
SHARES: Final = {"acme": 0.4, "brick": 0.25, "cedar": 0.15, "delta": 0.12, "ember": 0.08}
KB: Final = "docs"
DOCUMENT_SHARE: Final = 0.12
TAGS: Final = ("everyone", "staff", "partners", "emea", "apac", "billing", "security", "labs", "legal", "field")
SEEDS: Final = 50
LIMIT_EACH: Final = 8
WALKS: Final = 300
WARM_UP: Final = 20
SNAPSHOT: Final = 40
RELATION_WEIGHTS: Final = {
    Relation.MENTIONS: 60,
    Relation.REFERENCES: 8,
    Relation.PART_OF: 8,
    Relation.NEXT: 6,
    Relation.NAMES: 6,
    Relation.AFFECTS: 4,
    Relation.APPLIES_TO: 3,
    Relation.HAS_ROOT_CAUSE: 2,
    Relation.RESOLVES: 2,
    Relation.SUPERSEDES: 0.5,
    Relation.DUPLICATE_OF: 0.5,
}
WALKED: Final = tuple(one for one in Relation if one not in (Relation.PART_OF, Relation.NEXT))
OTHER_KINDS: Final = tuple(kind for kind in EntityKind if kind is not EntityKind.DOCUMENT)
SECONDARY: Final = (
    "graph_edges_source",
    "graph_edges_target",
    "graph_edges_names",
    "graph_edges_chunk",
    "graph_edges_document",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Walks:
    """Times in ms of each walk; `edges` taken in both hops by each."""

    stored: int
    ms: tuple[float, ...]
    edges: tuple[int, ...]

    def at(self, share: float) -> float:
        return float(np.percentile(self.ms, 100 * share))


async def measure_walks(*, edges: int = EDGES, folder: Path | None = None) -> Walks:
    place = folder or Path(tempfile.gettempdir()) / f"firstline-graph-{edges}"
    await asyncio.to_thread(place.mkdir, mode=0o755, parents=True, exist_ok=True)
    async with open_postgres(data_folder=place / "data", database_url="") as ledgers:
        row = await ledgers.database.row("SELECT count(*) AS held FROM firstline.graph_edges")
        if row is None or row["held"] != edges:
            await _fill(ledgers, edges)
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
    return Walks(stored=stored, ms=tuple(times), edges=tuple(counts))


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
    documents, others = _sizes(stored, SHARES[tenant])
    half = SEEDS // 2
    picked = [_entity(0, int(one)) for one in draw.integers(0, documents, half)]
    picked += [_entity(1, int(one)) for one in _zipf(draw, others, SEEDS - half)]
    return [f"{kind}:{key}" for kind, key in picked]


def _sizes(stored: int, share: float) -> tuple[int, int]:
    """Documents and other entities of a tenant."""
    entities = max(100, int(stored * share / EDGES_PER_ENTITY))
    documents = int(entities * DOCUMENT_SHARE)
    return documents, entities - documents


def _zipf(draw: np.random.Generator, size: int, count: int) -> np.ndarray:
    """Ranks from 0; rank r comes about as often as 1 / (r + 1)."""
    return np.minimum(np.floor(np.exp(draw.random(count) * np.log(size + 1))) - 1, size - 1).astype(np.int64)


def _entity(other: int, number: int) -> tuple[str, str]:
    if not other:
        return EntityKind.DOCUMENT.value, f"handbook/chapter-{number % 997}/page-{number}.md"
    return OTHER_KINDS[number % len(OTHER_KINDS)].value, f"thing-{number:07d}-of-some-length"


async def _fill(ledgers: PostgresLedgers, edges: int) -> None:
    async with ledgers.database.connection() as connection:
        await connection.execute("SET statement_timeout = 0")
        await connection.execute("SET maintenance_work_mem = '1GB'")
        cursor = await connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'firstline' AND tablename = 'graph_edges'"
        )
        made = {row["indexname"]: row["indexdef"] for row in await cursor.fetchall()}
        for name in SECONDARY:
            await connection.execute(sql.SQL("DROP INDEX firstline.{}").format(sql.Identifier(name)))
        await connection.execute("TRUNCATE firstline.graph_edges, firstline.graph_access")
        async with connection.cursor() as copying, copying.copy(COPY) as copy:
            left = edges
            for place, (tenant, share) in enumerate(SHARES.items()):
                count = left if place == len(SHARES) - 1 else int(edges * share)
                left -= count
                for text in _rows(tenant, share, count, stored=edges, first_access=1 + 40 * place):
                    await copy.write(text)
        for place, tenant in enumerate(SHARES):
            for number, (acl, level) in enumerate(_accesses()):
                await connection.execute(
                    """INSERT INTO firstline.graph_access (access, tenant, kb, told, level, acl)
                    OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, %s, %s, %s)""",
                    [1 + 40 * place + number, tenant, KB, uuid.uuid4(), level, acl],
                )
        for name in SECONDARY:
            print(f"{name} ...", file=sys.stderr, flush=True)
            await connection.execute(made[name].encode())
        await connection.execute("VACUUM ANALYZE firstline.graph_edges")
        await connection.execute("VACUUM ANALYZE firstline.graph_access")
        await connection.execute("SELECT setval(pg_get_serial_sequence('firstline.graph_access', 'access'), 1000)")


COPY: Final = """COPY firstline.graph_edges (source_hash, target_hash, edge_id, chunk_id, confidence, access, since,
    until, span_start, span_end, relation, source_kind, target_kind, tenant, kb, doc_id, source_key, source_name,
    target_key, target_name, extractor) FROM STDIN"""


def _accesses() -> list[tuple[list[str], int]]:
    """Forty; the first ones, which most edges have, are of everybody."""
    found: list[tuple[list[str], int]] = []
    for number in range(40):
        acl = ["everyone"] if number < 8 else [TAGS[number % len(TAGS)], TAGS[(number * 3) % len(TAGS)]]
        found.append((sorted(set(acl)), number % 4 if number >= 4 else 0))
    return found


def _rows(tenant: str, share: float, count: int, *, stored: int, first_access: int) -> Iterator[str]:
    draw = np.random.default_rng(int(1_000 * share))
    documents, others = _sizes(stored, share)
    hashes: dict[tuple[int, int], int] = {}
    weights = np.array(list(RELATION_WEIGHTS.values()))
    numbers = np.array([RELATIONS[one] for one in RELATION_WEIGHTS])
    for start in range(0, count, 100_000):
        size = min(100_000, count - start)
        # Ids are random, as hashes are.
        ids = draw.integers(0, 2**63, (size, 2), dtype=np.int64)
        lines: list[str] = []
        for at, (source, target, relation, sure, access, since, ends) in enumerate(
            zip(
                draw.integers(0, documents, size).tolist(),
                _zipf(draw, others, size).tolist(),
                draw.choice(numbers, size, p=weights / weights.sum()).tolist(),
                draw.choice([0.97, 0.95, 0.93, 0.9, 0.85, 0.8], size).tolist(),
                (first_access + np.minimum(draw.geometric(0.15, size) - 1, 39)).tolist(),
                draw.integers(1, SNAPSHOT + 1, size).tolist(),
                (draw.random(size) < 0.1).tolist(),
                strict=True,
            )
        ):
            kind, key = _entity(0, source)
            other_kind, other_key = _entity(1, target)
            own = hashes.get((0, source)) or hashes.setdefault(
                (0, source), hash_of(f"{kind}:{key}", tenant=tenant, kb=KB)
            )
            far = hashes.get((1, target)) or hashes.setdefault(
                (1, target), hash_of(f"{other_kind}:{other_key}", tenant=tenant, kb=KB)
            )
            edge_id = f"{ids[at, 0]:016x}{ids[at, 1]:016x}"
            chunk_id = f"{source:016x}{at % 12:016x}"
            until, span = since + 1 if ends else FOREVER, at % 4000
            lines.append(
                f"{own}\t{far}\t{edge_id}\t{chunk_id}\t{sure}\t{access}\t{since}\t{until}\t{span}\t{span + 40}"
                f"\t{relation}\t{KINDS[EntityKind.DOCUMENT]}\t{KINDS[EntityKind(other_kind)]}\t{tenant}\t{KB}\t{key}"
                f"\t{key}\tPage {source} of chapter {source % 997}\t{other_key}\tThing {target}\t1\n"
            )
        print(f"{tenant}: {start + size:,} of {count:,} edges", file=sys.stderr, flush=True)
        yield "".join(lines)


_walks: list[Walks] = []


async def _measured() -> Walks:
    if not _walks:
        _walks.append(await measure_walks())
    return _walks[0]


async def traverse_p95_ms() -> Measured:
    walks = await _measured()
    return Measured(value=walks.at(0.95), unit=f"ms (p95 of {len(walks.ms)} walks, 8M edges in Postgres)")


async def traverse_p50_ms() -> Measured:
    walks = await _measured()
    return Measured(value=walks.at(0.5), unit=f"ms (p50 of {len(walks.ms)} walks, 8M edges in Postgres)")


def register(registry: Registry) -> None:
    registry["graph.traverse_p95_ms"] = traverse_p95_ms
    registry["graph.traverse_p50_ms"] = traverse_p50_ms


async def _print(edges: int, folder: Path | None) -> None:
    walks = await measure_walks(edges=edges, folder=folder)
    print(
        f"{walks.stored:,} edges; {len(walks.ms)} walks of 2 hops from {SEEDS} entities, at most {LIMIT_EACH} edges of"
        f" each and direction: p50 {walks.at(0.5):.1f} ms, p95 {walks.at(0.95):.1f} ms, max {walks.at(1):.1f} ms;"
        f" {np.median(walks.edges):.0f} edges in the median"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph_traverse")
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    sys.exit(run("graph_traverse", _print(options.edges, options.folder)))
