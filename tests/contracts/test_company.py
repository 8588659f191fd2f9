"""Is anybody else connected who may be answering a question? What is undone and pruned waits for them, and else not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firstline import wiring
from firstline.domain import acting_for
from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.pool import Database, connect, process_name

WITHIN_S = 0.3
SETTINGS: Any = SimpleNamespace(turn_deadline_s=WITHIN_S)


@pytest.fixture
async def database(postgres_url: str, tmp_path: Path) -> AsyncGenerator[Database]:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        yield ledgers.database


async def alone(database: Database) -> None:
    """Postgres notices a little later that somebody has gone."""
    for _ in range(250):
        if not await database.has_company():
            return
        await asyncio.sleep(0.02)
    pytest.fail("somebody is there")


async def waited_s(database: Database, *, serves: bool = False) -> float:
    began = time.monotonic()
    await wiring.questions_end(SETTINGS, SimpleNamespace(database=database), serves=serves)  # pyright: ignore[reportArgumentType] a part of it
    return time.monotonic() - began


@pytest.mark.parametrize("tenant", [None, "a-tenant"])
async def test_another_process_is_company_and_ones_own_connections_are_not(
    database: Database, postgres_url: str, tenant: str | None
) -> None:
    with acting_for(tenant):
        async with database.dedicated(application_name=process_name()), database.connection():
            await alone(database)
            async with await connect(postgres_url, application_name="firstline process 0 on another machine"):
                assert await database.has_company()
            async with await connect(postgres_url, application_name=""):
                assert await database.has_company(), "who does not say who they are may be anybody"
            await alone(database)


async def test_questions_are_waited_for_where_there_may_be_some(database: Database, postgres_url: str) -> None:
    await alone(database)
    assert await waited_s(database) < WITHIN_S
    assert await waited_s(database, serves=True) >= WITHIN_S
    async with await connect(postgres_url, application_name="another server"):
        assert await waited_s(database) >= WITHIN_S


async def test_a_server_says_that_it_answers_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, object] = {}

    @asynccontextmanager
    async def opened(_: object, **named: object) -> AsyncGenerator[object]:
        told.update(named)
        yield object()

    async def nothing(_: object) -> None: ...

    monkeypatch.setattr(wiring, "open_firstline", opened)
    monkeypatch.setattr(wiring, "check_gates", nothing)
    async with wiring.open_checked(SETTINGS):
        assert told == {"serves": True}
