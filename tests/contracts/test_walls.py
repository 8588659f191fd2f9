"""Row-level security: what works for one tenant sees that tenant's rows alone, whatever its queries ask for."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from ledger_samples import KB, stored
from psycopg import sql
from psycopg.conninfo import make_conninfo

from firstline.api.auth import new_key
from firstline.domain import EVERY_TENANT, NOBODY, Level, Session, acting_for, acting_tenant
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.errors import Broken, FirstlineError
from firstline.ports import Scope

NO_WALL = {
    "schema_migrations": "versions of the schema",
    "doomed_blobs": "hashes of contents that are to be removed; equal contents of several tenants are one",
    "rounds": "when this server last did what it does once in a while",
    "job_problems": "why a job failed; jobs are not read for a tenant",
}
"""Tables without a row of any tenant, and what is in them."""


@pytest.fixture
async def opened(postgres_url: str, tmp_path: Path) -> AsyncGenerator[PostgresLedgers]:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        yield ledgers


async def fill(ledgers: PostgresLedgers, tenant: str) -> str:
    """A document, a key and a session. Returns the session's id."""
    candidate = await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="e")
    words = frozenset({f"word{tenant}"})
    await ledgers.knowledge.write([stored(tenant, "page.md", since=candidate, words=words)])
    await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=candidate)
    key, _ = new_key(name="k", tenant=tenant, kb=KB, level=Level.PUBLIC)
    await ledgers.keys.add_key(key)
    session = Session(session_id=str(uuid.uuid4()), tenant=tenant, kb=KB, user="u", created_at=key.created_at)
    await ledgers.conversations.create_session(session)
    return session.session_id


@pytest.fixture
async def tenants(opened: PostgresLedgers) -> tuple[str, str]:
    ours, theirs = f"a{uuid.uuid4().hex}", f"b{uuid.uuid4().hex}"
    await fill(opened, ours)
    await fill(opened, theirs)
    return ours, theirs


async def test_every_table_with_rows_of_tenants_has_a_wall(opened: PostgresLedgers) -> None:
    rows = await opened.database.rows(
        """SELECT relname, relrowsecurity AS secured,
            EXISTS (SELECT FROM pg_policy
                    WHERE polrelid = pg_class.oid AND polcmd = '*' AND polwithcheck IS NOT NULL) AS ruled
        FROM pg_class WHERE relnamespace = 'firstline'::regnamespace AND relkind IN ('r', 'p')"""
    )
    without = {row["relname"] for row in rows if not (row["secured"] and row["ruled"])}
    assert without == set(NO_WALL), "a table is new: give it a tenant or a session_id, or say why it needs none"
    views = await opened.database.rows(
        """SELECT relname FROM pg_class WHERE relnamespace = 'firstline'::regnamespace AND relkind IN ('v', 'm')
            AND NOT coalesce(reloptions @> ARRAY['security_invoker=true'], false)"""
    )
    assert views == []


async def test_the_role_has_no_way_around(opened: PostgresLedgers) -> None:
    assert opened.database.walled
    row = await opened.database.row(
        """SELECT rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole AS mighty,
            EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid) AS member,
            EXISTS (SELECT FROM pg_class WHERE relowner = pg_roles.oid) AS owner
        FROM pg_roles WHERE rolname = 'firstline_tenant'"""
    )
    assert row == {"mighty": False, "member": False, "owner": False}
    # Functions that look with their owner's eyes: one, and it gives a single key.
    rows = await opened.database.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'firstline'::regnamespace AND prosecdef"
    )
    assert [row["proname"] for row in rows] == ["key_by_id"]


async def test_whoever_asks_for_everything_gets_their_own(opened: PostgresLedgers, tenants: tuple[str, str]) -> None:
    ours, theirs = tenants
    tables = await opened.database.rows(
        """SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'firstline' AND column_name = 'tenant'"""
    )
    assert len(tables) > 15
    with acting_for(ours):
        for table in tables:
            async with opened.database.connection() as connection:
                cursor = await connection.execute(
                    sql.SQL("SELECT DISTINCT tenant FROM firstline.{}").format(sql.Identifier(table["name"]))
                )
                assert {row["tenant"] for row in await cursor.fetchall()} <= {ours}, table["name"]
        assert await opened.keys.keys(tenant=theirs) == []
        assert len(await opened.keys.keys(tenant=ours)) == 1
        theirs_all = Scope(
            tenant=theirs, kb=KB, acl_tags=frozenset({"everyone"}), level_max=Level.RESTRICTED, snapshot=1
        )
        assert await opened.knowledge.document("page.md", theirs_all) is None
        assert await opened.knowledge.word_counts([f"word{theirs}"], theirs_all) == {}
    # The filters alone, asked for the wrong tenant, would have given it.
    assert await opened.knowledge.document("page.md", theirs_all) is not None
    assert await opened.knowledge.word_counts([f"word{theirs}"], theirs_all)


