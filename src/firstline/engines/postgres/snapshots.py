"""Snapshots on Postgres: the pointer, and giving up what is no longer kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from firstline.engines.postgres import blob_lock, knowledge_words, knowledge_writes, undoing
from firstline.engines.postgres.pointer import PostgresSnapshots, no_knowledge_base
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.ports import Revision


class PostgresSnapshotLedger(PostgresSnapshots):
    """See ports.SnapshotLedger."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    async def retire(self, *, tenant: str, kb: str, keep: int) -> int:
        tenant, kb = storable(tenant), storable(kb)
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT published FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE",
                [tenant, kb],
            )
            base = await cursor.fetchone()
            if base is None:
                raise no_knowledge_base(kb)
            cursor = await connection.execute(
                """SELECT number FROM firstline.snapshots
                WHERE tenant = %s AND kb = %s AND number <= %s AND published_at IS NOT NULL
                ORDER BY number DESC LIMIT %s""",
                [tenant, kb, base["published"], max(1, keep)],
            )
            numbers = [row["number"] for row in await cursor.fetchall()]
            oldest = min(numbers, default=0)
            await connection.execute(
                "DELETE FROM firstline.snapshots WHERE tenant = %s AND kb = %s AND number < %s", [tenant, kb, oldest]
            )
            await knowledge_words.forget_before(connection, tenant, kb, oldest)
            return oldest

    async def retired(self, *, tenant: str, kb: str, limit: int) -> list[Revision]:
        tenant, kb = storable(tenant), storable(kb)
        async with self._database.connection() as connection:
            cursor = await connection.execute(
                """SELECT doc_id, since, blob FROM firstline.documents
                WHERE tenant = %(tenant)s AND kb = %(kb)s AND until < 2147483647 AND until <= (
                    SELECT min(number) FROM firstline.snapshots WHERE tenant = %(tenant)s AND kb = %(kb)s)
                ORDER BY doc_id, since LIMIT %(limit)s""",
                {"tenant": tenant, "kb": kb, "limit": limit},
            )
            return await undoing.with_chunks(connection, tenant, kb, await cursor.fetchall())

    async def remove(self, revisions: Sequence[Revision], *, tenant: str, kb: str) -> None:
        tenant, kb = storable(tenant), storable(kb)
        async with self._database.transaction() as connection:
            await connection.execute(
                "SELECT FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE", [tenant, kb]
            )
            await knowledge_writes.remove(connection, tenant, kb, [(one.doc_id, one.since) for one in revisions])

    async def doomed(self, *, limit: int) -> list[str]:
        rows = await self._database.rows(
            "SELECT blob FROM firstline.doomed_blobs ORDER BY doomed_at, blob LIMIT %s", [limit]
        )
        return [row["blob"] for row in rows]

    def unused(self, blob: str) -> AbstractAsyncContextManager[bool]:
        return blob_lock.unused(self._database, blob)

    async def spared(self, blob: str) -> None:
        async with self._database.connection() as connection:
            await connection.execute("DELETE FROM firstline.doomed_blobs WHERE blob = %s", [blob])
