"""What persons do with hand-overs, and the tickets that come of it, on Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import DraftState, DraftTicket, Handoff, HandoffAct, HandoffEntry, HandoffEvent, Session
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.conversations import read_handoff
from firstline.engines.postgres.deliveries import PostgresOutbox
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.engines.postgres.unreadable import decode_or, draft_of, entry_of, readable_of
from firstline.errors import NotFound
from firstline.handoff_rules import (
    CLOSED,
    DRAFTS_LISTED,
    HANDOFFS_LISTED,
    SAID,
    TOLD,
    after_act,
    draft_settled_already,
    event_of,
)

EVENTS_READ_MAX: Final = 1_000


class PostgresHandoffLedger:
    """See ports.HandoffLedger."""

    def __init__(self, database: Database, *, outbox: PostgresOutbox | None = None) -> None:
        self._database = database
        self._outbox = outbox or PostgresOutbox()

    async def act(
        self,
        handoff_id: str,
        *,
        tenant: str,
        act: HandoffAct,
        by: str,
        at: datetime,
        text: str = "",
        force: bool = False,
        draft: DraftTicket | None = None,
    ) -> tuple[Handoff, HandoffEntry | None]:
        async with self._database.transaction() as connection:
            # The row is locked while it is compared, so nobody moves it between our look and our step.
            found = await connection.execute(
                "SELECT * FROM firstline.handoffs WHERE handoff_id = %s AND tenant = %s FOR UPDATE",
                [storable(handoff_id), storable(tenant)],
            )
            row = await found.fetchone()
            if row is None:
                raise NotFound("There is no such hand-over.", remedy=HANDOFFS_LISTED)
            before = read_handoff(row)
            after = after_act(before, act, by=storable(by), text=storable(text), force=force)
            if after == before and act is HandoffAct.TAKE:
                return after, None
            number = await _next_number(connection, before)
            event = event_of(before, after, act, number=number, by=storable(by), text=storable(text), at=at)
            await _write(connection, after, event)
            if act in TOLD:
                await self._outbox.add(connection, after, HandoffEvent.UPDATED)
            if draft is not None:
                await connection.execute(
                    """INSERT INTO firstline.draft_tickets (draft_id, tenant, state, created_at, record)
                    VALUES (%s, %s, %s, %s, %s)""",
                    [draft.draft_id, tenant, draft.state.value, draft.created_at, Jsonb(encode(draft))],
                )
        return after, event

    async def events(self, handoff_id: str, *, tenant: str) -> list[HandoffEntry]:
        rows = await self._database.rows(
            """SELECT event.*, handed.created_at FROM firstline.handoff_events AS event
            JOIN firstline.handoffs AS handed USING (handoff_id)
            WHERE handoff_id = %s AND tenant = %s ORDER BY event.number LIMIT %s""",
            [storable(handoff_id), storable(tenant), EVENTS_READ_MAX],
        )
        return [
            decode_or(HandoffEntry, row["record"], partial(entry_of, row), row_id=f"{handoff_id} {row['number']}")
            for row in rows
        ]

    async def said(self, session_id: str, *, after: tuple[str, int] | None = None) -> list[HandoffEntry]:
        known = await self._arrival(session_id, after) if after is not None else None
        if known is not None:
            rows = await self._database.rows(
                """SELECT handoff_id, number, record FROM firstline.handoff_events
                WHERE session_id = %s AND act = ANY(%s) AND arrival > %s ORDER BY arrival LIMIT %s""",
                [storable(session_id), sorted(SAID), known, EVENTS_READ_MAX],
            )
            return _told(rows)
        rows = await self._database.rows(
            """SELECT handoff_id, number, record FROM (
                SELECT handoff_id, number, record, arrival FROM firstline.handoff_events
                WHERE session_id = %s AND act = ANY(%s)
                ORDER BY arrival DESC LIMIT %s
            ) AS newest ORDER BY arrival""",
            [storable(session_id), sorted(SAID), EVENTS_READ_MAX],
        )
        return _told(rows)

    async def _arrival(self, session_id: str, entry: tuple[str, int]) -> int | None:
        handoff_id, number = entry
        row = await self._database.row(
            "SELECT arrival FROM firstline.handoff_events WHERE session_id = %s AND handoff_id = %s AND number = %s",
            [storable(session_id), storable(handoff_id), number],
        )
        return None if row is None else row["arrival"]

    async def session_of(self, handoff_id: str, *, tenant: str) -> Session | None:
        row = await self._database.row(
            """SELECT own.* FROM firstline.sessions AS own JOIN firstline.handoffs AS handed USING (session_id)
            WHERE handed.handoff_id = %s AND handed.tenant = %s""",
            [storable(handoff_id), storable(tenant)],
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

    async def drafts(self, *, tenant: str, limit: int) -> list[DraftTicket]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.draft_tickets WHERE tenant = %s AND state = 'draft'
            ORDER BY created_at DESC, draft_id LIMIT %s""",
            [storable(tenant), limit],
        )
        return [_listed(row) for row in rows]

    async def draft(self, draft_id: str, *, tenant: str) -> DraftTicket | None:
        row = await self._database.row(
            "SELECT record FROM firstline.draft_tickets WHERE draft_id = %s AND tenant = %s",
            [storable(draft_id), storable(tenant)],
        )
        return decode(DraftTicket, row["record"]) if row else None

    async def settle_draft(
        self, draft_id: str, *, tenant: str, state: DraftState, doc_id: str = "", snapshot: int | None = None
    ) -> DraftTicket:
        async with self._database.transaction() as connection:
            found = await connection.execute(
                "SELECT record FROM firstline.draft_tickets WHERE draft_id = %s AND tenant = %s FOR UPDATE",
                [storable(draft_id), storable(tenant)],
            )
            row = await found.fetchone()
            if row is None:
                raise NotFound("There is no such draft.", remedy=DRAFTS_LISTED)
            draft = decode(DraftTicket, row["record"])
            if draft.state is not DraftState.DRAFT:
                raise draft_settled_already(draft)
            settled = replace(draft, state=state, doc_id=doc_id, snapshot=snapshot)
            await connection.execute(
                "UPDATE firstline.draft_tickets SET state = %s, record = %s WHERE draft_id = %s",
                [state.value, Jsonb(encode(settled)), draft.draft_id],
            )
        return settled


