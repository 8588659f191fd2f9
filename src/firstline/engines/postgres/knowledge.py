"""Documents, chunks and snapshots on Postgres."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager

from psycopg.types.json import Jsonb

from firstline.domain import (
    EVERY_TENANT,
    CandidateFacts,
    Chunk,
    Document,
    DocumentKind,
    Failure,
    Snapshot,
    acting_for,
    acting_tenant,
)
from firstline.engines.postgres import (
    blob_lock,
    ingest_lock,
    knowledge_words,
    knowledge_writes,
    pointer,
    tombstones,
    undoing,
)
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.rows import possible_ids, read_chunk, read_document, scope_parameters
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import Broken
from firstline.ports import Abandoned, KnowledgeStatus, Scope, StoredDocument

FAILURE_LISTS_MAX = 50
"""Lists of failures kept per knowledge base: one per run, the newest ones."""


class PostgresKnowledgeLedger:
    """See ports.KnowledgeLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ingest_lock(self, *, tenant: str, kb: str) -> AbstractAsyncContextManager[None]:
        return ingest_lock.hold(self._database, tenant=tenant, kb=kb)

    async def published(self, *, tenant: str, kb: str) -> Snapshot:
        return await pointer.published(self._database, tenant, kb)

    async def abandoned(self, *, tenant: str, kb: str, limit: int) -> Abandoned:
        async with self._database.transaction() as connection:
            return await undoing.abandoned(connection, tenant, kb, limit)

    async def undo(self, abandoned: Abandoned, *, tenant: str, kb: str) -> None:
        async with self._database.transaction() as connection:
            await undoing.undo(connection, tenant, kb, abandoned)

    async def open_candidate(self, *, tenant: str, kb: str, embedder_id: str) -> int:
        async with self._database.transaction() as connection:
            return await undoing.open_candidate(connection, tenant, kb, embedder_id)

    async def current(self, *, tenant: str, kb: str) -> dict[str, Document]:
        rows = await self._database.rows(
            """SELECT DISTINCT ON (doc_id) document.*
            FROM firstline.documents document JOIN firstline.knowledge_bases base USING (tenant, kb)
            WHERE tenant = %s AND kb = %s AND until > base.head AND (since <= base.head OR since = base.candidate)
              AND NOT EXISTS (SELECT FROM firstline.tombstones t
                              WHERE t.tenant = document.tenant AND t.kb = document.kb AND t.doc_id = document.doc_id
                                AND t.upto >= document.since)
            ORDER BY doc_id, since DESC""",
            [storable(tenant), storable(kb)],
        )
        return {row["doc_id"]: read_document(row) for row in rows}

    async def plan(
        self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str], blobs: Sequence[str] = ()
    ) -> None:
        ids = [storable_id(doc_id) for doc_id in doc_ids]
        contents = list(blobs) or [""] * len(ids)
        async with self._database.transaction() as connection:
            await knowledge_writes.claim(connection, tenant, kb, candidate)
            await blob_lock.hold_blobs(connection)
            await connection.execute(
                """INSERT INTO firstline.planned_documents (tenant, kb, candidate, doc_id, blob)
                SELECT %s, %s, %s, doc_id, max(blob)
                FROM unnest(%s::text[], %s::text[]) AS planned (doc_id, blob) GROUP BY doc_id
                ON CONFLICT (tenant, kb, candidate, doc_id) DO UPDATE SET blob = excluded.blob""",
                [tenant, kb, candidate, ids, contents],
            )

    async def planned(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        rows = await self._database.rows(
            """SELECT doc_id FROM firstline.planned_documents
            WHERE tenant = %s AND kb = %s AND candidate = %s ORDER BY doc_id""",
            [storable(tenant), storable(kb), candidate],
        )
        return [row["doc_id"] for row in rows]

    async def write(self, documents: Sequence[StoredDocument]) -> list[str]:
        groups: dict[tuple[str, str, int], dict[str, StoredDocument]] = {}
        for stored in documents:
            document = stored.document
            groups.setdefault((document.tenant, document.kb, document.since), {})[document.doc_id] = stored
        _refuse_others({tenant for tenant, _, _ in groups})
        ended: list[str] = []
        # Postgres copies nothing into a table with a wall. So this one write goes round it; whose rows these are has
        # just been looked at, and every statement of it says whose it means.
        with acting_for(EVERY_TENANT):
            async with self._database.transaction() as connection:
                # In one order for all: claiming locks.
                for tenant, kb, candidate in sorted(groups):
                    group = groups[tenant, kb, candidate]
                    await knowledge_writes.claim(connection, tenant, kb, candidate)
                    ended += await knowledge_writes.write(connection, tenant, kb, candidate, list(group.values()))
        return ended

    async def end(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        async with self._database.transaction() as connection:
            await knowledge_writes.claim(connection, tenant, kb, candidate)
            return await knowledge_writes.end(connection, tenant, kb, candidate, doc_ids)

    async def unend(self, *, tenant: str, kb: str, candidate: int, doc_ids: Sequence[str]) -> list[str]:
        async with self._database.transaction() as connection:
            await knowledge_writes.claim(connection, tenant, kb, candidate)
            return await knowledge_writes.unend(connection, tenant, kb, candidate, doc_ids)

    async def ended(self, *, tenant: str, kb: str, candidate: int) -> list[str]:
        # Through the documents: their `until` is indexed (where it is not "forever"), that of the many chunks is not.
        rows = await self._database.rows(
            """SELECT chunk_id FROM firstline.documents document
            JOIN firstline.chunks chunk USING (tenant, kb, doc_id, since)
            WHERE tenant = %s AND kb = %s AND document.until = %s AND document.until < 2147483647""",
            [storable(tenant), storable(kb), candidate],
        )
        return [str(row["chunk_id"]) for row in rows]

    async def forgotten(self, *, tenant: str, kb: str, doc_ids: Sequence[str]) -> frozenset[str]:
        async with self._database.connection() as connection:
            return await tombstones.since_opened(connection, tenant, kb, [storable(doc_id) for doc_id in doc_ids])

    async def facts(self, *, tenant: str, kb: str, candidate: int) -> CandidateFacts:
        return await pointer.facts(self._database, tenant, kb, candidate)

    async def seal(self, *, tenant: str, kb: str, candidate: int, waits: str) -> Snapshot:
        async with self._database.transaction() as connection:
            await knowledge_writes.seal(connection, tenant, kb, candidate, waits=waits, publish=False)
            return await pointer.snapshot(connection, tenant, kb, candidate)

    async def publish(self, *, tenant: str, kb: str, candidate: int) -> Snapshot:
        async with self._database.transaction() as connection:
            await knowledge_writes.seal(connection, tenant, kb, candidate, waits="", publish=True)
            return await pointer.snapshot(connection, tenant, kb, candidate)

    async def record_failures(self, *, tenant: str, kb: str, candidate: int, failures: Sequence[Failure]) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(
                """INSERT INTO firstline.failures (tenant, kb, candidate, failures) VALUES (%s, %s, %s, %s)
                ON CONFLICT (tenant, kb, candidate) DO UPDATE SET failures = excluded.failures""",
                [tenant, kb, candidate, Jsonb(encode(tuple(failures)))],
            )
            await connection.execute(
                "DELETE FROM firstline.failures WHERE tenant = %s AND kb = %s AND candidate <= %s",
                [tenant, kb, candidate - FAILURE_LISTS_MAX],
            )

    async def failures(self, *, tenant: str, kb: str) -> list[Failure]:
        row = await self._database.row(
            """SELECT failures FROM firstline.failures
            WHERE tenant = %s AND kb = %s ORDER BY candidate DESC LIMIT 1""",
            [storable(tenant), storable(kb)],
        )
        return [decode(Failure, failure) for failure in row["failures"]] if row else []

    async def chunks(self, chunk_ids: Sequence[str], scope: Scope) -> list[Chunk]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.chunks_by_id(
                %(chunk_ids)s::uuid[], %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)""",
            {**scope_parameters(scope), "chunk_ids": possible_ids(chunk_ids)},
        )
        found = {str(row["chunk_id"]): read_chunk(row) for row in rows}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    async def neighbours(self, chunk: Chunk, scope: Scope, *, before: int, after: int) -> list[Chunk]:
        if (chunk.tenant, chunk.kb) != (scope.tenant, scope.kb):
            return []
        rows = await self._database.rows(
            """SELECT * FROM firstline.chunks_in_scope(
                %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)
            WHERE doc_id = %(doc_id)s AND since = %(since)s AND ordinal BETWEEN %(first)s AND %(last)s
            ORDER BY ordinal""",
            {
                **scope_parameters(scope),
                "doc_id": storable(chunk.doc_id),
                "since": chunk.since,
                "first": chunk.ordinal - before,
                "last": chunk.ordinal + after,
            },
        )
        return [read_chunk(row) for row in rows]

    async def document(self, doc_id: str, scope: Scope) -> Document | None:
        row = await self._database.row(
            """SELECT * FROM firstline.documents_in_scope(
                %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)
            WHERE doc_id = %(doc_id)s""",
            {**scope_parameters(scope), "doc_id": storable(doc_id)},
        )
        return read_document(row) if row else None

    async def documents(self, doc_ids: Sequence[str], scope: Scope) -> list[Document]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.documents_in_scope(
                %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)
            WHERE doc_id = ANY(%(doc_ids)s::text[])""",
            {**scope_parameters(scope), "doc_ids": [storable(doc_id) for doc_id in doc_ids]},
        )
        found = {row["doc_id"]: read_document(row) for row in rows}
        return [found[doc_id] for doc_id in dict.fromkeys(doc_ids) if doc_id in found]

    async def document_chunks(self, doc_id: str, scope: Scope) -> list[Chunk]:
        rows = await self._database.rows(
            """SELECT * FROM firstline.chunks_in_scope(
                %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)
            WHERE doc_id = %(doc_id)s ORDER BY ordinal""",
            {**scope_parameters(scope), "doc_id": storable(doc_id)},
        )
        return [read_chunk(row) for row in rows]

    async def faq(self, question_key: str, scope: Scope) -> Document | None:
        row = await self._database.row(
            """SELECT * FROM firstline.documents_in_scope(
                %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)
            WHERE kind = 'faq' AND metadata ->> 'question_key' = %(question_key)s
            ORDER BY doc_id LIMIT 1""",
            {**scope_parameters(scope), "question_key": storable(question_key)},
        )
        return read_document(row) if row else None

    async def word_counts(self, words: Collection[str], scope: Scope) -> dict[str, int] | None:
        return await knowledge_words.word_counts(self._database, words, scope)

    async def knowledge_bases(self, *, tenant: str) -> list[str]:
        rows = await self._database.rows(
            "SELECT kb FROM firstline.knowledge_bases WHERE tenant = %s ORDER BY kb", [storable(tenant)]
        )
        return [row["kb"] for row in rows]

    async def status(self, *, tenant: str, kb: str) -> KnowledgeStatus:
        snapshot = await self.published(tenant=tenant, kb=kb)
        place = [storable(tenant), storable(kb)]
        base = await self._database.row(
            """SELECT embedder_id, candidate, ARRAY(
                SELECT number FROM firstline.snapshots AS one WHERE one.tenant = base.tenant AND one.kb = base.kb
                  AND number > published AND number <= head ORDER BY number) AS waiting
            FROM firstline.knowledge_bases AS base WHERE tenant = %s AND kb = %s""",
            place,
        )
        kinds = await self._database.rows(
            """SELECT kind, count(*) AS documents FROM firstline.documents
            WHERE tenant = %s AND kb = %s AND since <= %s AND until > %s GROUP BY kind ORDER BY kind""",
            [*place, snapshot.number, snapshot.number],
        )
        candidate = base["candidate"] if base else None
        work = (0, 0, 0) if candidate is None else await self._candidate_work(place, candidate)
        return KnowledgeStatus(
            tenant=tenant,
            kb=kb,
            snapshot=snapshot.number,
            documents=snapshot.documents,
            chunks=snapshot.chunks,
            published_at=snapshot.published_at,
            embedder_id=base["embedder_id"] if base else None,
            candidate=candidate if any(work) else None,
            candidate_documents=work[0],
            failures=len(await self.failures(tenant=tenant, kb=kb)),
            by_kind={DocumentKind(row["kind"]): row["documents"] for row in kinds},
            waiting=tuple(base["waiting"]) if base else (),
        )

    async def _candidate_work(self, place: list[str], candidate: int) -> tuple[int, int, int]:
        """How many documents the candidate wrote, ended and planned. All zero: there is none to speak of."""
        tenant, kb = place
        row = await self._database.row(
            """SELECT
                (SELECT count(*) FROM firstline.documents
                 WHERE tenant = %(tenant)s AND kb = %(kb)s AND since = %(candidate)s) AS written,
                (SELECT count(*) FROM firstline.documents
                 WHERE tenant = %(tenant)s AND kb = %(kb)s AND until = %(candidate)s
                   AND until < 2147483647) AS ended,
                (SELECT count(*) FROM firstline.planned_documents
                 WHERE tenant = %(tenant)s AND kb = %(kb)s AND candidate = %(candidate)s) AS planned""",
            {"tenant": tenant, "kb": kb, "candidate": candidate},
        )
        return (row["written"], row["ended"], row["planned"]) if row else (0, 0, 0)


def _refuse_others(tenants: Collection[str]) -> None:
    """Broken when whoever works for one tenant would write documents of another."""
    own = acting_tenant()
    if own is not EVERY_TENANT and any(tenant != own for tenant in tenants):
        raise Broken("Documents of another tenant were about to be written.", remedy="Report it; nothing was written.")
