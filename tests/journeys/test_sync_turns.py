"""A worker's places are shared by tenants."""

from __future__ import annotations

import asyncio

import pytest

from firstline.documents.sync_turns import SyncTurns
from firstline.errors import Conflict


class Slow:
    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.begun: list[str] = []

    async def __call__(self, name: str, tenant: str, kb: str) -> str:
        self.begun.append(f"{tenant}/{name}")
        await self.go.wait()
        if name == "broken":
            raise RuntimeError("it broke")
        return name


async def test_one_tenant_leaves_room_for_another():
    slow = Slow()
    turns = SyncTurns(slow, per_tenant=2, in_all=3)
    going = [asyncio.create_task(turns(name, "a", "docs")) for name in ("one", "broken")]
    await asyncio.sleep(0)
    with pytest.raises(Conflict):
        await turns("three", "a", "docs")
    going.append(asyncio.create_task(turns("one", "b", "docs")))
    await asyncio.sleep(0)
    with pytest.raises(Conflict):
        await turns("one", "c", "docs")
    assert slow.begun == ["a/one", "a/broken", "b/one"]
    slow.go.set()
    await asyncio.gather(*going, return_exceptions=True)
    assert await turns("three", "a", "docs") == "three", "places are free again, those of what failed too"


async def test_who_is_stopped_gives_the_place_back():
    slow = Slow()
    turns = SyncTurns(slow, per_tenant=1, in_all=1)
    going = asyncio.create_task(turns("one", "a", "docs"))
    await asyncio.sleep(0)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    slow.go.set()
    assert await turns("two", "a", "docs") == "two"
