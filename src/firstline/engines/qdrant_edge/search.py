"""One search of the shard: two lists inside the scope, joined, with every score of every candidate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, cast

import numpy as np
import qdrant_edge as qd

from firstline.errors import Broken
from firstline.ports import Hit, IndexQuery, Scope

EXACT_MAX: Final = 50_000
"""Scopes with more chunks than this are searched through the HNSW graph, with word statistics of the whole shard."""


class Search:
    """Both lists, then the scores that each list lacks. Every lookup carries the scope's filter."""

    def __init__(self, shard: qd.EdgeShard, query: IndexQuery, *, exact_max: int) -> None:
        self._shard = shard
        self._query = query
        self._scope = _scope_filter(query.scope)
        norm = float(np.linalg.norm(query.dense))
        self._dense: list[float] = (query.dense / (norm or 1.0)).tolist()
        # A vector of zeros points nowhere: only words are searched.
        self._directed = norm > 0
        self._words = qd.SparseVector(indices=list(query.words.indices), values=list(query.words.values))
        few = shard.count(qd.CountRequest(exact=False, filter=self._scope)) <= exact_max
        self._dense_params = _EXACT if few else _APPROXIMATE
        # Statistics of what this principal may see, so that nothing else can be felt through the scores. They cost a
        # pass over the scope, which large ones cannot afford and hardly feel.
        self._words_params = qd.SearchParams(idf=qd.IdfParams(corpus=self._scope)) if few else qd.SearchParams()

    def run(self) -> list[Hit]:
        by_vector = self._query_shard([self._nearest("chunk")])[0] if self._directed else []
        found = {str(point.id): _owner(point) for point in by_vector}
        dense = _scores(by_vector)
        words: dict[str, float] = {}
        if self._query.words.indices:
            # In one batch, which shares the statistics: the list by words, and the words of the list by vector.
            requests = [self._nearest("words")]
            if dense:
                requests.append(self._nearest("words", among=set(dense)))
            by_words, *rest = self._query_shard(requests)
            found |= {str(point.id): _owner(point) for point in by_words}
            words = _scores(by_words, *rest)
            missing = words.keys() - dense.keys()
            if not self._directed:
                dense = dict.fromkeys(words, 0.0)
            elif missing:
                dense |= _scores(*self._query_shard([self._nearest("chunk", among=missing)]))
        if not found.keys() <= dense.keys():
            # Every chunk has a vector. The engine leaves out, without a word, what does not compare as a number.
            raise Broken(
                "The chunk index holds vectors that are not numbers: its files are damaged.",
                remedy="Move the index folder away and ingest again; the documents themselves are not touched.",
            )
        documents = self._documents({doc_id for _, doc_id in found.values()}) if self._directed else {}
        hits = [
            Hit(
                chunk_id=chunk_id,
                doc_id=doc_id,
                dense=dense[point_id],
                words=words.get(point_id, 0.0),
                document=documents.get(doc_id, 0.0),
            )
            for point_id, (chunk_id, doc_id) in found.items()
        ]
        return sorted(hits, key=lambda hit: (-hit.dense, hit.chunk_id))

    def _nearest(self, using: str, *, among: set[str] | None = None) -> qd.QueryRequest:
        """The best of the scope; or the exact scores of points that a lookup within the scope has found already."""
        by_words = using == "words"
        listed = among is None
        return qd.QueryRequest(
            limit=self._query.limit if among is None else len(among),
            query=qd.Query.Nearest(self._words if by_words else self._dense, using=using),
            filter=self._scope if among is None else qd.Filter(must=[qd.HasIdCondition(set(among))]),
            params=self._words_params if by_words else (self._dense_params if listed else _EXACT),
            with_payload=["doc_id", "chunk_id"] if listed else False,
        )

    def _query_shard(self, requests: list[qd.QueryRequest]) -> list[list[qd.ScoredPoint]]:
        return self._shard.query_batch(qd.QueryBatchRequest(requests))

    def _documents(self, doc_ids: set[str]) -> dict[str, float]:
        if not doc_ids:
            return {}
        found = self._shard.query(
            qd.QueryRequest(
                limit=len(doc_ids),
                query=qd.Query.Nearest(self._dense, using="document"),
                filter=qd.Filter(must=[any_of("doc_id", sorted(doc_ids)), *(self._scope.must or [])]),
                params=_EXACT,
                with_payload=["doc_id"],
            )
        )
        return {(point.payload or {})["doc_id"]: point.score for point in found}


def neighbour(shard: qd.EdgeShard, doc_id: str, scope: Scope, exclude: Collection[str], *, exact_max: int) -> float:
    """Cosine of a document's mean vector with the most similar other one of the scope; 0 when there is none."""
    inside = _scope_filter(scope)
    # One chunk of each document carries its mean vector.
    own = qd.Filter(must=[equals("doc_id", doc_id), qd.HasVectorCondition("document"), *(inside.must or [])])
    carriers, _ = shard.scroll(qd.ScrollRequest(limit=1, filter=own, with_payload=False, with_vector=["document"]))
    if not carriers:
        return 0.0
    vectors = cast("dict[str, list[float]]", carriers[0].vector)
    few = shard.count(qd.CountRequest(exact=False, filter=inside)) <= exact_max
    others = qd.Filter(must=inside.must, must_not=[any_of("doc_id", sorted({doc_id, *exclude}))])
    found = shard.query(
        qd.QueryRequest(
            limit=1,
            query=qd.Query.Nearest(vectors["document"], using="document"),
            filter=others,
            params=_EXACT if few else _APPROXIMATE,
            with_payload=False,
        )
    )
    return found[0].score if found else 0.0


def _scores(*lists: list[qd.ScoredPoint]) -> dict[str, float]:
    return {str(point.id): point.score for points in lists for point in points}


def _owner(point: qd.ScoredPoint) -> tuple[str, str]:
    """(chunk id, document id)"""
    payload = point.payload or {}
    return payload.get("chunk_id", str(point.id)), payload["doc_id"]


_EXACT: Final = qd.SearchParams(exact=True)
# Plain filtered HNSW loses most neighbours under narrow filters; ACORN walks on through points that are filtered out.
_APPROXIMATE: Final = qd.SearchParams(
    hnsw_ef=256,
    acorn=qd.AcornSearchParams(enable=True, max_selectivity=1.0),
    quantization=qd.QuantizationSearchParams(rescore=True, oversampling=2.0),
)


def _scope_filter(scope: Scope) -> qd.Filter:
    return qd.Filter(
        must=[
            equals("tenant", scope.tenant),
            equals("kb", scope.kb),
            any_of("acl", sorted(scope.acl_tags)),
            qd.FieldCondition("level", range=qd.RangeFloat(lte=int(scope.level_max))),
            qd.FieldCondition("since", range=qd.RangeFloat(lte=scope.snapshot)),
            qd.FieldCondition("until", range=qd.RangeFloat(gt=scope.snapshot)),
        ]
    )


def equals(key: str, value: str | int) -> qd.FieldCondition:
    return qd.FieldCondition(key, match=qd.MatchValue(value))


def any_of(key: str, values: Sequence[str]) -> qd.FieldCondition:
    return qd.FieldCondition(key, match=qd.MatchAny(list(values)))
