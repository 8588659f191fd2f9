"""Find the chunks that may answer: dense and BM25 candidates, fused, grouped by document, read from blobs.

The fused score of a document is

    weight_words * (its best BM25 / the best BM25 of all)
  + weight_dense * (cosine of its best chunk)
  + weight_document * (cosine of its mean vector)

Both scores of a candidate are exact, whichever list found it, so no rank-based fusion is needed.
"""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from firstline.domain import NOT_SCORED, Chunk, ChunkKind, Evidence, RankedDocument, Scores, SearchPlan
from firstline.errors import NotFound, Unavailable
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    Hit,
    IndexQuery,
    KnowledgeLedger,
    Scope,
    Vectors,
    WordEncoder,
)
from firstline.questions.page.alike import Shingles, repeats, shingles
from firstline.questions.page.apt import best_first
from firstline.questions.page.companions import (
    NEAR,
    WHOLE,
    introduced_by,
    opening,
    other_parts,
    told_by,
)
from firstline.questions.page.outright import codes_alone, titled_by

PER_DOCUMENT = 3
READ_ROUNDS_MAX = 3
"""Rounds of reading: each after the first takes the places that near-duplicates left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FusionWeights:
    words: float
    dense: float
    document: float
    title: float = 0.0
    """Of the title, among the documents found: see `titles`."""


async def retrieve(
    plan: SearchPlan,
    scope: Scope,
    *,
    index: ChunkIndex,
    words: WordEncoder,
    weights: FusionWeights,
    candidates: int,
    documents: int,
    vectors: Sequence[Vectors],
    exclude: frozenset[str] = frozenset(),
) -> tuple[RankedDocument, ...]:
    """Documents with their candidate chunks, best first, at most `documents`.

    `vectors` are those of the plan's queries, one each; of zeros to search by words alone. `exclude` leaves documents
    out, as if they did not exist: it is how evaluation removes the answer.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    found: defaultdict[str, dict[str, list[tuple[float, Scores]]]] = defaultdict(dict)
    for query, dense in zip(plan.queries, vectors, strict=True):
        hits = await index.search(
            IndexQuery(scope=scope, dense=dense, words=words.encode_query(query.text), limit=candidates)
        )
        if not all(math.isfinite(hit.dense + hit.words + hit.document) for hit in hits):
            raise Unavailable("The chunk index gave no usable scores.", remedy="Ask again in a moment.")
        for ranked in fuse([hit for hit in hits if hit.doc_id not in exclude], weights):
            totals[ranked.doc_id] += query.weight * ranked.score
            for chunk_id, scores in ranked.hits:
                found[ranked.doc_id].setdefault(chunk_id, []).append((query.weight, scores))
    order = sorted(totals, key=lambda doc_id: (-totals[doc_id], doc_id))[:documents]
    return tuple(_ranked(doc_id, totals[doc_id], found[doc_id]) for doc_id in order)


def _ranked(doc_id: str, score: float, found: Mapping[str, Sequence[tuple[float, Scores]]]) -> RankedDocument:
    hits = [(chunk_id, _averaged(scores)) for chunk_id, scores in found.items()]
    hits.sort(key=lambda hit: (-hit[1].fused, hit[0]))
    return RankedDocument(doc_id=doc_id, score=score, hits=tuple(hits))


def _averaged(weighted: Sequence[tuple[float, Scores]]) -> Scores:
    """Over the queries that found the chunk, by their weights."""
    if len(weighted) == 1:
        return weighted[0][1]
    total = sum(weight for weight, _ in weighted) or 1.0
    return Scores(
        dense=sum(weight * scores.dense for weight, scores in weighted) / total,
        words=sum(weight * scores.words for weight, scores in weighted) / total,
        document=sum(weight * scores.document for weight, scores in weighted) / total,
        fused=sum(weight * scores.fused for weight, scores in weighted) / total,
    )


def fuse(hits: Sequence[Hit], weights: FusionWeights) -> list[RankedDocument]:
    """Score and group hits by document; best first, ties by document id."""
    words_max = max((hit.words for hit in hits), default=0.0) or 1.0
    grouped: defaultdict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        grouped[hit.doc_id].append(hit)
    ranked: list[RankedDocument] = []
    for doc_id, own in grouped.items():
        words = dense = document = 0.0
        scored: list[tuple[str, Scores]] = []
        for place, hit in enumerate(own):
            words = max(words, hit.words)
            dense = hit.dense if place == 0 else max(dense, hit.dense)
            document = hit.document if place == 0 else max(document, hit.document)
            fused = weights.words * hit.words / words_max + weights.dense * hit.dense + weights.document * hit.document
            scored.append((hit.chunk_id, Scores(dense=hit.dense, words=hit.words, document=hit.document, fused=fused)))
        score = weights.words * words / words_max + weights.dense * dense + weights.document * document
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
    per_document: int = PER_DOCUMENT,
    question: str = "",
) -> tuple[Evidence, ...]:
    """Texts of the best chunks, document by document, at most `per_document` of each and `limit` in all, the piece of
    the first document that fits the question best in front, and behind them what completes it (a few more).

    A near-duplicate of a better chunk is left out, and the next one takes its place. The ledger filters again: a
    chunk that the index should not have returned is not read.
    """
    wanted = [hit for document in ranked for hit in document.hits[:per_document]]
    kept: list[Evidence] = []
    seen: list[Shingles] = []
    at = 0
    for _ in range(READ_ROUNDS_MAX):
        now = wanted[at : at + limit - len(kept)]
        at += len(now)
        if not now:
            break
        for piece in await _pieces(now, scope, ledger=ledger, blobs=blobs):
            own = shingles(f"{piece.lead_text}\n{piece.text}")
            if not repeats(own, seen):
                kept.append(piece)
                seen.append(own)
    if not kept:
        return ()
    return await _completed(question, best_first(question, kept), scope, ledger=ledger, blobs=blobs)


