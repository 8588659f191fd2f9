"""What is forgotten: tombstones, and what the ledger holds of those documents until it is purged."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import Tombstone
from firstline.engines.postgres import blob_lock, knowledge_words, knowledge_writes, undoing
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.errors import NotFound
from firstline.ports import Revision, StoredDocument

Connection = AsyncConnection[DictRow]

NAMED_MAX: Final = 5


class PostgresTombstoneLedger:
    """See ports.TombstoneLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def bury(self, doc_ids: Sequence[str], *, tenant: str, kb: str, by: str) -> list[Tombstone]:
        wanted = sorted({storable(doc_id) for doc_id in doc_ids})
        place = {"tenant": storable(tenant), "kb": storable(kb)}
        async with self._database.transaction() as connection:
            # The lock of every write: a run commits before this, and is covered, or after it, and is told.
            await connection.execute(
                """UPDATE firstline.knowledge_bases SET forgotten = nextval('firstline.marks')
                WHERE tenant = %(tenant)s AND kb = %(kb)s""",
                place,
            )
            cursor = await connection.execute(
                """SELECT DISTINCT doc_id FROM firstline.documents
                WHERE tenant = %(tenant)s AND kb = %(kb)s AND doc_id = ANY (%(doc_ids)s)""",
                {**place, "doc_ids": wanted},
            )
            found = {row["doc_id"] for row in await cursor.fetchall()}
            missing = [doc_id for doc_id in wanted if doc_id not in found]
            if missing:
                raise not_there(missing, kb)
            cursor = await connection.execute(
                """INSERT INTO firstline.tombstones AS known (tenant, kb, doc_id, upto, mark, by_user)
                SELECT tenant, kb, doc_id, counter, forgotten, %(by)s
                FROM firstline.knowledge_bases CROSS JOIN unnest(%(doc_ids)s::text[]) AS doc_id
                WHERE tenant = %(tenant)s AND kb = %(kb)s
                ON CONFLICT (tenant, kb, doc_id) DO UPDATE SET upto = excluded.upto, mark = excluded.mark,
                    at = now(), by_user = excluded.by_user, purged_at = NULL
                RETURNING *""",
                {**place, "doc_ids": wanted, "by": storable(by)},
            )
            return sorted((_read(row) for row in await cursor.fetchall()), key=lambda one: one.doc_id)

    async def known_documents(self, prefix: str, *, tenant: str, kb: str) -> list[str]:
        rows = await self._database.rows(
            """SELECT DISTINCT doc_id FROM firstline.documents AS document
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND starts_with(doc_id, %(prefix)s)
              AND NOT EXISTS (SELECT FROM firstline.tombstones t
                              WHERE t.tenant = document.tenant AND t.kb = document.kb AND t.doc_id = document.doc_id
                                AND t.upto >= document.since)
            ORDER BY doc_id""",
            {"tenant": storable(tenant), "kb": storable(kb), "prefix": storable(prefix)},
        )
        return [row["doc_id"] for row in rows]

    async def naming(self, text: str, *, tenant: str, kb: str) -> list[str]:
        rows = await self._database.rows(
            """SELECT DISTINCT doc_id FROM firstline.documents
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND (
                strpos(lower(doc_id), %(text)s) > 0 OR strpos(lower(title), %(text)s) > 0
                OR strpos(lower(coalesce(url, '')), %(text)s) > 0 OR EXISTS (
                    SELECT FROM jsonb_each_text(metadata) AS one WHERE strpos(lower(one.value), %(text)s) > 0))
            ORDER BY doc_id""",
            {"tenant": storable(tenant), "kb": storable(kb), "text": storable(text).lower()},
        )
        return [row["doc_id"] for row in rows]

    async def titles(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> frozenset[str]:
        rows = await self._database.rows(
            "SELECT DISTINCT title FROM firstline.documents WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s)",
            [storable(tenant), storable(kb), [storable(doc_id) for doc_id in doc_ids]],
        )
        return frozenset(row["title"] for row in rows)

    async def contents(self, *, tenant: str, kb: str) -> list[tuple[str, str, int]]:
        rows = await self._database.rows(
            """SELECT doc_id, blob, size_bytes FROM firstline.documents
            WHERE tenant = %s AND kb = %s ORDER BY doc_id, since""",
            [storable(tenant), storable(kb)],
        )
        return [(row["doc_id"], row["blob"], row["size_bytes"]) for row in rows]

    async def tombstones(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> list[Tombstone]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.tombstones
            WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s) ORDER BY doc_id""",
            [storable(tenant), storable(kb), [storable(doc_id) for doc_id in doc_ids]],
        )
        return [_read(row) for row in rows]

    async def buried(self, *, tenant: str | None, limit: int) -> list[Tombstone]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.tombstones
            WHERE purged_at IS NULL AND (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
            ORDER BY mark, doc_id LIMIT %(limit)s""",
            {"tenant": None if tenant is None else storable(tenant), "limit": limit},
        )
        return [_read(row) for row in rows]

    async def traces(self, tombstone: Tombstone) -> list[Revision]:
        async with self._database.connection() as connection:
            rows = await _revisions(connection, tombstone)
            return await undoing.with_chunks(connection, tombstone.tenant, tombstone.kb, rows)

    def removing(self, tombstones: Sequence[Tombstone]) -> AbstractAsyncContextManager[list[Tombstone]]:
        return self._removing(tombstones)

    @asynccontextmanager
    async def _removing(self, tombstones: Sequence[Tombstone]) -> AsyncGenerator[list[Tombstone]]:
        async with self._database.transaction() as connection:
            yield await _as_they_are(connection, tombstones)

    async def purged(self, tombstone: Tombstone) -> bool:
        tenant, kb = storable(tombstone.tenant), storable(tombstone.kb)
        async with self._database.transaction() as connection:
            (now,) = await _as_they_are(connection, [tombstone])
            # What was forgotten since is left to whoever removes its vectors, what was taken anew is left alone.
            tombstone = replace(tombstone, upto=min(tombstone.upto, now.upto))
            revisions = [(row["doc_id"], row["since"]) for row in await _revisions(connection, tombstone)]
            words = await _words(connection, tenant, kb, revisions)
            await knowledge_writes.remove(connection, tenant, kb, revisions)
            await knowledge_words.forget_words(connection, tenant, kb, words)
            await connection.execute(
                """DELETE FROM firstline.planned_documents
                WHERE tenant = %s AND kb = %s AND doc_id = %s AND candidate <= %s""",
                [tenant, kb, tombstone.doc_id, tombstone.upto],
            )
            await _clear_failures(connection, tenant, kb, tombstone.doc_id)
            cursor = await connection.execute(
                """UPDATE firstline.tombstones SET purged_at = now()
                WHERE tenant = %s AND kb = %s AND doc_id = %s AND upto <= %s""",
                [tenant, kb, tombstone.doc_id, tombstone.upto],
            )
            return cursor.rowcount > 0


