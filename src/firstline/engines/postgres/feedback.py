"""Feedback, the review queue and judgements on Postgres. Leases go by the database's clock."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import Feedback, Judgement, ReviewItem, Session, Turn
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.engines.postgres.unreadable import readable_of
from firstline.errors import Broken, Conflict, NotFound
from firstline.ports import Changed, ChangedAfter

PAGES_READ_MAX: Final = 20
logger = logging.getLogger(__name__)
REVIEWS_LISTED: Final = "`firstline review --list` and GET /v1/review list turns."

# Each source alone is read in order by its index, so a page of changes costs the same wherever it begins. Whose session
# it is stands in a subquery that gives one value: the planner looks it up row by row, and never reads all sessions.
CHANGES: Final = """WITH news AS (
    (SELECT session_id, number, recorded_at AS at FROM firstline.turns AS turn
    WHERE (recorded_at, session_id, number) > (%(since)s, %(id)s, %(number)s) AND (
        SELECT tenant = %(tenant)s AND user_id <> %(without_user)s FROM firstline.sessions AS own
        WHERE own.session_id = turn.session_id)
    ORDER BY recorded_at, session_id, number LIMIT %(limit)s)
    UNION ALL
    (SELECT session_id, number, stored_at FROM firstline.feedback AS rated
    WHERE (stored_at, session_id, number) > (%(since)s, %(id)s, %(number)s) AND (
        SELECT tenant = %(tenant)s AND user_id <> %(without_user)s FROM firstline.sessions AS own
        WHERE own.session_id = rated.session_id)
    ORDER BY stored_at, session_id, number LIMIT %(limit)s)
    UNION ALL
    (SELECT session_id, told.number, closed_at FROM firstline.handoffs AS handed
    CROSS JOIN LATERAL (SELECT handed.opened_turn UNION SELECT (handed.record ->> 'turn')::integer) AS told (number)
    WHERE closed_at >= %(since)s AND (closed_at, session_id, told.number) > (%(since)s, %(id)s, %(number)s) AND (
        SELECT tenant = %(tenant)s AND user_id <> %(without_user)s FROM firstline.sessions AS own
        WHERE own.session_id = handed.session_id)
    ORDER BY closed_at, session_id, told.number LIMIT %(limit)s)
    ORDER BY at, session_id, number LIMIT %(limit)s
)
SELECT * FROM news JOIN firstline.turns_known USING (session_id, number) ORDER BY at, session_id, number"""


class PostgresFeedbackLedger:
    """See ports.FeedbackLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rate(self, feedback: Feedback) -> None:
        try:
            await self._database.row(
                """INSERT INTO firstline.feedback (session_id, number, record) VALUES (%s, %s, %s)
                ON CONFLICT (session_id, number) DO UPDATE SET record = excluded.record, stored_at = now()
                RETURNING number""",
                [storable(feedback.session_id), feedback.turn, Jsonb(encode(feedback))],
            )
        except NotFound as error:
            raise NotFound("There is no such turn.", remedy="Read the conversation again.") from error

    async def ratings(self, session_id: str) -> list[Feedback]:
        rows = await self._database.rows(
            "SELECT record FROM firstline.feedback WHERE session_id = %s ORDER BY number", [storable(session_id)]
        )
        return [decode(Feedback, row["record"]) for row in rows]

    async def session_of(self, session_id: str, *, tenant: str) -> Session | None:
        row = await self._database.row(
            "SELECT * FROM firstline.sessions WHERE session_id = %s AND tenant = %s",
            [storable(session_id), storable(tenant)],
        )
        return _session(row) if row else None

    async def changes(self, *, tenant: str, after: ChangedAfter, without_user: str, limit: int) -> list[Changed]:
        found: list[Changed] = []
        for _ in range(PAGES_READ_MAX):
            rows = await self._changes(tenant=tenant, after=after, without_user=without_user, limit=limit)
            found += [one for one in map(_changed_or_none, rows) if one is not None]
            if len(rows) < limit or found:
                break
            # A whole page of what cannot be read: what comes behind it must not wait for a backup.
            after = (rows[-1]["at"], rows[-1]["session_id"], rows[-1]["number"])
        return found

    async def _changes(self, *, tenant: str, after: ChangedAfter, without_user: str, limit: int) -> list[DictRow]:
        since, session_id, number = after
        return await self._database.rows(
            CHANGES,
            {
                "since": since,
                "id": session_id,
                "number": number,
                "tenant": storable(tenant),
                "without_user": storable(without_user),
                "limit": limit,
            },
        )

    async def seen_until(self, *, tenant: str) -> datetime | None:
        row = await self._database.row(
            "SELECT seen_until FROM firstline.review_progress WHERE tenant = %s", [storable(tenant)]
        )
        return row["seen_until"] if row else None

    async def put_queue(
        self, items: Sequence[ReviewItem], *, gone: Sequence[tuple[str, int]], tenant: str, seen_until: datetime | None
    ) -> None:
        async with self._database.transaction() as connection:
            await _put(connection, items)
            await connection.execute(
                """DELETE FROM firstline.review_queue AS waiting
                USING unnest(%s::text[], %s::integer[]) AS gone (session_id, number)
                WHERE waiting.session_id = gone.session_id AND waiting.number = gone.number AND tenant = %s""",
                [[storable(key[0]) for key in gone], [key[1] for key in gone], storable(tenant)],
            )
            if seen_until is not None:
                await connection.execute(
                    """INSERT INTO firstline.review_progress (tenant, seen_until) VALUES (%s, %s)
                    ON CONFLICT (tenant) DO UPDATE SET seen_until = excluded.seen_until""",
                    [storable(tenant), seen_until],
                )

    async def queue(self, *, tenant: str, limit: int) -> list[ReviewItem]:
        rows = await self._database.rows(
            """SELECT session_id, number, record FROM firstline.review_queue AS waiting
            WHERE tenant = %s AND NOT EXISTS (SELECT FROM firstline.judgements AS judged
                WHERE judged.session_id = waiting.session_id AND judged.number = waiting.number)
            ORDER BY rank DESC, asked_at DESC, session_id, number LIMIT %s""",
            [storable(tenant), limit],
        )
        return _items(rows)

    async def claim(self, *, tenant: str, by: str, limit: int, lease_s: float) -> list[ReviewItem]:
        # SKIP LOCKED: who claims at the same moment goes past these rows instead of waiting for the same ones.
        rows = await self._database.rows(
            """UPDATE firstline.review_queue AS taken
            SET leased_by = %(by)s, leased_until = now() + make_interval(secs => %(lease_s)s)
            FROM (
                SELECT session_id, number FROM firstline.review_queue AS waiting
                WHERE tenant = %(tenant)s AND NOT %(by)s = ANY (skipped_by)
                  AND (leased_by = %(by)s OR leased_until <= now())
                  AND NOT EXISTS (SELECT FROM firstline.judgements AS judged
                    WHERE judged.session_id = waiting.session_id AND judged.number = waiting.number)
                ORDER BY rank DESC, asked_at DESC, session_id, number LIMIT %(limit)s FOR UPDATE SKIP LOCKED
            ) AS free
            WHERE taken.session_id = free.session_id AND taken.number = free.number
            RETURNING taken.session_id, taken.number, taken.record""",
            {"by": storable(by), "lease_s": lease_s, "tenant": storable(tenant), "limit": limit},
        )
        items = _items(rows)
        items.sort(key=lambda item: (item.session_id, item.turn))
        items.sort(key=lambda item: (item.rank, item.asked_at), reverse=True)
        return items

    async def release(self, *, tenant: str, by: str) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                "UPDATE firstline.review_queue SET leased_until = '-infinity' WHERE tenant = %s AND leased_by = %s",
                [storable(tenant), storable(by)],
            )

    async def skip(self, session_id: str, turn: int, *, tenant: str, by: str) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                """UPDATE firstline.review_queue SET
                    skipped_by = CASE WHEN %(by)s = ANY (skipped_by) THEN skipped_by ELSE skipped_by || %(by)s END,
                    leased_until = CASE WHEN leased_by = %(by)s THEN '-infinity' ELSE leased_until END
                WHERE session_id = %(session_id)s AND number = %(number)s AND tenant = %(tenant)s""",
                {
                    "by": storable(by),
                    "session_id": storable(session_id),
                    "number": turn,
                    "tenant": storable(tenant),
                },
            )

    async def judge(self, judgement: Judgement) -> None:
        async with self._database.transaction() as connection:
            await _check_free(connection, judgement)
            try:
                done = await connection.execute(
                    """INSERT INTO firstline.judgements (session_id, number, tenant, kb, judged_at, record)
                    SELECT turn.session_id, turn.number, own.tenant, %(kb)s, %(at)s, %(record)s
                    FROM firstline.turns AS turn JOIN firstline.sessions AS own USING (session_id)
                    WHERE turn.session_id = %(session_id)s AND turn.number = %(number)s AND own.tenant = %(tenant)s
                    ON CONFLICT (session_id, number) DO UPDATE
                    SET judged_at = excluded.judged_at, record = excluded.record""",
                    {
                        "kb": storable(judgement.kb),
                        "at": judgement.at,
                        "record": Jsonb(encode(judgement)),
                        "session_id": storable(judgement.session_id),
                        "number": judgement.turn,
                        "tenant": storable(judgement.tenant),
                    },
                )
            except errors.ForeignKeyViolation as error:
                raise NotFound("There is no such turn.", remedy=REVIEWS_LISTED) from error
            if done.rowcount == 0:
                raise NotFound("There is no such turn.", remedy=REVIEWS_LISTED)
            await connection.execute(
                "DELETE FROM firstline.review_queue WHERE session_id = %s AND number = %s",
                [storable(judgement.session_id), judgement.turn],
            )

    async def judgements(self, *, tenant: str, kb: str, limit: int) -> list[Judgement]:
        rows = await self._database.rows(
            """SELECT session_id, number, record FROM firstline.judgements WHERE tenant = %s AND kb = %s
            ORDER BY judged_at DESC, session_id, number LIMIT %s""",
            [storable(tenant), storable(kb), limit],
        )
        return readable_of(Judgement, ((_named(row), row["record"]) for row in rows))

    async def turn(self, session_id: str, number: int, *, tenant: str) -> Changed | None:
        row = await self._database.row(
            """SELECT *, recorded_at AS at FROM firstline.turns_known
            WHERE session_id = %s AND number = %s AND tenant = %s""",
            [storable(session_id), number, storable(tenant)],
        )
        return _changed(row) if row else None


