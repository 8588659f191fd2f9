"""A million trials, and how many of them showed somebody what they may not see."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.leaks.conversations import open_surface
from benchmarks.leaks.library import TENANTS, make_library, random_asker
from benchmarks.leaks.lookups import Lookups, Trial
from benchmarks.leaks.shelves import follow, memory_shelf, real_shelf
from benchmarks.measured import Measured, Registry

TRIALS: Final = 1_000_000
WORLDS: Final = 4
"""Libraries that the trials in memory are spread over."""
AT_ONCE: Final = 24
"""Look-ups of many tenants under way at once: on Postgres they share ten connections."""
TALKS_AT_ONCE: Final = 6
KEPT: Final = 20


@dataclass(kw_only=True)
class Layer:
    """What was tried at one layer. `problems` holds the first few, `leaks` counts trials that had any."""

    name: str
    trials: int = 0
    leaks: int = 0
    seconds: float = 0.0
    routes: Counter[str] = field(default_factory=Counter[str])
    problems: list[str] = field(default_factory=list[str])

    def count(self, trials: Sequence[Trial]) -> None:
        for trial in trials:
            self.trials += 1
            self.routes[trial.route] += 1
            if trial.problems:
                self.leaks += 1
                self.problems += trial.problems[: KEPT - len(self.problems)]


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How many trials go through which layer. Each layer down is a hundred times as slow as the one above."""

    memory: int
    real: int
    walls: int
    surface: int

    @classmethod
    def of(cls, trials: int) -> Shares:
        surface, walls, real = trials * 6 // 1000, trials * 4 // 1000, trials * 60 // 1000
        return cls(memory=trials - surface - walls - real, real=real, walls=walls, surface=surface)


async def try_all(shares: Shares, *, seed: int, tell: Callable[[str], None] = lambda _: None) -> list[Layer]:
    layers: list[Layer] = []
    memory = Layer(name="look-ups, memory engines")
    for world in range(WORLDS if shares.memory else 0):
        library = make_library(seed + world)
        async with memory_shelf(library) as shelf:
            lookups = Lookups(shelf=shelf, library=library, chance=random.Random(seed + world))  # noqa: S311
            await lookups.prepare()
            upto = shares.memory * (world + 1) // WORLDS
            await _until(memory, upto, at_once=1, one=lambda of=lookups: _looked_up(of))
        tell(f"{memory.name}: {memory.trials:,} trials, {memory.leaks} leaks, {memory.seconds:.0f} s")
    layers.append(memory)
    if shares.real or shares.walls or shares.surface:
        layers += await _try_real(shares, seed, tell)
    return layers


async def _try_real(shares: Shares, seed: int, tell: Callable[[str], None]) -> list[Layer]:
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    library = make_library(seed + WORLDS)
    real, walls = Layer(name="look-ups, Postgres and Qdrant Edge"), Layer(name="row-level security alone")
    surface = Layer(name="the HTTP surface on both")
    async with real_shelf(library) as shelf:
        lookups = Lookups(shelf=shelf, library=library, chance=chance)
        await lookups.prepare()
        await _until(real, shares.real, at_once=AT_ONCE, one=lambda: _looked_up(lookups))
        tell(f"{real.name}: {real.trials:,} trials, {real.leaks} leaks, {real.seconds:.0f} s")
        await _until(walls, shares.walls, at_once=AT_ONCE, one=lambda: _walled(lookups, chance))
        tell(f"{walls.name}: {walls.trials:,} trials, {walls.leaks} leaks, {walls.seconds:.0f} s")
        async with open_surface(shelf, library, chance) as opened:
            # Half of them after documents were closed and opened: what was said and kept before must follow.
            await _until(surface, shares.surface // 2, at_once=TALKS_AT_ONCE, one=opened.one)
            library.change_access(chance)
            await follow(shelf, library)
            await _until(surface, shares.surface, at_once=TALKS_AT_ONCE, one=opened.one)
            statuses = ", ".join(
                f"{route} {status}: {count}" for (route, status), count in sorted(opened.statuses.items())
            )
            tell(f"{surface.name}: {surface.trials:,} trials, {surface.leaks} leaks, {surface.seconds:.0f} s")
            tell(f"outcomes: {dict(opened.outcomes)}\nstatuses: {statuses}")
    return [real, walls, surface]


async def _looked_up(lookups: Lookups) -> list[Trial]:
    return [await lookups.one(random_asker(lookups.chance, lookups.chance.choice(TENANTS)))]


async def _walled(lookups: Lookups, chance: random.Random) -> list[Trial]:
    return [await lookups.walled_off(chance.choice(TENANTS))]


async def _until(layer: Layer, trials: int, *, at_once: int, one: Callable[[], Awaitable[Sequence[Trial]]]) -> None:
    """The next ones are not begun before these are done: the number under way is bounded."""
    began = time.monotonic()
    while layer.trials < trials:
        if at_once == 1:
            layer.count(await one())
            continue
        for done in await asyncio.gather(*(one() for _ in range(at_once))):
            layer.count(done)
    layer.seconds += time.monotonic() - began


async def leaks_figure() -> Measured:
    layers = await try_all(Shares.of(TRIALS), seed=1, tell=print)
    return Measured(
        value=sum(layer.leaks for layer in layers), unit=f"leaks in {sum(layer.trials for layer in layers)} trials"
    )


def register(registry: Registry) -> None:
    registry["access.leaks"] = leaks_figure