async def _as_they_are(connection: Connection, tombstones: Sequence[Tombstone]) -> list[Tombstone]:
    """Until the end of the transaction they stay so, for every write begins and is committed under the same lock. A
    plan of a candidate that was opened after the document was forgotten says that it is about to be written anew."""
    place = {"tenant": storable(tombstones[0].tenant), "kb": storable(tombstones[0].kb)}
    await connection.execute(
        "SELECT FROM firstline.knowledge_bases WHERE tenant = %(tenant)s AND kb = %(kb)s FOR NO KEY UPDATE", place
    )
    cursor = await connection.execute(
        """SELECT stone.*, CASE
                WHEN base.candidate <= stone.upto AND base.opened > stone.mark AND EXISTS (
                    SELECT FROM firstline.planned_documents AS plan
                    WHERE plan.tenant = stone.tenant AND plan.kb = stone.kb AND plan.doc_id = stone.doc_id
                      AND plan.candidate = base.candidate)
                THEN base.candidate - 1 ELSE stone.upto END AS free
        FROM firstline.tombstones AS stone JOIN firstline.knowledge_bases AS base USING (tenant, kb)
        WHERE stone.tenant = %(tenant)s AND stone.kb = %(kb)s AND stone.doc_id = ANY (%(doc_ids)s)
        ORDER BY stone.doc_id""",
        {**place, "doc_ids": [storable(one.doc_id) for one in tombstones]},
    )
    return [replace(_read(row), upto=row["free"]) for row in await cursor.fetchall()]


