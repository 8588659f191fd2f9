"""What several documents tell of the same: made, kept, made anew, for whom, and what a question makes of it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_graph_kept import purger
from tests.cost import ends_within
from world import KB, TENANT, Items, World, asker, page

from firstline.documents.communities.build import CommunityBuilder, Made
from firstline.documents.jobs import COMMUNITIES, communities_of
from firstline.documents.purge import Purger
from firstline.documents.redact import PatternRedactor
from firstline.documents.sweep import prune
from firstline.domain import (
    EVERYONE,
    Answered,
    Community,
    Completeness,
    DocumentKind,
    Level,
    SourceItem,
    ToldKind,
    Turn,
)
from firstline.engines.forgotten_graph import WithoutForgotten
from firstline.engines.memory.communities import MemoryCommunities
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.errors import Unavailable
from firstline.ports import Scope
from firstline.questions.gathered import gathered
from firstline.questions.replay import Replay, replay
from firstline.questions.traverse import WalkLimits

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
QUESTION = "What are the usual causes of E4711?"
DISK = "The disk of the Relay Agent is full."
CERTIFICATE = "The certificate of the Relay Agent has expired."
KEY = "The signing key of the bank was revoked."
CASES = (DISK, DISK, DISK, CERTIFICATE, CERTIFICATE, KEY)


def ticket(name: str, cause: str, *, error: str = "E4711", part: str = "Relay Agent", **access: Any) -> SourceItem:
    text = (
        f"# {error} seen by {name}\n\n## Problem\n\nThe {part} stops with {error} at night.\n\n"
        f"## Cause\n\n{cause}\n\n## Resolution\n\nStep one of {name} helps.\n"
    )
    title = f"{error} seen by {name}"
    return page(f"{name}.md", text, title=title, kind=DocumentKind.TICKET, **access)


def six(level: Level = Level.RESTRICTED) -> list[SourceItem]:
    return [
        ticket(f"customer-{number}", cause, level=level if cause == KEY else Level.PUBLIC)
        for number, cause in enumerate(CASES)
    ]


def opened() -> World:
    world = World(walked=True)
    world.communities = MemoryCommunities(world.knowledge)
    return world


def store_of(world: World) -> MemoryCommunities:
    assert world.communities is not None
    return world.communities


def builder(world: World) -> CommunityBuilder:
    return CommunityBuilder(
        graph=WithoutForgotten(world.graph, world.knowledge),
        store=store_of(world),
        knowledge=world.knowledge,
        blobs=world.blobs,
    )


async def made(world: World, *items: SourceItem) -> Made:
    if items:
        await world.ingest(*items)
    return await builder(world).build(**WHERE)


async def scope(world: World, level: Level = Level.RESTRICTED, acl: frozenset[str] = frozenset({EVERYONE})) -> Scope:
    number = (await world.knowledge.published(**WHERE)).number
    return Scope.of(asker(level=level, acl=acl), kb=KB, snapshot=number)


async def seen(world: World, level: Level = Level.RESTRICTED) -> list[Community]:
    return await store_of(world).communities(await scope(world, level), limit=100)


def causes(found: Sequence[Community]) -> list[tuple[str, int]]:
    return [(told.text, told.documents) for one in found for told in one.of_kind(ToldKind.CAUSE)]


async def ask(
    world: World, question: str = QUESTION, *, level: Level = Level.CUSTOMER, session: str = "s", **changes: Any
) -> Turn:
    own = await world.session(session)
    return await world.questions(**changes).ask(session=own, principal=asker(level=level), question=question)


def listed(turn: Turn) -> list[tuple[str, str]]:
    assert isinstance(turn.outcome, Answered), turn.outcome
    return [(claim.text.removeprefix("- "), claim.citations[0].doc_id) for claim in turn.outcome.claims]


async def again(world: World, turn: Turn, level: Level = Level.CUSTOMER) -> Replay:
    session = await world.conversations.session(turn.session_id, tenant=TENANT, user="u")
    assert session is not None
    return await replay(turn, session, asker(level=level), journey=world.questions(), conversations=world.conversations)


async def test_six_tickets_three_causes() -> None:
    world = opened()
    await made(world, *six(), page("mail.md", "# Invoices\n\nInvoices are sent by mail.\n"))
    team = await ask(world, level=Level.RESTRICTED)
    assert listed(team) == [(DISK, "customer-0.md"), (CERTIFICATE, "customer-3.md"), (KEY, "customer-5.md")]
    assert isinstance(team.outcome, Answered)
    assert team.outcome.completeness is Completeness.FULL and not team.outcome.notes
    assert team.plan is not None and team.plan.communities == 1

    customer = await ask(world, session="c")
    assert listed(customer) == [(DISK, "customer-0.md"), (CERTIFICATE, "customer-3.md")]
    assert customer.degraded == {}
    assert all(
        told.documents == 3 or told.text != DISK
        for one in await seen(world, Level.CUSTOMER)
        for told in one.of_kind(ToldKind.CAUSE)
    )
    for turn in (team, customer):
        level = Level.RESTRICTED if turn is team else Level.CUSTOMER
        assert (await again(world, turn, level)).same


async def test_whether_there_is_a_restricted_ticket_changes_nothing_for_others() -> None:
    """Not what is told, how often, in which order, nor what is gathered with what."""
    with_it, without = opened(), opened()
    # The restricted ticket would join two matters that have nothing in common otherwise.
    matters = [
        *(ticket(f"a-{number}", DISK) for number in range(3)),
        *(ticket(f"b-{number}", "Too many sessions.", error="E9001", part="Front Door") for number in range(3)),
    ]
    secret = ticket("both", "E9001 follows E4711 at the Front Door.", level=Level.RESTRICTED)
    await made(with_it, *matters, secret)
    await made(without, *matters)
    told = [
        [(one.title, one.size, told_of(one)) for one in await seen(world, Level.CUSTOMER)]
        for world in (with_it, without)
    ]
    assert told[0] == told[1] and len(told[0]) == 2
    assert any("both.md" in one.doc_ids for one in await seen(with_it))
    answers = [listed(await ask(world)) for world in (with_it, without)]
    assert answers[0] == answers[1]


async def test_after_a_ticket_is_deleted_its_cause_is_gone() -> None:
    world = opened()
    await made(world, *six(Level.PUBLIC))
    assert (KEY, 1) in causes(await seen(world))
    await world.documents.ingest(Items(), **WHERE, removed=["customer-5.md"])
    assert KEY not in dict(causes(await seen(world))), "at once, before anything is made anew"
    assert KEY not in dict(listed(await ask(world)))
    await made(world)
    assert causes(await seen(world)) == [(DISK, 3), (CERTIFICATE, 2)]
    assert listed(await ask(world, session="t")) == [(DISK, "customer-0.md"), (CERTIFICATE, "customer-3.md")]


async def test_forgotten_is_hidden_at_once_purged_and_read_back() -> None:
    world = opened()
    await made(world, *six(Level.PUBLIC))
    own: Purger = Purger(
        knowledge=world.knowledge,
        tombstones=world.knowledge,
        records=MemoryRecordLedger(world.conversations),
        snapshots=world.knowledge,
        index=world.index,
        blobs=world.blobs,
        redactor=PatternRedactor(),
        graph=world.graph,
        communities=store_of(world),
    )
    stones = await own.bury(["customer-5.md"], **WHERE, by="operator")
    assert await seen(world) == []
    certificate = await own.purge(stones, by="operator")
    (place,) = [one for one in certificate.places if one.name == "communities"]
    assert (place.found, place.left) == (1, 0) and certificate.clean
    assert await builder(world).is_due(**WHERE)
    await made(world)
    assert causes(await seen(world)) == [(DISK, 3), (CERTIFICATE, 2)]

    async def keep(**where: object) -> None:
        """Status 200, and everything is still there."""

    store_of(world).purge = keep  # pyright: ignore[reportAttributeAccessIssue]  (a lying engine)
    certificate = await own.forget(["customer-4.md"], **WHERE, by="operator")
    assert {one.name for one in certificate.places if one.left} == {"communities"}


async def test_what_was_forgotten_while_they_were_made_is_in_none() -> None:
    world = opened()
    await world.ingest(*six(Level.PUBLIC))
    store = store_of(world)
    commit = store.commit

    async def forgets_first(*args: Any, **more: Any) -> Any:
        await purger(world).forget(["customer-5.md"], **WHERE, by="operator")
        return await commit(*args, **more)

    store.commit = forgets_first  # pyright: ignore[reportAttributeAccessIssue]  (between reading and writing)
    with pytest.raises(Exception, match="forgotten while"):
        await made(world)
    assert await store.held(**WHERE, doc_ids=["customer-5.md"], upto=99) == 0


async def test_copies_count_once_and_other_words_are_another_cause() -> None:
    world = opened()
    copy = ticket("customer-0", DISK)
    await made(
        world,
        copy,
        replace(copy, item_id="copy.md", content_hash="c"),
        ticket("customer-1", "the disk of the relay agent IS FULL"),
        ticket("customer-2", "The disk of the Relay Agent is not full."),
    )
    assert causes(await seen(world)) == [(DISK, 2), ("The disk of the Relay Agent is not full.", 1)]


async def test_a_rerun_is_identical_and_makes_nothing() -> None:
    world = opened()
    first = await made(world, *six())
    before = await seen(world)
    second = await made(world, *six())
    assert (first.made, second.made, second.kept, second.divided) == (first.made, 0, first.made, 0)
    assert await seen(world) == before
    other = opened()
    await made(other, *reversed(six()))
    assert await seen(other) == before, "whatever order the documents came in"


async def test_only_what_changed_is_made_anew() -> None:
    world = opened()
    others = [ticket(f"door-{number}", "Too many sessions.", error="E9001", part="Front Door") for number in range(3)]
    assert (await made(world, *six(Level.PUBLIC), *others)).divided == 2
    (door,) = [one for one in await seen(world) if "E9001" in one.title]
    later = await made(world, ticket("customer-9", DISK))
    assert (later.parts, later.divided, later.kept) == (2, 1, 1)
    assert door in await seen(world)


async def test_a_snapshot_that_was_gone_back_to_shows_its_own() -> None:
    world = opened()
    await made(world, *six(Level.PUBLIC)[:4])
    first = causes(await seen(world))
    await made(world, *six(Level.PUBLIC))
    second = causes(await seen(world))
    assert first != second
    await world.knowledge.point_back(None, **WHERE)
    assert causes(await seen(world)) == first
    await made(world)
    assert causes(await seen(world)) == first
    await world.knowledge.point_on(2, **WHERE)
    assert causes(await seen(world)) == second
    await prune(
        **WHERE,
        keep=1,
        snapshots=world.knowledge,
        index=world.index,
        blobs=world.blobs,
        graph=world.graph,
        communities=store_of(world),
    )
    assert causes(await seen(world)) == second


async def test_a_build_that_dies_leaves_what_was_there() -> None:
    world = opened()
    await made(world, *six(Level.PUBLIC)[:4])
    before = await seen(world)
    await world.ingest(*six(Level.PUBLIC))
    whole = world.blobs.get_range

    async def dies(*args: Any) -> bytes:
        raise Unavailable("killed")

    world.blobs.get_range = dies  # pyright: ignore[reportAttributeAccessIssue]  (half-way)
    with pytest.raises(Unavailable):
        await made(world)
    world.blobs.get_range = whole  # pyright: ignore[reportAttributeAccessIssue]
    assert await seen(world) == before
    await made(world)
    assert causes(await seen(world)) == [(DISK, 3), (CERTIFICATE, 2), (KEY, 1)]


async def test_nothing_to_gather() -> None:
    world = opened()
    assert (await builder(world).build(**WHERE)).build.snapshot == 0
    await made(world, page("a.md", "# A\n\nSee [B](b.md).\n"), page("b.md", "# B\n\nSee [A](a.md).\n"))
    assert await seen(world) == [], "links in a circle tell no cause"
    await made(world, ticket("alone", DISK))
    assert await seen(world) == [], "one document tells nothing usual"
    turn = await ask(world)
    plain = World(walked=True)
    await plain.ingest(page("a.md", "# A\n\nSee [B](b.md).\n"), page("b.md", "# B\n\nSee [A](a.md).\n"))
    await plain.ingest(ticket("alone", DISK))
    assert turn.outcome == (await ask(plain)).outcome, "it goes as any other question"


async def test_circles_and_tickets_that_replace_each_other() -> None:
    world = opened()
    rows = [
        replace(
            ticket(f"customer-{number}", cause),
            metadata={"supersedes": f"customer-{(number + 1) % 3}.md"},
            content_hash=f"h{number}",
        )
        for number, cause in enumerate((DISK, DISK, CERTIFICATE))
    ]
    await made(world, *rows)
    assert causes(await seen(world)) == [(DISK, 2), (CERTIFICATE, 1)]


async def test_names_of_any_script() -> None:
    world = opened()
    rows = [
        page(
            f"{number}.md",
            f"# 夜间导出 报错 E4711\n\n## Problem\n\n第 {number} 次：“中继代理” 显示 E4711。\n\n## Cause\n\n{cause}\n",
            title=f"夜间导出 {number} E4711",
            kind=DocumentKind.TICKET,
        )
        for number, cause in enumerate(("磁盘已满。", "磁盘已满。", "证书已过期。"))
    ]
    await made(world, *rows)
    assert causes(await seen(world)) == [("磁盘已满。", 2), ("证书已过期。", 1)]
    assert [text for text, _ in listed(await ask(world, "E4711 のよくある原因は？"))] == ["磁盘已满。", "证书已过期。"]


async def test_a_thing_that_everybody_mentions_holds_nothing_together() -> None:
    """Two errors of one product are two matters, and the product's causes are those of both."""
    world = opened()
    rows = [ticket(f"a-{number}", DISK, error="E4711") for number in range(30)]
    rows += [ticket(f"b-{number}", CERTIFICATE, error="E9001") for number in range(30)]
    await made(world, *rows)
    found = await seen(world)
    assert sorted(one.title.split(",")[0] for one in found) == ["E4711", "E9001"]
    for one in found:
        assert len(one.of_kind(ToldKind.CAUSE)) == 1
    both = [text for text, _ in listed(await ask(world, "What are the usual causes of the Relay Agent stopping?"))]
    assert sorted(both) == sorted([DISK, CERTIFICATE])
    alone = await ask(world, "What are the usual causes of E4711 on the Relay Agent?", session="t")
    assert [text for text, _ in listed(alone)] == [DISK]


