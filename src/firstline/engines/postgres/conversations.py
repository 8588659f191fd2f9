"""Sessions, turns and hand-overs on Postgres."""

from __future__ import annotations

from dataclasses import replace

from psycopg import errors
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import (
    PERSON_OWNS,
    Handoff,
    HandoffState,
    Session,
    Turn,
    handoff_move_from,
    handoff_move_refused,
)
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import Conflict, NotFound

HANDOFFS_LISTED = "`firstline handoffs` and GET /v1/handoffs list them."


class PostgresConversationLedger:
    """See ports.ConversationLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_session(self, session: Session) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                """INSERT INTO firstline.sessions (session_id, tenant, kb, user_id, created_at)
                VALUES (%s, %s, %s, %s, %s)""",
                [
                    storable_id(session.session_id),
                    storable_id(session.tenant),
                    storable_id(session.kb),
                    storable_id(session.user),
                    session.created_at,
                ],
            )

    async def session(self, session_id: str, *, tenant: str, user: str) -> Session | None:
        row = await self._database.row(
            "SELECT * FROM firstline.sessions WHERE session_id = %s AND tenant = %s AND user_id = %s",
            [storable(session_id), storable(tenant), storable(user)],
        )
        if row is None:
            return None
        return Session(
            session_id=row["session_id"],
            tenant=row["tenant"],
            kb=row["kb"],
            user=row["user_id"],
            created_at=row["created_at"],
        )

    async def append_turn(self, turn: Turn, handoff: Handoff | None) -> None:
        try:
            await self._append(turn, handoff)
        except Conflict as error:
            raise Conflict(
                f"The session already has a turn {turn.number}: another message was answered meanwhile.",
                remedy="Read the session again, then repeat.",
            ) from error

    async def _append(self, turn: Turn, handoff: Handoff | None) -> None:
        async with self._database.transaction() as connection:
            try:
                await connection.execute(
                    "INSERT INTO firstline.turns (session_id, number, record) VALUES (%s, %s, %s)",
                    [storable_id(turn.session_id), turn.number, Jsonb(encode(turn))],
                )
            except errors.ForeignKeyViolation as error:
                raise NotFound("There is no such session.", remedy="Open a new session.") from error
            if handoff is not None:
                await connection.execute(
                    """INSERT INTO firstline.handoffs (handoff_id, session_id, tenant, state, created_at, record)
                    SELECT %s, session_id, tenant, %s, %s, %s FROM firstline.sessions WHERE session_id = %s""",
                    [
                        storable_id(handoff.handoff_id),
                        handoff.state.value,
                        handoff.created_at,
                        Jsonb(encode(handoff)),
                        turn.session_id,
                    ],
                )

    async def turns(self, session_id: str, *, limit: int) -> list[Turn]:
        rows = await self._database.rows(
            "SELECT record FROM firstline.turns WHERE session_id = %s ORDER BY number DESC LIMIT %s",
            [storable(session_id), limit],
        )
        return [decode(Turn, row["record"]) for row in reversed(rows)]

    async def open_handoff(self, session_id: str) -> Handoff | None:
        row = await self._database.row(
            """SELECT record, state FROM firstline.handoffs
            WHERE session_id = %s AND state NOT IN ('resolved', 'returned')
            ORDER BY state = ANY(%s) DESC, created_at DESC, arrival DESC LIMIT 1""",
            [storable(session_id), sorted(PERSON_OWNS)],
        )
        return _read(row) if row else None

    async def handoff(self, handoff_id: str, *, tenant: str) -> Handoff | None:
        row = await self._database.row(
            "SELECT record, state FROM firstline.handoffs WHERE handoff_id = %s AND tenant = %s",
            [storable(handoff_id), storable(tenant)],
        )
        return _read(row) if row else None

    async def set_handoff_state(self, handoff_id: str, *, tenant: str, state: HandoffState) -> Handoff:
        allowed = sorted(handoff_move_from(state))
        # The row is locked while it is compared, so nobody moves it between our look and our step.
        row = await self._database.row(
            """UPDATE firstline.handoffs AS moved
            SET state = CASE WHEN was.state = ANY(%s) THEN %s ELSE was.state END
            FROM (
                SELECT handoff_id, state FROM firstline.handoffs WHERE handoff_id = %s AND tenant = %s FOR UPDATE
            ) AS was
            WHERE moved.handoff_id = was.handoff_id
            RETURNING moved.record, moved.state, was.state AS was""",
            [allowed, state.value, storable(handoff_id), storable(tenant)],
        )
        if row is None:
            raise NotFound("There is no such hand-over.", remedy=HANDOFFS_LISTED)
        if row["was"] not in allowed:
            raise handoff_move_refused(HandoffState(row["was"]), state)
        return _read(row)

    async def handoffs(self, *, tenant: str, limit: int) -> list[Handoff]:
        rows = await self._database.rows(
            """SELECT record, state FROM firstline.handoffs WHERE tenant = %s
            ORDER BY created_at DESC, arrival DESC LIMIT %s""",
            [storable(tenant), limit],
        )
        return [_read(row) for row in rows]


def _read(row: DictRow) -> Handoff:
    """The record is as it was handed over; the state beside it moves on."""
    return replace(decode(Handoff, row["record"]), state=HandoffState(row["state"]))
