"""Access, tried at random against an oracle of its own; and every filter taken out, to see that the trials find it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from benchmarks.leaks.library import TENANTS, Library, make_library, random_asker
from benchmarks.leaks.lookups import Lookups
from benchmarks.leaks.measure import Layer
from benchmarks.leaks.shelves import Shelf, memory_shelf, real_shelf
from hypothesis import given, settings
from hypothesis import strategies as st

from firstline.engines.memory import graph as memory_graph
from firstline.engines.memory import index as memory_index
from firstline.engines.memory import knowledge as memory_knowledge
from firstline.engines.memory.base import Base
from firstline.engines.memory.index import MemoryIndex
from firstline.ports import Scope

TRIALS = 1_500


async def tried(library: Library, shelf: Shelf, *, seed: int, trials: int = TRIALS) -> Layer:
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    lookups = Lookups(shelf=shelf, library=library, chance=chance)
    await lookups.prepare(60)
    layer = Layer(name=shelf.name)
    for _ in range(trials):
        layer.count([await lookups.one(random_asker(chance, chance.choice(TENANTS)))])
    return layer


async def in_memory(seed: int, mutate: Callable[[], None] = lambda: None, trials: int = TRIALS) -> Layer:
    library = make_library(seed)
    async with memory_shelf(library) as shelf:
        mutate()
        return await tried(library, shelf, seed=seed, trials=trials)


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(min_value=100, max_value=10**6))
def test_no_trial_leaks(seed: int) -> None:
    layer = asyncio.run(in_memory(seed, trials=400))
    assert layer.problems == []
    assert len(layer.routes) == 13


def without_acl(of: Any, scope: Scope) -> bool:
    return of.since <= scope.snapshot < of.until and of.level <= scope.level_max


def without_level(of: Any, scope: Scope) -> bool:
    return of.since <= scope.snapshot < of.until and not scope.acl_tags.isdisjoint(of.acl)


def without_begin(of: Any, scope: Scope) -> bool:
    return scope.snapshot < of.until and of.level <= scope.level_max and not scope.acl_tags.isdisjoint(of.acl)


def without_end(of: Any, scope: Scope) -> bool:
    return of.since <= scope.snapshot and of.level <= scope.level_max and not scope.acl_tags.isdisjoint(of.acl)


def empty_is_everybody(of: Any, scope: Scope) -> bool:
    if of.acl and scope.acl_tags.isdisjoint(of.acl):
        return False
    return of.since <= scope.snapshot < of.until and of.level <= scope.level_max


def one_level_too_many(of: Any, scope: Scope) -> bool:
    if not of.since <= scope.snapshot < of.until or scope.acl_tags.isdisjoint(of.acl):
        return False
    return of.level <= scope.level_max + 1


HOLES = (without_acl, without_level, without_begin, without_end, empty_is_everybody, one_level_too_many)


@pytest.mark.parametrize("hole", HOLES)
@pytest.mark.parametrize("where", ["index", "ledger", "graph"])
async def test_every_filter_is_missed(monkeypatch: pytest.MonkeyPatch, where: str, hole: Callable[..., bool]) -> None:
    def mutate() -> None:
        if where == "index":
            monkeypatch.setattr(memory_index, "_visible", hole)
        else:
            # Its own filter begins with tenant and knowledge base, which another hole is about.
            module, name = (memory_knowledge, "visible") if where == "ledger" else (memory_graph, "edge_visible")
            monkeypatch.setattr(
                module, name, lambda of, scope: (of.tenant, of.kb) == (scope.tenant, scope.kb) and hole(of, scope)
            )

    assert (await in_memory(7, mutate)).leaks > 0


async def test_the_tombstones_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    mutate = lambda: monkeypatch.setattr(Base, "buried", lambda *_: False)  # noqa: E731 - said once
    assert (await in_memory(8, mutate)).leaks > 0


async def test_one_shelf_for_all_tenants_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def mutate() -> None:
        whole = MemoryIndex._shelf

        def first_asked(self: MemoryIndex, scope: Scope) -> Any:
            # What a cache without the tenant in its key does.
            return self._shelves.setdefault(("", scope.kb), whole(self, scope))

        monkeypatch.setattr(MemoryIndex, "_shelf", first_asked)

    assert (await in_memory(9, mutate)).leaks > 0


async def test_the_oracle_sees_some_and_not_all() -> None:
    """Trials in which nobody may see anything, or everybody everything, would prove nothing."""
    library = make_library(3)
    chance = random.Random(3)  # noqa: S311 - a repeatable choice, no secret
    shares = [
        len(library.visible(random_asker(chance, tenant), "docs", 3)) / max(1, len(library.of_run(tenant, "docs", 3)))
        for tenant in TENANTS * 20
    ]
    assert 0.1 < float(np.mean(shares)) < 0.6
    assert min(shares) == 0 and max(shares) >= 0.5


SQL_HOLES = {
    "acl": ("c.acl && acl_tags AND c.level <= level_max", "c.level <= level_max"),
    "level": ("c.acl && acl_tags AND c.level <= level_max", "c.acl && acl_tags"),
    "end": ("c.since <= of_snapshot AND c.until > of_snapshot", "c.since <= of_snapshot"),
    "tenant": ("c.tenant = of_tenant AND c.kb = of_kb", "c.kb = of_kb"),
}


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_postgres_and_qdrant_edge_with_and_without_each_filter() -> None:
    """The filter in the database is one function: taken out of it line by line, in a database of this test's own."""
    library = make_library(5)
    async with real_shelf(library) as shelf:
        assert (await tried(library, shelf, seed=5, trials=600)).problems == []
        assert shelf.firstline is not None
        database = shelf.firstline.ledgers.database
        row = await database.row("SELECT pg_get_functiondef('firstline.chunks_by_id'::regproc) AS whole")
        assert row is not None
        for name, (line, hole) in SQL_HOLES.items():
            assert line in row["whole"], name
            async with database.connection() as connection:
                await connection.execute(row["whole"].replace(line, hole).encode())
            assert (await tried(library, shelf, seed=6, trials=900)).leaks > 0, name
            if name == "tenant":
                chance = random.Random(6)  # noqa: S311 - a repeatable choice, no secret
                lookups = Lookups(shelf=shelf, library=library, chance=chance)
                for _ in range(50):
                    # The second wall holds where the first has the hole.
                    assert (await lookups.walled_off(chance.choice(TENANTS))).problems == ()
            async with database.connection() as connection:
                await connection.execute(row["whole"].encode())
        assert (await tried(library, shelf, seed=7, trials=300)).problems == []
