"""Hand-overs on their way out, on Postgres: the outbox that turns write into, and the ledger that sends from it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import Delivery, DeliveryState, Handoff, HandoffEvent, HandoffMessage
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.engines.postgres.unreadable import decode_or, message_of
from firstline.errors import Broken
from firstline.handoff_rules import delivery_key
from firstline.ports import Backlog

LATELY_DAYS: Final = 7
LATELY_READ: Final = 100

logger = logging.getLogger(__name__)


class PostgresOutbox:
    """Writes one delivery per channel inside the caller's transaction. Without channels nothing is written."""

    def __init__(self, channels: Sequence[str] = ()) -> None:
        self._channels = tuple(channels)

    async def add(self, connection: AsyncConnection[DictRow], handoff: Handoff, event: HandoffEvent) -> None:
        """`handoff` is stored already, on this connection."""
        if not self._channels:
            await _warn_when_others_deliver(connection, handoff)
            return
        cursor = await connection.execute(
            "SELECT tenant, kb FROM firstline.sessions WHERE session_id = %s", [storable(handoff.session_id)]
        )
        session = await cursor.fetchone()
        if session is None:
            return
        message = HandoffMessage(
            event=event, tenant=session["tenant"], kb=session["kb"], handoff=handoff, occurred_at=datetime.now(UTC)
        )
        await connection.execute(
            """INSERT INTO firstline.deliveries (delivery_id, handoff_id, tenant, channel, message)
            SELECT made.delivery_id, %s, %s, made.channel, %s
            FROM unnest(%s::text[], %s::text[]) AS made (delivery_id, channel)""",
            [
                storable(handoff.handoff_id),
                session["tenant"],
                Jsonb(encode(message)),
                [delivery_key(storable(handoff.handoff_id)) for _ in self._channels],
                list(self._channels),
            ],
        )


async def _warn_when_others_deliver(connection: AsyncConnection[DictRow], handoff: Handoff) -> None:
    """Channels are settings of a process: a shell without the server's would tell nobody, in silence."""
    cursor = await connection.execute(
        """SELECT DISTINCT channel FROM (
            SELECT delivery.channel FROM firstline.deliveries AS delivery
            JOIN firstline.sessions AS own ON own.tenant = delivery.tenant AND own.session_id = %s
            WHERE delivery.created_at > now() - make_interval(days => %s)
            ORDER BY delivery.arrival DESC LIMIT %s
        ) AS newest ORDER BY channel""",
        [storable(handoff.session_id), LATELY_DAYS, LATELY_READ],
    )
    channels = [row["channel"] for row in await cursor.fetchall()]
    if channels:
        logger.warning(
            "nobody is told of hand-over %s: this process has no channel, while others have delivered by %s lately. "
            "Run it with the server's FIRSTLINE_HANDOFF_* settings (docs/delivery.md).",
            handoff.handoff_id,
            ", ".join(channels),
        )


