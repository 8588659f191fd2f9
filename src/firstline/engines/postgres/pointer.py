"""The pointer of a knowledge base: what is published, what waits, and how it moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import CandidateFacts, ChangeKind, DocumentChange, Snapshot, SnapshotEntry, SnapshotState
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.errors import Conflict, NotFound

Connection = AsyncConnection[DictRow]

LISTED = "`firstline snapshot list` shows those that are there."


async def published(database: Database, tenant: str, kb: str) -> Snapshot:
    row = await database.row(
        """SELECT number, documents, chunks, published_at, embedder_id, coalesce(version, 0) AS gates_version,
            canary, canary_share, forgotten
        FROM firstline.knowledge_bases base JOIN firstline.snapshots snapshot
          ON snapshot.tenant = base.tenant AND snapshot.kb = base.kb AND snapshot.number = base.published
        LEFT JOIN firstline.gates_in_force pointer ON pointer.tenant = base.tenant AND pointer.kb = base.kb
        WHERE base.tenant = %s AND base.kb = %s""",
        [storable(tenant), storable(kb)],
    )
    if row is None:
        return Snapshot(tenant=tenant, kb=kb, number=0, documents=0, chunks=0, published_at=None)
    return _read(row, tenant, kb)


async def snapshot(connection: Connection, tenant: str, kb: str, number: int) -> Snapshot:
    """NotFound when there is none of this number."""
    cursor = await connection.execute(
        """SELECT number, documents, chunks, published_at, embedder_id, coalesce(version, 0) AS gates_version,
            canary, canary_share, forgotten
        FROM firstline.knowledge_bases base JOIN firstline.snapshots snapshot USING (tenant, kb)
        LEFT JOIN firstline.gates_in_force pointer USING (tenant, kb)
        WHERE tenant = %s AND kb = %s AND number = %s""",
        [storable(tenant), storable(kb), number],
    )
    row = await cursor.fetchone()
    if row is None:
        raise no_snapshot(kb, number)
    return _read(row, tenant, kb)


def no_snapshot(kb: str, number: int) -> NotFound:
    return NotFound(f"The knowledge base {kb!r} has no snapshot {number}.", remedy=LISTED)


def _read(row: DictRow, tenant: str, kb: str) -> Snapshot:
    return Snapshot(
        tenant=tenant,
        kb=kb,
        number=row["number"],
        documents=row["documents"],
        chunks=row["chunks"],
        published_at=row["published_at"],
        embedder_id=row["embedder_id"],
        gates_version=row["gates_version"],
        canary=row["canary"],
        canary_share=row["canary_share"],
        forgotten=row["forgotten"],
    )


async def facts(database: Database, tenant: str, kb: str, candidate: int) -> CandidateFacts:
    row = await database.row(
        """WITH base AS (
            SELECT * FROM firstline.knowledge_bases WHERE tenant = %(tenant)s AND kb = %(kb)s
        ), written AS (
            SELECT doc_id, chunks, acl FROM firstline.documents
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND since = %(candidate)s
        ), ended AS (
            SELECT doc_id, chunks, acl FROM firstline.documents
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND until = %(candidate)s AND until < 2147483647
        ), under AS (
            SELECT documents, chunks FROM firstline.snapshots, base
            WHERE snapshots.tenant = %(tenant)s AND snapshots.kb = %(kb)s AND number = base.head
        )
        SELECT coalesce((SELECT documents FROM under), 0) AS documents_before,
            coalesce((SELECT chunks FROM under), 0) AS chunks_before,
            (SELECT count(*) FROM written WHERE doc_id NOT IN (SELECT doc_id FROM ended)) AS added,
            (SELECT count(*) FROM written WHERE doc_id IN (SELECT doc_id FROM ended)) AS changed,
            (SELECT count(*) FROM ended WHERE doc_id NOT IN (SELECT doc_id FROM written)) AS removed,
            coalesce((SELECT sum(chunks) FROM written), 0) AS chunks_written,
            coalesce((SELECT sum(chunks) FROM ended), 0) AS chunks_ended,
            ARRAY(SELECT written.doc_id FROM written JOIN ended USING (doc_id)
                  WHERE written.acl = '{}' AND ended.acl <> '{}' ORDER BY doc_id LIMIT 100) AS closed,
            (SELECT head > published FROM base) AS builds_on_waiting""",
        {"tenant": storable(tenant), "kb": storable(kb), "candidate": candidate},
    )
    found: dict[str, Any] = dict(row or {})
    closed: list[str] = found.pop("closed")
    return CandidateFacts(closed=tuple(closed), **found)


class PostgresSnapshots:
    """Listing snapshots and moving the pointer. See ports.SnapshotLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def snapshots(self, *, tenant: str, kb: str, limit: int) -> list[SnapshotEntry]:
        place = [storable(tenant), storable(kb)]
        base = await self._database.row(
            "SELECT published, head, canary, canary_share FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s",
            place,
        )
        if base is None:
            raise no_knowledge_base(kb)
        rows = await self._database.rows(
            """SELECT number, documents, chunks, sealed_at, published_at, waits FROM firstline.snapshots
            WHERE tenant = %s AND kb = %s ORDER BY number DESC LIMIT %s""",
            [*place, limit],
        )
        return [
            SnapshotEntry(
                state=_state(row["number"], base),
                share=base["canary_share"] if row["number"] == base["canary"] else 0.0,
                **row,
            )
            for row in rows
        ]

    async def point_on(self, number: int, *, tenant: str, kb: str) -> Snapshot:
        async with self._database.transaction() as connection:
            base = await _locked(connection, tenant, kb)
            await snapshot(connection, tenant, kb, number)
            if number < base["published"]:
                raise Conflict(
                    f"Snapshot {number} is older than the published one, {base['published']}.",
                    remedy=f"`firstline snapshot rollback --to {number}` goes back to it.",
                )
            await connection.execute(
                """UPDATE firstline.knowledge_bases SET published = %(number)s, head = greatest(head, %(number)s),
                    canary = CASE WHEN canary > %(number)s THEN canary ELSE 0 END
                WHERE tenant = %(tenant)s AND kb = %(kb)s""",
                {"tenant": tenant, "kb": kb, "number": number},
            )
            await connection.execute(
                """UPDATE firstline.snapshots SET published_at = coalesce(published_at, now()), waits = ''
                WHERE tenant = %s AND kb = %s AND number = %s""",
                [tenant, kb, number],
            )
            return await snapshot(connection, tenant, kb, number)

    async def point_back(self, number: int | None, *, tenant: str, kb: str) -> Snapshot:
        async with self._database.transaction() as connection:
            base = await _locked(connection, tenant, kb)
            to = number if number is not None else await _before(connection, tenant, kb, base["published"])
            await snapshot(connection, tenant, kb, to)
            if to >= base["published"]:
                raise Conflict(
                    f"Snapshot {to} is not older than the published one, {base['published']}.",
                    remedy=f"`firstline snapshot publish {to}` publishes a newer one.",
                )
            await connection.execute(
                """UPDATE firstline.knowledge_bases SET published = %(to)s, head = %(to)s, candidate = NULL, canary = 0
                WHERE tenant = %(tenant)s AND kb = %(kb)s""",
                {"tenant": tenant, "kb": kb, "to": to},
            )
            await _rewind_sources(connection, tenant, kb, to)
            return await snapshot(connection, tenant, kb, to)

    async def discard(self, *, tenant: str, kb: str) -> list[int]:
        async with self._database.transaction() as connection:
            base = await _locked(connection, tenant, kb)
            cursor = await connection.execute(
                """SELECT number FROM firstline.snapshots
                WHERE tenant = %s AND kb = %s AND number > %s AND number <= %s ORDER BY number""",
                [tenant, kb, base["published"], base["head"]],
            )
            numbers = [row["number"] for row in await cursor.fetchall()]
            await connection.execute(
                """UPDATE firstline.knowledge_bases SET head = published, candidate = NULL, canary = 0
                WHERE tenant = %s AND kb = %s""",
                [tenant, kb],
            )
            await _rewind_sources(connection, tenant, kb, base["published"])
            return numbers

    async def try_out(self, number: int, *, tenant: str, kb: str, share: float) -> Snapshot:
        async with self._database.transaction() as connection:
            base = await _locked(connection, tenant, kb)
            await snapshot(connection, tenant, kb, number)
            if not base["published"] < number <= base["head"]:
                raise NotFound(f"Snapshot {number} does not wait for publication.", remedy=LISTED)
            await connection.execute(
                "UPDATE firstline.knowledge_bases SET canary = %s, canary_share = %s WHERE tenant = %s AND kb = %s",
                [number if share > 0 else 0, share, tenant, kb],
            )
            return await snapshot(connection, tenant, kb, base["published"] or number)

    async def changes(self, before: int, after: int, *, tenant: str, kb: str, limit: int) -> list[DocumentChange]:
        tenant, kb = storable(tenant), storable(kb)
        async with self._database.connection() as connection:
            for number in (before, after):
                if number:
                    await snapshot(connection, tenant, kb, number)
        low, high = sorted((before, after))
        # A revision that neither began nor ended in between stands in both or in none.
        rows = await self._database.rows(
            """WITH moved AS (
                SELECT * FROM firstline.documents AS document
                WHERE tenant = %(tenant)s AND kb = %(kb)s
                  AND ((since > %(low)s AND since <= %(high)s)
                    OR (until > %(low)s AND until <= %(high)s AND until < 2147483647))
                  AND NOT EXISTS (SELECT FROM firstline.tombstones t
                                  WHERE t.tenant = document.tenant AND t.kb = document.kb
                                    AND t.doc_id = document.doc_id AND t.upto >= document.since)
            ), old AS (SELECT * FROM moved WHERE since <= %(before)s AND until > %(before)s),
            new AS (SELECT * FROM moved WHERE since <= %(after)s AND until > %(after)s)
            SELECT coalesce(new.doc_id, old.doc_id) AS doc_id, coalesce(new.title, old.title) AS title,
                CASE WHEN old.doc_id IS NULL THEN 'added' WHEN new.doc_id IS NULL THEN 'removed' ELSE 'changed' END
                    AS change
            FROM old FULL JOIN new ON old.doc_id = new.doc_id ORDER BY 1 LIMIT %(limit)s""",
            {"tenant": tenant, "kb": kb, "low": low, "high": high, "before": before, "after": after, "limit": limit},
        )
        return [
            DocumentChange(doc_id=row["doc_id"], title=row["title"], change=ChangeKind(row["change"])) for row in rows
        ]