def _told(rows: Sequence[DictRow]) -> list[HandoffEntry]:
    """A customer is not told of records: what cannot be read is left out."""
    return readable_of(HandoffEntry, ((f"{row['handoff_id']} {row['number']}", row["record"]) for row in rows))


def _listed(row: DictRow) -> DraftTicket:
    return decode_or(DraftTicket, row["record"], lambda: draft_of(row), row_id=row["draft_id"])


async def _next_number(connection: AsyncConnection[DictRow], handoff: Handoff) -> int:
    found = await connection.execute(
        "SELECT coalesce(max(number), 0) + 1 AS next FROM firstline.handoff_events WHERE handoff_id = %s",
        [handoff.handoff_id],
    )
    row = await found.fetchone()
    return row["next"] if row else 1


async def _write(connection: AsyncConnection[DictRow], after: Handoff, event: HandoffEntry) -> None:
    closed_now = after.state in CLOSED and event.before not in CLOSED
    await connection.execute(
        """UPDATE firstline.handoffs SET state = %s, owner = %s, resolution = %s, closed_at = coalesce(%s, closed_at)
        WHERE handoff_id = %s""",
        [after.state.value, after.owner, after.resolution, event.at if closed_now else None, after.handoff_id],
    )
    await connection.execute(
        """INSERT INTO firstline.handoff_events (handoff_id, number, session_id, act, record)
        VALUES (%s, %s, %s, %s, %s)""",
        [event.handoff_id, event.number, event.session_id, event.act.value, Jsonb(encode(event))],
    )
