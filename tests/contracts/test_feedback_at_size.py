"""A page of changes is found by indexes alone: it costs the same among many conversations as among few."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.feedback import CHANGES

SESSIONS = 30_000
FILL = """
INSERT INTO firstline.sessions SELECT 'many-' || n, 'many', 'docs', 'u' || n, now() FROM generate_series(1, {0}) AS n;
INSERT INTO firstline.turns (session_id, number, record, recorded_at)
    SELECT 'many-' || n, 1, '{{}}', now() - interval '1 day' + n * interval '1 second'
    FROM generate_series(1, {0}) AS n;
ANALYZE firstline.sessions, firstline.turns, firstline.feedback, firstline.handoffs;
"""
BY_INDEX = {"sessions", "turns"}


def whole_scans(plan: dict[str, Any]) -> set[str]:
    found = {plan["Relation Name"]} if plan["Node Type"] == "Seq Scan" else set[str]()
    return found.union(*(whole_scans(each) for each in plan.get("Plans", [])))


async def test_no_page_reads_every_conversation(postgres_url: str, tmp_path: Any) -> None:
    where = {"since": datetime(2000, 1, 1, tzinfo=UTC), "id": "", "number": 0, "tenant": "many", "without_user": "eval"}
    async with (
        open_postgres(data_folder=tmp_path, database_url=postgres_url),
        await psycopg.AsyncConnection.connect(postgres_url, prepare_threshold=None) as connection,
    ):
        await connection.execute(FILL.format(SESSIONS))  # pyright: ignore[reportArgumentType]  (numbers alone)
        found = await connection.execute("EXPLAIN (FORMAT JSON) " + CHANGES, {**where, "limit": 500})
        row = await found.fetchone()
        await connection.rollback()
    if row is None:
        pytest.fail("no plan")
    assert not whole_scans(row[0][0]["Plan"]) & BY_INDEX