def no_knowledge_base(kb: str) -> NotFound:
    return NotFound(f"There is no knowledge base {kb!r}.", remedy="`firstline status` lists them.")


async def _locked(connection: Connection, tenant: str, kb: str) -> DictRow:
    cursor = await connection.execute(
        """SELECT published, head, canary FROM firstline.knowledge_bases
        WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE""",
        [storable(tenant), storable(kb)],
    )
    row = await cursor.fetchone()
    if row is None:
        raise no_knowledge_base(kb)
    return row


async def _rewind_sources(connection: Connection, tenant: str, kb: str, number: int) -> None:
    """Places that sources go on from hold for what they were read into: what is abandoned will be read again."""
    await connection.execute(
        """UPDATE firstline.sources SET cursor = NULL, cursor_snapshot = 0, cursor_shape = ''
        WHERE tenant = %s AND kb = %s AND cursor_snapshot > %s""",
        [storable(tenant), storable(kb), number],
    )


async def _before(connection: Connection, tenant: str, kb: str, number: int) -> int:
    """The newest snapshot before this one that was published once."""
    cursor = await connection.execute(
        """SELECT max(number) AS number FROM firstline.snapshots
        WHERE tenant = %s AND kb = %s AND number < %s AND published_at IS NOT NULL""",
        [tenant, kb, number],
    )
    row = await cursor.fetchone()
    if row is None or row["number"] is None:
        raise Conflict(f"There is no earlier snapshot of {kb!r} to go back to.", remedy=LISTED)
    return row["number"]


def _state(number: int, base: DictRow) -> SnapshotState:
    if number == base["published"]:
        return SnapshotState.PUBLISHED
    if number == base["canary"]:
        return SnapshotState.CANARY
    if number < base["published"]:
        return SnapshotState.EARLIER
    return SnapshotState.WAITING if number <= base["head"] else SnapshotState.AHEAD


def pairs(rows: Sequence[DictRow]) -> list[tuple[str, int]]:
    return [(row["doc_id"], row["since"]) for row in rows]