async def test_tenants_have_their_own() -> None:
    world = opened()
    await made(world, *six(Level.PUBLIC))
    await world.documents.ingest(Items(*(ticket(f"r-{n}", KEY) for n in range(3))), tenant="rival", kb=KB)
    other = await builder(world).build(tenant="rival", kb=KB)
    assert other.made == 1
    (theirs,) = await store_of(world).communities(replace(await scope(world), tenant="rival", snapshot=1), limit=9)
    assert causes([theirs]) == [(KEY, 3)]
    assert dict(causes(await seen(world)))[KEY] == 1


# --- a store that is down, slow or lying -----------------------------------------------------------------------------


async def hang(*args: Any, **more: Any) -> list[Community]:
    await asyncio.sleep(30)
    return []


async def down(*args: Any, **more: Any) -> list[Community]:
    raise Unavailable("The database does not answer.")


async def surprised(*args: Any, **more: Any) -> list[Community]:
    raise ZeroDivisionError


def named(fault: Any) -> str:
    return fault if isinstance(fault, str) else fault.__name__


@pytest.mark.parametrize("fault", [hang, down, surprised, "another tenant", "another level", "uncited"], ids=named)
async def test_the_turn_goes_on_without_them_and_says_so(fault: Any) -> None:
    world = opened()
    await made(world, *six())
    store = store_of(world)
    (*_, true) = await seen(world, Level.CUSTOMER)
    changes: dict[str, dict[str, Any]] = {
        "another tenant": {"tenant": "rival"},
        "another level": {"level": Level.RESTRICTED},
        "uncited": {"told": ()},
    }

    async def lie(*args: Any, **more: Any) -> list[Community]:
        return [replace(true, **changes[fault])]

    about = store.about
    store.about = lie if isinstance(fault, str) else fault  # pyright: ignore[reportAttributeAccessIssue]
    walk = WalkLimits(budget_s=0.2)
    assert await ends_within(lambda: ask(world, session=str(uuid.uuid4()), walk=walk), 3)
    turn = await ask(world, walk=walk)
    assert turn.degraded == {"causes": f"{'late' if fault is hang else 'broken'}: usual causes were not looked up"}
    plain = World(walked=True)
    await plain.ingest(*six())
    assert turn.outcome == (await ask(plain)).outcome
    store.about = about  # pyright: ignore[reportAttributeAccessIssue]
    assert (await again(world, turn)).same, "and its replay goes without them too"