async def test_rows_that_name_no_tenant_follow_their_session(opened: PostgresLedgers) -> None:
    ours, theirs = f"a{uuid.uuid4().hex}", f"b{uuid.uuid4().hex}"
    sessions = {tenant: await fill(opened, tenant) for tenant in (ours, theirs)}
    for session_id in sessions.values():
        async with opened.database.connection() as connection:
            await connection.execute("INSERT INTO firstline.turns VALUES (%s, 1, '{}')", [session_id])
    with acting_for(ours):
        own = await opened.database.rows("SELECT DISTINCT session_id FROM firstline.turns")
        assert [row["session_id"] for row in own] == [sessions[ours]]
        with pytest.raises(FirstlineError):
            async with opened.database.connection() as connection:
                await connection.execute("INSERT INTO firstline.turns VALUES (%s, 2, '{}')", [sessions[theirs]])


WRITES: tuple[LiteralString, ...] = (
    "UPDATE firstline.documents SET title = 'taken'",
    "UPDATE firstline.api_keys SET level = 3",
    "DELETE FROM firstline.kb_words",
    "DELETE FROM firstline.api_keys",
)


@pytest.mark.parametrize("statement", WRITES)
async def test_writes_stay_inside(opened: PostgresLedgers, tenants: tuple[str, str], statement: LiteralString) -> None:
    ours, theirs = tenants
    before = await rows_of(opened, theirs)
    with acting_for(ours):
        async with opened.database.connection() as connection:
            done = await connection.execute(statement)
            assert done.rowcount == 1
    assert await rows_of(opened, theirs) == before


async def rows_of(opened: PostgresLedgers, tenant: str) -> list[object]:
    found: list[object] = []
    for table in ("documents", "api_keys", "kb_words"):
        async with opened.database.connection() as connection:
            cursor = await connection.execute(
                sql.SQL("SELECT * FROM firstline.{} WHERE tenant = %s").format(sql.Identifier(table)), [tenant]
            )
            found += await cursor.fetchall()
    return found


async def test_nobody_writes_for_another(opened: PostgresLedgers, tenants: tuple[str, str]) -> None:
    ours, theirs = tenants
    key, _ = new_key(name="planted", tenant=theirs, kb=KB, level=Level.RESTRICTED)
    with acting_for(ours), pytest.raises(Broken):
        await opened.keys.add_key(key)
    with acting_for(ours), pytest.raises(Broken):
        async with opened.database.connection() as connection:
            await connection.execute("UPDATE firstline.api_keys SET tenant = %s", [theirs])
    assert len(await opened.keys.keys(tenant=theirs)) == 1


async def test_nobody_sees_nothing_but_a_key_by_its_id(opened: PostgresLedgers, tenants: tuple[str, str]) -> None:
    key = (await opened.keys.keys(tenant=tenants[0]))[0]
    with acting_for(NOBODY):
        assert await opened.database.rows("SELECT FROM firstline.sessions") == []
        assert await opened.database.rows("SELECT FROM firstline.api_keys") == []
        assert await opened.keys.key(key.key_id) == key


async def test_no_connection_keeps_the_wall_or_the_hole(opened: PostgresLedgers, tenants: tuple[str, str]) -> None:
    """Tenants, nobody and the server itself take turns on ten connections, with failures in between."""
    who: LiteralString = "SELECT current_user = 'firstline_tenant' AS walled, firstline.own_tenant() AS tenant"
    count: LiteralString = "SELECT DISTINCT tenant FROM firstline.api_keys WHERE tenant = ANY (%s) ORDER BY tenant"

    async def work(number: int) -> None:
        tenant = (*tenants, NOBODY, EVERY_TENANT)[number % 4]
        with acting_for(tenant):
            if number % 5 == 0:
                with pytest.raises(FirstlineError):
                    await opened.database.row("SELECT 1 / (%s::integer - 1)", [1])
            if number % 7 == 0:
                with pytest.raises(FirstlineError):
                    async with opened.database.transaction() as connection:
                        await connection.execute("SELECT nothing")
            row = await opened.database.row(who)
            async with opened.database.transaction() as connection:
                again = await (await connection.execute(who)).fetchone()
            seen = await opened.database.rows(count, [list(tenants)])
        assert row == again == {"walled": tenant is not EVERY_TENANT, "tenant": tenant or ""}
        expected = sorted(tenants) if tenant is EVERY_TENANT else [tenant] if tenant in tenants else []
        assert [each["tenant"] for each in seen] == expected

    await asyncio.gather(*(work(number) for number in range(200)))
    assert acting_tenant() is EVERY_TENANT


