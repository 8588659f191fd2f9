"""An embedder that remembers the vectors of the latest questions. Same port in and out.

Texts are kept as digests only. A vector depends on the text and the model alone, so that everybody may share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from firstline.caches.store import Kept, Key, key_of
from firstline.ports import Embedder, Vectors

TEXTS_MAX: Final = 8
"""Calls with more texts are ingestion, which never repeats itself: they pass by."""


class KeptEmbedder:
    def __init__(self, inner: Embedder, kept: Kept[Vectors]) -> None:
        self._inner = inner
        self._kept = kept

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts or len(texts) > TEXTS_MAX or not self._kept.bytes_max:
            return await self._inner.embed(texts)
        keys = [self._key(text) for text in texts]
        if len(texts) == 1:
            row, _ = await self._kept.get(keys[0], lambda: self._row(texts[0]), keeps=self._usable)
            return row.copy()
        return await self._rows(texts, keys)

    async def _rows(self, texts: Sequence[str], keys: Sequence[Key]) -> Vectors:
        """Several at once: those that are missing go out in one call, and nobody waits for another's."""
        found = {key: row for key in keys if (row := self._kept.peek(key)) is not None}
        self._kept.counts.hits += len(found)
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        if missing:
            self._kept.counts.misses += len(missing)
            made = await self._inner.embed([text for _, text in missing])
            if made.shape != (len(missing), self.dimensions):
                raise ValueError("the embedder gave another number of vectors")
            for (key, _), vector in zip(missing, made, strict=True):
                found[key] = _frozen(vector[np.newaxis])
                if self._usable(found[key]):
                    self._kept.put(key, found[key])
        return np.concatenate([found[key] for key in keys])

    async def _row(self, text: str) -> Vectors:
        return _frozen(await self._inner.embed([text]))

    def _usable(self, row: Vectors) -> bool:
        """An embedder that lies once must not be believed until the entry goes."""
        return row.shape == (1, self.dimensions) and bool(np.isfinite(row).all())

    def _key(self, text: str) -> Key:
        return key_of("embedding", self.model_id, text)


def _frozen(row: Vectors) -> Vectors:
    own = row.copy()
    own.setflags(write=False)
    return own
