"""The quarantine on Postgres."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import Quarantined, QuarantineState
from firstline.engines.postgres.codec import encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.engines.postgres.unreadable import decode_or, quarantined_of
from firstline.errors import NotFound, content_changed

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
        doc_id: str | None = None,
    ) -> list[Quarantined]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.quarantine
            WHERE tenant = %s AND (%s::text IS NULL OR kb = %s) AND (%s::text IS NULL OR doc_id = %s)
              AND state = ANY(%s)
            ORDER BY found_at DESC, kb, doc_id LIMIT %s""",
            [
                storable(tenant),
                *(2 * [None if kb is None else storable(kb)]),
                *(2 * [None if doc_id is None else storable(doc_id)]),
                [state.value for state in states],
                limit,
            ],
        )
        return [_read(row) for row in rows]

    async def settle(
        self,
        doc_id: str,
        *,
        tenant: str,
        kb: str,
        fingerprint: str,
        state: QuarantineState,
        by: str,
        at: datetime,
        note: str = "",
    ) -> Quarantined:
        place = (storable(tenant), storable(kb), storable(doc_id))
        async with self._database.transaction() as connection:
            # Locked while it is compared: an ingest that holds another content meanwhile waits, or we see it.
            cursor = await connection.execute(
                """SELECT fingerprint, state FROM firstline.quarantine
                WHERE tenant = %s AND kb = %s AND doc_id = %s FOR UPDATE""",
                place,
            )
            own = {row["fingerprint"]: row["state"] for row in await cursor.fetchall()}
            if not own:
                raise NotFound(f"{doc_id!r} is not in the quarantine of {kb!r}.", remedy=LISTED)
            if fingerprint not in own or (own[fingerprint] != "held" and "held" in own.values()):
                raise content_changed(doc_id)
            cursor = await connection.execute(
                """UPDATE firstline.quarantine SET state = %s, decided_by = %s, decided_at = %s, note = %s
                WHERE tenant = %s AND kb = %s AND doc_id = %s AND fingerprint = %s RETURNING *""",
                [state.value, storable(by), at, storable(note), *place, storable(fingerprint)],
            )
            (row,) = await cursor.fetchall()
        return _read(row)


def _read(row: DictRow) -> Quarantined:
    """The record is as it was found; the columns beside it move on."""
    return replace(
        decode_or(Quarantined, row["record"], lambda: quarantined_of(row), row_id=row["doc_id"]),
        state=QuarantineState(row["state"]),
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        note=row["note"],
    )
