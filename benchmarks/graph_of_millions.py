"""The graph that walks are measured in: edges of five tenants, written straight into the table of the Postgres engine.

Documents say some 30 edges each, of entities that are drawn by Zipf's law, so that the largest hubs of a tenant have
hundreds of thousands. They are written document by document, as they are ingested. Every edge has one of forty pairs of
ACL and level, and a tenth of them have ended.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from psycopg import sql

from benchmarks.measured import NotMeasurable
from benchmarks.workbench import ROOT
from firstline.domain import FOREVER, EntityKind, Relation
from firstline.engines.postgres import PostgresLedgers
from firstline.engines.postgres.graph_rows import KINDS, RELATIONS, hash_of

EDGES_PER_ENTITY: Final = 4
GROUND: Final = "by-document"
"""How edges are drawn and laid: changed when that changes, so that no old folder is taken for a new one."""
WHOLE: Final = "whole"
"""A file that is written once all edges and indexes are."""
BYTES_PER_EDGE: Final = 1_000
"""On disk, with its indexes and what is needed to make them."""
SHARES: Final = {"acme": 0.4, "brick": 0.25, "cedar": 0.15, "delta": 0.12, "ember": 0.08}
KB: Final = "docs"
DOCUMENT_SHARE: Final = 0.12
TAGS: Final = ("everyone", "staff", "partners", "emea", "apac", "billing", "security", "labs", "legal", "field")
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
OTHER_KINDS: Final = tuple(kind for kind in EntityKind if kind is not EntityKind.DOCUMENT)
SECONDARY: Final = (
    "graph_edges_source",
    "graph_edges_target",
    "graph_edges_names",
    "graph_edges_chunk",
    "graph_edges_document",
)


def sizes(stored: int, share: float) -> tuple[int, int]:
    """Documents and other entities of a tenant."""
    entities = max(100, int(stored * share / EDGES_PER_ENTITY))
    documents = int(entities * DOCUMENT_SHARE)
    return documents, entities - documents


def zipf(draw: np.random.Generator, size: int, count: int) -> np.ndarray:
    """Ranks from 0; rank r comes about as often as 1 / (r + 1)."""
    return np.minimum(np.floor(np.exp(draw.random(count) * np.log(size + 1))) - 1, size - 1).astype(np.int64)


def entity(other: int, number: int) -> tuple[str, str]:
    """Kind and key of a document (0) or of another entity (1)."""
    if not other:
        return EntityKind.DOCUMENT.value, f"handbook/chapter-{number % 997}/page-{number}.md"
    return OTHER_KINDS[number % len(OTHER_KINDS)].value, f"thing-{number:07d}-of-some-length"


def is_filled(place: Path, edges: int) -> bool:
    """Otherwise it is made. NotMeasurable when something else is there, or too little room."""
    if (place / WHOLE).exists() and (place / WHOLE).read_text() == str(edges):
        return True
    if place.exists() and any(place.iterdir()):
        raise NotMeasurable(f"{place} was not filled to its end, or with another number of edges: remove it.")
    place.mkdir(mode=0o755, parents=True, exist_ok=True)
    if shutil.disk_usage(place).free < edges * BYTES_PER_EDGE:
        raise NotMeasurable(f"{place} has too little room for {edges:,} edges: {BYTES_PER_EDGE} bytes each.")
    return False


def folder_of(edges: int) -> Path:
    """Where they are kept."""
    return ROOT / ".cache" / f"graph-{GROUND}-{edges}"


async def fill(ledgers: PostgresLedgers, edges: int, place: Path) -> None:
    """In place of what the table holds. Says on stderr how far it is."""
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
            for nth, (tenant, share) in enumerate(SHARES.items()):
                count = left if nth == len(SHARES) - 1 else int(edges * share)
                left -= count
                for text in _rows(tenant, share, count, stored=edges, first_access=1 + 40 * nth):
                    await copy.write(text)
        for nth, tenant in enumerate(SHARES):
            for number, (acl, level) in enumerate(_accesses()):
                await connection.execute(
                    """INSERT INTO firstline.graph_access (access, tenant, kb, told, level, acl)
                    OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, %s, %s, %s)""",
                    [1 + 40 * nth + number, tenant, KB, uuid.uuid4(), level, acl],
                )
        for name in SECONDARY:
            print(f"{name} ...", file=sys.stderr, flush=True)
            await connection.execute(made[name].encode())
        await connection.execute("VACUUM ANALYZE firstline.graph_edges")
        await connection.execute("VACUUM ANALYZE firstline.graph_access")
        await connection.execute("SELECT setval(pg_get_serial_sequence('firstline.graph_access', 'access'), 1000)")
    await asyncio.to_thread((place / WHOLE).write_text, str(edges))


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
    documents, others = sizes(stored, share)
    # Document by document, as they are ingested: what one says lies together.
    sources = np.sort(draw.integers(0, documents, count))
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
                sources[start : start + size].tolist(),
                zipf(draw, others, size).tolist(),
                draw.choice(numbers, size, p=weights / weights.sum()).tolist(),
                draw.choice([0.97, 0.95, 0.93, 0.9, 0.85, 0.8], size).tolist(),
                (first_access + np.minimum(draw.geometric(0.15, size) - 1, 39)).tolist(),
                draw.integers(1, SNAPSHOT + 1, size).tolist(),
                (draw.random(size) < 0.1).tolist(),
                strict=True,
            )
        ):
            kind, key = entity(0, source)
            other_kind, other_key = entity(1, target)
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