async def _put(connection: AsyncConnection[DictRow], items: Sequence[ReviewItem]) -> None:
    each = list({(storable(item.session_id), item.turn): item for item in items}.values())
    await connection.execute(
        """INSERT INTO firstline.review_queue (session_id, number, tenant, kb, rank, asked_at, record)
        SELECT item.* FROM unnest(
            %s::text[], %s::integer[], %s::text[], %s::text[], %s::double precision[], %s::timestamptz[], %s::jsonb[]
        ) AS item (session_id, number, tenant, kb, rank, asked_at, record)
        WHERE NOT EXISTS (SELECT FROM firstline.judgements AS judged
            WHERE judged.session_id = item.session_id AND judged.number = item.number)
        ON CONFLICT (session_id, number) DO UPDATE SET rank = excluded.rank, record = excluded.record""",
        [
            [storable(item.session_id) for item in each],
            [item.turn for item in each],
            [storable(item.tenant) for item in each],
            [storable(item.kb) for item in each],
            [item.rank for item in each],
            [item.asked_at for item in each],
            [Jsonb(encode(item)) for item in each],
        ],
    )


async def _check_free(connection: AsyncConnection[DictRow], judgement: Judgement) -> None:
    found = await connection.execute(
        """SELECT leased_by FROM firstline.review_queue
        WHERE session_id = %s AND number = %s AND leased_by <> %s AND leased_until > now() FOR UPDATE""",
        [storable(judgement.session_id), judgement.turn, storable(judgement.by)],
    )
    row = await found.fetchone()
    if row is not None:
        raise Conflict(f"{row['leased_by']} is reviewing this turn.", remedy="Leave it to them, and take the next one.")


def _named(row: DictRow) -> str:
    return f"{row['session_id']}.{row['number']}"


def _items(rows: Sequence[DictRow]) -> list[ReviewItem]:
    return readable_of(ReviewItem, ((_named(row), row["record"]) for row in rows))


def _changed_or_none(row: DictRow) -> Changed | None:
    """None, and a line in the log, for a turn that cannot be read: one of them must not stop the review of all."""
    try:
        return _changed(row)
    except Broken as error:
        logger.error("turn %s is left out of the review: %s", _named(row), error.message)
        return None


def _session(row: DictRow) -> Session:
    return Session(
        session_id=row["session_id"],
        tenant=row["tenant"],
        kb=row["kb"],
        user=row["user_id"],
        created_at=row["created_at"],
    )


def _changed(row: DictRow) -> Changed:
    return Changed(
        session=_session(row),
        turn=decode(Turn, row["turn"]),
        feedback=None if row["rated"] is None else decode(Feedback, row["rated"]),
        person_answered=row["person_answered"],
        at=row["at"],
    )
