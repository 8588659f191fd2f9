"""One damaged record of people's work stops neither a transcript nor the review of all others."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ledger_samples import KB, NOON, escalated, handoff, session, turn

from firstline.domain import HandoffAct, ReviewItem, ReviewReason
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.errors import Broken
from firstline.ports import ChangedAfter

LONG_AGO: ChangedAfter = (datetime(2000, 1, 1, tzinfo=UTC), "", 0)


@pytest.fixture
async def opened(tmp_path: Path, postgres_url: str) -> AsyncGenerator[PostgresLedgers]:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        yield ledgers


async def damage(opened: PostgresLedgers, statement: str, *values: object) -> None:
    async with opened.database.connection() as connection:
        await connection.execute(statement, list(values))  # pyright: ignore[reportArgumentType]  (texts of this file)


async def test_an_event_that_cannot_be_read_stands_in_its_place_and_hides_no_other(
    opened: PostgresLedgers, tenant: str
) -> None:
    own = session(tenant)
    await opened.conversations.create_session(own)
    handed = handoff(own.session_id)
    await opened.conversations.append_turn(escalated(handed, 1), handed)
    for act, text in ((HandoffAct.TAKE, ""), (HandoffAct.REPLY, "first"), (HandoffAct.REPLY, "second")):
        await opened.handoffs.act(handed.handoff_id, tenant=tenant, act=act, by="ann", at=NOON, text=text)
    await damage(
        opened,
        """UPDATE firstline.handoff_events SET record = jsonb_set(record, '{act}', '"sung"')
        WHERE handoff_id = %s AND number = 2""",
        handed.handoff_id,
    )
    events = await opened.handoffs.events(handed.handoff_id, tenant=tenant)
    assert [one.number for one in events] == [1, 2, 3]
    assert "cannot be read" in events[1].text and events[1].act is HandoffAct.NOTE
    assert events[2].text == "second"
    said = await opened.handoffs.said(own.session_id)
    assert [one.text for one in said] == ["second"], "a customer is told nothing of records"


async def waiting(opened: PostgresLedgers, tenant: str, turns: int) -> str:
    own = session(tenant)
    await opened.conversations.create_session(own)
    for number in range(1, turns + 1):
        await opened.conversations.append_turn(turn(own.session_id, number), None)
    items = [
        ReviewItem(
            tenant=tenant,
            kb=KB,
            session_id=own.session_id,
            turn=number,
            rank=float(number),
            reasons=(ReviewReason.SAMPLED,),
            asked_at=NOON + timedelta(minutes=number),
        )
        for number in range(1, turns + 1)
    ]
    await opened.feedback.put_queue(items, gone=[], tenant=tenant, seen_until=None)
    return own.session_id


async def test_the_queue_goes_on_past_what_cannot_be_read_and_says_how_much_that_is(
    opened: PostgresLedgers, tenant: str, caplog: pytest.LogCaptureFixture
) -> None:
    session_id = await waiting(opened, tenant, 3)
    await damage(
        opened,
        """UPDATE firstline.review_queue SET record = jsonb_set(record, '{reasons}', '["whim"]')
        WHERE session_id = %s AND number = 2""",
        session_id,
    )
    with caplog.at_level(logging.ERROR):
        assert [one.turn for one in await opened.feedback.queue(tenant=tenant, limit=9)] == [3, 1]
    assert f"{session_id}.2" in caplog.text and "1 of 3" in caplog.text
    claimed = await opened.feedback.claim(tenant=tenant, by="ann", limit=9, lease_s=60.0)
    assert [one.turn for one in claimed] == [3, 1]


@pytest.mark.parametrize("limit", [1, 2, 9])
async def test_changes_behind_turns_that_cannot_be_read_are_found(
    opened: PostgresLedgers, tenant: str, limit: int
) -> None:
    session_id = await waiting(opened, tenant, 4)
    await damage(
        opened,
        """UPDATE firstline.turns SET record = jsonb_set(record, '{outcome}', '"sung"')
        WHERE session_id = %s AND number IN (1, 2, 3)""",
        session_id,
    )
    found = await opened.feedback.changes(tenant=tenant, after=LONG_AGO, without_user="nobody", limit=limit)
    assert [one.turn.number for one in found] == [4]
    with pytest.raises(Broken):
        await opened.feedback.turn(session_id, 2, tenant=tenant)
