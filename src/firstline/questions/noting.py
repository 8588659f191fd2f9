"""A language model whose calls are noted in the trail of a turn, whatever becomes of them."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from firstline.domain import UNDER_WAY, Attempt, Completion, ModelCall, ModelRequest, ModelRole, Piece
from firstline.errors import FirstlineError, OverBudget
from firstline.ports import LanguageModel
from firstline.questions.trail import STEPS_MAX, Trail

GIVEN_UP: Final = "given_up"
WHY_CHARS_MAX: Final = 500


class Noting:
    """Implements ports.LanguageModel for one step of one turn. Times are since the turn's message came."""

    def __init__(self, model: LanguageModel, trail: Trail, *, step: str, prompt: str) -> None:
        """`prompt`: its id, with version and hash."""
        self._model = model
        self._trail = trail
        self._step = step
        self._prompt = prompt

    def model_id(self, role: ModelRole) -> str:
        return self._model.model_id(role)

    async def complete(self, request: ModelRequest) -> Completion:
        with _Note(self._trail, self._step, self._prompt, request) as note:
            return note.ended(await self._model.complete(note.request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        with _Note(self._trail, self._step, self._prompt, request) as note:
            async with aclosing(self._model.stream(note.request)) as stream:
                async for piece in stream:
                    if piece.completion is not None:
                        note.ended(piece.completion)
                    yield piece


class _Note:
    """One call on its way: from its block's begin to its end."""

    def __init__(self, trail: Trail, step: str, prompt: str, request: ModelRequest) -> None:
        self.request = replace(request, told=self._told)
        self._trail = trail
        self._attempts: list[Attempt] = []
        self._done: Completion | None = None
        self._began_ms = self._now_ms()
        self._call = ModelCall(
            step=step,
            role=request.role.value,
            prompt=prompt,
            ended=GIVEN_UP,
            began_ms=round(self._began_ms, 2),
            ms=0.0,
        )

    def __enter__(self) -> _Note:
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if len(self._trail.calls) >= STEPS_MAX:
            return
        # What nobody waits for any longer ends later, when the turn is recorded already.
        for attempt in [one for one in self._attempts if one.ended == UNDER_WAY]:
            self._told(replace(attempt, ended=GIVEN_UP, ms=round(self._now_ms() - attempt.began_ms, 2)))
        call = replace(self._call, ms=round(self._now_ms() - self._began_ms, 2), attempts=tuple(self._attempts))
        if isinstance(error, FirstlineError):
            call = replace(call, ended=error.code, why=error.message[:WHY_CHARS_MAX])
        elif (done := self._done) is not None:
            call = replace(call, ended=done.finish.value, model_id=done.model_id, kept=done.kept)
        self._trail.calls.append(call)

    def ended(self, done: Completion) -> Completion:
        self._done = done
        return done

    def _told(self, attempt: Attempt) -> None:
        """One call of a chain after the other: what ends is the one that began last."""
        if self._attempts and self._attempts[-1].ended == UNDER_WAY:
            attempt = replace(attempt, began_ms=self._attempts.pop().began_ms)
            # Refused by a budget before anybody was called.
            if attempt.ended == OverBudget.code:
                return
        elif attempt.ended == UNDER_WAY:
            attempt = replace(attempt, began_ms=round(self._now_ms(), 2))
        else:
            return
        if len(self._attempts) < STEPS_MAX:
            self._attempts.append(attempt)

    def _now_ms(self) -> float:
        return (time.perf_counter() - self._trail.began_s) * 1000