class PostgresDeliveryLedger:
    """See ports.DeliveryLedger. Time is the database's, so that workers on several machines agree."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, channel: str, *, limit: int, lease_s: float) -> list[Delivery]:
        rows = await self._database.rows(
            """UPDATE firstline.deliveries AS taken
            SET attempts = taken.attempts + 1, lease = taken.lease + 1, due_at = now() + make_interval(secs => %s)
            FROM (
                SELECT delivery_id, due_at, arrival FROM firstline.deliveries AS waiting
                WHERE state = 'pending' AND channel = %s AND due_at <= now() AND NOT EXISTS (
                    SELECT FROM firstline.deliveries AS earlier
                    WHERE earlier.handoff_id = waiting.handoff_id AND earlier.channel = waiting.channel
                      AND earlier.state = 'pending' AND earlier.arrival < waiting.arrival
                )
                ORDER BY due_at, arrival LIMIT %s FOR UPDATE SKIP LOCKED
            ) AS due
            WHERE taken.delivery_id = due.delivery_id
            RETURNING taken.*, due.due_at AS was_due_at, (
                SELECT first.message ->> 'thread' FROM firstline.deliveries AS first
                WHERE first.handoff_id = taken.handoff_id AND first.channel = taken.channel
                  AND first.state = 'delivered' AND first.arrival < taken.arrival AND first.message ->> 'thread' <> ''
                ORDER BY first.arrival LIMIT 1
            ) AS thread""",
            [lease_s, storable(channel), limit],
        )
        # The claim is committed: whatever cannot be read is taken out of the way here, or it would come again with
        # every lease and keep the others back.
        claimed: list[Delivery] = []
        for row in sorted(rows, key=lambda row: (row["was_due_at"], row["arrival"])):
            try:
                message = replace(decode(HandoffMessage, row["message"]), thread=row["thread"] or "")
                claimed.append(_read(row, message))
            except Broken as error:
                logger.error("hand-over delivery %s by %s is given up: %s", row["delivery_id"], channel, error.message)
                await self.failed(row["delivery_id"], lease=row["lease"], problem=str(error), again_in_s=None)
        return claimed

    async def delivered(self, delivery_id: str, *, thread: str = "") -> None:
        await self._database.row(
            """UPDATE firstline.deliveries SET state = 'delivered', finished_at = now(), problem = '',
                message = CASE WHEN %(thread)s = '' THEN message
                    ELSE jsonb_set(message, '{thread}', to_jsonb(%(thread)s::text)) END
            WHERE delivery_id = %(id)s AND state <> 'delivered' RETURNING delivery_id""",
            {"id": storable(delivery_id), "thread": storable(thread)},
        )

    async def failed(self, delivery_id: str, *, lease: int, problem: str, again_in_s: float | None) -> None:
        dead = again_in_s is None
        await self._database.row(
            """UPDATE firstline.deliveries
            SET problem = %s, due_at = now() + make_interval(secs => %s), state = %s,
                finished_at = CASE WHEN %s THEN now() END
            WHERE delivery_id = %s AND state = 'pending' AND lease = %s RETURNING delivery_id""",
            [
                storable(problem),
                again_in_s or 0.0,
                DeliveryState.DEAD if dead else DeliveryState.PENDING,
                dead,
                storable(delivery_id),
                lease,
            ],
        )

    async def delivery(self, delivery_id: str, *, tenant: str) -> Delivery | None:
        row = await self._database.row(
            "SELECT * FROM firstline.deliveries WHERE delivery_id = %s AND tenant = %s",
            [storable(delivery_id), storable(tenant)],
        )
        return _read(row, _message(row)) if row else None

    async def deliveries(
        self, *, tenant: str, limit: int, states: Collection[DeliveryState] = frozenset(DeliveryState)
    ) -> list[Delivery]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.deliveries WHERE tenant = %s AND state = ANY(%s)
            ORDER BY arrival DESC LIMIT %s""",
            [storable(tenant), [state.value for state in states], limit],
        )
        return [_read(row, _message(row)) for row in rows]

    async def retry(self, *, tenant: str, delivery_ids: Sequence[str] | None) -> list[str]:
        wanted = None if delivery_ids is None else [storable(each) for each in delivery_ids]
        rows = await self._database.rows(
            """UPDATE firstline.deliveries SET state = 'pending', attempts = 0, due_at = now(), finished_at = NULL
            WHERE tenant = %s AND state = 'dead' AND (%s::text[] IS NULL OR delivery_id = ANY(%s))
            RETURNING delivery_id""",
            [storable(tenant), wanted, wanted],
        )
        return [row["delivery_id"] for row in rows]

    async def backlog(self, *, tenant: str | None) -> list[Backlog]:
        rows = await self._database.rows(
            """SELECT channel, count(*) FILTER (WHERE state = 'pending') AS pending,
                count(*) FILTER (WHERE state = 'dead') AS dead,
                min(created_at) FILTER (WHERE state = 'pending') AS oldest_at
            FROM firstline.deliveries WHERE state <> 'delivered' AND (%s::text IS NULL OR tenant = %s)
            GROUP BY channel ORDER BY channel""",
            [tenant, tenant],
        )
        return [Backlog(**row) for row in rows]

    async def forget(self, *, finished_before: datetime) -> int:
        rows = await self._database.rows(
            """DELETE FROM firstline.deliveries WHERE state <> 'pending' AND finished_at < %s RETURNING delivery_id""",
            [finished_before],
        )
        return len(rows)


def _message(row: DictRow) -> HandoffMessage:
    """For people, who must find the row to do something about it."""
    return decode_or(HandoffMessage, row["message"], lambda: message_of(row), row_id=row["delivery_id"])


def _read(row: DictRow, message: HandoffMessage) -> Delivery:
    return Delivery(
        delivery_id=row["delivery_id"],
        channel=row["channel"],
        message=message,
        state=DeliveryState(row["state"]),
        attempts=row["attempts"],
        lease=row["lease"],
        due_at=row["due_at"],
        created_at=row["created_at"],
        finished_at=row["finished_at"],
        problem=row["problem"],
    )
