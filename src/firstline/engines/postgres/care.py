"""What those who look after the content read and keep, on Postgres."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import EXACT, AskedAs, AskedTurn, Document, DocumentKind, FaqCitation, FaqEntry, became
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.rows import possible_ids, read_document
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import NotFound

CHUNKS_AT_ONCE: Final = 20_000

# A record is large and stored compressed: `jsonb_to_record` unpacks it once for all of its fields.
ASKED: Final[LiteralString] = """SELECT turn.session_id, turn.number, told.asked_at,
    coalesce(nullif(told.plan ->> 'standalone', ''), told.question) AS question,
    told.outcome ->> 'type' AS outcome, coalesce(told.outcome ->> 'completeness', '') AS completeness,
    coalesce(told.outcome -> 'handoff' ->> 'reason', '') AS reason, coalesce(told.outcome ->> 'asks', '') AS asks,
    ARRAY[told.evidence -> 0 ->> 0, told.evidence -> 1 ->> 0, told.evidence -> 2 ->> 0] AS nearest,
    md5((told.outcome -> 'claims')::text) AS answer,
    told.evidence -> 0 -> 1 @> %(exact)s AS curated
FROM firstline.turns AS turn JOIN firstline.sessions AS own USING (session_id)
CROSS JOIN LATERAL jsonb_to_record(turn.record)
    AS told (question text, asked_at timestamptz, plan jsonb, outcome jsonb, evidence jsonb)
WHERE own.tenant = %(tenant)s AND own.kb = %(kb)s AND own.user_id <> %(without_user)s
  AND turn.recorded_at >= %(since)s AND told.asked_at >= %(since)s
ORDER BY turn.recorded_at DESC, turn.session_id, turn.number DESC LIMIT %(limit)s"""

BLAMED: Final[LiteralString] = """WITH blamed AS (
    SELECT session_id, number FROM firstline.feedback
    WHERE record ->> 'rating' = 'down' AND record ->> 'reason' IN ('wrong', 'outdated')
    UNION
    SELECT session_id, number FROM firstline.judgements
    WHERE tenant = %(tenant)s AND kb = %(kb)s AND record ->> 'verdict' = 'wrong'
)
SELECT cited.doc_id #>> '{}' AS doc_id, count(DISTINCT (session_id, number)) AS turns
FROM blamed JOIN firstline.turns AS turn USING (session_id, number) JOIN firstline.sessions AS own USING (session_id)
CROSS JOIN LATERAL jsonb_path_query(turn.record, '$.outcome.claims[*].citations[*].doc_id') AS cited (doc_id)
WHERE own.tenant = %(tenant)s AND own.kb = %(kb)s AND own.user_id <> %(without_user)s
  AND (turn.record ->> 'asked_at')::timestamptz >= %(since)s
GROUP BY 1"""


PUT_FAQ: Final[LiteralString] = """INSERT INTO firstline.faq_entries
    (tenant, kb, doc_id, owner, expires_at, cites, changed_by, changed_at)
