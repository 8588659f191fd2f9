"""Every revision that is held, read in pages for what is made anew of them."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, LiteralString

from firstline.domain import Chunk
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.rows import read_chunk, read_document, scope_parameters
from firstline.engines.postgres.text import storable
from firstline.ports import Scope, StoredDocument

# What no snapshot holds any more is about to be removed: `retire` has taken the numbers away.
HELD: Final[LiteralString] = """SELECT document.* FROM firstline.documents AS document
    WHERE tenant = %(tenant)s AND kb = %(kb)s AND (doc_id, since) > (%(doc_id)s, %(since)s)
      AND until > coalesce((SELECT min(number) FROM firstline.snapshots AS one
                            WHERE one.tenant = %(tenant)s AND one.kb = %(kb)s), 0)
      AND NOT EXISTS (SELECT FROM firstline.tombstones AS stone
                      WHERE stone.tenant = document.tenant AND stone.kb = document.kb
                        AND stone.doc_id = document.doc_id AND stone.upto >= document.since)
    ORDER BY doc_id, since LIMIT %(limit)s"""

CHUNKS: Final[LiteralString] = """SELECT chunk.* FROM firstline.chunks AS chunk
    JOIN unnest(%(doc_ids)s::text[], %(numbers)s::integer[]) AS revision (doc_id, since) USING (doc_id, since)
    WHERE chunk.tenant = %(tenant)s AND chunk.kb = %(kb)s ORDER BY chunk.doc_id, chunk.since, chunk.ordinal"""

COUNTED: Final[LiteralString] = """SELECT
    (SELECT count(*) FROM firstline.documents_in_scope(
        %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)) AS documents,
    (SELECT count(*) FROM firstline.chunks_in_scope(
        %(tenant)s, %(kb)s, %(acl_tags)s, %(level_max)s, %(snapshot)s)) AS chunks"""


class PostgresRevisions:
    """See ports.RevisionLedger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def revisions(
        self, *, tenant: str, kb: str, after: tuple[str, int] | None = None, limit: int
    ) -> list[StoredDocument]:
        place = {"tenant": storable(tenant), "kb": storable(kb)}
        doc_id, since = after or ("", -1)
        documents = [
            read_document(row)
            for row in await self._database.rows(
                HELD, {**place, "doc_id": storable(doc_id), "since": since, "limit": limit}
            )
        ]
        rows = await self._database.rows(
            CHUNKS,
            {**place, "doc_ids": [one.doc_id for one in documents], "numbers": [one.since for one in documents]},
        )
        chunks: dict[tuple[str, int], list[Chunk]] = defaultdict(list)
        for row in rows:
            chunks[row["doc_id"], row["since"]].append(read_chunk(row))
        return [StoredDocument(document=one, chunks=tuple(chunks[one.doc_id, one.since])) for one in documents]

    async def held_in(self, scope: Scope) -> tuple[int, int]:
        row = await self._database.row(COUNTED, scope_parameters(scope))
        return (row["documents"], row["chunks"]) if row else (0, 0)
