"""Streams of pieces: to read one to its end, to begin one, to end one in time. And the shape that wrappers have in
common.

A wrapper hands on what it is given, so errors come before the first piece and named ends after it
(`ports.LanguageModel`). `complete` is a stream that is read to its end; wrappers that may begin anew override it,
because nobody has seen anything of it yet.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing

from firstline.domain import UNSEEN_ENDS, Completion, Finish, ModelRequest, ModelRole, Piece
from firstline.errors import Unavailable
from firstline.ports import LanguageModel

AGAIN = "Ask again in a moment."


class Late(Unavailable):
    """It did not answer in time. `given_s`: the time it had."""

    code = "late"

    def __init__(self, message: str, *, given_s: float, remedy: str) -> None:
        super().__init__(message, remedy=remedy)
        self.given_s = given_s


class Wrapper(ABC):
    """The port's own shape around another one. Implements `ports.LanguageModel`."""

    def __init__(self, inner: LanguageModel) -> None:
        self._inner = inner

    def model_id(self, role: ModelRole) -> str:
        return self._inner.model_id(role)

    async def complete(self, request: ModelRequest) -> Completion:
        return await collected(self.stream(request))

    @abstractmethod
    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]: ...


async def collected(stream: AsyncGenerator[Piece]) -> Completion:
    """The completion at its end. One that broke off is an error here: nothing was handed on."""
    async with aclosing(stream):
        async for piece in stream:
            if piece.completion is None:
                continue
            if piece.completion.finish in UNSEEN_ENDS:
                break
            return piece.completion
    raise Unavailable("The model's answer broke off.", remedy=AGAIN)


async def begun(stream: AsyncGenerator[Piece]) -> AsyncGenerator[Piece]:
    """The same stream once its first piece is there: errors before that are raised here, where another one may
    begin."""
    try:
        first = await anext(stream)
    except StopAsyncIteration:
        raise Unavailable("The model said nothing at all.", remedy=AGAIN) from None
    return _rest(first, stream)


async def _rest(first: Piece, stream: AsyncGenerator[Piece]) -> AsyncGenerator[Piece]:
    async with aclosing(stream):
        yield first
        async for piece in stream:
            yield piece


async def ended_by(stream: AsyncGenerator[Piece], at_s: float, *, model_id: str) -> AsyncGenerator[Piece]:
    """The stream, and no further than the time `at_s` of the loop's clock. Raises Late before the first piece; after
    it the stream ends with a completion that is LATE."""
    given_s = at_s - asyncio.get_running_loop().time()
    said: list[str] = []
    async with aclosing(stream):
        while True:
            # Around one step alone: a timeout that is held across a yield would end whoever reads.
            limit = asyncio.timeout_at(at_s)
            try:
                async with limit:
                    piece = await anext(stream, None)
            except TimeoutError:
                if not limit.expired():
                    raise
                if not said:
                    raise Late(
                        f"The model did not answer within {max(0.0, given_s):.1f} s.", given_s=given_s, remedy=AGAIN
                    ) from None
                yield Piece(
                    completion=Completion(text="".join(said), finish=Finish.LATE, model_id=model_id, counted=False)
                )
                return
            if piece is None:
                return
            if piece.text:
                said.append(piece.text)
            yield piece
