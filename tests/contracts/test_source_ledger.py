"""What every SourceLedger promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstline.domain import DocumentKind, Failure, Level, RegisteredSource, SourceState, SyncReport
from firstline.engines.memory.sources import MemorySourceLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import Conflict, NotFound
from firstline.ports import SourceLedger

NOW = datetime.now(UTC)
PAST, FUTURE = NOW - timedelta(hours=1), NOW + timedelta(hours=1)


@pytest.fixture(params=["memory", "postgres"])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[SourceLedger]:
    if request.param == "memory":
        yield MemorySourceLedger()
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
        yield ledgers.sources


def source(tenant: str, name: str = "docs", **more) -> RegisteredSource:
    values = {
        "kb": "docs",
        "kind": "website",
        "config": {"url": "https://docs.example/", "token": "env:TOKEN", "depth": 3, "skip": ["a", "b"], "x": None},
        "document_kind": DocumentKind.DOCUMENTATION,
        "acl": frozenset({"everyone", "staff"}),
        "level": Level.CUSTOMER,
        "schedule": "6h",
        "added_at": NOW,
        **more,
    }
    return RegisteredSource(tenant=tenant, name=name, **values)


async def claimed(ledger: SourceLedger, tenant: str, name: str = "docs", lease_s: float = 60) -> RegisteredSource:
    return await ledger.claim_source(name, tenant=tenant, kb="docs", lease_s=lease_s)


async def test_a_source_comes_back_as_it_was_added(ledger: SourceLedger, tenant: str):
    added = source(tenant, due_at=FUTURE)
    await ledger.add_source(added)
    assert await ledger.source("docs", tenant=tenant, kb="docs") == added
    assert await ledger.sources(tenant=tenant) == [added]


async def test_a_name_is_given_once(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    with pytest.raises(Conflict):
        await ledger.add_source(source(tenant, kind="git"))
    await ledger.add_source(source(tenant, kb="other"))
    kept = await ledger.source("docs", tenant=tenant, kb="docs")
    assert kept is not None and kept.kind == "website"


async def test_tenants_do_not_see_each_other(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    other = f"{tenant}-other"
    assert await ledger.source("docs", tenant=other, kb="docs") is None
    assert await ledger.sources(tenant=other) == []
    for refused in (
        ledger.remove_source("docs", tenant=other, kb="docs"),
        ledger.claim_source("docs", tenant=other, kb="docs", lease_s=60),
        ledger.alter_source(source(other)),
    ):
        with pytest.raises(NotFound):
            await refused


async def test_sources_are_listed_by_knowledge_base_and_name(ledger: SourceLedger, tenant: str):
    for kb, name in (("b", "z"), ("a", "y"), ("b", "A")):
        await ledger.add_source(source(tenant, name, kb=kb))
    assert [(one.kb, one.name) for one in await ledger.sources(tenant=tenant)] == [("a", "y"), ("b", "A"), ("b", "z")]
    assert [one.name for one in await ledger.sources(tenant=tenant, kb="a")] == ["y"]


async def test_altering_leaves_what_was_synced(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant)
    await ledger.advance_source(held, cursor="page 7", snapshot=3, shape="s")
    await ledger.alter_source(
        source(tenant, config={"url": "https://new.example/"}, level=Level.PUBLIC, schedule="", due_at=None)
    )
    await ledger.finish_source(held, report=SyncReport(state=SourceState.OK), documents=4, due_at=None)
    again = await claimed(ledger, tenant)
    assert (again.config, again.level, again.schedule) == ({"url": "https://new.example/"}, Level.PUBLIC, "")
    assert (again.cursor, again.documents) == ("page 7", 4)


async def test_removed_is_gone(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    await ledger.remove_source("docs", tenant=tenant, kb="docs")
    assert await ledger.source("docs", tenant=tenant, kb="docs") is None
    with pytest.raises(NotFound):
        await ledger.remove_source("docs", tenant=tenant, kb="docs")


async def test_one_claim_at_a_time(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    taken = await asyncio.gather(*(claimed(ledger, tenant) for _ in range(8)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in taken) == ["Conflict"] * 7 + ["RegisteredSource"]


async def test_a_claim_ends_by_itself_and_is_then_lost(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    dead = await claimed(ledger, tenant, lease_s=0.05)
    await asyncio.sleep(0.1)
    alive = await claimed(ledger, tenant)
    assert alive.lease == dead.lease + 1
    report = SyncReport(state=SourceState.OK)
    for late in (
        ledger.renew_source(dead, lease_s=60),
        ledger.advance_source(dead, cursor="x", snapshot=1, shape=""),
        ledger.finish_source(dead, report=report, documents=1, due_at=None),
    ):
        with pytest.raises(Conflict, match="is lost"):
            await late
    await ledger.advance_source(alive, cursor="y", snapshot=1, shape="")


async def test_a_claim_that_is_renewed_goes_on(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant, lease_s=0.2)
    await ledger.renew_source(held, lease_s=60)
    await asyncio.sleep(0.25)
    with pytest.raises(Conflict, match="Another process"):
        await claimed(ledger, tenant)


async def test_a_late_claim_that_nobody_took_over_still_holds(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant, lease_s=0.05)
    await asyncio.sleep(0.1)
    await ledger.advance_source(held, cursor="x", snapshot=1, shape="")


async def test_a_removed_source_takes_nothing_more(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant)
    await ledger.remove_source("docs", tenant=tenant, kb="docs")
    with pytest.raises(Conflict, match="is lost"):
        await ledger.advance_source(held, cursor="x", snapshot=1, shape="")


async def test_finishing_frees_and_reports(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant)
    report = SyncReport(
        state=SourceState.PARTIAL,
        snapshot=5,
        added=2,
        failed=1,
        failures=(Failure(item_id="docs/a", reason="It holds no text."),),
        alerts=("Look at it.",),
        error="Something. Do this.",
        complete=True,
        duration_s=1.5,
        redactions={"EMAIL": 2},
    )
    await ledger.finish_source(held, report=report, documents=7, due_at=FUTURE)
    kept = await ledger.source("docs", tenant=tenant, kb="docs")
    assert kept is not None
    assert (kept.state, kept.documents, kept.due_at, kept.leased_until) == (SourceState.PARTIAL, 7, FUTURE, None)
    assert (kept.last_report, kept.last_failure) == (report, "Something. Do this.")
    assert kept.began_at is not None and kept.finished_at is not None
    assert abs((kept.finished_at - datetime.now(UTC)).total_seconds()) < 30
    again = await claimed(ledger, tenant)
    await ledger.finish_source(again, report=SyncReport(state=SourceState.OK), documents=None, due_at=None)
    kept = await ledger.source("docs", tenant=tenant, kb="docs")
    assert kept is not None and (kept.documents, kept.last_failure, kept.due_at) == (7, "", None)


async def test_a_cursor_is_for_who_claims(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant)
    await ledger.advance_source(held, cursor="x" * 100_000, snapshot=9, shape="shape")
    await ledger.finish_source(held, report=SyncReport(state=SourceState.OK), documents=1, due_at=PAST)
    seen = [
        await ledger.source("docs", tenant=tenant, kb="docs"),
        *await ledger.sources(tenant=tenant),
        *await ledger.due_sources(tenant=tenant, limit=5),
    ]
    assert [one and (one.cursor, one.cursor_snapshot, one.cursor_shape) for one in seen] == [(None, 9, "shape")] * 3
    assert (await claimed(ledger, tenant)).cursor == "x" * 100_000


async def test_due_is_what_nobody_syncs(ledger: SourceLedger, tenant: str):
    for name, due_at in (("a", PAST), ("b", PAST - timedelta(hours=1)), ("c", FUTURE), ("d", None), ("e", PAST)):
        await ledger.add_source(source(tenant, name, due_at=due_at))
    await claimed(ledger, tenant, "e")
    due = await ledger.due_sources(tenant=tenant, limit=9)
    assert [one.name for one in due] == ["b", "a"]
    assert [one.name for one in await ledger.due_sources(tenant=tenant, limit=1)] == ["b"]
    everybody = await ledger.due_sources(tenant=None, limit=10_000)
    assert {(tenant, "a"), (tenant, "b")} <= {(one.tenant, one.name) for one in everybody}


async def test_no_tenant_stands_before_all_others(ledger: SourceLedger, tenant: str):
    other = f"{tenant}-other"
    for number in range(5):
        await ledger.add_source(source(tenant, f"s{number}", due_at=PAST - timedelta(days=400 - number)))
    await ledger.add_source(source(other, "late", due_at=PAST - timedelta(days=300)))
    due = [one for one in await ledger.due_sources(tenant=None, limit=10_000) if one.tenant in (tenant, other)]
    assert [one.name for one in due] == ["s0", "late", "s1", "s2", "s3", "s4"]


async def test_rewinding_forgets_places_beyond_a_snapshot(ledger: SourceLedger, tenant: str):
    for name, snapshot in (("a", 3), ("b", 4), ("c", 5)):
        await ledger.add_source(source(tenant, name))
        held = await claimed(ledger, tenant, name)
        await ledger.advance_source(held, cursor=name, snapshot=snapshot, shape="s")
        await ledger.finish_source(held, report=SyncReport(state=SourceState.OK), documents=1, due_at=None)
    assert await ledger.rewind_sources(tenant=tenant, kb="docs", snapshot=3) == ["b", "c"]
    assert await ledger.rewind_sources(tenant=tenant, kb="docs", snapshot=3) == []
    assert [(await claimed(ledger, tenant, name)).cursor for name in "abc"] == ["a", None, None]


async def test_what_is_odd_in_a_cursor_is_no_accident(ledger: SourceLedger, tenant: str):
    await ledger.add_source(source(tenant))
    held = await claimed(ledger, tenant)
    await ledger.advance_source(held, cursor="a\x00b", snapshot=1, shape="s")
    await ledger.finish_source(
        held, report=replace(SyncReport(state=SourceState.ALERT), alerts=("a\ud800b",)), documents=1, due_at=None
    )
    kept = await ledger.source("docs", tenant=tenant, kb="docs")
    assert kept is not None and kept.state is SourceState.ALERT


async def test_undoing_snapshots_forgets_the_places_that_stand_for_them(tmp_path: Path, postgres_url: str, tenant: str):
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        knowledge = ledgers.knowledge
        for number, name in ((1, "a"), (2, "b")):
            assert await knowledge.open_candidate(tenant=tenant, kb="docs", embedder_id="e") == number
            await knowledge.publish(tenant=tenant, kb="docs", candidate=number)
            await ledgers.sources.add_source(source(tenant, name))
            held = await claimed(ledgers.sources, tenant, name)
            await ledgers.sources.advance_source(held, cursor=name, snapshot=number, shape="s")
            await ledgers.sources.finish_source(held, report=SyncReport(state=SourceState.OK), documents=1, due_at=None)
        await ledgers.snapshots.point_back(1, tenant=tenant, kb="docs")
        await knowledge.abandoned(tenant=tenant, kb="docs", limit=10)
        assert [(await claimed(ledgers.sources, tenant, name)).cursor for name in "ab"] == ["a", None]
