"""Who plans to use contents, or gives one up, and who deletes one are never at it at the same time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import EVERY_TENANT, acting_for
from firstline.engines.postgres.pool import Database

BLOBS_KEY: Final = 0x66_6C_62_6C_6F_62
"""Advisory lock: who plans to use contents, or dooms some, holds it shared; who deletes one holds it alone."""


async def hold_blobs(connection: AsyncConnection[DictRow]) -> None:
    """Until the end of the transaction nobody deletes a content, or takes one off the list of what is doomed."""
    await connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", [BLOBS_KEY])


@asynccontextmanager
async def unused(database: Database, blob: str) -> AsyncGenerator[bool]:
    # Equal contents are one blob, whosever they are: behind its own wall a tenant would not see who else uses it.
    with acting_for(EVERY_TENANT):
        async with database.transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", [BLOBS_KEY])
            cursor = await connection.execute(
                """SELECT NOT EXISTS (SELECT FROM firstline.documents WHERE blob = %(blob)s)
                    AND NOT EXISTS (SELECT FROM firstline.planned_documents WHERE blob = %(blob)s) AS unused""",
                {"blob": blob},
            )
            row = await cursor.fetchone()
            yield row is not None and row["unused"]
