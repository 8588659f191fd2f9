"""Who asked for private data, on Postgres. Written in the transaction of the turn (`conversations.py`)."""

from __future__ import annotations

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import AuditEntry, Turn, audited_category
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable


class PostgresAuditLedger:
    """See ports.AuditLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def audited(self, *, tenant: str, limit: int) -> list[AuditEntry]:
        rows = await self._database.rows(
            "SELECT * FROM firstline.audit WHERE tenant = %s ORDER BY number DESC LIMIT %s", [storable(tenant), limit]
        )
        return [
            AuditEntry(
                tenant=row["tenant"],
                kb=row["kb"],
                user=row["user_id"],
                session_id=row["session_id"],
                turn=row["turn"],
                category=row["category"],
                at=row["at"],
            )
            for row in rows
        ]


async def audit(connection: AsyncConnection[DictRow], turn: Turn) -> None:
    """Write the turn down when it is of a kind that is audited; its text is not."""
    category = audited_category(turn)
    if category is None:
        return
    await connection.execute(
        """INSERT INTO firstline.audit (tenant, kb, user_id, session_id, turn, category, at)
        SELECT tenant, kb, user_id, session_id, %s, %s, %s FROM firstline.sessions WHERE session_id = %s""",
        [turn.number, category, turn.asked_at, turn.session_id],
    )
