"""What ingestion does to the ledger: each of these is one transaction of its caller."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import FOREVER
from firstline.engines.postgres import blob_lock, knowledge_words, tombstones
from firstline.engines.postgres.rows import COPY_CHUNKS, COPY_DOCUMENTS, chunk_row, document_row
from firstline.errors import Conflict
from firstline.ports import StoredDocument

Connection = AsyncConnection[DictRow]


async def claim(connection: Connection, tenant: str, kb: str, candidate: int) -> None:
    """Conflict unless `candidate` is the open one: what is published never changes.

    The row stays locked until the end of the transaction, so publishing waits for a write under way, and so does the
    next write of this knowledge base: each goes over its words more than once, and two at a time would lock each
    other out.
    """
    cursor = await connection.execute(
        "SELECT candidate FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE", [tenant, kb]
    )
    row = await cursor.fetchone()
    if row is None or row["candidate"] != candidate:
        raise not_open(kb, candidate)


def not_open(kb: str, candidate: int) -> Conflict:
    return Conflict(
        f"Snapshot {candidate} of {kb!r} is not the open candidate: it was published, or given up by a rollback.",
        remedy="Run the ingest again.",
    )


async def write(
    connection: Connection, tenant: str, kb: str, candidate: int, documents: Sequence[StoredDocument]
) -> list[str]:
    """Returns the chunk ids of older revisions that now end, and those of the candidate's own that are gone."""
    gone = await tombstones.since_opened(connection, tenant, kb, [stored.document.doc_id for stored in documents])
    if gone:
        await tombstones.refuse(connection, tenant, kb, candidate, documents, gone)
        documents = [stored for stored in documents if stored.document.doc_id not in gone]
    doc_ids = [stored.document.doc_id for stored in documents]
    written = {chunk.chunk_id for stored in documents for chunk in stored.chunks}
    removed = await _remove_own(connection, tenant, kb, candidate, doc_ids)
    moved = await _end_older(connection, tenant, kb, candidate, doc_ids)
    async with connection.cursor() as cursor:
        async with cursor.copy(COPY_DOCUMENTS) as copy:
            for stored in documents:
                await copy.write_row(document_row(stored))
        async with cursor.copy(COPY_CHUNKS) as copy:
            for stored in documents:
                for chunk in stored.chunks:
                    await copy.write_row(chunk_row(chunk))
    await knowledge_words.add(connection, candidate, documents)
    await tombstones.lift(connection, tenant, kb, candidate, doc_ids)
    await connection.execute(
        """DELETE FROM firstline.planned_documents
        WHERE tenant = %s AND kb = %s AND candidate = %s AND doc_id = ANY(%s)""",
        [tenant, kb, candidate, doc_ids],
    )
    return [*moved, *(chunk_id for chunk_id in removed if chunk_id not in written)]


