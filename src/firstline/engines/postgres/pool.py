"""Connections: a pool that is opened and closed explicitly, and connections of their own for session locks.

What works for one tenant (`domain.acting`) reads and writes behind the wall that migration 0013 raises: as another
role, which sees that tenant's rows alone, whatever a query forgets to ask for. Every time a connection is handed out it
is made to work for whom its borrower works; for most that is whom it worked for last, and costs nothing. (Role and
tenant set anew in every transaction cost a turn a fifth of its time.)
"""

from __future__ import annotations

import logging
import os
import select
import socket
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString

import psycopg
import psycopg_pool
from psycopg import AsyncConnection
from psycopg.rows import DictRow, TupleRow, dict_row

from firstline.domain import EVERY_TENANT, NOBODY, acting_for, acting_tenant
from firstline.engines.postgres.faults import first_line, translated
from firstline.engines.postgres.text import storable
from firstline.errors import Broken, InvalidInput, Unavailable

logger = logging.getLogger(__name__)

CONNECTIONS_MAX = 10
WAITING_MAX = 1_000
CONNECTION_S_MAX = 10.0
STATEMENT_S_MAX = 60
HOST_CHARS_MAX = 20

WALL: Final = "SELECT set_config('role', %s, false), set_config('firstline.tenant', %s, false)"
TENANTS_ROLE: Final = "firstline_tenant"
OWN_ROLE: Final = "none"
"""As Postgres calls the role that one has connected as."""

# A view that cannot look with the eyes of who asks (before version 15) would be a hole in the wall.
WALL_STANDS: Final = """SELECT EXISTS (
    SELECT FROM pg_roles AS tenants, pg_roles AS own
    WHERE tenants.rolname = 'firstline_tenant' AND own.rolname = current_user
      AND NOT tenants.rolsuper AND NOT tenants.rolbypassrls
      AND (own.rolsuper OR pg_has_role(own.oid, tenants.oid,
        CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END))
      AND has_schema_privilege(tenants.oid, 'firstline', 'USAGE')
      AND current_setting('server_version_num')::integer >= 150000) AS stands"""

Parameters = Mapping[str, Any] | Sequence[Any]


class _Connection(AsyncConnection[DictRow]):
    """Knows whom it works for: a tenant, None for every one, or a word that no tenant has while that is not sure."""

    NOT_SURE: Final = "\x00"
    works_for: str | None = EVERY_TENANT


