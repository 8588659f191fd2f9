"""What every ChangeLedger promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstline.domain import DocumentKind, Level, RawChange, RawDocument, RegisteredSource
from firstline.engines.memory.changes import MemoryChangeLedger
from firstline.engines.memory.sources import MemorySourceLedger
from firstline.engines.postgres import open_postgres
from firstline.ports import ChangeLedger, SourceLedger

Both = tuple[ChangeLedger, SourceLedger]


@pytest.fixture(params=["memory", "postgres"])
async def both(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Both]:
    if request.param == "memory":
        sources = MemorySourceLedger()
        yield MemoryChangeLedger(sources=sources), sources
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
        yield ledgers.changes, ledgers.sources


@pytest.fixture
def ledger(both: Both) -> ChangeLedger:
    return both[0]


def page(text: str) -> RawDocument:
    return RawDocument(
        kind=DocumentKind.TICKET,
        media_type="text/markdown",
        text=text,
        title="A page",
        url="https://docs.example/a",
        metadata={"a": "b"},
        acl=frozenset({"staff", "everyone"}),
        level=Level.CUSTOMER,
        content_hash="1",
    )


def wrote(text: str, version: int | None = None, name: str = "a") -> RawChange:
    return RawChange(item_id=f"push/{name}", document=page(text), version=version)


def gone(version: int | None = None, name: str = "a") -> RawChange:
    return RawChange(item_id=f"push/{name}", document=None, version=version)


class Place:
    def __init__(self, ledger: ChangeLedger, tenant: str) -> None:
        self.ledger, self.tenant, self.count = ledger, tenant, 0

    async def accept(self, *changes: RawChange, event_id: str = "", **more):
        self.count += 1
        event_id = event_id or f"event {self.count}"
        where = {"tenant": self.tenant, "kb": "docs", "source": "push", **more}
        return await self.ledger.accept(changes, event_id=event_id, **where)

    async def due(self, limit: int = 100):
        return await self.ledger.due(tenant=self.tenant, kb="docs", limit=limit)

    async def texts(self) -> list[str]:
        return [one.change.document.text if one.change.document else "" for one in await self.due()]


@pytest.fixture
def place(ledger: ChangeLedger, tenant: str) -> Place:
    return Place(ledger, tenant)


async def test_a_change_comes_back_as_it_was_announced(place: Place, tenant: str):
    assert (await place.accept(wrote("one", 7))).taken == ("push/a",)
    (found,) = await place.due()
    assert (found.change, found.tenant, found.kb, found.source) == (wrote("one", 7), tenant, "docs", "push")
    assert (found.attempts, found.problem) == (0, "")
    assert await place.ledger.newest("push/a", tenant=tenant, kb="docs") == found
    assert (tenant, "docs") in await place.ledger.places(limit=10_000)
    assert await place.ledger.waiting(tenant=tenant, kb="docs")
    assert not await place.ledger.waiting(tenant=tenant, kb="other")


async def test_an_event_is_taken_once(place: Place, tenant: str):
    assert not (await place.accept(wrote("one"), event_id="e")).again
    (first,) = await place.due()
    again = await place.accept(wrote("two"), event_id="e")
    assert (again.again, again.taken, again.older) == (True, (), ())
    assert await place.due() == [first]
    # Another source, knowledge base or tenant has events of its own.
    assert not (await place.accept(wrote("two", name="b"), event_id="e", source="other")).again
    assert not (await place.accept(wrote("two", name="b"), event_id="e", kb="other")).again
    assert not (await place.accept(wrote("two", name="b"), event_id="e", tenant=f"{tenant} too")).again


async def test_of_one_event_delivered_many_times_at_once_one_is_taken(place: Place):
    found = await asyncio.gather(*(place.accept(wrote(str(number)), event_id="e") for number in range(8)))
    assert sum(not one.again for one in found) == 1
    assert len(await place.due()) == 1


async def test_the_newest_version_wins_whatever_the_order_of_arrival(place: Place):
    await place.accept(wrote("second", 2))
    late = await place.accept(wrote("first", 1))
    assert (late.taken, late.older) == ((), ("push/a",))
    assert await place.texts() == ["second"]
    assert (await place.accept(wrote("third", 3))).taken == ("push/a",)
    assert await place.texts() == ["third"]


async def test_a_version_is_known_after_its_change_is_settled(place: Place):
    await place.accept(wrote("second", 2))
    await place.ledger.settle(await place.due(), answerable=True)
    assert (await place.accept(wrote("first", 1))).older == ("push/a",)
    assert (await place.accept(gone(1))).older == ("push/a",)
    assert await place.due() == []
    assert (await place.accept(wrote("second again", 2))).taken == ("push/a",)


async def test_a_deletion_is_a_change_like_others(place: Place):
    await place.accept(gone(3))
    assert (await place.accept(wrote("late", 2))).older == ("push/a",)
    assert [one.change.document for one in await place.due()] == [None]


async def test_without_versions_the_last_to_arrive_wins(place: Place):
    await place.accept(wrote("one"))
    await place.accept(wrote("two"))
    assert await place.texts() == ["two"]


async def test_changes_come_in_the_order_of_their_arrival(place: Place):
    for name in "cab":
        await place.accept(wrote(name, name=name))
    await place.accept(wrote("c again", name="c"))
    assert await place.texts() == ["a", "b", "c again"]
    assert [one.seq for one in await place.due()] == sorted(one.seq for one in await place.due())
    assert [one.change.item_id for one in await place.due(limit=1)] == ["push/a"]


async def test_what_is_settled_waits_no_longer_and_keeps_no_text(place: Place, tenant: str):
    await place.accept(wrote("one"))
    await place.ledger.settle(await place.due(), answerable=True)
    assert await place.due() == []
    known = await place.ledger.newest("push/a", tenant=tenant, kb="docs")
    assert known is not None and known.change.document is None


async def test_a_change_that_arrived_meanwhile_is_not_settled_with_the_older_one(place: Place):
    await place.accept(wrote("one"))
    in_hand = await place.due()
    await place.accept(wrote("two"))
    await place.ledger.settle(in_hand, answerable=True)
    await place.ledger.postpone(in_hand[0], problem="no", again_in_s=None)
    assert await place.texts() == ["two"]
    assert (await place.due())[0].attempts == 0


async def test_a_postponed_change_is_due_later(place: Place, tenant: str):
    await place.accept(wrote("one"))
    (found,) = await place.due()
    await place.ledger.postpone(found, problem="Not now.", again_in_s=0.15)
    assert await place.due() == [] and not await place.ledger.waiting(tenant=tenant, kb="docs")
    await asyncio.sleep(0.2)
    assert await place.due() == [replace(found, attempts=1, problem="Not now.")]


async def test_documents_are_held_back_without_an_attempt_and_deletions_are_not(place: Place, tenant: str):
    await place.accept(wrote("one"), wrote("two", name="b"), RawChange(item_id="push/gone", document=None))
    await place.accept(wrote("three"), kb="other")
    found = await place.due()
    held = await place.ledger.hold_back(tenant=tenant, kb="docs", problem="Snapshot 2 waits.", again_in_s=0.15)
    assert held == 2 and [one.change.item_id for one in await place.due()] == ["push/gone"]
    assert len(await place.ledger.due(tenant=tenant, kb="other", limit=9)) == 1
    await place.accept(wrote("newer", name="b"))
    assert [one.change.item_id for one in await place.due()] == ["push/gone", "push/b"], "news is looked at"
    await asyncio.sleep(0.2)
    (first, *_) = await place.due()
    assert first == replace(found[0], problem="Snapshot 2 waits.")


async def test_what_was_held_back_is_let_on_and_what_failed_is_not(place: Place, tenant: str):
    await place.accept(wrote("one"), wrote("two", name="b"))
    first, second = await place.due()
    await place.ledger.postpone(first, problem="Broken.", again_in_s=60)
    held = await place.ledger.hold_back(tenant=tenant, kb="docs", problem="Snapshot 2 waits.", again_in_s=60)
    assert held == 1 and await place.due() == []
    assert await place.ledger.let_on(tenant="nobody", kb="docs") == 0
    assert await place.ledger.let_on(tenant=tenant, kb="other") == 0
    assert await place.ledger.let_on(tenant=tenant, kb="docs") == 1
    assert await place.due() == [replace(second, problem="")]
    assert await place.ledger.let_on(tenant=tenant, kb="docs") == 0


async def test_a_dead_change_is_listed_and_retried(place: Place, tenant: str):
    await place.accept(wrote("one"), wrote("two", name="b"))
    for one in await place.due():
        await place.ledger.postpone(one, problem="Broken.", again_in_s=None)
    assert await place.due() == []
    dead = await place.ledger.dead(tenant=tenant, limit=10)
    assert [(one.change.item_id, one.problem, one.attempts) for one in dead] == [
        ("push/b", "Broken.", 1),
        ("push/a", "Broken.", 1),
    ]
    assert await place.ledger.dead(tenant="nobody", limit=10) == []
    assert await place.ledger.retry(tenant="nobody", doc_ids=None) == []
    assert await place.ledger.retry(tenant=tenant, doc_ids=["push/a"]) == [("docs", "push/a")]
    assert await place.texts() == ["one"]
    assert await place.ledger.retry(tenant=tenant, doc_ids=None) == [("docs", "push/b")]


async def test_what_a_removed_source_announced_is_dropped(place: Place, tenant: str):
    await place.accept(wrote("one"), wrote("two", name="b"), wrote("three", name="c"))
    first, second, _ = await place.due()
    await place.ledger.postpone(first, problem="Broken.", again_in_s=None)
    await place.ledger.settle([second], answerable=True)
    assert await place.ledger.forget_source("another", tenant=tenant, kb="docs") == 0
    assert await place.ledger.forget_source("push", tenant=tenant, kb="docs") == 2
    assert await place.due() == [] and await place.ledger.dead(tenant=tenant, limit=10) == []
    assert await place.ledger.retry(tenant=tenant, doc_ids=None) == []
    dropped = await place.ledger.newest("push/c", tenant=tenant, kb="docs")
    assert dropped is not None and dropped.change.document is None


async def test_a_new_change_of_a_dead_document_waits(place: Place, tenant: str):
    await place.accept(wrote("one"))
    await place.ledger.postpone((await place.due())[0], problem="Broken.", again_in_s=None)
    await place.accept(wrote("two"))
    assert await place.texts() == ["two"] and await place.ledger.dead(tenant=tenant, limit=10) == []


async def test_the_lag_says_how_far_behind_a_base_is(place: Place, tenant: str):
    assert await place.ledger.lag(tenant=tenant) == []
    await place.accept(wrote("one"), wrote("two", name="b"), wrote("three", name="c"))
    first, second, third = await place.due()
    await asyncio.sleep(0.05)
    await place.ledger.settle([first], answerable=True)
    await place.ledger.settle([second], answerable=False, problem="It waits.")
    (lag,) = await place.ledger.lag(tenant=tenant)
    assert (lag.kb, lag.waiting, lag.dead, lag.settled) == ("docs", 1, 0, 1)
    assert 0.05 <= lag.p50_s == lag.p95_s < 10
    assert lag.oldest_at == third.accepted_at
    await place.ledger.postpone(third, problem="Broken.", again_in_s=None)
    (lag,) = await place.ledger.lag(tenant=tenant)
    assert (lag.waiting, lag.dead, lag.oldest_at) == (0, 1, None)


async def test_what_is_changed_again_has_waited_since_its_first_change(place: Place, tenant: str):
    await place.accept(wrote("one"))
    (first,) = await place.due()
    await asyncio.sleep(0.02)
    await place.accept(wrote("two"))
    (lag,) = await place.ledger.lag(tenant=tenant)
    assert lag.oldest_at == first.accepted_at


async def test_an_event_wakes_its_source_once(both: Both, tenant: str):
    ledger, sources = both
    now = datetime.now(UTC)
    source = RegisteredSource(
        tenant=tenant,
        kb="docs",
        name="push",
        kind="website",
        config={},
        document_kind=DocumentKind.DOCUMENTATION,
        acl=frozenset(),
        level=Level.PUBLIC,
        added_at=now,
    )
    await sources.add_source(source)
    await ledger.accept((), tenant=tenant, kb="docs", source="push", event_id="e", wake=True)
    assert [one.name for one in await sources.due_sources(tenant=tenant, limit=10)] == ["push"]
    await sources.alter_source(replace(source, due_at=None))
    assert (await ledger.accept((), tenant=tenant, kb="docs", source="push", event_id="e", wake=True)).again
    assert await sources.due_sources(tenant=tenant, limit=10) == []


async def test_a_round_is_claimed_by_one_of_all(ledger: ChangeLedger, tenant: str):
    claims = await asyncio.gather(*(ledger.claim_round(tenant, every_s=3600) for _ in range(6)))
    assert sum(claims) == 1
    assert not await ledger.claim_round(tenant, every_s=3600)
    await asyncio.sleep(0.03)
    assert await ledger.claim_round(tenant, every_s=0.02)


async def test_old_event_ids_are_forgotten(place: Place):
    await place.accept(event_id="e")
    assert (await place.accept(event_id="e")).again
    await asyncio.sleep(0.02)
    await place.ledger.forget_events(older_s=0.01)
    assert not (await place.accept(event_id="e")).again
