"""One ingest per knowledge base over all processes: an advisory lock on a connection of its own.

The lock lives exactly as long as that connection, so a process that dies frees it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from firstline.engines.postgres.pool import Database, process_name
from firstline.errors import Conflict

FREED_S_MAX: Final = 2.0
"""A server that does not answer frees it when it sees that the connection is closed."""

HOLDER = """
    SELECT activity.application_name, activity.backend_start
    FROM pg_locks held JOIN pg_stat_activity activity USING (pid)
    WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 1
      AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (held.classid::bigint << 32) | held.objid::bigint = %s
"""


@asynccontextmanager
async def hold(database: Database, *, tenant: str, kb: str) -> AsyncGenerator[None]:
    """Hold the lock inside the block. Conflict at once, naming the holder, when it is taken."""
    key = _key(tenant, kb)
    async with database.dedicated(application_name=process_name()) as connection:
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", [key])
        row = await cursor.fetchone()
        if row is None or not row[0]:
            raise await _taken(connection, key, kb)
        try:
            yield
        finally:
            # The server sees a closed connection a moment later: whoever comes next must not be refused in it.
            with contextlib.suppress(psycopg.Error, TimeoutError):
                async with asyncio.timeout(FREED_S_MAX):
                    await connection.execute("SELECT pg_advisory_unlock(%s)", [key])


async def _taken(connection: AsyncConnection[TupleRow], key: int, kb: str) -> Conflict:
    row = await (await connection.execute(HOLDER, [key])).fetchone()
    holder = f"{row[0] or 'another program'} since {row[1]:%H:%M:%S} UTC" if row else "a run that is just ending"
    return Conflict(
        f"Another ingest is working on the knowledge base {kb!r}: {holder}.",
        remedy="Wait for it to end, or stop it; nothing it committed is lost.",
    )


def _key(tenant: str, kb: str) -> int:
    """63 bits, never negative, so that the two halves in pg_locks can be put together again."""
    digest = hashlib.sha256(f"ingest\x1f{tenant}\x1f{kb}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1
