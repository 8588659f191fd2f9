"""The schema of the jobs: made and brought up to date by procrastinate's own scripts, beside ours."""

from __future__ import annotations

import asyncio
import importlib.metadata
import re
from pathlib import Path
from typing import Final, LiteralString

from procrastinate.schema import SchemaManager

from firstline.engines.postgres.pool import Database

SCHEMA: Final[LiteralString] = "firstline_jobs"
LOCK_KEY: Final = 2_940_118_374_621_550_047
"""Any number that nobody else uses: processes that start together make it one after the other."""
_SCRIPT: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)_\d+_\w+\.sql")


async def ensure_schema(database: Database) -> None:
    """Make it, or apply the scripts that came after the version which made it."""
    installed = importlib.metadata.version("procrastinate")
    async with database.transaction() as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
        # Local to this transaction: the pool's connection goes back as it was.
        await connection.execute(f"SET LOCAL search_path TO {SCHEMA}".encode())
        await connection.execute("CREATE TABLE IF NOT EXISTS made_by (version text NOT NULL)")
        row = await (await connection.execute("SELECT version FROM made_by")).fetchone()
        if row is not None and _number(row["version"]) >= _number(installed):
            return
        for script in await asyncio.to_thread(_scripts, since=row["version"] if row else None):
            await connection.execute(script)
        await connection.execute("DELETE FROM made_by")
        await connection.execute("INSERT INTO made_by VALUES (%s)", [installed])


def _scripts(*, since: str | None) -> list[bytes]:
    """All that makes it, or what came after this version."""
    if since is None:
        return [SchemaManager.get_schema().encode()]
    found: list[bytes] = []
    for script in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql")):
        named = _SCRIPT.fullmatch(script.name)
        if named is not None and _number(".".join(named.groups())) > _number(since):
            found.append(script.read_bytes())
    return found


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
