"""What a walk has reached so far: each document with the weight of its best path, not the sum of all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import RankedDocument
from firstline.questions.walk.names import Named

NAMESAKE: Final = 0.5
"""What the others of one name keep, beside the one that was found best."""
PASSAGES: Final = 2
"""Of a document that is gone on from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reached:
    """A document, the chunks that the path ends at (best first; none when it is a document that was found), and the
    path in words."""

    doc_id: str
    weight: float
    chunk_ids: tuple[str, ...]
    path: tuple[str, ...]


class Reaching:
    """`doc_id in reaching`: it was reached. `limit` documents are kept, the heaviest ones."""

    def __init__(self, found: Sequence[RankedDocument], *, exclude: Collection[str], limit: int) -> None:
        self._place = {one.doc_id: place for place, one in enumerate(found)}
        self.found: Mapping[str, tuple[str, ...]] = {
            one.doc_id: tuple(chunk_id for chunk_id, _ in one.hits[:PASSAGES]) for one in found
        }
        """The best chunks of each document of the classic ranking."""
        self._exclude = exclude
        self._limit = limit
        self._reached: dict[str, Reached] = {}

    def __len__(self) -> int:
        return len(self._reached)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._reached

    def heaviest(self) -> tuple[Reached, ...]:
        order = sorted(self._reached.values(), key=lambda one: (-one.weight, one.doc_id))
        return tuple(order[: self._limit])

    def call(self, name: Named, *, weight: float, path: tuple[str, ...]) -> None:
        """Reach whoever goes by the name: fully the one that was found best, the others less."""
        far = len(self._place)
        there = [edge for edge in name.edges if edge.doc_id not in self._exclude]
        order = sorted(there, key=lambda edge: (self._place.get(edge.doc_id, far), -edge.confidence, edge.doc_id))
        for place, edge in enumerate(order):
            share = 1.0 if place == 0 else NAMESAKE
            self.reach(edge.doc_id, weight * share, (edge.chunk_id,), path)

    def reach(
        self, doc_id: str, weight: float, chunk_ids: tuple[str, ...], path: tuple[str, ...], *, tells: bool = False
    ) -> None:
        """Of a document that was found the chunks are known, unless these tell the cause or the cure."""
        if doc_id in self._exclude:
            return
        if doc_id in self.found and not tells:
            chunk_ids = ()
        before = self._reached.get(doc_id)
        if before is None or weight > before.weight:
            chunks = tuple(dict.fromkeys((*chunk_ids, *(before.chunk_ids if before else ()))))
            self._reached[doc_id] = Reached(doc_id=doc_id, weight=weight, chunk_ids=chunks, path=path)
        elif chunk_ids and not set(chunk_ids) <= set(before.chunk_ids):
            chunks = tuple(dict.fromkeys((*before.chunk_ids, *chunk_ids)))
            self._reached[doc_id] = Reached(doc_id=doc_id, weight=before.weight, chunk_ids=chunks, path=before.path)