async def test_a_community_that_cites_more_than_its_asker_may_see_is_none_whatever_the_store_says() -> None:
    world = opened()
    await made(world, *six())
    (inner,) = [one for one in await seen(world) if one.level is Level.RESTRICTED]

    async def lie(*args: Any, **more: Any) -> list[Community]:
        return [replace(inner, level=Level.PUBLIC)]

    store_of(world).about = lie  # pyright: ignore[reportAttributeAccessIssue]  (a lying engine)
    turn = await ask(world)
    assert "bank" not in str(turn.outcome) and not turn.degraded
    shown = await gathered(
        await scope(world, Level.CUSTOMER), store=store_of(world), knowledge=world.knowledge, name="E4711", limit=9
    )
    assert shown.communities == ()


async def test_a_replay_sees_what_the_turn_saw() -> None:
    world = opened()
    await world.ingest(*six(Level.PUBLIC))
    early = await ask(world, session="early")
    await made(world)
    late = await ask(world, session="late")
    assert listed(late) != early.outcome
    store = store_of(world)
    community = (await seen(world))[0]
    await store.commit([], keep=[], build=replace(await store.built(**WHERE)), **WHERE)
    assert await seen(world) == [] and community.community_id
    for turn in (early, late):
        found = await again(world, turn)
        assert found.same, found.differences
    assert not (await again(world, late)).again.degraded


