"""Quotations of forgotten documents and persons in everything that conversations and people left in the ledger."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager
from typing import Any, Final

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import EVERY_TENANT, FORGOTTEN, acting_for, acting_tenant
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.record_kinds import JOBS, KINDS, NEEDS, OF_TENANT, USERS, Kind
from firstline.engines.postgres.text import storable
from firstline.engines.scrub import scrubbed, told
from firstline.ports import Marks

PAGE: Final = 500
LOOKS_FOR_JOBS: Final = "SET LOCAL search_path TO firstline_jobs"
"""Triggers on the jobs' tables look for others where the transaction does; every name of ours says its schema."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class PostgresRecordLedger:
    """See ports.RecordLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def scrub(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        changed: dict[str, int] = {"quarantine": await self._release_documents(marks, tenant)}
        for kind in await self._kinds():
            changed[kind.name] = changed.get(kind.name, 0)
            with _beside_the_wall(kind):
                async for row, record in self._marked(kind, marks, tenant):
                    changed[kind.name] += await self._put(kind, row, record)
        for name, (_, update) in USERS.items():
            changed[name] = 0
            if marks.texts:
                async with self._database.connection() as connection:
                    changed[name] = (await connection.execute(update, _users(marks, tenant))).rowcount
        return changed

    async def quoting(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        found: dict[str, int] = {}
        for kind in await self._kinds():
            found[kind.name] = 0
            with _beside_the_wall(kind):
                async for _ in self._marked(kind, marks, tenant):
                    found[kind.name] += 1
        for name, (select, _) in USERS.items():
            row = await self._database.row(select, _users(marks, tenant)) if marks.texts else None
            found[name] = row["found"] if row else 0
        return found

    async def forget_tenant(self, tenant: str) -> dict[str, int]:
        there = await self._there()
        # Jobs lie outside the wall around a tenant's own rows; every query says whose it means.
        with acting_for(EVERY_TENANT):
            async with self._database.transaction() as connection:
                await connection.execute(LOOKS_FOR_JOBS)
                return {
                    name: (await connection.execute(delete, [storable(tenant)])).rowcount
                    for name, (_, delete) in OF_TENANT.items()
                    if NEEDS.get(name, "") in there
                }

    async def of_tenant(self, tenant: str) -> dict[str, int]:
        found: dict[str, int] = {}
        there = await self._there()
        with acting_for(EVERY_TENANT):
            for name, (select, _) in OF_TENANT.items():
                if NEEDS.get(name, "") in there:
                    row = await self._database.row(select, [storable(tenant)])
                    found[name] = row["found"] if row else 0
        return found

    async def _there(self) -> frozenset[str]:
        """Which of the tables that are made late there are; "" stands for those that are always there."""
        with acting_for(EVERY_TENANT):
            row = await self._database.row("SELECT to_regclass(%s) IS NOT NULL AS there", [JOBS])
        return frozenset({"", JOBS}) if row and row["there"] else frozenset({""})

    async def _kinds(self) -> list[Kind]:
        there = await self._there()
        return [kind for kind in KINDS if kind.needs in there]

    async def _marked(self, kind: Kind, marks: Marks, tenant: str) -> AsyncGenerator[tuple[DictRow, Any]]:
        """Records that quote what is marked, and what is to stand in their place. Read in pages: they may be many."""
        may, clean_of = _prefilter(marks), told if kind.told else scrubbed
        async with self._database.transaction() as connection, connection.cursor(name="records") as cursor:
            await cursor.execute(kind.rows, [storable(tenant)])
            while rows := await cursor.fetchmany(PAGE):
                for row in rows:
                    if not may(row["record"]):
                        continue
                    record = json.loads(row["record"])
                    clean = clean_of(record, marks)
                    if clean != record:
                        yield row, clean

    async def _put(self, kind: Kind, row: DictRow, record: Any) -> int:
        async with self._database.transaction() as connection:
            if kind.needs:
                await connection.execute(LOOKS_FOR_JOBS)
            done = await connection.execute(
                kind.put,
                {"record": Jsonb(record), "key": row["key"], "number": row["number"], "was": row["record"]},
            )
            return done.rowcount

    async def _release_documents(self, marks: Marks, tenant: str) -> int:
        """What is kept out is the document's own text: its excerpts go as a whole."""
        if not marks.doc_ids:
            return 0
        async with self._database.connection() as connection:
            done = await connection.execute(
                "DELETE FROM firstline.quarantine WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s)",
                [storable(tenant), storable(marks.kb), sorted(map(storable, marks.doc_ids))],
            )
            return done.rowcount


def _beside_the_wall(kind: Kind) -> AbstractContextManager[None]:
    """Jobs are no tenant's rows: their queries say whose they mean."""
    return acting_for(EVERY_TENANT if kind.needs else acting_tenant())


def _users(marks: Marks, tenant: str) -> dict[str, Any]:
    patterns = [f"%{_like(text)}%" for text in sorted(marks.texts)]
    return {"tenant": storable(tenant), "texts": patterns, "forgotten": FORGOTTEN}


def _like(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", storable(text))


def _prefilter(marks: Marks):
    """Cheap, and never wrong about a record that quotes: most are not looked into at all."""
    plain = [_in_json(one) for one in (*marks.doc_ids, *(f"“{title}" for title in marks.titles))]
    texts = re.compile("|".join(re.escape(_in_json(text)) for text in marks.texts), re.IGNORECASE)

    def may(record: str) -> bool:
        if marks.chunk_ids and not marks.chunk_ids.isdisjoint(_UUID.findall(record)):
            return True
        return any(one in record for one in plain) or bool(marks.texts and texts.search(record))

    return may


def _in_json(text: str) -> str:
    """As it stands inside JSON that Postgres writes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
