"""Calibrated gates on Postgres."""

from __future__ import annotations

from dataclasses import replace

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import CalibratedGates
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import NotFound

HISTORY = "`firstline gates` lists the versions of a knowledge base."


class PostgresGateLedger:
    """See ports.GateLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_gates(self, gates: CalibratedGates) -> CalibratedGates:
        tenant, kb = storable_id(gates.tenant), storable_id(gates.kb)
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                """INSERT INTO firstline.gates (tenant, kb, calibrated_at, record) VALUES (%s, %s, %s, %s)
                RETURNING version""",
                [tenant, kb, gates.calibrated_at, Jsonb(encode(replace(gates, version=0)))],
            )
            row = await cursor.fetchone()
            version: int = row["version"] if row else 0
            await connection.execute(
                """INSERT INTO firstline.gates_in_force (tenant, kb, version) VALUES (%s, %s, %s)
                ON CONFLICT (tenant, kb) DO UPDATE SET version = excluded.version, moved_at = now()""",
                [tenant, kb, version],
            )
        return replace(gates, version=version)

    async def gates(self, version: int, *, tenant: str, kb: str) -> CalibratedGates | None:
        row = await self._database.row(
            "SELECT version, record FROM firstline.gates WHERE version = %s AND tenant = %s AND kb = %s",
            [version, storable(tenant), storable(kb)],
        )
        return _read(row) if row else None

    async def gates_in_force(self, *, tenant: str, kb: str) -> CalibratedGates | None:
        row = await self._database.row(
            """SELECT gates.version, gates.record FROM firstline.gates_in_force AS pointer
            JOIN firstline.gates USING (tenant, kb, version) WHERE tenant = %s AND kb = %s""",
            [storable(tenant), storable(kb)],
        )
        return _read(row) if row else None

    async def gates_history(self, *, tenant: str, kb: str, limit: int) -> list[CalibratedGates]:
        rows = await self._database.rows(
            """SELECT version, record FROM firstline.gates WHERE tenant = %s AND kb = %s
            ORDER BY version DESC LIMIT %s""",
            [storable(tenant), storable(kb), limit],
        )
        return [_read(row) for row in rows]

    async def put_in_force(self, version: int, *, tenant: str, kb: str) -> None:
        if version == 0:
            async with self._database.connection() as connection:
                await connection.execute(
                    "DELETE FROM firstline.gates_in_force WHERE tenant = %s AND kb = %s",
                    [storable(tenant), storable(kb)],
                )
            return
        moved = await self._database.row(
            """INSERT INTO firstline.gates_in_force (tenant, kb, version)
            SELECT tenant, kb, version FROM firstline.gates WHERE version = %s AND tenant = %s AND kb = %s
            ON CONFLICT (tenant, kb) DO UPDATE SET version = excluded.version, moved_at = now() RETURNING version""",
            [version, storable(tenant), storable(kb)],
        )
        if moved is None:
            raise NotFound(f"The knowledge base {kb!r} has no gates of version {version}.", remedy=HISTORY)

    async def live_values(
        self, version: int, *, tenant: str, kb: str, gate: str, without_user: str, limit: int
    ) -> list[float]:
        # The condition and the order are those of the index turns_of_gates.
        rows = await self._database.rows(
            """SELECT (reading ->> 'value')::double precision AS value
            FROM firstline.turns JOIN firstline.sessions USING (session_id),
              LATERAL jsonb_array_elements(record -> 'gates') AS reading
            WHERE record ->> 'gates_version' = %s::text AND record ->> 'gates_version' <> '0'
              AND tenant = %s AND kb = %s AND user_id <> %s AND reading ->> 'name' = %s
            ORDER BY record ->> 'asked_at' DESC LIMIT %s""",
            [str(version), storable(tenant), storable(kb), storable(without_user), storable(gate), limit],
        )
        return [row["value"] for row in rows]


def _read(row: DictRow) -> CalibratedGates:
    """The record was written before its version was known."""
    return replace(decode(CalibratedGates, row["record"]), version=row["version"])
