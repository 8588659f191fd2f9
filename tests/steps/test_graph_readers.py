"""Edges are there whatever other look-ups learn of readers meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from firstline.domain import EVERYONE, FOREVER, Level
from firstline.engines.postgres import graph as engine
from firstline.engines.postgres.graph import PostgresGraph
from firstline.engines.postgres.pool import Database
from firstline.ports import Scope

SCOPE = Scope(tenant="t", kb="k", acl_tags=frozenset({EVERYONE}), level_max=Level.PUBLIC, snapshot=1)


def row(access: int) -> tuple[Any, ...]:
    ends = (1, "a.md", "A", 5, 1, "b", "B")
    return (-0.9, f"{access:032x}", access, *ends, None, f"chunk {access}", 0, 1, "1", 1, FOREVER)


class Slow:
    """What a number means is told when the other one asks too."""

    async def rows(self, query: str, parameters: list[list[int]]) -> list[dict[str, Any]]:
        await asyncio.sleep(0)
        return [{"access": access, "acl": [EVERYONE], "level": 0} for access in parameters[0]]


async def test_who_makes_room_for_more_readers_takes_none_from_another_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ACCESSES_KEPT", 3)
    graph = PostgresGraph(cast(Database, Slow()))
    look = graph._edges  # pyright: ignore[reportPrivateUsage]  (what reads rows, without a database)
    assert len(await look([row(1), row(2)], SCOPE)) == 2
    first, second = await asyncio.gather(look([row(1), row(2), row(3)], SCOPE), look([row(4), row(5)], SCOPE))
    assert (len(first), len(second)) == (3, 2)