async def end(connection: Connection, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
    """Returns the chunk ids of every revision that now ends at the candidate, also when it did before: a repeat after
    a crash tells the index again."""
    removed = await _remove_own(connection, tenant, kb, candidate, doc_ids)
    await _end_older(connection, tenant, kb, candidate, doc_ids)
    cursor = await connection.execute(
        """SELECT chunk_id FROM firstline.documents document
        JOIN firstline.chunks chunk USING (tenant, kb, doc_id, since)
        WHERE tenant = %s AND kb = %s AND doc_id = ANY(%s) AND document.until = %s
          AND document.until < 2147483647""",
        [tenant, kb, list(doc_ids), candidate],
    )
    return [*removed, *_ids(await cursor.fetchall())]


async def unend(connection: Connection, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
    """A document that the candidate wrote anew stays as it is: its older revision has ended for good."""
    cursor = await connection.execute(
        """UPDATE firstline.documents old SET until = %(forever)s
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND doc_id = ANY(%(doc_ids)s) AND until = %(candidate)s
          AND NOT EXISTS (SELECT FROM firstline.documents new
                          WHERE new.tenant = old.tenant AND new.kb = old.kb AND new.doc_id = old.doc_id
                            AND new.since = %(candidate)s)
        RETURNING doc_id, since""",
        {"tenant": tenant, "kb": kb, "doc_ids": list(doc_ids), "candidate": candidate, "forever": FOREVER},
    )
    back = await cursor.fetchall()
    await knowledge_words.count(connection, tenant, kb, candidate, _pairs(back), step=1)
    return await move_chunks(connection, tenant, kb, back, FOREVER)


async def seal(connection: Connection, tenant: str, kb: str, candidate: int, *, waits: str, publish: bool) -> None:
    """The candidate becomes a snapshot. Counted from what it changed, so that it takes as long as that."""
    await claim(connection, tenant, kb, candidate)
    await connection.execute(
        """WITH changed AS (
            SELECT count(*) AS documents, coalesce(sum(chunks), 0) AS chunks FROM firstline.documents
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND since = %(candidate)s
            UNION ALL
            SELECT -count(*), -coalesce(sum(chunks), 0) FROM firstline.documents
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND until = %(candidate)s AND until < 2147483647
            UNION ALL
            SELECT documents, chunks FROM firstline.snapshots JOIN firstline.knowledge_bases AS base USING (tenant, kb)
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND number = base.head
        )
        INSERT INTO firstline.snapshots (tenant, kb, number, documents, chunks, published_at, sealed_at, waits)
        SELECT %(tenant)s, %(kb)s, %(candidate)s, sum(documents), sum(chunks),
            CASE WHEN %(publish)s THEN now() END, now(), %(waits)s
        FROM changed""",
        {"tenant": tenant, "kb": kb, "candidate": candidate, "publish": publish, "waits": waits},
    )
    await connection.execute(
        """UPDATE firstline.knowledge_bases SET head = %(candidate)s, candidate = NULL,
            published = CASE WHEN %(publish)s THEN %(candidate)s ELSE published END,
            canary = CASE WHEN %(publish)s THEN 0 ELSE canary END
        WHERE tenant = %(tenant)s AND kb = %(kb)s""",
        {"tenant": tenant, "kb": kb, "candidate": candidate, "publish": publish},
    )
    await connection.execute(
        "DELETE FROM firstline.planned_documents WHERE tenant = %s AND kb = %s AND candidate <= %s",
        [tenant, kb, candidate],
    )
    await knowledge_words.forget_ended(connection, tenant, kb, candidate)


async def remove(connection: Connection, tenant: str, kb: str, revisions: Sequence[tuple[str, int]]) -> None:
    """Remove revisions with their chunks and words. Contents that nobody uses then wait to be deleted."""
    doc_ids, sinces = [doc_id for doc_id, _ in revisions], [since for _, since in revisions]
    parameters = {"tenant": tenant, "kb": kb, "doc_ids": doc_ids, "sinces": sinces}
    cursor = await connection.execute(
        """SELECT doc_id, since, until FROM firstline.documents
        JOIN unnest(%(doc_ids)s::text[], %(sinces)s::integer[]) AS revision (doc_id, since) USING (doc_id, since)
        WHERE tenant = %(tenant)s AND kb = %(kb)s""",
        parameters,
    )
    # Those that end were taken out of the count when their end was written.
    current = [(row["doc_id"], row["since"]) for row in await cursor.fetchall() if row["until"] == FOREVER]
    await knowledge_words.count(connection, tenant, kb, 0, current, step=-1)
    await connection.execute(
        """UPDATE firstline.snapshots AS snapshot
        SET documents = snapshot.documents - gone.documents, chunks = snapshot.chunks - gone.chunks
        FROM (
            SELECT held.number, count(*) AS documents, sum(document.chunks) AS chunks
            FROM firstline.documents AS document
            JOIN unnest(%(doc_ids)s::text[], %(sinces)s::integer[]) AS revision (doc_id, since) USING (doc_id, since)
            JOIN firstline.snapshots AS held ON held.tenant = document.tenant AND held.kb = document.kb
              AND held.number >= document.since AND held.number < document.until
            WHERE document.tenant = %(tenant)s AND document.kb = %(kb)s GROUP BY held.number
        ) AS gone
        WHERE snapshot.tenant = %(tenant)s AND snapshot.kb = %(kb)s AND snapshot.number = gone.number""",
        parameters,
    )
    await connection.execute(
        """DELETE FROM firstline.chunks AS chunk
        USING unnest(%(doc_ids)s::text[], %(sinces)s::integer[]) AS revision (doc_id, since)
        WHERE chunk.tenant = %(tenant)s AND chunk.kb = %(kb)s
          AND chunk.doc_id = revision.doc_id AND chunk.since = revision.since""",
        parameters,
    )
    await blob_lock.hold_blobs(connection)
    await connection.execute(
        """WITH removed AS (
            DELETE FROM firstline.documents AS document
            USING unnest(%(doc_ids)s::text[], %(sinces)s::integer[]) AS revision (doc_id, since)
            WHERE document.tenant = %(tenant)s AND document.kb = %(kb)s
              AND document.doc_id = revision.doc_id AND document.since = revision.since
            RETURNING document.blob
        ) INSERT INTO firstline.doomed_blobs (blob) SELECT DISTINCT blob FROM removed ON CONFLICT DO NOTHING""",
        parameters,
    )


async def _remove_own(
    connection: Connection, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]
) -> list[str]:
    parameters = [tenant, kb, list(doc_ids), candidate]
    cursor = await connection.execute(
        """SELECT doc_id, since FROM firstline.documents
        WHERE tenant = %s AND kb = %s AND doc_id = ANY(%s) AND since = %s""",
        parameters,
    )
    own = await cursor.fetchall()
    if not own:
        return []
    await knowledge_words.count(connection, tenant, kb, candidate, _pairs(own), step=-1)
    cursor = await connection.execute(
        """DELETE FROM firstline.chunks chunk USING unnest(%s::text[], %s::integer[]) AS own (doc_id, since)
        WHERE chunk.tenant = %s AND chunk.kb = %s AND chunk.doc_id = own.doc_id AND chunk.since = own.since
        RETURNING chunk_id""",
        [*_revisions(own), tenant, kb],
    )
    removed = _ids(await cursor.fetchall())
    await blob_lock.hold_blobs(connection)
    await connection.execute(
        """WITH removed AS (
            DELETE FROM firstline.documents WHERE tenant = %s AND kb = %s AND doc_id = ANY(%s) AND since = %s
            RETURNING blob
        ) INSERT INTO firstline.doomed_blobs (blob) SELECT DISTINCT blob FROM removed ON CONFLICT DO NOTHING""",
        parameters,
    )
    return removed


async def _end_older(connection: Connection, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
    cursor = await connection.execute(
        """UPDATE firstline.documents SET until = %s
        WHERE tenant = %s AND kb = %s AND doc_id = ANY(%s) AND since < %s AND until = %s RETURNING doc_id, since""",
        [candidate, tenant, kb, list(doc_ids), candidate, FOREVER],
    )
    older = await cursor.fetchall()
    await knowledge_words.count(connection, tenant, kb, candidate, _pairs(older), step=-1)
    return await move_chunks(connection, tenant, kb, older, candidate)


async def move_chunks(
    connection: Connection, tenant: str, kb: str, revisions: Sequence[DictRow], until: int
) -> list[str]:
    """Chunks end, or go on, with their revision. Found by whole index keys: that stays quick without statistics."""
    if not revisions:
        return []
    cursor = await connection.execute(
        """UPDATE firstline.chunks chunk SET until = %s
        FROM unnest(%s::text[], %s::integer[]) AS revision (doc_id, since)
        WHERE chunk.tenant = %s AND chunk.kb = %s
          AND chunk.doc_id = revision.doc_id AND chunk.since = revision.since
        RETURNING chunk_id""",
        [until, *_revisions(revisions), tenant, kb],
    )
    return _ids(await cursor.fetchall())


def _revisions(rows: Sequence[DictRow]) -> tuple[list[str], list[int]]:
    return [row["doc_id"] for row in rows], [row["since"] for row in rows]


def _pairs(rows: Sequence[DictRow]) -> list[tuple[str, int]]:
    return [(row["doc_id"], row["since"]) for row in rows]


def _ids(rows: Sequence[DictRow]) -> list[str]:
    return [str(row["chunk_id"]) for row in rows]
