"""Sessions, turns and hand-overs on Postgres."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import (
    PERSON_OWNS,
    Handoff,
    HandoffEvent,
    HandoffState,
    Session,
    Turn,
)
from firstline.engines.postgres.audit import audit
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.deliveries import PostgresOutbox
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.engines.postgres.unreadable import decode_or, handoff_of
from firstline.errors import Conflict, NotFound
from firstline.handoff_rules import is_news


class PostgresConversationLedger:
    """See ports.ConversationLedger."""

    def __init__(self, database: Database, *, outbox: PostgresOutbox | None = None) -> None:
        self._database = database
        self._outbox = outbox or PostgresOutbox()

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
                await self._put_handoff(connection, handoff, turn)
            await audit(connection, turn)

    async def _put_handoff(self, connection: AsyncConnection[DictRow], handoff: Handoff, turn: Turn) -> None:
        """A new one is opened; one that stands already gets its new payload, and moves nowhere. People outside are told
        of it when it is news."""
        found = await connection.execute(
            "SELECT * FROM firstline.handoffs WHERE handoff_id = %s FOR UPDATE", [storable_id(handoff.handoff_id)]
        )
        stood = await found.fetchone()
        done = await connection.execute(
            """INSERT INTO firstline.handoffs AS stands
                (handoff_id, session_id, tenant, state, owner, created_at, record, opened_turn)
            SELECT %s, session_id, tenant, %s, %s, %s, %s, %s FROM firstline.sessions WHERE session_id = %s
            ON CONFLICT (handoff_id) DO UPDATE SET record = excluded.record
            WHERE stands.session_id = excluded.session_id AND stands.state NOT IN ('resolved', 'returned')
            RETURNING stands.*""",
            [
                storable_id(handoff.handoff_id),
                handoff.state.value,
                None if handoff.owner is None else storable(handoff.owner),
                handoff.created_at,
                Jsonb(encode(handoff)),
                turn.number,
                turn.session_id,
            ],
        )
        row = await done.fetchone()
        if row is None:
            raise Conflict("The hand-over was closed meanwhile.", remedy="Send the message again.")
        now = read_handoff(row)
        if stood is None:
            await self._outbox.add(connection, now, HandoffEvent.OPENED)
        elif is_news(read_handoff(stood), now):
            await self._outbox.add(connection, now, HandoffEvent.UPDATED)

    async def turns(self, session_id: str, *, limit: int) -> list[Turn]:
        rows = await self._database.rows(
            "SELECT record FROM firstline.turns WHERE session_id = %s ORDER BY number DESC LIMIT %s",
            [storable(session_id), limit],
        )
        return [decode(Turn, row["record"]) for row in reversed(rows)]

    async def open_handoff(self, session_id: str) -> Handoff | None:
        row = await self._database.row(
            """SELECT * FROM firstline.handoffs
            WHERE session_id = %s AND state NOT IN ('resolved', 'returned')
            ORDER BY state = ANY(%s) DESC, created_at DESC, arrival DESC LIMIT 1""",
            [storable(session_id), sorted(PERSON_OWNS)],
        )
        return read_handoff(row) if row else None

    async def handoff(self, handoff_id: str, *, tenant: str) -> Handoff | None:
        row = await self._database.row(
            "SELECT * FROM firstline.handoffs WHERE handoff_id = %s AND tenant = %s",
            [storable(handoff_id), storable(tenant)],
        )
        return read_handoff(row) if row else None

    async def closed_handoffs(self, session_id: str, *, since: datetime) -> list[Handoff]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.handoffs WHERE session_id = %s AND closed_at >= %s
            ORDER BY closed_at DESC, arrival DESC""",
            [storable(session_id), since],
        )
        return [read_handoff(row) for row in rows]

    async def handoffs(
        self, *, tenant: str, limit: int, states: Collection[HandoffState] = frozenset(HandoffState)
    ) -> list[Handoff]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.handoffs WHERE tenant = %s AND state = ANY(%s)
            ORDER BY created_at DESC, arrival DESC LIMIT %s""",
            [storable(tenant), [state.value for state in states], limit],
        )
        return [_listed(row) for row in rows]


def read_handoff(row: DictRow) -> Handoff:
    """The record is as it was handed over; the columns beside it move on."""
    return _with_columns(decode(Handoff, row["record"]), row)


def _listed(row: DictRow) -> Handoff:
    found = decode_or(Handoff, row["record"], lambda: handoff_of(row), row_id=row["handoff_id"])
    return _with_columns(found, row)


def _with_columns(handoff: Handoff, row: DictRow) -> Handoff:
    return replace(
        handoff,
        state=HandoffState(row["state"]),
        owner=row["owner"],
        resolution=row["resolution"],
        created_at=row["created_at"],
    )
