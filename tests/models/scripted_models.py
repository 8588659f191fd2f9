"""Language models that do as they are told, and what is asked of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from firstline.caches.store import Kept
from firstline.domain import Completion, Finish, ModelRequest, ModelRole, Part, Piece
from firstline.errors import FirstlineError
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import compose
from firstline.models.gateway.streams import collected
from firstline.ports import LanguageModel


@dataclass(frozen=True)
class Wait:
    seconds: float


Step = str | Wait | FirstlineError | Completion
"""Text is said, an error is raised, a completion ends the answer. Without one at the end, the stream just stops."""


def whole(name: str = "", *, tokens_in: int = 10, tokens_out: int = 5, finish: Finish = Finish.WHOLE) -> Completion:
    return Completion(text="", finish=finish, model_id=name, tokens_in=tokens_in, tokens_out=tokens_out)


@dataclass
class Scripted:
    """Does `script(request, number)` on its call of that number, counted from 0. `open` are calls under way."""

    name: str
    script: Callable[[ModelRequest, int], Sequence[Step]]
    calls: list[ModelRequest] = field(default_factory=list)
    open: int = 0
    open_most: int = 0
    ended_early: int = 0

    def model_id(self, role: ModelRole) -> str:
        return self.name

    async def complete(self, request: ModelRequest) -> Completion:
        return await collected(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        number = len(self.calls)
        self.calls.append(request)
        self.open += 1
        self.open_most = max(self.open, self.open_most)
        through = False
        try:
            for step in self.script(request, number):
                if isinstance(step, Wait):
                    await asyncio.sleep(step.seconds)
                elif isinstance(step, str):
                    yield Piece(text=step)
                elif isinstance(step, Completion):
                    through = True
                    yield Piece(completion=step)
                else:
                    through = True
                    raise step
            through = True
        finally:
            self.open -= 1
            self.ended_early += not through


def always(name: str, *steps: Step) -> Scripted:
    return Scripted(name, lambda request, number: steps)


def asked(
    text: str = "Why?", *, tenant: str = "acme", within_s: float = 10.0, max_tokens: int = 50, **more: Any
) -> ModelRequest:
    """Must be called on the loop that the request is made on."""
    now = asyncio.get_running_loop().time()
    made = {"role": ModelRole.LARGE, "parts": (Part(text=text),), "tenant": tenant, "max_tokens": max_tokens, **more}
    return ModelRequest(deadline_at_s=now + within_s, **made)


def settings(*names: str, **role: Any) -> ModelsSettings:
    """A chain of these names for the large role."""
    budgets = role.pop("budgets", {})
    prices = role.pop("prices", {})
    chain = [{"model": f"openai:{name}", **prices} for name in names]
    return ModelsSettings.model_validate({"large": {"chain": chain, **role}, "budgets": budgets})


def gateway(*models: LanguageModel, bytes_max: int = 0, **role: Any) -> tuple[LanguageModel, Any]:
    """The whole gateway around these models, and what it counts."""
    names = [model.model_id(ModelRole.LARGE) for model in models]
    # The same jitter every time: what is simulated can be looked at again.
    chance = random.Random(5).random  # noqa: S311 - a script
    return compose(
        settings(*names, **role), {ModelRole.LARGE: models}, Kept("model", bytes_max=bytes_max), chance=chance
    )


async def pieces(stream: AsyncGenerator[Piece]) -> tuple[str, Completion | None]:
    """Everything that was handed on, and the end; the end is the last there is."""
    said: list[str] = []
    end: Completion | None = None
    async for piece in stream:
        assert end is None, "something came after the end"
        said.append(piece.text)
        end = piece.completion
    return "".join(said), end
