"""Is exactly this being asked right now? Then one call answers everybody who asks it.

The call is a task of its own: whoever leaves does not end it for the others, and the last one to leave does. Everybody
gets every piece from the first on. A call that fails is the failure of whoever began it; those who joined it ask once
more, again together, because it may have been that caller's deadline or budget. Each of them does so once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from firstline.caches.store import Key
from firstline.domain import Completion, ModelRequest, Piece
from firstline.errors import FirstlineError
from firstline.models.gateway.request_key import request_key
from firstline.models.gateway.streams import Wrapper, collected, ended_by
from firstline.ports import LanguageModel


class _Call:
    """One call under way. `pieces` so far; `moved` is set and replaced with each of them, and when it ended."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.error: BaseException | None = None
        self.ended = False
        self.waiters = 0
        self.moved = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def tell(self) -> None:
        self.moved.set()
        self.moved = asyncio.Event()


class Coalescing(Wrapper):
    """Also what holds every caller's own deadline: it ends by then, whatever the call does."""

    def __init__(self, inner: LanguageModel) -> None:
        super().__init__(inner)
        self.joined = 0
        self._calls: dict[tuple[Key, bool], _Call] = {}
        # The loop holds its tasks weakly.
        self._tasks: set[asyncio.Task[None]] = set()

    async def complete(self, request: ModelRequest) -> Completion:
        return await collected(self._stream(request, streams=False))

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        return self._stream(request, streams=True)

    async def _stream(self, request: ModelRequest, *, streams: bool) -> AsyncGenerator[Piece]:
        name = self.model_id(request.role)
        key = (request_key(request, model_id=name), streams)
        again = True
        while True:
            call = self._calls.get(key)
            leads = call is None
            if call is None:
                call = self._begin(key, request, streams=streams)
            else:
                self.joined += 1
            said = False
            own = ended_by(self._pieces(key, call), request.deadline_at_s, model_id=name)
            try:
                async with aclosing(own):
                    async for piece in own:
                        said = True
                        yield piece
                return
            except FirstlineError as error:
                # Not this caller's own lateness, and not a second time.
                if leads or said or not again or call.error is not error:
                    raise
            again = False

    def _begin(self, key: tuple[Key, bool], request: ModelRequest, *, streams: bool) -> _Call:
        call = self._calls[key] = _Call()
        call.task = asyncio.create_task(self._run(key, call, request, streams=streams), name="model-call")
        self._tasks.add(call.task)
        call.task.add_done_callback(self._tasks.discard)
        return call

    async def _run(self, key: tuple[Key, bool], call: _Call, request: ModelRequest, *, streams: bool) -> None:
        try:
            if streams:
                stream = self._inner.stream(request)
                async with aclosing(stream):
                    async for piece in stream:
                        call.pieces.append(piece)
                        call.tell()
            else:
                call.pieces.append(Piece(completion=await self._inner.complete(request)))
        except Exception as error:
            call.error = error
        finally:
            # Nothing is awaited from here: whoever asks now begins the next call.
            call.ended = True
            if self._calls.get(key) is call:
                del self._calls[key]
            call.tell()

    async def _pieces(self, key: tuple[Key, bool], call: _Call) -> AsyncGenerator[Piece]:
        call.waiters += 1
        at = 0
        try:
            while True:
                while at < len(call.pieces):
                    at += 1
                    yield call.pieces[at - 1]
                if call.ended:
                    break
                await call.moved.wait()
            if call.error is not None:
                # Raised in many tasks: none of them adds its traceback to the others'.
                raise call.error.with_traceback(None)
        finally:
            call.waiters -= 1
            if not call.waiters and not call.ended and call.task is not None:
                # Nobody may join what is about to end.
                if self._calls.get(key) is call:
                    del self._calls[key]
                call.task.cancel()
