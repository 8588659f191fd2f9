"""Announced changes on Postgres: one row per document, which the newest change of it takes over."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import Accepted, ChangeState, Lag, RawChange, RawDocument, WaitingChange
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import Broken

logger = logging.getLogger(__name__)

LATELY_S: Final = 3_600
"""Of changes that became answerable so long ago at most the times are told."""

_COLUMNS: Final[LiteralString] = (
    "tenant, kb, doc_id, source, seq, version, deleted, record, state, attempts, problem, accepted_at"
)


class PostgresChangeLedger:
    """See ports.ChangeLedger. Time is the database's; what comes after what is said by its sequence alone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(
        self, changes: Sequence[RawChange], *, tenant: str, kb: str, source: str, event_id: str, wake: bool = False
    ) -> Accepted:
        place = {"tenant": storable_id(tenant), "kb": storable_id(kb), "source": storable_id(source)}
        async with self._database.transaction() as connection:
            if event_id and not await _first(connection, {**place, "event_id": storable(event_id)}):
                return Accepted(again=True)
            taken = [change.item_id for change in changes if await _take(connection, change, place)]
            if wake:
                await connection.execute(
                    """UPDATE firstline.sources SET due_at = now()
                    WHERE tenant = %(tenant)s AND kb = %(kb)s AND name = %(source)s""",
                    place,
                )
        older = tuple(change.item_id for change in changes if change.item_id not in taken)
        return Accepted(taken=tuple(taken), older=older)

    async def newest(self, doc_id: str, *, tenant: str, kb: str) -> WaitingChange | None:
        row = await self._database.row(
            f"SELECT {_COLUMNS} FROM firstline.raw_documents WHERE tenant = %s AND kb = %s AND doc_id = %s",  # noqa: S608 (ours)
            [storable(tenant), storable(kb), storable(doc_id)],
        )
        return _read(row) if row else None

    async def due(self, *, tenant: str, kb: str, limit: int) -> list[WaitingChange]:
        rows = await self._database.rows(
            f"""SELECT {_COLUMNS} FROM firstline.raw_documents
            WHERE tenant = %s AND kb = %s AND state = 'waiting' AND due_at <= now() ORDER BY seq LIMIT %s""",  # noqa: S608 (ours)
            [storable(tenant), storable(kb), limit],
        )
        found: list[WaitingChange] = []
        for row in rows:
            try:
                found.append(_read(row))
            except Broken as error:
                # One that cannot be read must not keep the others back.
                logger.error("a change of %s is given up: %s", row["doc_id"], error.message)
                await self.postpone(_read({**row, "record": None}), problem=str(error), again_in_s=None)
        return found

    async def waiting(self, *, tenant: str, kb: str) -> bool:
        row = await self._database.row(
            """SELECT EXISTS (SELECT FROM firstline.raw_documents
            WHERE tenant = %s AND kb = %s AND state = 'waiting' AND due_at <= now()) AS there""",
            [storable(tenant), storable(kb)],
        )
        return bool(row and row["there"])

    async def places(self, *, limit: int) -> list[tuple[str, str]]:
        rows = await self._database.rows(
            """SELECT tenant, kb FROM firstline.raw_documents WHERE state = 'waiting' AND due_at <= now()
            GROUP BY tenant, kb ORDER BY min(seq) LIMIT %s""",
            [limit],
        )
        return [(row["tenant"], row["kb"]) for row in rows]

    async def settle(self, changes: Sequence[WaitingChange], *, answerable: bool, problem: str = "") -> None:
        await self._database.rows(
            """UPDATE firstline.raw_documents AS known
            SET state = 'done', record = NULL, settled_at = now(), answerable = %(answerable)s, problem = %(problem)s
            FROM unnest(%(tenants)s::text[], %(kbs)s::text[], %(docs)s::text[], %(seqs)s::bigint[])
                AS taken (tenant, kb, doc_id, seq)
            WHERE known.tenant = taken.tenant AND known.kb = taken.kb AND known.doc_id = taken.doc_id
              AND known.seq = taken.seq
            RETURNING known.seq""",
            {
                "answerable": answerable,
                "problem": storable(problem),
                "tenants": [storable(one.tenant) for one in changes],
                "kbs": [storable(one.kb) for one in changes],
                "docs": [storable(one.change.item_id) for one in changes],
                "seqs": [one.seq for one in changes],
            },
        )

    async def postpone(self, change: WaitingChange, *, problem: str, again_in_s: float | None) -> None:
        await self._database.row(
            """UPDATE firstline.raw_documents
            SET attempts = attempts + 1, problem = %s, state = %s, due_at = now() + make_interval(secs => %s)
            WHERE tenant = %s AND kb = %s AND doc_id = %s AND seq = %s AND state = 'waiting' RETURNING seq""",
            [
                storable(problem),
                (ChangeState.DEAD if again_in_s is None else ChangeState.WAITING).value,
                again_in_s or 0.0,
                storable(change.tenant),
                storable(change.kb),
                storable(change.change.item_id),
                change.seq,
            ],
        )

    async def hold_back(self, *, tenant: str, kb: str, problem: str, again_in_s: float) -> int:
        rows = await self._database.rows(
            """UPDATE firstline.raw_documents SET problem = %s, due_at = now() + make_interval(secs => %s)
            WHERE tenant = %s AND kb = %s AND state = 'waiting' AND NOT deleted AND due_at <= now() RETURNING seq""",
            [storable(problem), again_in_s, storable(tenant), storable(kb)],
        )
        return len(rows)

    async def let_on(self, *, tenant: str, kb: str) -> int:
        # What failed and is tried again later has attempts.
        rows = await self._database.rows(
            """UPDATE firstline.raw_documents SET problem = '', due_at = now()
            WHERE tenant = %s AND kb = %s AND state = 'waiting' AND NOT deleted AND attempts = 0 AND problem <> ''
              AND due_at > now() RETURNING seq""",
            [storable(tenant), storable(kb)],
        )
        return len(rows)

    async def dead(self, *, tenant: str, limit: int) -> list[WaitingChange]:
        rows = await self._database.rows(
            f"""SELECT {_COLUMNS} FROM firstline.raw_documents
            WHERE tenant = %s AND state = 'dead' ORDER BY seq DESC LIMIT %s""",  # noqa: S608 (ours)
            [storable(tenant), limit],
        )
        return [_told(row) for row in rows]

    async def retry(self, *, tenant: str, doc_ids: Collection[str] | None) -> list[tuple[str, str]]:
        wanted = None if doc_ids is None else [storable(each) for each in doc_ids]
        rows = await self._database.rows(
            """UPDATE firstline.raw_documents
            SET state = 'waiting', attempts = 0, due_at = now(), waiting_since = now()
            WHERE tenant = %s AND state = 'dead' AND (%s::text[] IS NULL OR doc_id = ANY (%s)) RETURNING kb, doc_id""",
            [storable(tenant), wanted, wanted],
        )
        return sorted((row["kb"], row["doc_id"]) for row in rows)

    async def forget_source(self, source: str, *, tenant: str, kb: str) -> int:
        rows = await self._database.rows(
            """UPDATE firstline.raw_documents SET state = 'done', record = NULL, settled_at = now(), answerable = false,
                problem = 'Its source was removed.'
            WHERE tenant = %s AND kb = %s AND source = %s AND state <> 'done' RETURNING seq""",
            [storable(tenant), storable(kb), storable(source)],
        )
        return len(rows)

    async def lag(self, *, tenant: str | None) -> list[Lag]:
        wanted = None if tenant is None else storable(tenant)
        rows = await self._database.rows(
            """WITH timed AS (
                SELECT *, greatest(0, extract(epoch FROM settled_at - accepted_at))::float8 AS took
                FROM firstline.raw_documents WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s
            )
            SELECT tenant, kb, count(*) FILTER (WHERE state = 'waiting') AS waiting,
                count(*) FILTER (WHERE state = 'dead') AS dead,
                min(waiting_since) FILTER (WHERE state = 'waiting') AS oldest_at,
                count(*) FILTER (WHERE lately) AS settled,
                coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY took) FILTER (WHERE lately), 0) AS p50_s,
                coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY took) FILTER (WHERE lately), 0) AS p95_s
            FROM timed CROSS JOIN LATERAL (
                SELECT state = 'done' AND answerable
                    AND settled_at > now() - make_interval(secs => %(lately)s) AS lately
            ) AS known
            GROUP BY tenant, kb ORDER BY tenant COLLATE "C", kb COLLATE "C" """,
            {"tenant": wanted, "lately": LATELY_S},
        )
        return [Lag(**row) for row in rows]

    async def claim_round(self, name: str, *, every_s: float) -> bool:
        # A clock that was set back must not stop the rounds until it has caught up. Two who ask at once are not that.
        row = await self._database.row(
            """INSERT INTO firstline.rounds AS last (name, at) VALUES (%(name)s, now())
            ON CONFLICT (name) DO UPDATE SET at = now()
            WHERE last.at <= now() - make_interval(secs => %(every)s) OR last.at > now() + interval '1 minute'
            RETURNING name""",
            {"name": storable(name), "every": every_s},
        )
        return row is not None

    async def forget_events(self, *, older_s: float) -> int:
        rows = await self._database.rows(
            "DELETE FROM firstline.hook_events WHERE at < now() - make_interval(secs => %s) RETURNING 1 AS gone",
            [older_s],
        )
        return len(rows)


