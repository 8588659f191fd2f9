"""The quarantine on Postgres."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import Quarantined, QuarantineState
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import NotFound

LISTED = "`firstline quarantine list` shows what is there."


class PostgresQuarantineLedger:
    """See ports.QuarantineLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def hold(self, found: Sequence[Quarantined], *, tenant: str, kb: str, clear: Collection[str] = ()) -> None:
        tenant, kb = storable_id(tenant), storable_id(kb)
        async with self._database.transaction() as connection:
            await connection.execute(
                """DELETE FROM firstline.quarantine
                WHERE tenant = %s AND kb = %s AND state = 'held'
                  AND (doc_id = ANY(%s) OR (doc_id = ANY(%s) AND fingerprint <> ALL(%s)))""",
                [
                    tenant,
                    kb,
                    [storable(doc_id) for doc_id in clear],
                    [storable(one.doc_id) for one in found],
                    [one.fingerprint for one in found],
                ],
            )
            for one in found:
                await connection.execute(
                    """INSERT INTO firstline.quarantine (tenant, kb, doc_id, fingerprint, state, found_at, record)
                    VALUES (%s, %s, %s, %s, 'held', %s, %s) ON CONFLICT DO NOTHING""",
                    [tenant, kb, storable_id(one.doc_id), one.fingerprint, one.found_at, Jsonb(encode(one))],
                )

    async def decided(self, *, tenant: str, kb: str) -> dict[tuple[str, str], QuarantineState]:
        rows = await self._database.rows(
            """SELECT doc_id, fingerprint, state FROM firstline.quarantine
            WHERE tenant = %s AND kb = %s AND state <> 'held'""",
            [storable(tenant), storable(kb)],
        )
        return {(row["doc_id"], row["fingerprint"]): QuarantineState(row["state"]) for row in rows}

    async def quarantined(
        self,
        *,
        tenant: str,
        kb: str | None,
        limit: int,
        states: Collection[QuarantineState] = frozenset({QuarantineState.HELD}),
    ) -> list[Quarantined]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.quarantine
            WHERE tenant = %s AND (%s::text IS NULL OR kb = %s) AND state = ANY(%s)
            ORDER BY found_at DESC, kb, doc_id LIMIT %s""",
            [
                storable(tenant),
                None if kb is None else storable(kb),
                None if kb is None else storable(kb),
                [state.value for state in states],
                limit,
            ],
        )
        return [_read(row) for row in rows]

    async def settle(
        self, doc_id: str, *, tenant: str, kb: str, state: QuarantineState, by: str, at: datetime, note: str = ""
    ) -> Quarantined:
        row = await self._database.row(
            """UPDATE firstline.quarantine SET state = %s, decided_by = %s, decided_at = %s, note = %s
            WHERE tenant = %s AND kb = %s AND doc_id = %s AND fingerprint = (
                SELECT fingerprint FROM firstline.quarantine
                WHERE tenant = %s AND kb = %s AND doc_id = %s ORDER BY state = 'held' DESC, found_at DESC LIMIT 1)
            RETURNING *""",
            [
                *(state.value, storable(by), at, storable(note)),
                *(storable(tenant), storable(kb), storable(doc_id)),
                *(storable(tenant), storable(kb), storable(doc_id)),
            ],
        )
        if row is None:
            raise NotFound(f"{doc_id!r} is not in the quarantine of {kb!r}.", remedy=LISTED)
        return _read(row)


def _read(row: DictRow) -> Quarantined:
    """The record is as it was found; the columns beside it move on."""
    return replace(
        decode(Quarantined, row["record"]),
        state=QuarantineState(row["state"]),
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        note=row["note"],
    )