async def test_who_sees_both_a_public_and_an_internal_tale_is_told_the_larger_once() -> None:
    world = opened()
    await made(world, *six())
    assert len(await seen(world)) == 2
    shown = await gathered(
        await scope(world), store=store_of(world), knowledge=world.knowledge, name="relay agent", limit=9
    )
    (one,) = shown.communities
    assert (KEY, 1) in causes([one]) and set(shown.documents) == one.doc_ids
    none = await gathered(await scope(world), store=store_of(world), knowledge=world.knowledge, name="nix", limit=9)
    assert none.communities == ()


# --- made like from scratch ------------------------------------------------------------------------------------------

ERRORS, PARTS, TOLD = ("E4711", "E9001"), ("Relay Agent", "Front Door"), (DISK, CERTIFICATE, KEY)
step = st.tuples(
    st.integers(0, 7),
    st.sampled_from(ERRORS),
    st.sampled_from(PARTS),
    st.sampled_from(TOLD),
    st.sampled_from([0, 0, 3]),
)


def told_of(one: Community) -> Any:
    return [
        (told.kind, told.text, told.documents, told.of, [(at.doc_id, at.start, at.end) for at in told.tellings])
        for told in one.told
    ]


async def compared(world: World) -> list[Any]:
    return sorted((one.title, one.size, int(one.level), told_of(one)) for one in await seen(world))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.lists(step, min_size=1, max_size=5), st.sets(st.integers(0, 7), max_size=2)), max_size=5))