async def test_tasks_work_for_whom_they_were_started(opened: PostgresLedgers, tenants: tuple[str, str]) -> None:
    async def mine() -> list[str]:
        await asyncio.sleep(0.01)
        return [row["tenant"] for row in await opened.database.rows("SELECT DISTINCT tenant FROM firstline.api_keys")]

    with acting_for(tenants[0]):
        first = asyncio.create_task(mine())
    with acting_for(tenants[1]):
        second = asyncio.create_task(mine())
    assert (await first, await second) == ([tenants[0]], [tenants[1]])


@pytest.mark.parametrize("may", ["make roles", "use the role", "neither"])
async def test_a_postgres_where_we_are_not_the_master(postgres_url: str, tmp_path: Path, may: str) -> None:
    """A database of its own, connected to as its owner, who is no superuser."""
    name = f"own_{uuid.uuid4().hex[:12]}"
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as master:
        role, place = sql.Identifier(name), sql.Identifier(name)
        makes = sql.SQL("CREATEROLE" if may == "make roles" else "NOCREATEROLE")
        await master.execute(sql.SQL("CREATE ROLE {} LOGIN {}").format(role, makes))
        await master.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(place, role))
        if may != "neither":
            # Another database of this server may have made it before: then making roles is not enough.
            await master.execute(sql.SQL("GRANT firstline_tenant TO {}").format(role))
        try:
            url = make_conninfo(postgres_url, dbname=name, user=name)
            async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
                assert ledgers.database.walled == (may != "neither")
                ours, theirs = f"a{name}", f"b{name}"
                await fill(ledgers, ours)
                await fill(ledgers, theirs)
                with acting_for(ours):
                    assert bool(await ledgers.keys.keys(tenant=theirs)) == (may == "neither")
                assert await ledgers.keys.keys(tenant=theirs)
        finally:
            await master.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(place))
            await master.execute(sql.SQL("DROP ROLE {}").format(role))


async def test_a_database_whose_role_came_later_gets_its_wall(postgres_url: str, tmp_path: Path) -> None:
    name = f"later_{uuid.uuid4().hex[:12]}"
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as master:
        place = sql.Identifier(name)
        await master.execute(sql.SQL("CREATE ROLE {} LOGIN").format(place))
        await master.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(place, place))
        try:
            url = make_conninfo(postgres_url, dbname=name, user=name)
            async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
                assert not ledgers.database.walled
            await master.execute(sql.SQL("GRANT firstline_tenant TO {}").format(place))
            async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
                assert ledgers.database.walled
        finally:
            await master.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(place))
            await master.execute(sql.SQL("DROP ROLE {}").format(place))


async def test_documents_are_written_for_ones_own_tenant_alone(
    opened: PostgresLedgers, tenants: tuple[str, str]
) -> None:
    """Over the API too, where the work is walled, and Postgres copies nothing into a table with a wall."""
    ours, theirs = tenants
    with acting_for(ours):
        candidate = await opened.knowledge.open_candidate(tenant=ours, kb=KB, embedder_id="e")
        page = stored(ours, "second.md", since=candidate, words=frozenset({"second"}))
        await opened.knowledge.write([page])
        assert (await opened.knowledge.publish(tenant=ours, kb=KB, candidate=candidate)).documents == 2
        with pytest.raises(Broken):
            await opened.knowledge.write([page, stored(theirs, "planted.md", since=2)])
        row = await opened.database.row("SELECT current_user AS role")
        assert row == {"role": "firstline_tenant"}, "the wall stands behind the write again"
    with acting_for(NOBODY), pytest.raises(Broken):
        await opened.knowledge.write([page])
    assert set(await opened.knowledge.current(tenant=theirs, kb=KB)) == {"page.md"}
