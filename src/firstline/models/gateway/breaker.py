"""Is a model worth a call now? After several failures in a row it rests, and then one call tries it.

closed      calls go through; `failures_max` failures in a row open it
open        no call goes through for `rest_s`
half_open   one call at a time goes through: its answer closes the breaker, its failure opens it again

What counts is what the model does: that it is down, late or refuses our key. A prompt that is too long, a budget that
is spent and a caller who left say nothing of it, nor does a call that had no time. Calls that began before the breaker
opened say nothing of what is now, so they are not heard. A model that asks for a pause (TooManyRequests) gets it, up
to `pause_s_max`.

Of one process and one event loop, by the loop's clock: nothing is awaited between looking and deciding.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from enum import StrEnum
from typing import Final

from firstline.domain import UNSEEN_ENDS, ModelRequest, Piece
from firstline.errors import FirstlineError, OverBudget, TooLong, TooManyRequests, Unavailable
from firstline.models.gateway.streams import AGAIN, Late, Wrapper
from firstline.ports import LanguageModel

FAILURES_MAX: Final = 5
REST_S: Final = 20.0
PAUSE_S_MAX: Final = 60.0
FAIR_S: Final = 1.0
"""A call that had less time than this and was late is no failure of the model."""


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class BreakerOpen(Unavailable):
    """The model was not called."""

    code = "breaker_open"


class Breaker(Wrapper):
    def __init__(
        self,
        inner: LanguageModel,
        *,
        failures_max: int = FAILURES_MAX,
        rest_s: float = REST_S,
        pause_s_max: float = PAUSE_S_MAX,
    ) -> None:
        super().__init__(inner)
        self.refused = 0
        self._failures_max = failures_max
        self._rest_s = rest_s
        self._pause_s_max = pause_s_max
        self._failures = 0
        self._opened_at_s: float | None = None
        self._paused_until_s = 0.0
        self._trying = False
        self._era = 0
        """Changes whenever the breaker opens or closes."""

    @property
    def state(self) -> BreakerState:
        if self._opened_at_s is None:
            return BreakerState.CLOSED
        resting = asyncio.get_running_loop().time() < self._opened_at_s + self._rest_s
        return BreakerState.OPEN if resting else BreakerState.HALF_OPEN

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        trying = self._enter(request)
        era = self._era
        try:
            stream = self._inner.stream(request)
            async with aclosing(stream):
                async for piece in stream:
                    if piece.completion is not None:
                        self._heard(era, failed=piece.completion.finish in UNSEEN_ENDS)
                    yield piece
        except FirstlineError as error:
            self._failed(era, error)
            raise
        finally:
            # Also when the caller left: then the next one tries.
            if trying and era == self._era:
                self._trying = False

    def _enter(self, request: ModelRequest) -> bool:
        """Whether this call is the one that tries. Raises when none may go through."""
        now = asyncio.get_running_loop().time()
        name = self.model_id(request.role)
        if now < self._paused_until_s:
            self.refused += 1
            raise TooManyRequests(f"{name} asked for a pause.", retry_after_s=self._paused_until_s - now, remedy=AGAIN)
        state = self.state
        if state is BreakerState.OPEN or (state is BreakerState.HALF_OPEN and self._trying):
            self.refused += 1
            raise BreakerOpen(f"{name} failed several times and is left alone for a while.", remedy=AGAIN)
        self._trying = state is BreakerState.HALF_OPEN
        return self._trying

    def _failed(self, era: int, error: FirstlineError) -> None:
        if isinstance(error, TooLong | OverBudget) or (isinstance(error, Late) and error.given_s < FAIR_S):
            return
        if isinstance(error, TooManyRequests):
            until = asyncio.get_running_loop().time() + min(error.retry_after_s, self._pause_s_max)
            self._paused_until_s = max(self._paused_until_s, until)
            return
        self._heard(era, failed=True)

    def _heard(self, era: int, *, failed: bool) -> None:
        if era != self._era:
            return
        if failed:
            self._failures += 1
            if self._opened_at_s is not None or self._failures >= self._failures_max:
                self._turn(opened_at_s=asyncio.get_running_loop().time())
        elif self._opened_at_s is not None:
            self._turn(opened_at_s=None)
        else:
            self._failures = 0

    def _turn(self, *, opened_at_s: float | None) -> None:
        self._opened_at_s = opened_at_s
        self._failures = 0
        self._trying = False
        self._era += 1
