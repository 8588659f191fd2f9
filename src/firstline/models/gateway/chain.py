"""Which model is asked when one fails? The next of the chain, as long as nothing was handed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TypeVar

from firstline.domain import Completion, ModelRequest, ModelRole, Piece
from firstline.errors import FirstlineError, OverBudget, TooLong, TooManyRequests, Unavailable
from firstline.models.gateway.streams import AGAIN, begun
from firstline.ports import LanguageModel

T = TypeVar("T")


class Chain:
    """Implements `ports.LanguageModel`. What was spent is spent for every model: OverBudget ends the chain. The
    completion's `notes` name the models that failed before."""

    def __init__(self, models: Sequence[LanguageModel]) -> None:
        self._models = tuple(models)

    def model_id(self, role: ModelRole) -> str:
        return " > ".join(model.model_id(role) for model in self._models)

    async def complete(self, request: ModelRequest) -> Completion:
        completion, failed = await self._first(request, lambda model: model.complete(request))
        return replace(completion, notes=(*failed, *completion.notes))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        stream, failed = await self._first(request, lambda model: begun(model.stream(request)))
        async with aclosing(stream):
            async for piece in stream:
                if piece.completion is not None and failed:
                    done = piece.completion
                    yield replace(piece, completion=replace(done, notes=(*failed, *done.notes)))
                else:
                    yield piece

    async def _first(
        self, request: ModelRequest, call: Callable[[LanguageModel], Awaitable[T]]
    ) -> tuple[T, tuple[str, ...]]:
        """What the first model that answers gives, and what was wrong with those before it."""
        errors: list[FirstlineError] = []
        failed: list[str] = []
        for model in self._models:
            try:
                return await call(model), tuple(failed)
            except OverBudget:
                raise
            except FirstlineError as error:
                errors.append(error)
                failed.append(f"{model.model_id(request.role)}: {error.message}")
            if asyncio.get_running_loop().time() >= request.deadline_at_s:
                break
        raise _told(errors, failed)


def _told(errors: Sequence[FirstlineError], failed: Sequence[str]) -> FirstlineError:
    """One error for all of them, by what the caller can do: send less, or wait; else the operator reads what each
    said."""
    too_long = [error for error in errors if isinstance(error, TooLong)]
    if too_long or len(errors) == 1:
        return (too_long or [*errors])[0]
    waits = [error.retry_after_s for error in errors if isinstance(error, TooManyRequests)]
    said = f"No model answered. {' | '.join(failed)}"
    if len(waits) == len(errors):
        return TooManyRequests(said, retry_after_s=min(waits), remedy=AGAIN)
    return Unavailable(said, remedy="`firstline doctor --models` calls each model once and says what is wrong with it.")
