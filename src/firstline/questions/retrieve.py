"""Find the chunks that may answer: dense and BM25 candidates, fused, grouped by document, read from blobs.

The fused score of a document is

    weight_words * (its best BM25 / the best BM25 of all)
  + weight_dense * (cosine of its best chunk)
  + weight_document * (cosine of its mean vector)

Both scores of a candidate are exact, whichever list found it, so no rank-based fusion is needed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from firstline.domain import Chunk, ChunkKind, Evidence, RankedDocument, Scores, SearchPlan
from firstline.errors import NotFound
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    Embedder,
    Hit,
    IndexQuery,
    KnowledgeLedger,
    Scope,
    Vectors,
    WordEncoder,
)

COMPLETING_MAX = 4
NOT_SCORED = Scores(dense=0.0, words=0.0, document=0.0, fused=0.0)
"""Of evidence that came along with another chunk instead of being found itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FusionWeights:
    words: float
    dense: float
    document: float


async def retrieve(
    plan: SearchPlan,
    scope: Scope,
    *,
    index: ChunkIndex,
    embedder: Embedder,
    words: WordEncoder,
    weights: FusionWeights,
    candidates: int,
    documents: int,
    vector: Vectors | None = None,
    exclude: frozenset[str] = frozenset(),
) -> tuple[RankedDocument, ...]:
    """Documents with their candidate chunks, best first, at most `documents`.

    `vector` saves an embedding when the caller already has that of the plan's only query. `exclude` leaves documents
    out, as if they did not exist: it is how evaluation removes the answer.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    best: dict[str, dict[str, Scores]] = {}
    for position, query in enumerate(plan.queries):
        dense = vector if vector is not None and position == 0 else (await embedder.embed([query.text]))[0]
        hits = await index.search(
            IndexQuery(scope=scope, dense=dense, words=words.encode_query(query.text), limit=candidates)
        )
        for ranked in fuse([hit for hit in hits if hit.doc_id not in exclude], weights):
            totals[ranked.doc_id] += query.weight * ranked.score
            best.setdefault(ranked.doc_id, {}).update(
                (chunk_id, scores) for chunk_id, scores in ranked.hits if chunk_id not in best.get(ranked.doc_id, {})
            )
    order = sorted(totals, key=lambda doc_id: (-totals[doc_id], doc_id))[:documents]
    return tuple(
        RankedDocument(
            doc_id=doc_id,
            score=totals[doc_id],
            hits=tuple(sorted(best[doc_id].items(), key=lambda item: (-item[1].fused, item[0]))),
        )
        for doc_id in order
    )


def fuse(hits: Sequence[Hit], weights: FusionWeights) -> list[RankedDocument]:
    """Score and group hits by document; best first, ties by document id."""
    words_max = max((hit.words for hit in hits), default=0.0) or 1.0
    grouped: defaultdict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        grouped[hit.doc_id].append(hit)
    ranked: list[RankedDocument] = []
    for doc_id, own in grouped.items():
        score = (
            weights.words * max(hit.words for hit in own) / words_max
            + weights.dense * max(hit.dense for hit in own)
            + weights.document * max(hit.document for hit in own)
        )
        scored = [
            (
                hit.chunk_id,
                Scores(
                    dense=hit.dense,
                    words=hit.words,
                    document=hit.document,
                    fused=weights.words * hit.words / words_max
                    + weights.dense * hit.dense
                    + weights.document * hit.document,
                ),
            )
            for hit in own
        ]
        scored.sort(key=lambda item: (-item[1].fused, item[0]))
        ranked.append(RankedDocument(doc_id=doc_id, score=score, hits=tuple(scored)))
    ranked.sort(key=lambda document: (-document.score, document.doc_id))
    return ranked


async def read_evidence(
    ranked: Sequence[RankedDocument],
    scope: Scope,
    *,
    ledger: KnowledgeLedger,
    blobs: BlobStore,
    limit: int,
    per_document: int = 3,
) -> tuple[Evidence, ...]:
    """Texts of the best chunks, document by document, at most `per_document` of each and `limit` in all.

    The ledger filters again: a chunk that the index should not have returned is not read.
    """
    wanted = [(chunk_id, scores) for document in ranked for chunk_id, scores in document.hits[:per_document]][:limit]
    scores_by_id = dict(wanted)
    chunks = await ledger.chunks([chunk_id for chunk_id, _ in wanted], scope)
    completing = await _completing(chunks[0], scope, ledger=ledger) if chunks else []
    chunks += [chunk for chunk in completing if chunk.chunk_id not in scores_by_id]
    read = await asyncio.gather(*(_read(chunk, blobs) for chunk in chunks))
    return tuple(
        Evidence(
            chunk=chunk,
            text=text,
            lead_text=lead,
            scores=scores_by_id.get(chunk.chunk_id, NOT_SCORED),
            path=() if chunk.chunk_id in scores_by_id else (f"PART_OF {chunk.doc_id}",),
        )
        for chunk, (text, lead) in zip(chunks, read, strict=True)
        if text
    )


async def _completing(first: Chunk, scope: Scope, *, ledger: KnowledgeLedger) -> list[Chunk]:
    """A symptom is found by its words, its cure is not: bring the cause and the resolution of the same document."""
    if first.kind not in (ChunkKind.SYMPTOM, ChunkKind.ENVIRONMENT, ChunkKind.CAUSE):
        return []
    own = await ledger.document_chunks(first.doc_id, scope)
    return [chunk for chunk in own if chunk.kind in (ChunkKind.CAUSE, ChunkKind.RESOLUTION)][:COMPLETING_MAX]


async def _read(chunk: Chunk, blobs: BlobStore) -> tuple[str, str]:
    try:
        text = (await blobs.get_range(chunk.blob, chunk.start, chunk.end)).decode("utf-8")
        lead = (await blobs.get_range(chunk.blob, *chunk.lead)).decode("utf-8") if chunk.lead else ""
    except NotFound:
        # Forgotten between lookup and read: it is simply no evidence any more.
        return "", ""
    return text, lead
