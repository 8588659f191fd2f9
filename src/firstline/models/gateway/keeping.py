"""Was exactly this asked before? Answers that are whole are kept for a while, bounded in bytes, by tenant.

Only requests with temperature 0: with any other, somebody wants to see different answers.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from firstline.caches.store import Kept, Key
from firstline.domain import Completion, Finish, ModelRequest, Piece
from firstline.models.gateway.request_key import request_key
from firstline.models.gateway.streams import Wrapper
from firstline.ports import LanguageModel

KEPT_ENDS: Final = frozenset({Finish.WHOLE})


class Keeping(Wrapper):
    def __init__(self, inner: LanguageModel, kept: Kept[Completion]) -> None:
        super().__init__(inner)
        self._kept = kept
        self.hits = 0

    async def complete(self, request: ModelRequest) -> Completion:
        key = self._key(request)
        if (found := self._found(key)) is not None:
            return found
        drops = self._kept.drops
        done = await self._inner.complete(request)
        self._keep(key, done, drops)
        return done

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        key = self._key(request)
        if (found := self._found(key)) is not None:
            if found.text:
                yield Piece(text=found.text)
            yield Piece(completion=found)
            return
        drops = self._kept.drops
        stream = self._inner.stream(request)
        async with aclosing(stream):
            async for piece in stream:
                if piece.completion is not None:
                    self._keep(key, piece.completion, drops)
                yield piece

    def _key(self, request: ModelRequest) -> Key | None:
        if request.temperature or not self._kept.bytes_max:
            return None
        return request_key(request, model_id=self.model_id(request.role))

    def _found(self, key: Key | None) -> Completion | None:
        found = self._kept.peek(key) if key is not None else None
        if found is None:
            if key is not None:
                self._kept.counts.misses += 1
            elif self._kept.bytes_max:
                self._kept.counts.passed += 1
            return None
        self.hits += 1
        self._kept.counts.hits += 1
        return replace(found, kept=True, cost=0.0, first_token_s=0.0, notes=())

    def _keep(self, key: Key | None, done: Completion, drops: int) -> None:
        # Asked with what was forgotten meanwhile, it must not stay.
        if key is not None and done.finish in KEPT_ENDS and drops == self._kept.drops:
            self._kept.put(key, done)
