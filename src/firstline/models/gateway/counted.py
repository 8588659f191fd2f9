"""How did each model do? Counts of calls that were really made."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from firstline.domain import FIRST_TOKEN_BUCKETS_S, ModelRequest, ModelRole, ModelSeen, Piece
from firstline.errors import FirstlineError, OverBudget
from firstline.models.gateway.streams import Wrapper
from firstline.ports import LanguageModel


class Counted(Wrapper):
    """Also tells the completion how long its first text took."""

    def __init__(self, inner: LanguageModel, *, role: ModelRole) -> None:
        super().__init__(inner)
        self._role = role
        self._calls = 0
        self._given_up = 0
        self._finishes: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._buckets = [0] * (len(FIRST_TOKEN_BUCKETS_S) + 1)
        self._first_token_sum_s = 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        clock = asyncio.get_running_loop().time
        began, first_s = clock(), None
        ended = False
        self._calls += 1
        try:
            stream = self._inner.stream(request)
            async with aclosing(stream):
                async for piece in stream:
                    if first_s is None:
                        first_s = clock() - began
                        self._buckets[bisect_left(FIRST_TOKEN_BUCKETS_S, first_s)] += 1
                        self._first_token_sum_s += first_s
                    if (done := piece.completion) is not None:
                        ended = True
                        self._finishes[done.finish.value] += 1
                        piece = replace(piece, completion=replace(done, first_token_s=first_s))
                    yield piece
        except OverBudget:
            ended = True
            self._calls -= 1  # it was not made
            raise
        except FirstlineError as error:
            ended = True
            self._failures[error.code] += 1
            raise
        finally:
            if not ended:
                self._given_up += 1

    def seen(self, *, tokens_in: int, tokens_out: int, cost: float, breaker: str, refused: int) -> ModelSeen:
        return ModelSeen(
            role=self._role,
            model_id=self.model_id(self._role),
            calls=self._calls,
            finishes=dict(self._finishes),
            failures=dict(self._failures),
            given_up=self._given_up,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
            first_tokens=tuple(self._buckets),
            first_token_sum_s=self._first_token_sum_s,
            breaker=breaker,
            refused=refused,
        )
