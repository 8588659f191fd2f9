"""How long is a model waited for that says nothing, when there is another one to ask?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from firstline.domain import ModelRequest, Piece
from firstline.models.gateway.streams import AGAIN, Late, Wrapper
from firstline.ports import LanguageModel


class SlowToBegin(Late):
    """It said nothing for too long. Asking the same one again would take as long once more."""

    code = "slow_to_begin"


class FirstToken(Wrapper):
    """Raises SlowToBegin past `wait_s`. For models that are not the last of their chain: the last one is waited for."""

    def __init__(self, inner: LanguageModel, *, wait_s: float) -> None:
        super().__init__(inner)
        self._wait_s = wait_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        stream = self._inner.stream(request)
        async with aclosing(stream):
            limit = asyncio.timeout(self._wait_s)
            try:
                async with limit:
                    first = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                if not limit.expired():
                    raise
                raise SlowToBegin(
                    f"The model said nothing for {self._wait_s:.1f} s.", given_s=self._wait_s, remedy=AGAIN
                ) from None
            yield first
            async for piece in stream:
                yield piece