async def test_any_history_gives_what_a_build_from_scratch_gives(batches: list[Any]) -> None:
    world = opened()
    standing: dict[str, SourceItem] = {}
    for writes, removes in batches:
        items = {
            f"d{number}.md": ticket(f"d{number}", cause, error=error, part=part, level=Level(level))
            for number, error, part, cause, level in writes
        }
        await world.ingest(*items.values())
        standing |= items
        gone = [f"d{number}.md" for number in removes if f"d{number}.md" in standing]
        if gone:
            await world.documents.ingest(Items(), **WHERE, removed=gone, force=True)
            standing = {name: item for name, item in standing.items() if name not in gone}
        await made(world)
    scratch = opened()
    if standing:
        await made(scratch, *standing.values())
    assert await compared(world) == (await compared(scratch) if standing else [])


async def test_a_worker_makes_what_is_due() -> None:
    from test_announced_changes import Announced

    hooked = Announced()
    world = hooked.world
    store = MemoryCommunities(world.knowledge)
    working = hooked.worker()
    own = CommunityBuilder(graph=world.graph, store=store, knowledge=world.knowledge, blobs=world.blobs)
    working._communities = own  # pyright: ignore[reportPrivateUsage]  (as wiring gives it)
    await world.ingest(*six(Level.PUBLIC))
    await working.look()
    assert not await working.jobs.put(communities_of(TENANT, KB)), "one waits already"
    await working._handlers()[COMMUNITIES]({"tenant": TENANT, "kb": KB})  # pyright: ignore[reportPrivateUsage]
    assert causes(await store.communities(await scope(world), limit=9))[0] == (DISK, 3)
    assert await store.due(rest_s=0, limit=9) == []
