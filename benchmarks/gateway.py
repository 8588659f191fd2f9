"""What does the gateway to language models cost, share and keep? Over models that are scripted, so that it is the
gateway that is measured.

`overhead`: 2,000 requests one after the other, no two alike, over a model that answers at once: milliseconds of the
processor from the request to the completion through every wrapper, with budgets and cache on. `coalesced`: 1,000
identical requests at once, and how many calls came of them. `missed`: 20 minutes of providers that hang, fail, reset
and come back, on a clock that jumps: requests that ended after their deadline.
"""

from __future__ import annotations

import asyncio
import random
import selectors
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, Final

from benchmarks.measured import Measured, Registry
from benchmarks.turn_latency import nearest_rank
from firstline.caches.store import Kept
from firstline.domain import Completion, Finish, ModelRequest, ModelRole, Part, Piece
from firstline.errors import FirstlineError, Unavailable
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import compose
from firstline.ports import LanguageModel

REQUESTS: Final = 2_000
WARM_UP: Final = 200
AT_ONCE: Final = 1_000
FLAPPING_S: Final = 20 * 60.0
FLAPPING_REQUESTS: Final = 2_000
WORDS: Final = tuple(f"word{at} " for at in range(40))
PROMPT: Final = "Evidence that was found, as long as it is in a turn. " * 120
SLACK_S: Final = 1e-6


class Played:
    """A model that plays what it is told: seconds to wait, texts to say, or an error. Implements `LanguageModel`."""

    def __init__(self, name: str, play: Callable[[], Sequence[float | str | FirstlineError]]) -> None:
        self.calls = 0
        self._name = name
        self._play = play

    def model_id(self, role: ModelRole) -> str:
        return self._name

    async def complete(self, request: ModelRequest) -> Completion:
        async for piece in self.stream(request):
            if piece.completion is not None:
                return piece.completion
        raise Unavailable("it ended", remedy="ask again")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        self.calls += 1
        for step in self._play():
            if isinstance(step, str):
                yield Piece(text=step)
            elif isinstance(step, FirstlineError):
                raise step
            else:
                await asyncio.sleep(step)
        yield Piece(
            completion=Completion(text="", finish=Finish.WHOLE, model_id=self._name, tokens_in=900, tokens_out=40)
        )


def composed(*models: Played) -> LanguageModel:
    role = ModelRole.LARGE
    chain = [{"model": f"openai:{model.model_id(role)}", "price_in": 1.0, "price_out": 4.0} for model in models]
    budgets = {"turn_tokens": 10**6, "session_tokens": 10**7, "tenant_day_tokens": 10**9, "day_cost": 1e6}
    settings = ModelsSettings.model_validate({"large": {"chain": chain, "first_token_s": 2.0}, "budgets": budgets})
    chance = random.Random(5).random  # noqa: S311 - a script
    return compose(settings, {role: models}, Kept("model", bytes_max=16_000_000), chance=chance)[0]


def request(number: int, *, within_s: float = 10.0, tenant: str = "acme") -> ModelRequest:
    return ModelRequest(
        role=ModelRole.LARGE,
        system=("Answer from the evidence.",),
        parts=(Part(text=PROMPT, label="1"), Part(text=f"Question {number}?", label="question")),
        deadline_at_s=asyncio.get_running_loop().time() + within_s,
        tenant=tenant,
        session=f"s{number // 4}",
        turn=f"t{number}",
    )


