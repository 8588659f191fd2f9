"""The classic ranking and what the graph led to, as one ranking.

The first documents stay where they are: a name in a question may be that of a page which is not what is asked about
("Is a Relay part of it?"), and on 37 development questions whose words ask for a relation without needing one, ranking
by paths alone cost .7 to .8 of hit@1 and .6 of hit@3. Two-hop questions lose nothing by it: what a path leads to needs
to be read, not to be first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import NOT_SCORED, RankedDocument

STAYING: Final = 3
LED_MAX: Final = 4
"""Documents that come behind those for the paths that lead to them; the classic ranking has the other places."""
GAIN: Final = 1.5
"""Of a path of weight 1, in scores of the best document found: behind those that stay comes what the question names by
its title, and what that leads to, before what is merely similar."""


def joined(
    found: Sequence[RankedDocument],
    weights: Mapping[str, float],
    chunks: Mapping[str, Sequence[str]],
    *,
    limit: int,
) -> tuple[RankedDocument, ...]:
    """The best `limit`. `weights` are those of the paths by document id, `chunks` what the paths end at: of a
    document that was found these are read behind the chunk that was found best. A document that was not found would
    have been no better than the last one that was: it is ranked with that one's score. Scores belong to places, as
    in `prefer`: the distances that the gates look at stay."""
    if not weights:
        return tuple(found[:limit])
    top, least = (found[0].score, found[-1].score) if found else (1.0, 0.0)
    by_id = {one.doc_id: one for one in found}
    first = [one.doc_id for one in found[:STAYING]]
    worth = {
        doc_id: (by_id[doc_id].score if doc_id in by_id else least) + GAIN * top * weight
        for doc_id, weight in weights.items()
        if weight > 0 and doc_id not in first
    }
    led = sorted(worth, key=lambda doc_id: (-worth[doc_id], doc_id))[:LED_MAX]
    order = list(dict.fromkeys((*first, *led, *by_id)))[:limit]
    scores = sorted((one.score for one in found), reverse=True) or [top]
    return tuple(
        replace(
            _with_hits(by_id.get(doc_id), doc_id, chunks.get(doc_id, ())), score=scores[min(place, len(scores) - 1)]
        )
        for place, doc_id in enumerate(order)
    )


def _with_hits(found: RankedDocument | None, doc_id: str, first: Sequence[str]) -> RankedDocument:
    if found is None:
        return RankedDocument(doc_id=doc_id, score=0.0, hits=tuple((chunk_id, NOT_SCORED) for chunk_id in first))
    known = dict(found.hits)
    order = dict.fromkeys((*(chunk_id for chunk_id, _ in found.hits[:1]), *first, *known))
    return replace(found, hits=tuple((chunk_id, known.get(chunk_id, NOT_SCORED)) for chunk_id in order))
