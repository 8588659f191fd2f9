"""The caches of one process, with what they have in common: their sizes, and forgetting."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from firstline.caches.store import Kept
from firstline.domain import Tombstone
from firstline.ports import Hit, Vectors

MB: Final = 1_000_000
CACHES: Final = ("embedding", "retrieval", "rerank", "answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caches:
    """`embedding` and `rerank` hold numbers by digests of texts; `retrieval` and `answer` hold what was made of
    documents, by whose they are."""

    embedding: Kept[Vectors]
    retrieval: Kept[tuple[Hit, ...]]
    rerank: Kept[tuple[float, ...]]
    answer: Kept[Any]

    @classmethod
    def of(cls, sizes_mb: Mapping[str, int]) -> Caches:
        """`sizes_mb` has every name of CACHES; 0 turns one off."""
        made: dict[str, Kept[Any]] = {name: Kept(name, bytes_max=sizes_mb[name] * MB) for name in CACHES}
        return cls(**made)

    def __iter__(self) -> Iterator[Kept[Any]]:
        yield from (getattr(self, name) for name in CACHES)

    def forget(self, stone: Tombstone) -> None:
        """A document was forgotten: nothing stays of its knowledge base, whichever snapshot it was made of."""
        for kept in self:
            kept.drop(tenant=stone.tenant, kb=stone.kb)

    def forget_tenant(self, tenant: str) -> None:
        for kept in self:
            kept.drop(tenant=tenant)

    def naming(self, texts: Collection[str], *, tenant: str) -> int:
        """How many entries of a tenant hold one of these texts, in any case."""
        return sum(kept.naming(texts, tenant=tenant) for kept in self)
