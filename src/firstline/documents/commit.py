"""How does a batch become part of the candidate? In the order that makes a crash at any instant harmless.

The ledger's plan, the blobs, the index, the ledger's commit: see `journey`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from firstline.documents.followers import Followers
from firstline.documents.run import Batch
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    Graph,
    IndexEntry,
    KnowledgeLedger,
    StoredDocument,
    Vectors,
    WordEncoder,
)


async def commit(
    batch: Batch,
    vectors: Vectors,
    *,
    ledger: KnowledgeLedger,
    blobs: BlobStore,
    index: ChunkIndex,
    words: WordEncoder,
    graph: Graph | None = None,
) -> None:
    """Write documents of one knowledge base and candidate; `vectors` has a row per chunk, in the order of the batch.

    When it returns, the documents are acknowledged. When it raises, the candidate may hold leftovers, which `plan`
    names for the next run.
    """
    if not batch:
        return
    first = batch[0].document
    entries = asyncio.create_task(asyncio.to_thread(index_entries, batch, vectors, words=words))
    try:
        await ledger.plan(
            tenant=first.tenant,
            kb=first.kb,
            candidate=first.since,
            doc_ids=[prepared.document.doc_id for prepared in batch],
            blobs=[prepared.document.blob for prepared in batch],
        )
        for prepared in batch:
            await blobs.put(prepared.blob)
    except BaseException:
        entries.cancel()
        raise
    await index.upsert(await entries)
    if graph is not None:
        # A run that died may have left what this candidate said of them in another form.
        edges = [edge for prepared in batch for edge in prepared.edges]
        doc_ids = [prepared.document.doc_id for prepared in batch]
        await graph.delete(tenant=first.tenant, kb=first.kb, doc_ids=doc_ids, since=first.since)
        await graph.upsert(edges)
    ended = await ledger.write(
        [StoredDocument(document=prepared.document, chunks=prepared.chunks, words=prepared.words) for prepared in batch]
    )
    followers = Followers(index=index, graph=graph)
    await followers.set_until(ended, first.since)
    # Forgotten while this batch was under way: the ledger did not take them, and nothing else may keep them.
    gone = await ledger.forgotten(
        tenant=first.tenant, kb=first.kb, doc_ids=[prepared.document.doc_id for prepared in batch]
    )
    if gone:
        await followers.delete(tenant=first.tenant, kb=first.kb, doc_ids=sorted(gone), since=first.since)


def index_entries(batch: Batch, vectors: Vectors, *, words: WordEncoder) -> Sequence[IndexEntry]:
    """What the index keeps of every chunk. The first one of a document carries the mean of its vectors."""
    entries: list[IndexEntry] = []
    row = 0
    for prepared in batch:
        own = vectors[row : row + len(prepared.chunks)]
        mean = own.mean(axis=0)
        mean /= max(float(np.linalg.norm(mean)), 1e-9)
        for part, title, body, vector in zip(prepared.chunks, prepared.titles, prepared.bodies, own, strict=True):
            entries.append(
                IndexEntry(
                    chunk_id=part.chunk_id,
                    tenant=part.tenant,
                    kb=part.kb,
                    doc_id=part.doc_id,
                    acl=part.acl,
                    level=part.level,
                    since=part.since,
                    dense=vector,
                    words=words.encode_document(body, title=title),
                    document_vector=mean if part.ordinal == 0 else None,
                )
            )
        row += len(prepared.chunks)
    return entries
