"""How many calls run at once, and who is next? Tenants take turns; within a tenant, first come, first served.

A tenant that asks a thousand things at once waits behind itself: another one's only question is begun after at most one
call of each tenant that waits.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Final

from firstline.domain import Completion, ModelRequest, Piece
from firstline.errors import TooManyRequests
from firstline.models.gateway.streams import AGAIN, Late, Wrapper
from firstline.ports import LanguageModel

WAITING_MAX: Final = 2_000
REFUSED_RETRY_S: Final = 5.0


class FairQueue(Wrapper):
    """At most `calls_max` at once and `waiting_max` waiting: beyond that, TooManyRequests. Late when no place came
    free by the deadline."""

    def __init__(self, inner: LanguageModel, *, calls_max: int, waiting_max: int = WAITING_MAX) -> None:
        super().__init__(inner)
        self._calls_max = calls_max
        self._waiting_max = waiting_max
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.running = 0
        self.waiting = 0

    async def complete(self, request: ModelRequest) -> Completion:
        async with self._place(request):
            return await self._inner.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        async with self._place(request):
            stream = self._inner.stream(request)
            async with aclosing(stream):
                async for piece in stream:
                    yield piece

    @asynccontextmanager
    async def _place(self, request: ModelRequest) -> AsyncGenerator[None]:
        if self.running < self._calls_max:
            # Whoever waits is given a place as soon as one is free, so nobody is overtaken here.
            self.running += 1
        else:
            await self._turn(request)
        try:
            yield
        finally:
            self._release()

    async def _turn(self, request: ModelRequest) -> None:
        if self.waiting >= self._waiting_max:
            raise TooManyRequests(
                "Too many questions wait for a language model.", retry_after_s=REFUSED_RETRY_S, remedy=AGAIN
            )
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(request.tenant, deque()).append(mine)
        self.waiting += 1
        limit = asyncio.timeout_at(request.deadline_at_s)
        try:
            async with limit:
                await mine
        except BaseException as error:
            # Given a place in the very moment of leaving: somebody else takes it.
            if mine.done() and not mine.cancelled():
                self._release()
            else:
                self._leave(request.tenant, mine)
            if isinstance(error, TimeoutError) and limit.expired():
                raise Late("No language model was free in time.", given_s=0.0, remedy=AGAIN) from None
            raise

    def _leave(self, tenant: str, mine: asyncio.Future[None]) -> None:
        queue = self._waiting.get(tenant, deque())
        if mine not in queue:
            return  # taken out already, when a place was free and this one had just gone
        queue.remove(mine)
        self.waiting -= 1
        if not queue:
            del self._waiting[tenant]

    def _release(self) -> None:
        self.running -= 1
        while self._waiting and self.running < self._calls_max:
            tenant, queue = self._waiting.popitem(last=False)
            mine = queue.popleft()
            self.waiting -= 1
            if queue:
                self._waiting[tenant] = queue
            if not mine.done():
                self.running += 1
                mine.set_result(None)
