"""May the same model be asked again? Where nothing was handed on and the error may pass, after a pause with jitter.

A model that says how long to wait is waited for, when that is within the deadline and within `pause_s_max`: with
another model to ask, short pauses alone are worth it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final, TypeVar

from firstline.domain import Completion, ModelRequest, Piece
from firstline.errors import OverBudget, TooManyRequests, Unavailable
from firstline.models.gateway.breaker import BreakerOpen
from firstline.models.gateway.first_token import SlowToBegin
from firstline.models.gateway.streams import Wrapper, begun
from firstline.ports import LanguageModel

T = TypeVar("T")

ATTEMPTS_MAX: Final = 3
PAUSE_S: Final = 0.2
PAUSE_S_MAX: Final = 60.0


class Retrying(Wrapper):
    def __init__(
        self,
        inner: LanguageModel,
        *,
        attempts_max: int = ATTEMPTS_MAX,
        pause_s_max: float = PAUSE_S_MAX,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`chance` gives numbers from 0 to 1: callers that failed together must not come back together."""
        super().__init__(inner)
        self._attempts_max = attempts_max
        self._pause_s_max = pause_s_max
        self._chance = chance

    async def complete(self, request: ModelRequest) -> Completion:
        return await self._tried(request, lambda: self._inner.complete(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        stream = await self._tried(request, lambda: begun(self._inner.stream(request)))
        async with aclosing(stream):
            async for piece in stream:
                yield piece

    async def _tried(self, request: ModelRequest, call: Callable[[], Awaitable[T]]) -> T:
        attempt = 1
        while True:
            try:
                return await call()
            except (Unavailable, TooManyRequests) as error:
                if attempt >= self._attempts_max or isinstance(error, OverBudget | SlowToBegin | BreakerOpen):
                    raise
                pause_s = PAUSE_S * 2 ** (attempt - 1) * (1 + self._chance())
                if isinstance(error, TooManyRequests):
                    pause_s += error.retry_after_s
                left_s = request.deadline_at_s - asyncio.get_running_loop().time()
                if pause_s > self._pause_s_max or pause_s >= left_s:
                    raise
            attempt += 1
            await asyncio.sleep(pause_s)
