"""What was really called? Whoever asked hears of each call, for the turn's record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from firstline.domain import UNDER_WAY, Attempt, Completion, ModelRequest, Piece
from firstline.errors import FirstlineError
from firstline.models.gateway.streams import Wrapper
from firstline.ports import LanguageModel

GIVEN_UP: Final = "given_up"


def _to_nobody(_attempt: Attempt) -> None:
    return None


class Told(Wrapper):
    """Around what counts and prices: the completion that passes here has its tokens, cost and time to first text."""

    def __init__(self, inner: LanguageModel, *, server: str = "") -> None:
        """`server`: as in `Attempt`."""
        super().__init__(inner)
        self._server = server

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        clock = asyncio.get_running_loop().time
        began, done, ended = clock(), None, GIVEN_UP
        tell = request.told or _to_nobody
        tell(self._attempt(request, None, UNDER_WAY, ms=0.0))
        stream = self._inner.stream(request)
        try:
            async with aclosing(stream):
                async for piece in stream:
                    if piece.completion is not None:
                        done, ended = piece.completion, piece.completion.finish.value
                    yield piece
        except FirstlineError as error:
            ended = error.code
            raise
        finally:
            tell(self._attempt(request, done, ended, ms=(clock() - began) * 1000))

    def _attempt(self, request: ModelRequest, done: Completion | None, ended: str, *, ms: float) -> Attempt:
        attempt = Attempt(
            model_id=self.model_id(request.role),
            ended=ended,
            ms=round(ms, 2),
            counted=False,
            max_tokens=request.max_tokens,
            server=self._server,
        )
        if done is None:
            return attempt
        return replace(
            attempt,
            model_id=done.model_id or attempt.model_id,
            first_token_ms=round((done.first_token_s or 0.0) * 1000, 2),
            tokens_in=done.tokens_in,
            tokens_out=done.tokens_out,
            counted=done.counted,
            cost=done.cost,
        )
