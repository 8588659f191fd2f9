"""What every store of communities must do, the reference in memory and Postgres alike."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from ledger_samples import KB, stored

from firstline.domain import (
    FOREVER,
    Community,
    CommunityBuild,
    Level,
    Telling,
    Told,
    ToldKind,
    acting_for,
)
from firstline.engines.memory.communities import MemoryCommunities
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import Conflict, FirstlineError
from firstline.ports import CommunityStore, Gathered, KnowledgeLedger, Scope, StoredDocument, TombstoneLedger

EVERYBODY = frozenset({"everyone"})
ERROR, PART = "error:e4711", "component:relayagent"


@dataclass(frozen=True, kw_only=True)
class Held:
    store: CommunityStore
    knowledge: KnowledgeLedger
    tombstones: TombstoneLedger


@pytest.fixture(params=["memory", "postgres"])
async def held(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Held]:
    if request.param == "memory":
        knowledge = MemoryKnowledgeLedger()
        yield Held(store=MemoryCommunities(knowledge), knowledge=knowledge, tombstones=knowledge)
        return
    async with open_postgres(data_folder=tmp_path, database_url=request.getfixturevalue("postgres_url")) as ledgers:
        yield Held(store=ledgers.communities, knowledge=ledgers.knowledge, tombstones=ledgers.tombstones)


async def publish(
    held: Held, tenant: str, *names: str, kb: str = KB, **changes: Any
) -> tuple[int, dict[str, StoredDocument]]:
    """The next snapshot with these documents in it, and those documents."""
    number = await held.knowledge.open_candidate(tenant=tenant, kb=kb, embedder_id="e")
    written = {name: stored(tenant, name, since=number, kb=kb, **changes) for name in names}
    await held.knowledge.write(list(written.values()))
    await held.knowledge.publish(tenant=tenant, kb=kb, candidate=number)
    return number, written


def telling(document: StoredDocument) -> Telling:
    chunk = document.chunks[0]
    return Telling(doc_id=chunk.doc_id, chunk_id=chunk.chunk_id, start=chunk.start, end=chunk.end)


def gathered(
    documents: Sequence[StoredDocument], *, since: int, of: Sequence[str] = (ERROR,), **changes: Any
) -> Gathered:
    first = documents[0].document
    cited = tuple(telling(one) for one in documents)
    told = Told(kind=ToldKind.CAUSE, text="The disk is full.", tellings=cited, documents=len(cited), of=tuple(of))
    made = Community(
        tenant=first.tenant,
        kb=first.kb,
        community_id=uuid.uuid4().hex,
        component="part-1",
        title="E4711, 中継代理",
        size=5,
        told=(told,),
        acl=EVERYBODY,
        level=Level.PUBLIC,
        since=since,
    )
    return Gathered(community=replace(made, **changes), entity_ids=frozenset(of))


def scope(tenant: str, snapshot: int, **changes: Any) -> Scope:
    made = Scope(tenant=tenant, kb=KB, acl_tags=EVERYBODY, level_max=Level.CUSTOMER, snapshot=snapshot)
    return replace(made, **changes)


async def commit(
    held: Held, tenant: str, snapshot: int, *made: Gathered, keep: Sequence[str] = (), kb: str = KB
) -> CommunityBuild:
    mark = (await held.knowledge.published(tenant=tenant, kb=kb)).forgotten
    build = CommunityBuild(snapshot=snapshot, forgotten=mark, took_s=0.0)
    return await held.store.commit(list(made), keep=keep, build=build, tenant=tenant, kb=kb)


async def test_what_was_put_is_found_by_its_entities(held: Held, tenant: str) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md", "c.md")
    large = gathered(list(docs.values()), since=number, of=(ERROR, "component:名前"))
    small = gathered([docs["a.md"], docs["b.md"]], since=number, of=(PART,))
    build = await commit(held, tenant, number, small, large)
    assert (build.number, build.snapshot, build.cut) == (1, number, False)
    assert await held.store.built(tenant=tenant, kb=KB) == build
    at = scope(tenant, number)
    assert await held.store.about([ERROR], at, limit=9) == [large.community]
    assert await held.store.about(["component:名前"], at, limit=9) == [large.community]
    assert await held.store.about([PART, ERROR, "error:none"], at, limit=9) == [large.community, small.community]
    assert await held.store.about([PART, ERROR], at, limit=1) == [large.community]
    assert await held.store.communities(at, limit=9) == [large.community, small.community]
    assert await held.store.about([], at, limit=9) == []
    standing = await held.store.standing(number, tenant=tenant, kb=KB)
    assert standing == dict.fromkeys((large.community.community_id, small.community.community_id), "part-1")


async def test_nothing_was_built_yet(held: Held, tenant: str) -> None:
    assert await held.store.built(tenant=tenant, kb=KB) == CommunityBuild()
    assert await held.store.communities(scope(tenant, 1), limit=9) == []
    assert await held.store.audiences(1, tenant=tenant, kb=KB, limit=9) == []


@pytest.mark.parametrize(
    "outside",
    [
        {"acl_tags": frozenset({"others"})},
        {"acl_tags": frozenset[str]()},
        {"snapshot": 0},
        {"kb": "other"},
        {"tenant": "other"},
    ],
    ids=str,
)
async def test_it_is_for_its_audience_alone(held: Held, tenant: str, outside: dict[str, Any]) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md")
    await commit(held, tenant, number, gathered(list(docs.values()), since=number))
    assert len(await held.store.about([ERROR], scope(tenant, number), limit=9)) == 1
    assert await held.store.about([ERROR], replace(scope(tenant, number), **outside), limit=9) == []
    assert await held.store.communities(replace(scope(tenant, number), **outside), limit=9) == []


async def test_the_level_counts(held: Held, tenant: str) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md")
    inner = gathered(list(docs.values()), since=number, level=Level.RESTRICTED)
    await commit(held, tenant, number, inner)
    assert await held.store.communities(scope(tenant, number), limit=9) == []
    assert await held.store.communities(scope(tenant, number, level_max=Level.RESTRICTED), limit=9) == [inner.community]


async def test_one_chunk_out_of_sight_hides_the_whole(held: Held, tenant: str) -> None:
    """Even of a community that says it were for everybody."""
    _, narrow = await publish(held, tenant, "secret.md", level=Level.RESTRICTED)
    number, docs = await publish(held, tenant, "a.md")
    lying = gathered([docs["a.md"], narrow["secret.md"]], since=number)
    await commit(held, tenant, number, lying)
    assert await held.store.about([ERROR], scope(tenant, number), limit=9) == []
    assert await held.store.communities(scope(tenant, number), limit=9) == []
    inside = scope(tenant, number, level_max=Level.RESTRICTED)
    assert await held.store.about([ERROR], inside, limit=9) == [lying.community]


async def test_a_changed_or_forgotten_document_hides_it_at_once(held: Held, tenant: str) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md", "c.md")
    one = gathered([docs["a.md"], docs["b.md"]], since=number)
    other = gathered([docs["b.md"], docs["c.md"]], since=number)
    await commit(held, tenant, number, one, other)
    later, _ = await publish(held, tenant, "a.md")
    assert await held.store.communities(scope(tenant, later), limit=9) == [other.community]
    assert len(await held.store.communities(scope(tenant, number), limit=9)) == 2, "the earlier snapshot is as it was"
    await held.tombstones.bury(["c.md"], tenant=tenant, kb=KB, by="operator")
    assert await held.store.communities(scope(tenant, later), limit=9) == []
    assert await held.store.communities(scope(tenant, number), limit=9) == [one.community]


async def test_builds_follow_snapshots_and_each_snapshot_keeps_its_own(held: Held, tenant: str) -> None:
    first, docs = await publish(held, tenant, "a.md", "b.md", "c.md")
    old, kept = gathered([docs["a.md"], docs["b.md"]], since=first), gathered([docs["b.md"], docs["c.md"]], since=first)
    await commit(held, tenant, first, old, kept)
    second, _ = await publish(held, tenant, "d.md")
    new = gathered([docs["a.md"], docs["c.md"]], since=second)
    build = await commit(held, tenant, second, new, keep=[kept.community.community_id])
    assert build.number == 2
    by_id = {one.community_id: one for one in await held.store.communities(scope(tenant, second), limit=9)}
    assert set(by_id) == {new.community.community_id, kept.community.community_id}
    before = {one.community_id: one for one in await held.store.communities(scope(tenant, first), limit=9)}
    assert set(before) == {old.community.community_id, kept.community.community_id}
    assert (before[old.community.community_id].until, by_id[new.community.community_id].until) == (second, FOREVER)
    # Gone back, and made anew for the snapshot before: the same stands again, beside what was there.
    await commit(held, tenant, first, keep=list(before))
    assert {one.community_id for one in await held.store.communities(scope(tenant, first), limit=9)} == set(before)


async def test_a_turn_is_taken_again_with_what_it_saw(held: Held, tenant: str) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md")
    one = gathered(list(docs.values()), since=number)
    two = gathered(list(docs.values()), since=number)
    first = await commit(held, tenant, number, one)
    second = await commit(held, tenant, number, two)
    at = scope(tenant, number)
    assert await held.store.about([ERROR], at, limit=9, build=first.number) == [one.community]
    assert await held.store.about([ERROR], at, limit=9, build=second.number) == [two.community]
    assert await held.store.about([ERROR], at, limit=9) == [two.community]
    assert await held.store.about([ERROR], at, limit=9, build=0) == []


async def test_what_was_forgotten_meanwhile_stops_a_build(held: Held, tenant: str) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md")
    before = await held.knowledge.published(tenant=tenant, kb=KB)
    await held.tombstones.bury(["a.md"], tenant=tenant, kb=KB, by="operator")
    build = CommunityBuild(snapshot=number, forgotten=before.forgotten)
    made = [gathered(list(docs.values()), since=number)]
    with pytest.raises(Conflict):
        await held.store.commit(made, keep=(), build=build, tenant=tenant, kb=KB)
    assert await held.store.built(tenant=tenant, kb=KB) == CommunityBuild()
    assert await held.store.held(tenant=tenant, kb=KB, doc_ids=["a.md"], upto=number) == 0


async def test_purged_are_those_that_cite(held: Held, tenant: str) -> None:
    number, docs = await publish(held, tenant, "a.md", "b.md", "c.md")
    citing = gathered([docs["a.md"], docs["b.md"]], since=number)
    other = gathered([docs["b.md"], docs["c.md"]], since=number)
    await commit(held, tenant, number, citing, other)
    place: dict[str, Any] = {"tenant": tenant, "kb": KB}
    assert await held.store.held(**place, doc_ids=["a.md"], upto=number - 1) == 0
    assert await held.store.held(**place, doc_ids=["a.md", "none.md"], upto=number) == 1
    await held.store.purge(**place, doc_ids=["a.md"], upto=number)
    assert await held.store.held(**place, doc_ids=["a.md"], upto=number) == 0
    assert await held.store.communities(scope(tenant, number), limit=9) == [other.community]


async def test_pruned_are_those_that_ended(held: Held, tenant: str) -> None:
    first, docs = await publish(held, tenant, "a.md", "b.md")
    old = gathered(list(docs.values()), since=first)
    await commit(held, tenant, first, old)
    second, _ = await publish(held, tenant, "c.md")
    await commit(held, tenant, second, gathered(list(docs.values()), since=second))
    await held.store.prune(tenant=tenant, kb=KB, oldest=second)
    assert await held.store.communities(scope(tenant, first), limit=9) == []
    assert len(await held.store.communities(scope(tenant, second), limit=9)) == 1


async def test_audiences_are_those_of_the_snapshot(held: Held, tenant: str) -> None:
    await publish(held, tenant, "a.md", "b.md")
    await publish(held, tenant, "c.md", acl=frozenset({"staff", "board"}), level=Level.INTERNAL)
    number, _ = await publish(held, tenant, "d.md", "e.md", "f.md", acl=frozenset({"staff"}))
    public = await held.store.audiences(1, tenant=tenant, kb=KB, limit=9)
    assert len(public) == 1 and public[0][0] == EVERYBODY
    every = await held.store.audiences(number, tenant=tenant, kb=KB, limit=9)
    assert every[0][0] == frozenset({"staff"}), "those of most documents first"
    assert (frozenset({"board", "staff"}), Level.INTERNAL) in every
    assert len(await held.store.audiences(number, tenant=tenant, kb=KB, limit=2)) == 2


async def test_due_is_what_was_made_of_something_else(held: Held, tenant: str) -> None:
    async def due(rest_s: float = 0.0) -> bool:
        return (tenant, KB) in await held.store.due(rest_s=rest_s, limit=1_000)

    assert not await due(), "nothing is published"
    number, _ = await publish(held, tenant, "a.md", "b.md")
    assert await due() and await due(600)
    await held.store.begin(tenant=tenant, kb=KB)
    assert await due() and not await due(600), "it was tried a moment ago"
    await commit(held, tenant, number)
    assert not await due()
    await publish(held, tenant, "c.md")
    assert await due() and not await due(600)
    later = (await held.knowledge.published(tenant=tenant, kb=KB)).number
    await commit(held, tenant, later)
    assert not await due()
    await held.tombstones.bury(["a.md"], tenant=tenant, kb=KB, by="operator")
    assert await due(), "what is told changes with what is forgotten"


async def test_tenants_and_knowledge_bases_never_touch(held: Held, tenant: str) -> None:
    other = f"{tenant}-other"
    number, ours = await publish(held, tenant, "a.md", "b.md")
    _, theirs = await publish(held, other, "a.md", "b.md")
    _, beside = await publish(held, tenant, "a.md", "b.md", kb="beside")
    await commit(held, tenant, number, gathered(list(ours.values()), since=number))
    await commit(held, other, number, gathered(list(theirs.values()), since=number))
    await commit(held, tenant, number, gathered(list(beside.values()), since=number), kb="beside")
    await commit(held, other, number)
    await held.store.purge(tenant=other, kb=KB, doc_ids=["a.md"], upto=number)
    (own,) = await held.store.about([ERROR], scope(tenant, number), limit=9)
    assert (own.tenant, own.kb) == (tenant, KB)
    assert await held.store.about([ERROR], scope(other, number), limit=9) == []
    assert len(await held.store.about([ERROR], scope(tenant, number, kb="beside"), limit=9)) == 1


async def test_behind_the_wall_a_tenant_sees_its_own_alone(postgres_url: str, tmp_path: Path, tenant: str) -> None:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        held = Held(store=ledgers.communities, knowledge=ledgers.knowledge, tombstones=ledgers.tombstones)
        number, docs = await publish(held, tenant, "a.md", "b.md")
        one = gathered(list(docs.values()), since=number)
        with acting_for(tenant):
            await commit(held, tenant, number, one)
            assert await held.store.communities(scope(tenant, number), limit=9) == [one.community]
        with acting_for(f"{tenant}-other"):
            assert await held.store.communities(scope(tenant, number), limit=9) == []
            assert await held.store.about([ERROR], scope(tenant, number), limit=9) == []
            assert await held.store.built(tenant=tenant, kb=KB) == CommunityBuild()
            await held.store.purge(tenant=tenant, kb=KB, doc_ids=["a.md"], upto=number)
            with pytest.raises(FirstlineError):
                await held.store.commit([one], keep=(), build=CommunityBuild(snapshot=1), tenant=tenant, kb=KB)
        assert await held.store.communities(scope(tenant, number), limit=9) == [one.community]
