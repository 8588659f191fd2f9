"""What is forgotten, taken anew and forgotten again while it is being purged: the last word holds for each revision."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.journeys.test_snapshots_and_forgetting import WHERE, purger, visible
from tests.journeys.world import TENANT, Items, World, page

from firstline.documents.purge import PASSES_MAX
from firstline.documents.sweep import delete_unused, sweep
from firstline.domain import Tombstone
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.errors import TooManyRequests
from firstline.ports import Marks

ALPHA = page("a", "Alpha.")
ANEW = page("a", "Alpha anew.")


async def interrupted(world: World) -> None:
    """Snapshot 1 holds two documents; a run has died and left its candidate, number 2, which holds one of them."""
    await world.ingest(ALPHA, page("b", "Beta."))
    with pytest.raises(RuntimeError):
        await world.documents.ingest(
            Items(page("a", "Half."), page("c", "C."), page("d", "D."), RuntimeError()), **WHERE
        )


async def stones_of(world: World) -> list[Tombstone]:
    return await world.knowledge.buried(tenant=TENANT, limit=9)


async def shown(world: World) -> dict[str, str]:
    return await visible(world, (await world.knowledge.published(**WHERE)).number)


async def test_what_is_taken_anew_before_it_is_purged_stays():
    world = World()
    await interrupted(world)
    work = purger(world)
    await work.bury(["a"], **WHERE, by="somebody")
    stale = await stones_of(world)
    report = await world.ingest(ANEW)
    assert report.snapshot == 2, "the interrupted candidate went on, under a number that the tombstone covered"
    certificate = await work.purge(stale, by="somebody")
    assert certificate.clean and (await shown(world))["a"] == "Alpha anew."
    assert await stones_of(world) == []


@pytest.mark.parametrize("step", ["scrub", "purged", "unused"])
async def test_what_is_taken_anew_while_it_is_purged_stays(step: str, monkeypatch: pytest.MonkeyPatch):
    world = World()
    await interrupted(world)
    work = purger(world)
    of: dict[str, tuple[Any, str]] = {
        "scrub": (MemoryRecordLedger, "scrub"),
        "purged": (world.knowledge, "purged"),
        "unused": (world.knowledge, "spared"),
    }
    place, name = of[step]
    real: Callable[..., Awaitable[object]] = getattr(place, name)
    done: list[int] = []

    async def between(*args: Any, **named: Any) -> object:
        if not done:
            done.append(1)
            await world.ingest(ANEW)
        return await real(*args, **named)

    await work.bury(["a"], **WHERE, by="somebody")
    monkeypatch.setattr(place, name, between)
    (certificate,) = await work.resume(tenant=TENANT)
    assert done and certificate.clean
    assert (await shown(world))["a"] == "Alpha anew."
    assert await world.index.held(**WHERE, doc_ids=["a"], upto=1) == 0


async def test_what_a_run_is_writing_anew_is_left_to_the_next_purge(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await interrupted(world)
    work = purger(world)
    await work.bury(["a"], **WHERE, by="somebody")
    put, refused = world.blobs.put, list[TooManyRequests]()

    async def purges_meanwhile(data: bytes) -> str:
        if b"anew" in data:
            with pytest.raises(TooManyRequests) as found:
                await work.finish(tenant=TENANT)
            refused.append(found.value)
        return await put(data)

    with monkeypatch.context() as patch:
        patch.setattr(world.blobs, "put", purges_meanwhile)
        await world.ingest(ANEW)
    assert refused and (await shown(world))["a"] == "Alpha anew."
    (certificate,) = await work.finish(tenant=TENANT)
    assert certificate.clean and await stones_of(world) == []
    assert (await shown(world))["a"] == "Alpha anew."
    assert await world.index.held(**WHERE, doc_ids=["a"], upto=1) == 0


async def test_what_waits_is_said_and_is_not_clean(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await interrupted(world)
    work = purger(world)
    put = world.blobs.put

    async def forgets_meanwhile(data: bytes) -> str:
        if b"anew" in data:
            (certificate,) = await work.resume(tenant=TENANT)
            assert not certificate.clean
            assert any(line.startswith("1 documents are being taken anew") for line in certificate.kept)
        return await put(data)

    await work.bury(["a"], **WHERE, by="somebody")
    monkeypatch.setattr(world.blobs, "put", forgets_meanwhile)
    await world.ingest(ANEW)


async def test_what_was_forgotten_once_more_meanwhile_is_purged():
    world = World()
    await interrupted(world)
    work = purger(world)
    await work.bury(["a"], **WHERE, by="somebody")
    stale = await stones_of(world)
    await world.ingest(ANEW)
    await world.ingest(page("c", "C, so that numbers go on."))
    await work.bury(["a"], **WHERE, by="somebody else")
    certificate = await work.purge(stale, by="somebody")
    assert certificate.clean and "a" not in await shown(world)
    assert await world.index.held(**WHERE, doc_ids=["a"], upto=99) == 0
    assert await stones_of(world) == []
    await sweep(snapshots=world.knowledge, blobs=world.blobs)
    assert not any([await world.blobs.holds(one.blob) for one in await world.knowledge.traces(stale[0])])


async def test_a_content_that_is_given_up_while_it_is_spared_is_swept_later(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await world.ingest(ALPHA, page("b", "Alpha."))
    blob = (await world.knowledge.current(**WHERE))["a"].blob
    work = purger(world)
    looking = world.knowledge.unused

    @asynccontextmanager
    async def forgets_the_other_afterwards(name: str) -> AsyncGenerator[bool]:
        async with looking(name) as unused:
            yield unused
        if await world.knowledge.known_documents("b", **WHERE):
            await work.bury(["b"], **WHERE, by="somebody")
            for stone in await stones_of(world):
                await world.knowledge.purged(stone)

    await work.bury(["a"], **WHERE, by="somebody")
    for stone in await stones_of(world):
        await world.knowledge.purged(stone)
    monkeypatch.setattr(world.knowledge, "unused", forgets_the_other_afterwards)
    assert await delete_unused([blob], snapshots=world.knowledge, blobs=world.blobs) == 0
    assert await sweep(snapshots=world.knowledge, blobs=world.blobs) == 1
    assert not await world.blobs.holds(blob)


class TellsLate(MemoryRecordLedger):
    """A question that was under way puts what it found into a record, after the records were scrubbed."""

    def __init__(self, world: World, *, times: int) -> None:
        super().__init__(world.conversations)
        self.late, self.times = 0, times

    async def scrub(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        found = {**await super().scrub(marks, tenant=tenant), "answers kept": self.late}
        self.late = 0
        return found

    async def quoting(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        if self.times:
            self.times, self.late = self.times - 1, 1
        return {**await super().quoting(marks, tenant=tenant), "answers kept": self.late}


@pytest.mark.parametrize(("times", "clean"), [(0, True), (1, True), (2, True), (99, False)])
async def test_what_a_question_under_way_tells_late_goes_too(times: int, clean: bool):
    world = World()
    await world.ingest(ALPHA, page("b", "Beta."))
    work = purger(world)
    work._records = TellsLate(world, times=times)
    certificate = await work.forget(["a"], **WHERE, by="somebody")
    assert certificate.clean == clean
    (late,) = [place for place in certificate.places if place.name == "answers kept"]
    assert (late.found, late.left) == ((times, 0) if clean else (PASSES_MAX, 1))
