"""How long may one call of a model take? `timeout_s`, and never beyond the turn's deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from firstline.domain import ModelRequest, Piece
from firstline.models.gateway.streams import Wrapper, ended_by
from firstline.ports import LanguageModel


class Deadline(Wrapper):
    def __init__(self, inner: LanguageModel, *, timeout_s: float) -> None:
        super().__init__(inner)
        self._timeout_s = timeout_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        at_s = min(request.deadline_at_s, asyncio.get_running_loop().time() + self._timeout_s)
        own = ended_by(self._inner.stream(request), at_s, model_id=self.model_id(request.role))
        async with aclosing(own):
            async for piece in own:
                yield piece
