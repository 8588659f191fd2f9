"""The words of a knowledge base: counted with each change of the candidate, looked up for misspelt questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from firstline.domain import FOREVER, Document
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.rows import scope_parameters
from firstline.engines.postgres.text import storable
from firstline.ports import Scope, StoredDocument

Connection = AsyncConnection[DictRow]


async def word_counts(database: Database, words: Collection[str], scope: Scope) -> dict[str, int] | None:
    rows = await database.rows(
        """SELECT NULL AS word, 0 AS documents WHERE EXISTS (
            SELECT FROM firstline.documents_without_words JOIN firstline.documents USING (tenant, kb, doc_id, since)
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= %(snapshot)s AND until > %(snapshot)s)
        UNION ALL
        SELECT word, greatest(1, sum(documents))::integer AS documents
        FROM firstline.kb_words AS known CROSS JOIN LATERAL (
            -- What is forgotten counts until it is purged: in seconds, and then there is no row to look at here.
            SELECT count(*) AS buried FROM firstline.tombstones AS stone
            JOIN firstline.documents AS gone USING (tenant, kb, doc_id)
            JOIN firstline.document_words AS held USING (tenant, kb, doc_id, since)
            WHERE stone.tenant = known.tenant AND stone.kb = known.kb AND stone.purged_at IS NULL
              AND gone.since <= stone.upto AND gone.since <= %(snapshot)s AND gone.until > %(snapshot)s
              AND gone.acl = known.acl AND gone.level = known.level AND known.word = ANY (held.words)
        ) AS forgotten
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND word = ANY (%(words)s)
          AND acl && %(acl_tags)s AND level <= %(level_max)s AND since <= %(snapshot)s AND until > %(snapshot)s
          AND (buried = 0 OR documents > buried)
        GROUP BY word""",
        {**scope_parameters(scope), "words": sorted({storable(word) for word in words})},
    )
    counts = {row["word"]: row["documents"] for row in rows}
    return None if None in counts else counts


async def add(connection: Connection, candidate: int, documents: Sequence[StoredDocument]) -> None:
    """Keep and count the words of documents that the candidate has just written; note those that bring none."""
    await _note_silent(connection, [stored.document for stored in documents if stored.words is None])
    telling = [stored for stored in documents if stored.words]
    if not telling:
        return
    async with (
        connection.cursor() as cursor,
        cursor.copy("COPY firstline.document_words (tenant, kb, doc_id, since, words) FROM STDIN") as copy,
    ):
        for stored in telling:
            document = stored.document
            words = sorted(map(storable, stored.words or ()))
            await copy.write_row((document.tenant, document.kb, document.doc_id, document.since, words))
    first = telling[0].document
    revisions = [(stored.document.doc_id, stored.document.since) for stored in telling]
    await count(connection, first.tenant, first.kb, candidate, revisions, step=1)


async def _note_silent(connection: Connection, documents: Sequence[Document]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(
            """INSERT INTO firstline.documents_without_words (tenant, kb, doc_id, since) VALUES (%s, %s, %s, %s)
            ON CONFLICT DO NOTHING""",
            [(document.tenant, document.kb, document.doc_id, document.since) for document in documents],
        )


async def count(
    connection: Connection, tenant: str, kb: str, candidate: int, revisions: Sequence[tuple[str, int]], *, step: int
) -> None:
    """Count the words of these (doc_id, since) once more (step 1) or once less (step -1): who counts the last one less
    lets the word end at `candidate`.

    In the order of words, so that two writers wait for each other instead of locking each other out.
    """
    if not revisions:
        return
    await connection.execute(
        """INSERT INTO firstline.kb_words AS known
            (tenant, kb, word, audience, acl, level, since, until, documents)
        SELECT tenant, kb, word, md5(level::text || acl::text)::uuid, acl, level,
            min(since), %(forever)s, count(*) * %(step)s
        FROM unnest(%(doc_ids)s::text[], %(sinces)s::integer[]) AS revision (doc_id, since)
        JOIN firstline.documents document USING (doc_id, since)
        JOIN firstline.document_words USING (tenant, kb, doc_id, since)
        CROSS JOIN unnest(words) AS word
        WHERE tenant = %(tenant)s AND kb = %(kb)s
        GROUP BY tenant, kb, word, level, acl ORDER BY word, level, acl
        ON CONFLICT (tenant, kb, word, audience) DO UPDATE SET
            documents = known.documents + excluded.documents,
            since = CASE WHEN known.documents <= 0 AND known.since >= known.until THEN excluded.since
                ELSE least(known.since, excluded.since) END,
            until = CASE WHEN known.documents + excluded.documents > 0 THEN %(forever)s ELSE %(candidate)s END""",
        {
            "tenant": tenant,
            "kb": kb,
            "candidate": candidate,
            "forever": FOREVER,
            "step": step,
            "doc_ids": [doc_id for doc_id, _ in revisions],
            "sinces": [since for _, since in revisions],
        },
    )


async def forget_ended(connection: Connection, tenant: str, kb: str, published: int) -> None:
    """Words that no snapshot ever held: the candidate wrote them and took them back."""
    await connection.execute(
        "DELETE FROM firstline.kb_words WHERE tenant = %s AND kb = %s AND documents <= 0 AND since >= until",
        [tenant, kb],
    )
    await connection.execute(
        """DELETE FROM firstline.documents_without_words AS silent USING firstline.documents AS document
        WHERE silent.tenant = %s AND silent.kb = %s AND document.until <= %s
          AND (document.tenant, document.kb, document.doc_id, document.since)
            = (silent.tenant, silent.kb, silent.doc_id, silent.since)""",
        [tenant, kb, published],
    )


async def forget_before(connection: Connection, tenant: str, kb: str, oldest: int) -> None:
    """Words that ended before the oldest snapshot that is kept."""
    await connection.execute(
        "DELETE FROM firstline.kb_words WHERE tenant = %s AND kb = %s AND documents <= 0 AND until <= %s",
        [tenant, kb, oldest],
    )


async def forget_words(connection: Connection, tenant: str, kb: str, words: Collection[str]) -> None:
    """Of words whose documents are forgotten, those that stand in no other one that is current."""
    await connection.execute(
        "DELETE FROM firstline.kb_words WHERE tenant = %s AND kb = %s AND documents <= 0 AND word = ANY (%s)",
        [tenant, kb, sorted(words)],
    )
