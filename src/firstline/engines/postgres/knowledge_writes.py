"""What ingestion does to the ledger: each of these is one transaction of its caller."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import FOREVER, Snapshot
from firstline.engines.postgres import knowledge_words
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
        "SELECT published FROM firstline.knowledge_bases WHERE tenant = %s AND kb = %s FOR NO KEY UPDATE", [tenant, kb]
    )
    row = await cursor.fetchone()
    if row is None or row["published"] != candidate - 1:
        raise not_open(kb, candidate)


def not_open(kb: str, candidate: int) -> Conflict:
    return Conflict(
        f"Snapshot {candidate} of {kb!r} is not the open candidate: another run has published.",
        remedy="Run the ingest again.",
    )


async def write(
    connection: Connection, tenant: str, kb: str, candidate: int, documents: Sequence[StoredDocument]
) -> list[str]:
    """Returns the chunk ids of older revisions that now end, and those of the candidate's own that are gone."""
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
    return await _move_chunks(connection, tenant, kb, back, FOREVER)


async def publish(connection: Connection, tenant: str, kb: str, candidate: int) -> Snapshot:
    cursor = await connection.execute(
        """UPDATE firstline.knowledge_bases SET published = %(candidate)s
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND published = %(candidate)s - 1 RETURNING embedder_id""",
        {"tenant": tenant, "kb": kb, "candidate": candidate},
    )
    base = await cursor.fetchone()
    if base is None:
        raise not_open(kb, candidate)
    cursor = await connection.execute(
        """INSERT INTO firstline.snapshots (tenant, kb, number, documents, chunks, published_at)
        SELECT %(tenant)s, %(kb)s, %(candidate)s, count(*), coalesce(sum(chunks), 0), now()
        FROM firstline.documents
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= %(candidate)s AND until > %(candidate)s
        RETURNING documents, chunks, published_at, coalesce((
            SELECT version FROM firstline.gates_in_force AS pointer
            WHERE pointer.tenant = %(tenant)s AND pointer.kb = %(kb)s
        ), 0) AS gates_version""",
        {"tenant": tenant, "kb": kb, "candidate": candidate},
    )
    row = await cursor.fetchone() or {}
    await connection.execute(
        "DELETE FROM firstline.planned_documents WHERE tenant = %s AND kb = %s AND candidate <= %s",
        [tenant, kb, candidate],
    )
    await knowledge_words.forget_ended(connection, tenant, kb, candidate)
    return Snapshot(
        tenant=tenant,
        kb=kb,
        number=candidate,
        documents=row["documents"],
        chunks=row["chunks"],
        published_at=row["published_at"],
        embedder_id=base["embedder_id"],
        gates_version=row["gates_version"],
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
    await connection.execute(
        "DELETE FROM firstline.documents WHERE tenant = %s AND kb = %s AND doc_id = ANY(%s) AND since = %s",
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
    return await _move_chunks(connection, tenant, kb, older, candidate)


async def _move_chunks(
    connection: Connection, tenant: str, kb: str, revisions: Sequence[DictRow], until: int
) -> list[str]:
    """Chunks end with their revision. Found by whole index keys: that stays quick without statistics."""
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