async def overhead_p95() -> Measured:
    """Processor time of this thread, which waits for nothing here: on a crowded machine the clock on the wall tells
    what the neighbours took, and is told beside it. The model itself is taken off by its median without a gateway."""
    bare = Played("bare", lambda: WORDS)
    wrapped = composed(Played("instant", lambda: WORDS), Played("next", lambda: WORDS))
    bare_ms: list[float] = []
    own_ms: list[float] = []
    wall_ms: list[float] = []
    for number in range(WARM_UP + REQUESTS):
        without, _ = await _spent_ms(bare, request(number))
        own, wall = await _spent_ms(wrapped, request(number))
        if number >= WARM_UP:
            bare_ms.append(without)
            own_ms.append(own)
            wall_ms.append(wall)
    itself = nearest_rank(bare_ms, 0.5)
    return Measured(
        value=nearest_rank(own_ms, 0.95) - itself,
        unit=f"ms of the processor (p50 {nearest_rank(own_ms, 0.5) - itself:.3g}; on the wall "
        f"p50 {nearest_rank(wall_ms, 0.5):.3g}, p95 {nearest_rank(wall_ms, 0.95):.3g})",
    )


async def _spent_ms(model: LanguageModel, asked: ModelRequest) -> tuple[float, float]:
    """Of one request: (of the processor, on the wall)."""
    wall, own = time.perf_counter(), time.thread_time()
    await model.complete(asked)
    return (time.thread_time() - own) * 1000, (time.perf_counter() - wall) * 1000


async def coalesced_calls() -> Measured:
    model = Played("slow", lambda: (0.05, *WORDS, 0.05))
    gateway = composed(model)
    answers = await asyncio.gather(*(gateway.complete(request(0)) for _ in range(AT_ONCE)))
    whole = sum(one.finish is Finish.WHOLE for one in answers)
    return Measured(value=model.calls, unit=f"calls (of {AT_ONCE} identical requests at once, {whole} answered)")


async def deadline_missed() -> Measured:
    return await asyncio.to_thread(_flapping)


def _flapping() -> Measured:
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(_twenty_minutes())


async def _twenty_minutes() -> Measured:
    chance = random.Random(7)  # noqa: S311 - a script
    clock = asyncio.get_running_loop().time
    gateway = composed(*(Played(f"m{at}", _flapper(at, chance, clock)) for at in range(2)))
    missed, ends = 0, {"whole": 0, "otherwise": 0}

    async def one(number: int) -> None:
        nonlocal missed
        await asyncio.sleep(chance.uniform(0, FLAPPING_S))
        asked = request(number, within_s=chance.choice([1, 4, 8]), tenant=f"t{number % 5}")
        try:
            await _read(gateway, asked, streams=number % 2 == 0)
            ends["whole"] += 1
        except FirstlineError:
            ends["otherwise"] += 1
        missed += clock() > asked.deadline_at_s + SLACK_S

    await asyncio.gather(*(one(number) for number in range(FLAPPING_REQUESTS)))
    return Measured(
        value=missed,
        unit=f"requests (of {FLAPPING_REQUESTS} in 20 simulated minutes; {ends['whole']} ended with text)",
    )


async def _read(gateway: LanguageModel, asked: ModelRequest, *, streams: bool) -> None:
    if not streams:
        await gateway.complete(asked)
        return
    async for _ in gateway.stream(asked):
        pass


def _flapper(at: int, chance: random.Random, clock: Callable[[], float]) -> Callable[[], Sequence[Any]]:
    """Well and ill by turns of 20 and 10 seconds, each model at other times."""

    def play() -> Sequence[Any]:
        if (clock() + at * 13) % 30 < 20:
            return [chance.uniform(0.1, 0.8), *WORDS]
        broken = Unavailable("broken", remedy="wait")
        return chance.choice([[10_000.0], [broken], [0.2, *WORDS[:5], broken], [chance.uniform(1, 20), *WORDS]])

    return play


class _Jumping(selectors.SelectSelector):
    """Never waits: tells the loop's clock how long it would have."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        self.passed_s += 0.0 if ready else timeout or 0.0
        return ready


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.passed_s


FIGURES: Final[dict[str, Callable[[], Awaitable[Measured]]]] = {
    "gateway.overhead_p95_ms": overhead_p95,
    "gateway.coalesced_calls": coalesced_calls,
    "gateway.deadline_missed": deadline_missed,
}


def register(registry: Registry) -> None:
    registry.update(FIGURES)
