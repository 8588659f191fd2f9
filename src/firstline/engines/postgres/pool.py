"""Connections: a pool that is opened and closed explicitly, and connections of their own for session locks."""

from __future__ import annotations

import select
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString

import psycopg
import psycopg_pool
from psycopg import AsyncConnection
from psycopg.rows import DictRow, TupleRow, dict_row

from firstline.engines.postgres.faults import first_line, translated
from firstline.errors import InvalidInput, Unavailable

CONNECTIONS_MAX = 10
WAITING_MAX = 1_000
CONNECTION_S_MAX = 10.0
STATEMENT_S_MAX = 60

Parameters = Mapping[str, Any] | Sequence[Any]


class Database:
    """A pool of connections to one database. Every error that leaves it is one of firstline's."""

    def __init__(self, conninfo: str, *, connections_max: int = CONNECTIONS_MAX) -> None:
        self._conninfo = conninfo
        self._pool: psycopg_pool.AsyncConnectionPool[AsyncConnection[DictRow]] = psycopg_pool.AsyncConnectionPool(
            conninfo,
            connection_class=AsyncConnection[DictRow],
            kwargs={"autocommit": True, "row_factory": dict_row, "application_name": "firstline"},
            min_size=1,
            max_size=connections_max,
            max_waiting=WAITING_MAX,
            timeout=CONNECTION_S_MAX,
            open=False,
            configure=_configure,
            # After a restart of the server the pool holds dead connections: nobody should be handed one.
            check=check_alive,
        )

    async def open(self) -> None:
        with translated():
            await self._pool.open(wait=True, timeout=CONNECTION_S_MAX)

    async def close(self) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[AsyncConnection[DictRow]]:
        """A connection in autocommit, rows as dicts."""
        with translated():
            async with self._pool.connection() as connection:
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

    @asynccontextmanager
    async def dedicated(self, *, application_name: str) -> AsyncGenerator[AsyncConnection[TupleRow]]:
        """A connection outside the pool, for locks that live as long as their connection."""
        connection = await connect(self._conninfo, application_name=application_name)
        try:
            with translated():
                yield connection
        finally:
            await connection.close()


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
