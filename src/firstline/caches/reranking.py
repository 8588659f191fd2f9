"""A reranker that remembers its judgements. Same port in and out.

Scores compare within one call alone, so a call is kept as a whole: the same question with the same passages in the same
order. They depend on those texts and the model, and no text is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from firstline.caches.store import Kept, key_of
from firstline.ports import Reranker


class KeptReranker:
    def __init__(self, inner: Reranker, kept: Kept[tuple[float, ...]]) -> None:
        self._inner = inner
        self._kept = kept

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        async def make() -> tuple[float, ...]:
            return tuple(await self._inner.score(question, texts))

        def usable(scores: tuple[float, ...]) -> bool:
            return len(scores) == len(texts) and all(map(math.isfinite, scores))

        key = key_of("rerank", self.model_id, question, list(texts))
        scores, _ = await self._kept.get(key, make, keeps=usable)
        return list(scores)