async def _pieces(
    hits: Sequence[tuple[str, Scores]], scope: Scope, *, ledger: KnowledgeLedger, blobs: BlobStore
) -> list[Evidence]:
    scores = dict(hits)
    chunks = await ledger.chunks(list(scores), scope)
    return [
        Evidence(chunk=chunk, text=text, lead_text=lead, scores=scores[chunk.chunk_id])
        for chunk, (text, lead) in zip(
            chunks, await asyncio.gather(*(_read(chunk, blobs) for chunk in chunks)), strict=True
        )
        if text
    ]


async def read_pieces(
    chunk_ids: Sequence[str], scope: Scope, *, ledger: KnowledgeLedger, blobs: BlobStore
) -> list[Evidence]:
    """These chunks as evidence that no search found, in their order. What the scope hides is not there."""
    return await _pieces([(chunk_id, NOT_SCORED) for chunk_id in chunk_ids], scope, ledger=ledger, blobs=blobs)


async def read_passages(
    chunk_ids: Sequence[str], scope: Scope, *, ledger: KnowledgeLedger, blobs: BlobStore
) -> dict[str, str]:
    """By chunk id: title, section path and text, as a reranker reads them. What the scope hides is not there."""
    chunks = await ledger.chunks(chunk_ids, scope)
    read = await asyncio.gather(*(_read(chunk, blobs) for chunk in chunks))
    return {
        chunk.chunk_id: "\n".join(part for part in (" > ".join((chunk.title, *chunk.section_path)), lead, text) if part)
        for chunk, (text, lead) in zip(chunks, read, strict=True)
        if text
    }


async def read_texts(chunks: Sequence[Chunk], *, blobs: BlobStore) -> list[str]:
    """Each chunk's lead and text; "" for one whose blob is gone."""
    read = await asyncio.gather(*(_read(chunk, blobs) for chunk in chunks))
    return ["\n".join(part for part in (lead, text) if part) for text, lead in read]


async def _completed(
    question: str, kept: Sequence[Evidence], scope: Scope, *, ledger: KnowledgeLedger, blobs: BlobStore
) -> tuple[Evidence, ...]:
    """With what the best chunk says only half of: the cure of a symptom, the steps below a summary, the other parts of
    a procedure or table. Its path says why it is there; one that was not found itself comes last and has no scores."""
    first = kept[0]
    reasons = {chunk.chunk_id: (chunk, why) for chunk, why in await _companions(question, first, scope, ledger=ledger)}
    reasons.pop(first.chunk.chunk_id, None)  # a cause is among the causes of its document
    marked = [
        replace(piece, path=(reasons.pop(piece.chunk.chunk_id)[1],)) if piece.chunk.chunk_id in reasons else piece
        for piece in kept
    ]
    read = await asyncio.gather(*(_read(chunk, blobs) for chunk, _ in reasons.values()))
    brought = [
        Evidence(chunk=chunk, text=text, lead_text=lead, scores=NOT_SCORED, path=(why,))
        for (chunk, why), (text, lead) in zip(reasons.values(), read, strict=True)
        if text
    ]
    return (*marked, *brought)


async def _companions(
    question: str, found: Evidence, scope: Scope, *, ledger: KnowledgeLedger
) -> list[tuple[Chunk, str]]:
    """Chunks with the reason for each, nearest relation first."""
    first = found.chunk
    near = await ledger.neighbours(first, scope, before=NEAR, after=NEAR)
    if titled_by(first.title, codes_alone(question)):
        return [(chunk, f"PART_OF {first.doc_id}") for chunk in opening(first, near)]
    case = told_by(first, near)
    if case:
        return [(chunk, f"PART_OF {first.doc_id}") for chunk in case]
    if first.kind is ChunkKind.SECTION:
        return [(chunk, f"NEXT {first.chunk_id}") for chunk in introduced_by(first, found.text, near)]
    if first.kind in WHOLE:
        return [(chunk, f"PART_OF {first.doc_id}") for chunk in other_parts(first, near)]
    return []


async def _read(chunk: Chunk, blobs: BlobStore) -> tuple[str, str]:
    try:
        text = await blobs.get_range(chunk.blob, chunk.start, chunk.end)
        lead = await blobs.get_range(chunk.blob, *chunk.lead) if chunk.lead else b""
    except NotFound:
        # Forgotten between lookup and read: it is simply no evidence any more.
        return "", ""
    if len(text) != chunk.end - chunk.start or (chunk.lead and len(lead) != chunk.lead[1] - chunk.lead[0]):
        # A sentence that ends too early may say the opposite of the whole one.
        raise Unavailable("A document could be read in part only.", remedy="Ask again in a moment.")
    return text.decode("utf-8"), lead.decode("utf-8")
