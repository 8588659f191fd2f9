"""Opening a candidate, and before it taking back what the snapshots beyond the head have written."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import FOREVER
from firstline.engines.postgres import knowledge_words, knowledge_writes
from firstline.engines.postgres.pointer import no_knowledge_base, pairs
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import Conflict, InvalidInput
from firstline.ports import Abandoned, Revision

Connection = AsyncConnection[DictRow]

BEYOND = """
    SELECT EXISTS (SELECT FROM firstline.documents WHERE tenant = %(tenant)s AND kb = %(kb)s AND since > %(head)s)
        OR EXISTS (SELECT FROM firstline.documents WHERE tenant = %(tenant)s AND kb = %(kb)s
                   AND until > %(head)s AND until < 2147483647)
        OR EXISTS (SELECT FROM firstline.planned_documents
                   WHERE tenant = %(tenant)s AND kb = %(kb)s AND candidate > %(head)s) AS beyond
"""


async def open_candidate(connection: Connection, tenant: str, kb: str, embedder_id: str) -> int:
    parameters = {"tenant": storable_id(tenant), "kb": storable_id(kb), "embedder_id": embedder_id}
    # A knowledge base without documents has no vectors yet: it takes any embedder.
    cursor = await connection.execute(
        """INSERT INTO firstline.knowledge_bases AS base (tenant, kb, embedder_id)
        VALUES (%(tenant)s, %(kb)s, %(embedder_id)s)
        ON CONFLICT (tenant, kb) DO UPDATE SET embedder_id = CASE
            WHEN EXISTS (SELECT FROM firstline.documents
                         WHERE tenant = base.tenant AND kb = base.kb) THEN base.embedder_id
            ELSE excluded.embedder_id END
        RETURNING embedder_id, head, candidate""",
        parameters,
    )
    row = await cursor.fetchone()
    if row is None or row["embedder_id"] != embedder_id:
        made_by = row["embedder_id"] if row else "another embedder"
        raise InvalidInput(
            f"The vectors of the knowledge base {kb!r} were made by {made_by}, not by {embedder_id}.",
            remedy="Use that embedder, or ingest into another knowledge base with --kb.",
        )
    if row["candidate"] is None:
        beyond = await (await connection.execute(BEYOND, {**parameters, "head": row["head"]})).fetchone()
        if beyond is None or beyond["beyond"]:
            raise Conflict(
                f"What snapshots after {row['head']} of {kb!r} have written is not undone yet.",
                remedy="Run the ingest again.",
            )
    cursor = await connection.execute(
        """UPDATE firstline.knowledge_bases SET opened = nextval('firstline.marks'),
            counter = CASE WHEN candidate IS NULL THEN counter + 1 ELSE counter END,
            candidate = coalesce(candidate, counter + 1)
        WHERE tenant = %(tenant)s AND kb = %(kb)s RETURNING candidate""",
        parameters,
    )
    opened = await cursor.fetchone()
    return opened["candidate"] if opened else 0


async def abandoned(connection: Connection, tenant: str, kb: str, limit: int) -> Abandoned:
    place = {"tenant": storable(tenant), "kb": storable(kb)}
    cursor = await connection.execute(
        """SELECT head, candidate FROM firstline.knowledge_bases
        WHERE tenant = %(tenant)s AND kb = %(kb)s FOR NO KEY UPDATE""",
        place,
    )
    base = await cursor.fetchone()
    if base is None or base["candidate"] is not None:
        return Abandoned()
    parameters = {**place, "head": base["head"], "limit": limit}
    # First of all nobody may publish them any more: from here on they fall apart.
    await connection.execute(
        "DELETE FROM firstline.snapshots WHERE tenant = %(tenant)s AND kb = %(kb)s AND number > %(head)s", parameters
    )
    written = await connection.execute(
        """SELECT doc_id, since, blob FROM firstline.documents
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND since > %(head)s ORDER BY doc_id, since LIMIT %(limit)s""",
        parameters,
    )
    removed = await with_chunks(connection, tenant, kb, await written.fetchall())
    ended = await connection.execute(
        """SELECT doc_id, since, blob FROM firstline.documents
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= %(head)s AND until > %(head)s AND until < 2147483647
        ORDER BY doc_id, since LIMIT %(limit)s""",
        parameters,
    )
    kept = await with_chunks(connection, tenant, kb, await ended.fetchall())
    planned = await connection.execute(
        """SELECT doc_id, candidate FROM firstline.planned_documents
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND candidate > %(head)s
        ORDER BY candidate, doc_id LIMIT %(limit)s""",
        parameters,
    )
    return Abandoned(
        written=tuple(removed),
        ended=tuple(kept),
        planned=tuple((row["doc_id"], row["candidate"]) for row in await planned.fetchall()),
    )


async def undo(connection: Connection, tenant: str, kb: str, given: Abandoned) -> None:
    cursor = await connection.execute(
        """SELECT head, candidate FROM firstline.knowledge_bases
        WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE""",
        [storable(tenant), storable(kb)],
    )
    base = await cursor.fetchone()
    if base is None:
        raise no_knowledge_base(kb)
    if base["candidate"] is not None:
        raise Conflict(f"A candidate of {kb!r} was opened meanwhile.", remedy="Run the ingest again.")
    written = [(one.doc_id, one.since) for one in given.written if one.since > base["head"]]
    if written:
        await knowledge_writes.remove(connection, tenant, kb, written)
    ended = [(one.doc_id, one.since) for one in given.ended if one.since <= base["head"]]
    cursor = await connection.execute(
        """UPDATE firstline.documents AS document SET until = %s
        FROM unnest(%s::text[], %s::integer[]) AS revision (doc_id, since)
        WHERE document.tenant = %s AND document.kb = %s AND document.doc_id = revision.doc_id
          AND document.since = revision.since AND document.until > %s AND document.until < 2147483647
        RETURNING document.doc_id, document.since""",
        [FOREVER, [one for one, _ in ended], [since for _, since in ended], tenant, kb, base["head"]],
    )
    back = await cursor.fetchall()
    await knowledge_words.count(connection, tenant, kb, base["head"] + 1, pairs(back), step=1)
    await knowledge_writes.move_chunks(connection, tenant, kb, back, FOREVER)
    await connection.execute(
        """DELETE FROM firstline.planned_documents AS plan
        USING unnest(%s::text[], %s::integer[]) AS one (doc_id, number)
        WHERE plan.tenant = %s AND plan.kb = %s AND plan.doc_id = one.doc_id AND plan.candidate = one.number""",
        [[one for one, _ in given.planned], [number for _, number in given.planned], tenant, kb],
    )


async def with_chunks(connection: Connection, tenant: str, kb: str, rows: Sequence[DictRow]) -> list[Revision]:
    """Revisions with the ids of their chunks."""
    if not rows:
        return []
    cursor = await connection.execute(
        """SELECT chunk.doc_id, chunk.since, array_agg(chunk.chunk_id::text ORDER BY ordinal) AS chunk_ids
        FROM firstline.chunks AS chunk
        JOIN unnest(%s::text[], %s::integer[]) AS revision (doc_id, since) USING (doc_id, since)
        WHERE chunk.tenant = %s AND chunk.kb = %s GROUP BY chunk.doc_id, chunk.since""",
        [[row["doc_id"] for row in rows], [row["since"] for row in rows], storable(tenant), storable(kb)],
    )
    chunks = {(row["doc_id"], row["since"]): tuple(row["chunk_ids"]) for row in await cursor.fetchall()}
    return [
        Revision(
            doc_id=row["doc_id"],
            since=row["since"],
            blob=row["blob"],
            chunk_ids=chunks.get((row["doc_id"], row["since"]), ()),
        )
        for row in rows
    ]
