"""The found documents in a better order, when a reranker is there to read question and passage together.

Its scores have no scale of their own, so both are standardised over the candidates and mixed:

    score = (1 - weight) * z(fused) + weight * z(reranker)

A document is judged by its best passages. Those that were not judged stand behind those that were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from firstline.domain import RankedDocument

PASSAGES_PER_DOCUMENT: int = 2


def passages(ranked: Sequence[RankedDocument], *, limit: int) -> list[str]:
    """The chunk ids to be judged: the best of each document, best document first, at most `limit`."""
    chosen = [chunk_id for document in ranked for chunk_id, _ in document.hits[:PASSAGES_PER_DOCUMENT]]
    return chosen[:limit]


def rerank(
    ranked: Sequence[RankedDocument], judged: Mapping[str, float], *, weight: float
) -> tuple[RankedDocument, ...]:
    """`judged` holds the reranker's score by chunk id. The documents' `score` and order are new, their hits are not.

    Documents that were not judged stand behind the judged ones, in the fused order and with their fused scores. Fewer
    than two judged, or `weight` 0 with all judged: every document keeps its place.
    """
    own = {
        document.doc_id: max(judged[chunk_id] for chunk_id, _ in document.hits if chunk_id in judged)
        for document in ranked
        if any(chunk_id in judged for chunk_id, _ in document.hits)
    }
    known = [document for document in ranked if document.doc_id in own]
    rest = [document for document in ranked if document.doc_id not in own]
    if len(known) < 2:
        return tuple(ranked)
    fused = _standardised([document.score for document in known])
    given = _standardised([own[document.doc_id] for document in known])
    mixed = [(1 - weight) * one + weight * other for one, other in zip(fused, given, strict=True)]
    # A stable sort: equal scores stay in the fused order.
    order = sorted(range(len(known)), key=lambda at: -mixed[at])
    # The scores keep the fused scale, because gates read their distances: the places are dealt out anew.
    scores = sorted((document.score for document in known), reverse=True)
    return (*(replace(known[at], score=score) for at, score in zip(order, scores, strict=True)), *rest)


def _standardised(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    return [(value - mean) / spread if spread > 0 else 0.0 for value in values]
