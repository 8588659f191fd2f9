"""A chunk index that remembers what it found. Same port in and out.

What a snapshot holds never changes, but for what is forgotten: a search is kept by its whole scope (tenant, knowledge
base, tags, level, snapshot, and the mark of what was forgotten last). Before it is given out again the ledger is asked
for the documents, with the asker's scope: one that is not there any more makes it a miss. Similarity of documents
(`neighbour`) is not kept: its number names no document that could be read back.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from firstline.caches.store import Kept, key_of
from firstline.ports import ChunkIndex, Hit, IndexEntry, IndexQuery, KnowledgeLedger, Scope, Vectors


class KeptIndex:
    """`frame` names what shapes a search besides the query: versions of code and models."""

    def __init__(
        self, inner: ChunkIndex, kept: Kept[tuple[Hit, ...]], *, knowledge: KnowledgeLedger, frame: Sequence[str]
    ) -> None:
        self._inner = inner
        self._kept = kept
        self._knowledge = knowledge
        self._frame = list(frame)

    async def search(self, query: IndexQuery) -> list[Hit]:
        async def make() -> tuple[Hit, ...]:
            return tuple(await self._inner.search(query))

        async def still(hits: tuple[Hit, ...]) -> bool:
            wanted = list(dict.fromkeys(hit.doc_id for hit in hits))
            return not wanted or len(await self._knowledge.documents(wanted, query.scope)) == len(wanted)

        scope = query.scope
        key = key_of(
            "retrieval",
            self._frame,
            *scope_parts(scope),
            query.dense.tobytes().hex(),
            [list(query.words.indices), list(query.words.values)],
            query.limit,
            owner=(scope.tenant, scope.kb),
        )
        hits, _ = await self._kept.get(key, make, keeps=_usable, still=still)
        return list(hits)

    async def neighbour(self, doc_id: str, scope: Scope, *, exclude: Collection[str] = ()) -> float:
        return await self._inner.neighbour(doc_id, scope, exclude=exclude)

    async def vectors(self, chunk_ids: Sequence[str], *, tenant: str, kb: str) -> Mapping[str, Vectors]:
        return await self._inner.vectors(chunk_ids, tenant=tenant, kb=kb)

    async def upsert(self, entries: Sequence[IndexEntry]) -> None:
        await self._inner.upsert(entries)

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        await self._inner.set_until(chunk_ids, until)

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        await self._inner.delete(tenant=tenant, kb=kb, doc_ids=doc_ids, since=since)

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        await self._inner.purge(tenant=tenant, kb=kb, doc_ids=doc_ids, upto=upto)

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        return await self._inner.held(tenant=tenant, kb=kb, doc_ids=doc_ids, upto=upto)

    async def count(self, *, tenant: str, kb: str, since: int | None = None) -> int:
        return await self._inner.count(tenant=tenant, kb=kb, since=since)

    async def size_bytes(self) -> int:
        return await self._inner.size_bytes()

    async def close(self) -> None:
        await self._inner.close()


def scope_parts(scope: Scope) -> list[object]:
    """Everything that says what this asker may see now, for a key."""
    return [sorted(scope.acl_tags), int(scope.level_max), scope.snapshot, scope.forgotten]


def _usable(hits: tuple[Hit, ...]) -> bool:
    return all(math.isfinite(hit.dense + hit.words + hit.document) for hit in hits)
