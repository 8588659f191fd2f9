"""The classic ranking and what the graph led to, as one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import RankedDocument, Scores

GAIN: Final = 1.5
"""Of a path of weight 1, in scores of the best document found: what the question names by its title comes first, and
what that leads to before what is merely similar."""
UNSCORED: Final = Scores(dense=0.0, words=0.0, document=0.0, fused=0.0)


def joined(
    found: Sequence[RankedDocument],
    weights: Mapping[str, float],
    chunks: Mapping[str, Sequence[str]],
    *,
    limit: int,
) -> tuple[RankedDocument, ...]:
    """The best `limit`. `weights` are those of the paths by document id, `chunks` what the paths end at: these are
    read first. A document that was not found would have been no better than the last one that was: it is ranked with
    that one's score. Scores belong to places, as in `prefer`: the distances that the gates look at stay."""
    if not weights:
        return tuple(found[:limit])
    top, least = (found[0].score, found[-1].score) if found else (1.0, 0.0)
    by_id = {one.doc_id: one for one in found}
    worth = {one.doc_id: one.score for one in found}
    for doc_id, weight in weights.items():
        worth[doc_id] = worth.get(doc_id, least) + GAIN * top * weight
    order = sorted(worth, key=lambda doc_id: (-worth[doc_id], doc_id))[:limit]
    scores = sorted((one.score for one in found), reverse=True) or [top]
    return tuple(
        replace(
            _with_hits(by_id.get(doc_id), doc_id, chunks.get(doc_id, ())), score=scores[min(place, len(scores) - 1)]
        )
        for place, doc_id in enumerate(order)
    )


def _with_hits(found: RankedDocument | None, doc_id: str, first: Sequence[str]) -> RankedDocument:
    if found is None:
        return RankedDocument(doc_id=doc_id, score=0.0, hits=tuple((chunk_id, UNSCORED) for chunk_id in first))
    known = dict(found.hits)
    ahead = {chunk_id: known.get(chunk_id, UNSCORED) for chunk_id in first}
    return replace(found, hits=(*ahead.items(), *((one, own) for one, own in found.hits if one not in ahead)))