async def since_opened(connection: Connection, tenant: str, kb: str, doc_ids: Sequence[str]) -> frozenset[str]:
    """Which of these were forgotten since a candidate was opened last."""
    cursor = await connection.execute(
        """SELECT doc_id FROM firstline.tombstones JOIN firstline.knowledge_bases AS base USING (tenant, kb)
        WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s) AND mark > base.opened""",
        [storable(tenant), storable(kb), list(doc_ids)],
    )
    return frozenset(row["doc_id"] for row in await cursor.fetchall())


async def refuse(
    connection: Connection,
    tenant: str,
    kb: str,
    candidate: int,
    documents: Sequence[StoredDocument],
    gone: frozenset[str],
) -> None:
    """They were read before they were forgotten: their plan is void, and their contents are to be deleted."""
    await connection.execute(
        """DELETE FROM firstline.planned_documents
        WHERE tenant = %s AND kb = %s AND candidate = %s AND doc_id = ANY (%s)""",
        [tenant, kb, candidate, sorted(gone)],
    )
    blobs = sorted({stored.document.blob for stored in documents if stored.document.doc_id in gone})
    await blob_lock.hold_blobs(connection)
    await connection.execute(
        "INSERT INTO firstline.doomed_blobs (blob) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING", [blobs]
    )


async def lift(connection: Connection, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> None:
    """The candidate has written these anew, after they were forgotten: what it wrote is shown. Its own earlier revision
    is gone already, and those of earlier snapshots stay buried."""
    await connection.execute(
        """UPDATE firstline.tombstones SET upto = %(candidate)s - 1
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND doc_id = ANY (%(doc_ids)s) AND upto >= %(candidate)s""",
        {"tenant": tenant, "kb": kb, "candidate": candidate, "doc_ids": list(doc_ids)},
    )


def not_there(missing: Sequence[str], kb: str) -> NotFound:
    named = ", ".join(repr(doc_id) for doc_id in missing[:NAMED_MAX])
    more = f" and {len(missing) - NAMED_MAX} more" if len(missing) > NAMED_MAX else ""
    return NotFound(
        f"The knowledge base {kb!r} holds no document {named}{more}. Nothing was forgotten.",
        remedy="Check the id: `firstline forget --source PREFIX` lists those that begin with it before it asks.",
    )


def _read(row: DictRow) -> Tombstone:
    return Tombstone(
        tenant=row["tenant"],
        kb=row["kb"],
        doc_id=row["doc_id"],
        upto=row["upto"],
        at=row["at"],
        by=row["by_user"],
        purged_at=row["purged_at"],
    )


async def _revisions(connection: Connection, tombstone: Tombstone) -> list[DictRow]:
    cursor = await connection.execute(
        """SELECT doc_id, since, blob FROM firstline.documents
        WHERE tenant = %s AND kb = %s AND doc_id = %s AND since <= %s ORDER BY since""",
        [storable(tombstone.tenant), storable(tombstone.kb), storable(tombstone.doc_id), tombstone.upto],
    )
    return await cursor.fetchall()


async def _words(connection: Connection, tenant: str, kb: str, revisions: Sequence[tuple[str, int]]) -> list[str]:
    cursor = await connection.execute(
        """SELECT DISTINCT unnest(words) AS word FROM firstline.document_words
        JOIN unnest(%s::text[], %s::integer[]) AS revision (doc_id, since) USING (doc_id, since)
        WHERE tenant = %s AND kb = %s""",
        [[doc_id for doc_id, _ in revisions], [since for _, since in revisions], tenant, kb],
    )
    return [row["word"] for row in await cursor.fetchall()]


async def _clear_failures(connection: Connection, tenant: str, kb: str, doc_id: str) -> None:
    """Lists of what could not be taken name it, too."""
    cursor = await connection.execute(
        """SELECT candidate, failures FROM firstline.failures
        WHERE tenant = %s AND kb = %s AND failures @> %s FOR UPDATE""",
        [tenant, kb, Jsonb([{"item_id": doc_id}])],
    )
    for row in await cursor.fetchall():
        left = [one for one in row["failures"] if one.get("item_id") != doc_id]
        await connection.execute(
            "UPDATE firstline.failures SET failures = %s WHERE tenant = %s AND kb = %s AND candidate = %s",
            [Jsonb(left), tenant, kb, row["candidate"]],
        )
