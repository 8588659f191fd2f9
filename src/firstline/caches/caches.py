"""The caches of one process, with what they have in common: their sizes, and forgetting."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from firstline.caches.sizes import texts_of
from firstline.caches.store import Kept
from firstline.domain import Completion, Tombstone
from firstline.ports import Hit, Vectors

MB: Final = 1_000_000
CACHES: Final = ("embedding", "retrieval", "rerank", "answer", "model")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caches:
    """`embedding` and `rerank` hold numbers by digests of texts; `retrieval` and `answer` hold what was made of
    documents, by whose they are; `model` what a language model wrote, by tenant."""

    embedding: Kept[Vectors]
    retrieval: Kept[tuple[Hit, ...]]
    rerank: Kept[tuple[float, ...]]
    answer: Kept[Any]
    model: Kept[Completion]

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
            # What a model wrote may have been made of any of the tenant's documents.
            kept.drop(tenant=stone.tenant, kb=None if kept is self.model else stone.kb)

    def forget_tenant(self, tenant: str) -> None:
        for kept in self:
            kept.drop(tenant=tenant)

    async def naming(self, texts: Collection[str], *, tenant: str) -> int:
        """How many entries of a tenant hold one of these texts, in any case."""
        own = [value for kept in self for value in kept.of_tenant(tenant)]
        # A forgotten book has thousands of names, and the caches are large: nobody's question waits for that.
        return await asyncio.to_thread(_naming, own, texts) if own else 0


def _naming(values: Sequence[object], texts: Collection[str]) -> int:
    wanted = frozenset(text.casefold() for text in texts if text)
    found = 0
    for value in values:
        told = {text.casefold() for text in texts_of(value)}
        # Most are names, which stand alone; a text may stand within another one.
        found += not wanted.isdisjoint(told) or any(text in one for one in told for text in wanted)
    return found
