"""Quotations of forgotten documents and persons in everything that conversations and people left in the ledger."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable
from firstline.engines.scrub import FORGOTTEN, scrubbed
from firstline.ports import Marks

PAGE: Final = 500
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kind:
    """A table of records. `rows` selects key, number and record of one tenant; `put` writes one back, unless it has
    changed meanwhile: the next pass finds it again."""

    name: str
    rows: LiteralString
    put: LiteralString


# A change that was announced after its document was forgotten is not of what was forgotten: it is looked through for
# texts, and not taken for the document by its id.
_ANNOUNCED: Final[LiteralString] = """CASE WHEN EXISTS (
        SELECT FROM firstline.tombstones AS stone
        WHERE (stone.tenant, stone.kb, stone.doc_id) = (raw.tenant, raw.kb, raw.doc_id) AND stone.mark < raw.seq
    ) THEN raw.record ELSE raw.record || jsonb_build_object('item_id', raw.doc_id) END"""

KINDS: Final = (
    _Kind(
        name="turns",
        rows="""SELECT session_id AS key, number, turn.record::text AS record FROM firstline.turns AS turn
        JOIN firstline.sessions USING (session_id) WHERE tenant = %s""",
        put="""UPDATE firstline.turns SET record = %(record)s
        WHERE session_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    _Kind(
        name="hand-overs",
        rows="SELECT handoff_id AS key, 0 AS number, record::text AS record FROM firstline.handoffs WHERE tenant = %s",
        put="""UPDATE firstline.handoffs SET record = %(record)s
        WHERE handoff_id = %(key)s AND 0 = %(number)s AND record::text = %(was)s""",
    ),
    _Kind(
        name="replies and notes",
        rows="""SELECT handoff_id AS key, event.number, event.record::text AS record
        FROM firstline.handoff_events AS event JOIN firstline.handoffs USING (handoff_id) WHERE tenant = %s""",
        put="""UPDATE firstline.handoff_events SET record = %(record)s
        WHERE handoff_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    _Kind(
        name="deliveries, dead ones included",
        rows="""SELECT delivery_id AS key, 0 AS number, message::text AS record
        FROM firstline.deliveries WHERE tenant = %s""",
        put="""UPDATE firstline.deliveries SET message = %(record)s
        WHERE delivery_id = %(key)s AND 0 = %(number)s AND message::text = %(was)s""",
    ),
    _Kind(
        name="drafts of tickets",
        rows="""SELECT draft_id AS key, 0 AS number, record::text AS record
        FROM firstline.draft_tickets WHERE tenant = %s""",
        put="""UPDATE firstline.draft_tickets SET record = %(record)s
        WHERE draft_id = %(key)s AND 0 = %(number)s AND record::text = %(was)s""",
    ),
    _Kind(
        name="ratings",
        rows="""SELECT session_id AS key, rated.number, rated.record::text AS record
        FROM firstline.feedback AS rated JOIN firstline.sessions USING (session_id) WHERE tenant = %s""",
        put="""UPDATE firstline.feedback SET record = %(record)s
        WHERE session_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    _Kind(
        name="judgements",
        rows="SELECT session_id AS key, number, record::text AS record FROM firstline.judgements WHERE tenant = %s",
        put="""UPDATE firstline.judgements SET record = %(record)s
        WHERE session_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    _Kind(
        name="announced changes, dead ones included",
        rows=f"""SELECT tenant || chr(31) || kb || chr(31) || doc_id AS key, seq AS number,
            ({_ANNOUNCED})::text AS record
        FROM firstline.raw_documents AS raw WHERE tenant = %s AND record IS NOT NULL""",  # noqa: S608 (ours)
        put=f"""UPDATE firstline.raw_documents AS raw
        SET record = CASE WHEN %(record)s::jsonb ->> 'text' = '{FORGOTTEN}' THEN NULL
                ELSE %(record)s::jsonb - 'item_id' END,
            state = CASE WHEN %(record)s::jsonb ->> 'text' = '{FORGOTTEN}' THEN 'done' ELSE state END
        WHERE tenant || chr(31) || kb || chr(31) || doc_id = %(key)s AND seq = %(number)s
          AND ({_ANNOUNCED})::text = %(was)s""",  # noqa: S608 (ours)
    ),
    _Kind(
        name="quarantine",
        rows="""SELECT kb || chr(31) || doc_id || chr(31) || fingerprint AS key, 0 AS number, record::text AS record
        FROM firstline.quarantine WHERE tenant = %s""",
        put="""UPDATE firstline.quarantine SET record = %(record)s
        WHERE kb || chr(31) || doc_id || chr(31) || fingerprint = %(key)s AND 0 = %(number)s
          AND record::text = %(was)s""",
    ),
)

# Whose a conversation was. The name is replaced everywhere by the same word, so nobody reads it as their own again.
USERS: Final[dict[str, tuple[LiteralString, LiteralString]]] = {
    "users of conversations": (
        "SELECT count(*) AS found FROM firstline.sessions WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)",
        """UPDATE firstline.sessions SET user_id = %(forgotten)s
        WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)""",
    ),
    "audit": (
        "SELECT count(*) AS found FROM firstline.audit WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)",
        """UPDATE firstline.audit SET user_id = %(forgotten)s
        WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)""",
    ),
}


# In the order of what refers to what: children first. Deliveries go with their hand-overs, ratings with their turns.
OF_TENANT: Final[dict[str, tuple[LiteralString, LiteralString]]] = {
    # Before anything else: one that is due would bring documents back.
    "registered sources": (
        "SELECT count(*) AS found FROM firstline.sources WHERE tenant = %s",
        "DELETE FROM firstline.sources WHERE tenant = %s",
    ),
    "lists of failures": (
        "SELECT count(*) AS found FROM firstline.failures WHERE tenant = %s",
        "DELETE FROM firstline.failures WHERE tenant = %s",
    ),
    "drafts of tickets": (
        "SELECT count(*) AS found FROM firstline.draft_tickets WHERE tenant = %s",
        "DELETE FROM firstline.draft_tickets WHERE tenant = %s",
    ),
    "replies and notes": (
        """SELECT count(*) AS found FROM firstline.handoff_events JOIN firstline.handoffs USING (handoff_id)
        WHERE tenant = %s""",
        """DELETE FROM firstline.handoff_events AS event USING firstline.handoffs AS handed
        WHERE event.handoff_id = handed.handoff_id AND handed.tenant = %s""",
    ),
    "deliveries, dead ones included": (
        "SELECT count(*) AS found FROM firstline.deliveries WHERE tenant = %s",
        "DELETE FROM firstline.deliveries WHERE tenant = %s",
    ),
    "hand-overs": (
        "SELECT count(*) AS found FROM firstline.handoffs WHERE tenant = %s",
        "DELETE FROM firstline.handoffs WHERE tenant = %s",
    ),
    "turns, ratings and judgements": (
        """SELECT count(*) AS found FROM firstline.turns JOIN firstline.sessions USING (session_id)
        WHERE tenant = %s""",
        """DELETE FROM firstline.turns AS turn USING firstline.sessions AS own
        WHERE turn.session_id = own.session_id AND own.tenant = %s""",
    ),
    "conversations": (
        "SELECT count(*) AS found FROM firstline.sessions WHERE tenant = %s",
        "DELETE FROM firstline.sessions WHERE tenant = %s",
    ),
    "announced changes, dead ones included": (
        "SELECT count(*) AS found FROM firstline.raw_documents WHERE tenant = %s",
        "DELETE FROM firstline.raw_documents WHERE tenant = %s",
    ),
    "events of hooks": (
        "SELECT count(*) AS found FROM firstline.hook_events WHERE tenant = %s",
        "DELETE FROM firstline.hook_events WHERE tenant = %s",
    ),
    "quarantine": (
        "SELECT count(*) AS found FROM firstline.quarantine WHERE tenant = %s",
        "DELETE FROM firstline.quarantine WHERE tenant = %s",
    ),
    "audit": (
        "SELECT count(*) AS found FROM firstline.audit WHERE tenant = %s",
        "DELETE FROM firstline.audit WHERE tenant = %s",
    ),
    "API keys": (
        "SELECT count(*) AS found FROM firstline.api_keys WHERE tenant = %s",
        "DELETE FROM firstline.api_keys WHERE tenant = %s",
    ),
}


class PostgresRecordLedger:
    """See ports.RecordLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def scrub(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        changed: dict[str, int] = {"quarantine": await self._release_documents(marks, tenant)}
        for kind in KINDS:
            changed[kind.name] = changed.get(kind.name, 0)
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
        for kind in KINDS:
            found[kind.name] = 0
            async for _ in self._marked(kind, marks, tenant):
                found[kind.name] += 1
        for name, (select, _) in USERS.items():
            row = await self._database.row(select, _users(marks, tenant)) if marks.texts else None
            found[name] = row["found"] if row else 0
        return found

    async def forget_tenant(self, tenant: str) -> dict[str, int]:
        async with self._database.transaction() as connection:
            return {
                name: (await connection.execute(delete, [storable(tenant)])).rowcount
                for name, (_, delete) in OF_TENANT.items()
            }

    async def of_tenant(self, tenant: str) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, (select, _) in OF_TENANT.items():
            row = await self._database.row(select, [storable(tenant)])
            found[name] = row["found"] if row else 0
        return found

    async def _marked(self, kind: _Kind, marks: Marks, tenant: str) -> AsyncGenerator[tuple[DictRow, Any]]:
        """Records that quote what is marked, and what is to stand in their place. Read in pages: they may be many."""
        may = _prefilter(marks)
        async with self._database.transaction() as connection, connection.cursor(name="records") as cursor:
            await cursor.execute(kind.rows, [storable(tenant)])
            while rows := await cursor.fetchmany(PAGE):
                for row in rows:
                    if not may(row["record"]):
                        continue
                    record = json.loads(row["record"])
                    clean = scrubbed(record, marks)
                    if clean != record:
                        yield row, clean

    async def _put(self, kind: _Kind, row: DictRow, record: Any) -> int:
        async with self._database.connection() as connection:
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