VALUES (%(tenant)s, %(kb)s, %(doc_id)s, %(owner)s, %(expires_at)s, %(cites)s, %(by)s, %(at)s)
ON CONFLICT (tenant, kb, doc_id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at,
    cites = excluded.cites, changed_by = excluded.changed_by, changed_at = excluded.changed_at"""

Connection = AsyncConnection[DictRow]


class PostgresCareLedger:
    """See ports.CareLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put_faq(self, entry: FaqEntry) -> None:
        async with self._writing(entry) as (connection, known):
            await _put(connection, entry, known)

    async def swap_faq(self, entry: FaqEntry, *, before: FaqEntry | None) -> bool:
        async with self._writing(entry) as (connection, known):
            if known != before:
                return False
            await _put(connection, entry, known)
            return True

    @asynccontextmanager
    async def _writing(self, entry: FaqEntry) -> AsyncGenerator[tuple[Connection, FaqEntry | None]]:
        """With what is known of this answer: nobody else writes an entry of the knowledge base meanwhile."""
        place = [storable_id(entry.tenant), storable_id(entry.kb)]
        async with self._database.transaction() as connection:
            base = await connection.execute(
                "SELECT FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE", place
            )
            if await base.fetchone() is None:
                raise NotFound(
                    f"There is no knowledge base {entry.kb!r}.",
                    remedy="`firstline status` lists them; `firstline ingest` makes one.",
                )
            rows = await connection.execute(
                "SELECT * FROM firstline.faq_entries WHERE tenant = %s AND kb = %s AND doc_id = %s",
                [*place, storable_id(entry.doc_id)],
            )
            row = await rows.fetchone()
            yield connection, None if row is None else _entry(row)

    async def drop_faq(self, doc_id: str, *, tenant: str, kb: str) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                "DELETE FROM firstline.faq_entries WHERE tenant = %s AND kb = %s AND doc_id = %s",
                [storable(tenant), storable(kb), storable(doc_id)],
            )

    async def faq_entries(self, *, tenant: str, kb: str) -> list[FaqEntry]:
        rows = await self._database.rows(
            'SELECT * FROM firstline.faq_entries WHERE tenant = %s AND kb = %s ORDER BY doc_id COLLATE "C"',
            [storable(tenant), storable(kb)],
        )
        return [_entry(row) for row in rows]

    async def faq_expired(self, *, tenant: str | None) -> int:
        row = await self._database.row(
            """SELECT count(*) AS expired FROM firstline.faq_entries
            JOIN firstline.documents AS document USING (tenant, kb, doc_id)
            JOIN firstline.knowledge_bases AS base USING (tenant, kb)
            WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s) AND expires_at <= now()
              AND document.since <= base.published AND document.until > base.published""",
            {"tenant": None if tenant is None else storable(tenant)},
        )
        return row["expired"] if row else 0

    async def published_documents(
        self,
        *,
        tenant: str,
        kb: str,
        limit: int,
        kinds: Collection[DocumentKind] = frozenset(DocumentKind),
        doc_ids: Collection[str] | None = None,
    ) -> list[Document]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.documents_published(%(tenant)s, %(kb)s)
            WHERE kind = ANY (%(kinds)s) AND (%(doc_ids)s::text[] IS NULL OR doc_id = ANY (%(doc_ids)s))
            ORDER BY doc_id COLLATE "C" LIMIT %(limit)s""",
            {
                "tenant": storable(tenant),
                "kb": storable(kb),
                "kinds": sorted(kinds),
                "doc_ids": None if doc_ids is None else sorted(map(storable, doc_ids)),
                "limit": limit,
            },
        )
        return [read_document(row) for row in rows]

    async def published_places(self, *, tenant: str, kb: str, limit: int) -> list[tuple[str, str]]:
        rows = await self._database.rows(
            """SELECT doc_id, coalesce(url, '') AS url FROM firstline.documents_published(%s, %s)
            ORDER BY doc_id COLLATE "C" LIMIT %s""",
            [storable(tenant), storable(kb), limit],
        )
        return [(row["doc_id"], row["url"]) for row in rows]

    async def asked(self, *, tenant: str, kb: str, since: datetime, without_user: str, limit: int) -> list[AskedTurn]:
        exact = {name: value for name, value in encode(EXACT).items() if value is not None}
        rows = await self._database.rows(
            ASKED, {**_of(tenant, kb, since, without_user), "limit": limit, "exact": Jsonb(exact)}
        )
        return [_asked(row) for row in rows]

    async def documents_of(self, chunk_ids: Collection[str], *, tenant: str, kb: str) -> dict[str, str]:
        ids = possible_ids(chunk_ids)
        found: dict[str, str] = {}
        for at in range(0, len(ids), CHUNKS_AT_ONCE):
            rows = await self._database.rows(
                """SELECT chunk_id, doc_id FROM firstline.chunks AS chunk
                WHERE chunk_id = ANY (%s::uuid[]) AND tenant = %s AND kb = %s
                  AND NOT EXISTS (SELECT FROM firstline.tombstones AS stone
                                  WHERE stone.tenant = chunk.tenant AND stone.kb = chunk.kb
                                    AND stone.doc_id = chunk.doc_id AND stone.upto >= chunk.since)""",
                [ids[at : at + CHUNKS_AT_ONCE], storable(tenant), storable(kb)],
            )
            found |= {str(row["chunk_id"]): row["doc_id"] for row in rows}
        return found

    async def blamed(self, *, tenant: str, kb: str, since: datetime, without_user: str) -> dict[str, int]:
        rows = await self._database.rows(BLAMED, _of(tenant, kb, since, without_user))
        return {row["doc_id"]: row["turns"] for row in rows}


async def _put(connection: Connection, entry: FaqEntry, known: FaqEntry | None) -> None:
    now = datetime.now(UTC)
    place = {"tenant": storable_id(entry.tenant), "kb": storable_id(entry.kb)}
    if (known is not None and known.expired(now)) != entry.expired(now):
        await connection.execute(
            """UPDATE firstline.knowledge_bases SET forgotten = nextval('firstline.marks')
            WHERE tenant = %(tenant)s AND kb = %(kb)s""",
            place,
        )
    await connection.execute(
        PUT_FAQ,
        {
            **place,
            "doc_id": storable_id(entry.doc_id),
            "owner": storable(entry.owner),
            "expires_at": entry.expires_at,
            "cites": Jsonb(encode(entry.cites)),
            "by": storable(entry.changed_by),
            "at": entry.changed_at,
        },
    )


def _of(tenant: str, kb: str, since: datetime, without_user: str) -> dict[str, Any]:
    return {
        "tenant": storable(tenant),
        "kb": storable(kb),
        "since": since,
        "without_user": storable(without_user),
    }


def _entry(row: DictRow) -> FaqEntry:
    return FaqEntry(
        tenant=row["tenant"],
        kb=row["kb"],
        doc_id=row["doc_id"],
        owner=row["owner"],
        expires_at=row["expires_at"],
        cites=tuple(decode(FaqCitation, cited) for cited in row["cites"]),
        changed_by=row["changed_by"],
        changed_at=row["changed_at"],
    )


def _asked(row: DictRow) -> AskedTurn:
    came = became(
        outcome=row["outcome"] or "", completeness=row["completeness"], reason=row["reason"], asks=row["asks"]
    )
    answered = came in (AskedAs.ANSWERED, AskedAs.UNSURE)
    return AskedTurn(
        session_id=row["session_id"],
        number=row["number"],
        asked_at=row["asked_at"],
        question=row["question"] or "",
        became=came,
        nearest=tuple(chunk_id for chunk_id in row["nearest"] if chunk_id),
        answer=(row["answer"] or "") if answered else "",
        curated=answered and bool(row["curated"]),
    )
