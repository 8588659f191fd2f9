"""The reference chunk index: numpy, exact, in process. What the other engines are compared with."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from firstline.errors import InvalidInput
from firstline.ports import Hit, IndexEntry, IndexQuery, Scope, SparseVector, Vectors

Rows = npt.NDArray[np.intp]


class MemoryIndex:
    """A `ChunkIndex`. IDF is ln(1 + (N - n + 0.5) / (n + 0.5)) over the chunks inside the scope of the query."""

    def __init__(self, *, dimensions: int) -> None:
        self._dimensions = dimensions
        self._entries: dict[str, IndexEntry] = {}
        self._shelves: dict[tuple[str, str], _Shelf] = {}

    async def upsert(self, entries: Sequence[IndexEntry]) -> None:
        for entry in entries:
            if entry.dense.shape != (self._dimensions,):
                raise InvalidInput(
                    f"A vector has shape {entry.dense.shape}, expected ({self._dimensions},).",
                    remedy="Use the embedder that the index was made with.",
                )
        for entry in entries:
            self._entries[entry.chunk_id] = entry
        self._shelves.clear()

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        for chunk_id in chunk_ids:
            if chunk_id in self._entries:
                self._entries[chunk_id] = replace(self._entries[chunk_id], until=until)
        self._shelves.clear()

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        gone = set(doc_ids)
        self._entries = {
            chunk_id: entry
            for chunk_id, entry in self._entries.items()
            if not (entry.tenant == tenant and entry.kb == kb and entry.doc_id in gone and entry.since == since)
        }
        self._shelves.clear()

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        for chunk_id in self._of(tenant, kb, doc_ids, upto):
            del self._entries[chunk_id]
        self._shelves.clear()

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        return len(self._of(tenant, kb, doc_ids, upto))

    def _of(self, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> list[str]:
        wanted = set(doc_ids)
        return [
            chunk_id
            for chunk_id, one in self._entries.items()
            if (one.tenant, one.kb) == (tenant, kb) and one.doc_id in wanted and one.since <= upto
        ]

    async def search(self, query: IndexQuery) -> list[Hit]:
        if not query.scope.acl_tags:
            return []
        return self._shelf(query.scope).search(query)

    async def neighbour(self, doc_id: str, scope: Scope, *, exclude: Collection[str] = ()) -> float:
        return self._shelf(scope).neighbour(doc_id, scope, frozenset(exclude)) if scope.acl_tags else 0.0

    async def vectors(self, chunk_ids: Sequence[str], *, tenant: str, kb: str) -> Mapping[str, Vectors]:
        found = {chunk_id: self._entries[chunk_id] for chunk_id in chunk_ids if chunk_id in self._entries}
        return {name: one.dense for name, one in found.items() if (one.tenant, one.kb) == (tenant, kb)}

    async def count(self, *, tenant: str, kb: str, since: int | None = None) -> int:
        return sum(
            (entry.tenant, entry.kb) == (tenant, kb) and since in (None, entry.since)
            for entry in self._entries.values()
        )

    async def size_bytes(self) -> int:
        per_vector = 4 * self._dimensions
        return sum(
            per_vector * (1 if entry.document_vector is None else 2) + 8 * len(entry.words.indices)
            for entry in self._entries.values()
        )

    async def close(self) -> None:
        self._entries.clear()
        self._shelves.clear()

    def _shelf(self, scope: Scope) -> _Shelf:
        key = (scope.tenant, scope.kb)
        if key not in self._shelves:
            own = [entry for entry in self._entries.values() if (entry.tenant, entry.kb) == key]
            self._shelves[key] = _Shelf.of(own, dimensions=self._dimensions)
        return self._shelves[key]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shelf:
    """The columns of one knowledge base, built once per change."""

    entries: tuple[IndexEntry, ...]
    dense: Vectors
    postings: dict[int, tuple[Rows, npt.NDArray[np.float64]]]
    carriers: Rows
    document_vectors: Vectors

    @classmethod
    def of(cls, entries: Sequence[IndexEntry], *, dimensions: int) -> _Shelf:
        carriers = [row for row, entry in enumerate(entries) if entry.document_vector is not None]
        vectors = [entry.document_vector for entry in entries if entry.document_vector is not None]
        return cls(
            entries=tuple(entries),
            dense=_matrix([entry.dense for entry in entries], dimensions),
            postings=_postings([entry.words for entry in entries]),
            carriers=np.array(carriers, dtype=np.intp),
            document_vectors=_matrix(vectors, dimensions),
        )

    def search(self, query: IndexQuery) -> list[Hit]:
        inside = np.array([_visible(entry, query.scope) for entry in self.entries], dtype=bool)
        if not inside.any():
            return []
        direction = _matrix([query.dense], query.dense.shape[0])[0]
        dense = self.dense @ direction
        words = self._words(query.words, inside)
        documents = self._documents(direction, inside)
        # A vector of zeros points nowhere: it finds nothing.
        by_vector = set(_best(dense, inside, query.limit)) if direction.any() else set[int]()
        found = by_vector | set(_best(words, inside & (words > 0), query.limit))
        hits = [
            Hit(
                chunk_id=self.entries[row].chunk_id,
                doc_id=self.entries[row].doc_id,
                dense=float(dense[row]),
                words=float(words[row]),
                document=documents.get(self.entries[row].doc_id, 0.0),
            )
            for row in found
        ]
        return sorted(hits, key=lambda hit: (-hit.dense, hit.chunk_id))

    def neighbour(self, doc_id: str, scope: Scope, exclude: frozenset[str]) -> float:
        carriers: list[int] = self.carriers.tolist()
        seen = [
            (self.entries[row].doc_id, vector)
            for row, vector in zip(carriers, self.document_vectors, strict=True)
            if _visible(self.entries[row], scope)
        ]
        own = next((vector for owner, vector in seen if owner == doc_id), None)
        others = [vector for owner, vector in seen if owner != doc_id and owner not in exclude]
        return 0.0 if own is None or not others else float(max(vector @ own for vector in others))

    def _words(self, words: SparseVector, inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        scores = np.zeros(len(self.entries))
        population = int(inside.sum())
        for term, weight in zip(words.indices, words.values, strict=True):
            if term in self.postings:
                rows, weights = self.postings[term]
                holders = int(inside[rows].sum())
                scores[rows] += weight * weights * math.log(1 + (population - holders + 0.5) / (holders + 0.5))
        return scores

    def _documents(self, direction: Vectors, inside: npt.NDArray[np.bool_]) -> dict[str, float]:
        cosines: list[float] = (self.document_vectors @ direction).tolist()
        carriers: list[int] = self.carriers.tolist()
        return {self.entries[row].doc_id: cosine for row, cosine in zip(carriers, cosines, strict=True) if inside[row]}


def _visible(entry: IndexEntry, scope: Scope) -> bool:
    return (
        entry.since <= scope.snapshot < entry.until
        and entry.level <= scope.level_max
        and not scope.acl_tags.isdisjoint(entry.acl)
    )


def _matrix(vectors: Sequence[Vectors], dimensions: int) -> Vectors:
    """Rows of length 1: an engine that promises cosines normalises what it is given."""
    matrix = np.array(vectors, dtype=np.float32).reshape(len(vectors), dimensions)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(norms > 0, norms, 1)).astype(np.float32)


def _postings(words: Sequence[SparseVector]) -> dict[int, tuple[Rows, npt.NDArray[np.float64]]]:
    rows: dict[int, list[int]] = {}
    weights: dict[int, list[float]] = {}
    for row, vector in enumerate(words):
        for term, weight in zip(vector.indices, vector.values, strict=True):
            rows.setdefault(term, []).append(row)
            weights.setdefault(term, []).append(weight)
    return {term: (np.array(at, dtype=np.intp), np.array(weights[term])) for term, at in rows.items()}


def _best(scores: npt.NDArray[np.floating], among: npt.NDArray[np.bool_], limit: int) -> list[int]:
    rows = np.flatnonzero(among)
    order = np.argsort(-scores[rows], kind="stable")[:limit]
    return [int(row) for row in rows[order]]