class Database:
    """A pool of connections to one database. Every error that leaves it is one of firstline's."""

    def __init__(self, conninfo: str, *, connections_max: int = CONNECTIONS_MAX) -> None:
        self._conninfo = conninfo
        self._walled = False
        self._pool: psycopg_pool.AsyncConnectionPool[_Connection] = psycopg_pool.AsyncConnectionPool(
            conninfo,
            connection_class=_Connection,
            kwargs={"autocommit": True, "row_factory": dict_row, "application_name": process_name()},
            min_size=1,
            max_size=connections_max,
            max_waiting=WAITING_MAX,
            timeout=CONNECTION_S_MAX,
            open=False,
            configure=_configure,
            # After a restart of the server the pool holds dead connections: nobody should be handed one.
            check=check_alive,
        )

    @property
    def conninfo(self) -> str:
        """For engines that keep a pool of their own. Holds the password."""
        return self._conninfo

    @property
    def walled(self) -> bool:
        """Whether the database itself keeps tenants apart, behind the filters of every query."""
        return self._walled

    async def open(self) -> None:
        with translated():
            await self._pool.open(wait=True, timeout=CONNECTION_S_MAX)
        row = await self.row(WALL_STANDS)
        self._walled = bool(row and row["stands"])
        if self._walled:
            await self._try_wall()
        else:
            logger.warning("the database keeps no wall between tenants (docs/access.md): the filters stand alone")

    async def close(self) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[AsyncConnection[DictRow]]:
        """A connection in autocommit, rows as dicts."""
        with translated():
            async with self._pool.connection() as connection:
                await self._work_for(connection, acting_tenant())
                yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncConnection[DictRow]]:
        """All or nothing."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    async def rows(self, query: LiteralString, parameters: Parameters = ()) -> list[DictRow]:
        async with self.connection() as connection:
            return await (await connection.execute(query, parameters)).fetchall()

    async def row(self, query: LiteralString, parameters: Parameters = ()) -> DictRow | None:
        async with self.connection() as connection:
            return await (await connection.execute(query, parameters)).fetchone()

    async def has_company(self) -> bool:
        """Whether any other process is connected to this database."""
        with acting_for(EVERY_TENANT):
            row = await self.row(
                """SELECT EXISTS (
                    SELECT FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                      -- What one may not look into counts as one: its kind is not told.
                      AND coalesce(backend_type, 'client backend') = 'client backend'
                      AND application_name IS DISTINCT FROM %s) AS company""",
                [process_name()],
            )
        return row is None or row["company"]

    async def _work_for(self, connection: _Connection, tenant: str | None) -> None:
        """Outside any transaction: one that is rolled back must not take the wall with it."""
        wanted = None if tenant is None else storable(tenant)
        if not self._walled or connection.works_for == wanted:
            return
        # Whatever happens in between, the next borrower sets it again.
        connection.works_for = _Connection.NOT_SURE
        await connection.execute(WALL, [OWN_ROLE if wanted is None else TENANTS_ROLE, wanted or NOBODY])
        connection.works_for = wanted

    async def _try_wall(self) -> None:
        """A wall that is not there must not be believed in."""
        with acting_for(NOBODY):
            row = await self.row("SELECT current_user AS role, current_setting('firstline.tenant') AS tenant")
        if row != {"role": TENANTS_ROLE, "tenant": NOBODY}:
            raise Broken(
                "The database does not keep to the role that it is told to work as.",
                remedy="Connect to Postgres itself: a proxy in between must keep sessions together.",
            )

    @asynccontextmanager
    async def dedicated(self, *, application_name: str) -> AsyncGenerator[AsyncConnection[TupleRow]]:
        """A connection outside the pool, for locks that live as long as their connection."""
        connection = await connect(self._conninfo, application_name=application_name)
        try:
            with translated():
                yield connection
        finally:
            await connection.close()


def process_name() -> str:
    """What this process's connections are called. Postgres cuts a name at 63 bytes."""
    return f"firstline process {os.getpid()} on {socket.gethostname()[:HOST_CHARS_MAX]}"


async def connect(conninfo: str, *, application_name: str) -> AsyncConnection[TupleRow]:
    """One connection in autocommit. Unavailable when there is no server, InvalidInput when `conninfo` is no URL."""
    try:
        connection = await AsyncConnection.connect(conninfo, autocommit=True, application_name=application_name)
    except psycopg.OperationalError as error:
        raise Unavailable(
            f"The database cannot be reached: {first_line(error)}",
            remedy="Check that it runs and that FIRSTLINE_DATABASE_URL is right, then repeat.",
        ) from error
    except psycopg.Error as error:
        # The reason could quote the URL, and the URL can hold a password.
        raise InvalidInput(
            "FIRSTLINE_DATABASE_URL is not the address of a database.",
            remedy="Write it like postgresql://user:password@host:5432/database.",
        ) from error
    return connection


async def _configure(connection: AsyncConnection[DictRow]) -> None:
    await connection.execute(f"SET statement_timeout = '{STATEMENT_S_MAX}s'".encode())
    await connection.execute("SET timezone = 'UTC'")


async def check_alive(connection: AsyncConnection[DictRow]) -> None:
    """Raises when the connection is dead, without asking the server each time: that would double what a turn waits.

    A server that went away has closed its end, and an end can be read. An idle connection has nothing else to read
    but rare notices, so only then the server is asked.
    """
    waiting = select.poll()
    waiting.register(connection.pgconn.socket, select.POLLIN)
    if waiting.poll(0):
        await connection.execute("SELECT")
