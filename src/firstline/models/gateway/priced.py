"""What does a call cost at most, and what did it cost?"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from firstline.domain import Completion, Finish, ModelRequest, Piece
from firstline.errors import FirstlineError
from firstline.models.gateway.budgets import Budgets, Spent
from firstline.models.gateway.spending import Spending
from firstline.models.gateway.streams import Late, Wrapper
from firstline.ports import LanguageModel

MILLION: Final = 1_000_000
FRAME_TOKENS: Final = 512
"""What a provider puts around a prompt: roles, its own instructions for JSON, fences."""
PART_TOKENS: Final = 64
BYTES_PER_TOKEN: Final = 4
"""Of prose, about; for what a provider did not count."""
UNANSWERED: Final = Completion(text="", finish=Finish.BROKEN_OFF, model_id="")
"""Failed before it said anything: nobody is billed for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Of a million tokens, in the operator's currency."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / MILLION


def prompt_bytes(request: ModelRequest) -> int:
    """UTF-8 bytes of everything that is sent."""
    texts = [*request.system, *(text for part in request.parts for text in (part.text, part.label))]
    schema = json.dumps(request.schema) if request.schema else ""
    # A schema is sent once, or once more as an instruction.
    return sum(len(text.encode("utf-8", "replace")) for text in texts) + 2 * len(schema)


def most_tokens_in(request: ModelRequest) -> int:
    """No prompt has more: a token is at least one byte."""
    return prompt_bytes(request) + FRAME_TOKENS + PART_TOKENS * (len(request.system) + len(request.parts))


class Priced(Wrapper):
    """Sets a call's most aside before it begins, and books what it came to. What a provider counts is believed as far
    as it is possible; what it does not count is estimated from the bytes; of a call that was given up or was late, the
    prompt is booked. One that failed before it said anything costs nothing: an outage must not eat the budget."""

    def __init__(
        self, inner: LanguageModel, *, price: Price, budgets: Budgets, spending: Spending | None = None
    ) -> None:
        super().__init__(inner)
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost = 0.0
        self._price = price
        self._budgets = budgets
        self._spending = spending or Spending()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        most_in = most_tokens_in(request)
        most = Spent(most_in + request.max_tokens, self._price.of(most_in, request.max_tokens))
        held = self._budgets.hold(request, most)
        said_bytes = 0
        done: Completion | None = None
        try:
            stream = self._inner.stream(request)
            async with aclosing(stream):
                async for piece in stream:
                    said_bytes += len(piece.text.encode("utf-8", "replace"))
                    if piece.completion is not None:
                        done = self._counted(piece.completion, request, most_in)
                        piece = replace(piece, completion=done)
                    yield piece
        except FirstlineError as error:
            if not said_bytes and not isinstance(error, Late):
                done = UNANSWERED
            raise
        finally:
            if done is None:
                done = self._counted(
                    Completion(text="", finish=Finish.BROKEN_OFF, model_id="", tokens_out=0, counted=False),
                    request,
                    most_in,
                    said_bytes=said_bytes,
                )
            self.tokens_in += done.tokens_in
            self.tokens_out += done.tokens_out
            self.cost += done.cost
            self._budgets.settle(held, Spent(done.tokens_in + done.tokens_out, done.cost))
            if done is not UNANSWERED:
                self._spending.book(
                    request.role, request.tenant, tokens_in=done.tokens_in, tokens_out=done.tokens_out, cost=done.cost
                )

    def _counted(
        self, done: Completion, request: ModelRequest, most_in: int, *, said_bytes: int | None = None
    ) -> Completion:
        counted = done.counted and done.tokens_in > 0
        if counted:
            tokens_in, tokens_out = done.tokens_in, done.tokens_out
        else:
            said = len(done.text.encode("utf-8", "replace")) if said_bytes is None else said_bytes
            tokens_in = -(-prompt_bytes(request) // BYTES_PER_TOKEN)
            tokens_out = -(-said // BYTES_PER_TOKEN)
        tokens_in = min(max(0, tokens_in), most_in)
        tokens_out = min(max(0, tokens_out), request.max_tokens)
        return replace(
            done,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            counted=counted,
            cost=self._price.of(tokens_in, tokens_out),
        )