async def _first(connection: AsyncConnection[DictRow], event: dict[str, str]) -> bool:
    cursor = await connection.execute(
        """INSERT INTO firstline.hook_events (tenant, kb, source, event_id)
        VALUES (%(tenant)s, %(kb)s, %(source)s, %(event_id)s) ON CONFLICT DO NOTHING RETURNING event_id""",
        event,
    )
    return await cursor.fetchone() is not None


async def _take(connection: AsyncConnection[DictRow], change: RawChange, place: dict[str, str]) -> bool:
    """False when something newer is known."""
    cursor = await connection.execute(
        """INSERT INTO firstline.raw_documents AS known (tenant, kb, doc_id, source, version, deleted, record)
        VALUES (%(tenant)s, %(kb)s, %(doc_id)s, %(source)s, %(version)s, %(deleted)s, %(record)s)
        ON CONFLICT (tenant, kb, doc_id) DO UPDATE SET
            source = excluded.source, seq = nextval('firstline.marks'), deleted = excluded.deleted,
            version = coalesce(excluded.version, known.version), record = excluded.record, state = 'waiting',
            attempts = 0, problem = '', accepted_at = now(), due_at = now(), settled_at = NULL, answerable = false,
            waiting_since = CASE WHEN known.state = 'waiting' THEN known.waiting_since ELSE now() END
        WHERE known.version IS NULL OR excluded.version IS NULL OR excluded.version >= known.version
        RETURNING doc_id""",
        {
            **place,
            "doc_id": storable_id(change.item_id),
            "version": change.version,
            "deleted": change.document is None,
            "record": None if change.document is None else Jsonb(encode(change.document)),
        },
    )
    return await cursor.fetchone() is not None


def _read(row: dict[str, Any]) -> WaitingChange:
    document = None if row["record"] is None else decode(RawDocument, row["record"])
    return WaitingChange(
        tenant=row["tenant"],
        kb=row["kb"],
        source=row["source"],
        change=RawChange(item_id=row["doc_id"], document=document, version=row["version"]),
        seq=row["seq"],
        accepted_at=row["accepted_at"],
        state=ChangeState(row["state"]),
        attempts=row["attempts"],
        problem=row["problem"],
    )


def _told(row: dict[str, Any]) -> WaitingChange:
    """For people, who must find the row to do something about it."""
    try:
        return _read(row)
    except Broken:
        return _read({**row, "record": None})
