"""Bring a database to this version's schema: numbered SQL files, forward only, each in a transaction of its own."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from firstline.errors import Broken, DataTooNew

MIGRATIONS = Path(__file__).parent / "migrations"
FILE_NAME = re.compile(r"(\d{4})_(\w+)\.sql")

LOCK_KEY = 4_715_211_803_604_915_721
"""Any number that nobody else uses: processes that start together migrate one after the other."""

LOCK_S_MAX = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Migration:
    number: int
    name: str
    sql: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql).hexdigest()


def read_migrations(folder: Path = MIGRATIONS) -> list[Migration]:
    """By number. Broken when a file's name is not NNNN_name.sql, or the numbers are not 1, 2, 3…"""
    found: list[Migration] = []
    for path in sorted(folder.glob("*.sql")):
        name = FILE_NAME.fullmatch(path.name)
        if name is None or int(name[1]) != len(found) + 1:
            raise Broken(f"{path.name} is out of place among the migrations.", remedy="Install firstline again.")
        found.append(Migration(number=int(name[1]), name=name[2], sql=path.read_bytes()))
    return found


async def migrate(connection: AsyncConnection[TupleRow], migrations: list[Migration]) -> None:
    """Apply what is missing. `connection` is in autocommit.

    DataTooNew when the database knows more migrations than we do, Broken when one that was applied has changed.
    """
    await connection.execute(f"SET lock_timeout = '{LOCK_S_MAX}s'".encode())
    await connection.execute("SELECT pg_advisory_lock(%s)", [LOCK_KEY])
    try:
        await connection.execute("CREATE SCHEMA IF NOT EXISTS firstline")
        await connection.execute(
            """CREATE TABLE IF NOT EXISTS firstline.schema_migrations (
                number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now())"""
        )
        applied = await _applied(connection)
        _check(applied, migrations)
        for migration in migrations[len(applied) :]:
            await _apply(connection, migration)
        await _raise_walls(connection, changed=len(applied) < len(migrations))
    finally:
        if not connection.closed:
            await connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK_KEY])


async def _raise_walls(connection: AsyncConnection[TupleRow], *, changed: bool) -> None:
    """What this run made gets its wall, and so does everything when the role of tenants has come since the last one."""
    cursor = await connection.execute(
        """SELECT to_regprocedure('firstline.raise_walls()') IS NOT NULL AND (%s OR EXISTS (
            SELECT FROM pg_roles
            WHERE rolname = 'firstline_tenant' AND NOT has_schema_privilege(oid, 'firstline', 'USAGE')))""",
        [changed],
    )
    row = await cursor.fetchone()
    if row is not None and row[0]:
        await connection.execute("SELECT firstline.raise_walls()")


async def _applied(connection: AsyncConnection[TupleRow]) -> list[tuple[int, str, str]]:
    cursor = await connection.execute("SELECT number, name, sha256 FROM firstline.schema_migrations ORDER BY number")
    return [(int(number), str(name), str(sha256)) for number, name, sha256 in await cursor.fetchall()]


def _check(applied: list[tuple[int, str, str]], migrations: list[Migration]) -> None:
    if len(applied) > len(migrations):
        raise DataTooNew(
            f"The database has schema version {len(applied)}; this firstline knows versions up to {len(migrations)}.",
            remedy="Upgrade firstline.",
        )
    for (number, name, sha256), migration in zip(applied, migrations, strict=False):
        if (number, sha256) != (migration.number, migration.sha256):
            raise Broken(
                f"Migration {number:04d}_{name} was applied to this database in another form than the one installed.",
                remedy="Install the firstline release that the database was made with, or one after it.",
            )


async def _apply(connection: AsyncConnection[TupleRow], migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(migration.sql)
        await connection.execute(
            "INSERT INTO firstline.schema_migrations (number, name, sha256) VALUES (%s, %s, %s)",
            [migration.number, migration.name, migration.sha256],
        )
