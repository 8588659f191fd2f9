"""The cases that graphs of documents are known to get wrong, each as a short story."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import Any

import pytest
from world import KB, TENANT, Items, World, asker, page

from firstline.domain import Answered, DocumentKind, Edge, Level, Note, Relation, SourceItem, Turn
from firstline.ports import Scope
from firstline.questions.caveats import OUT_OF_DATE
from firstline.questions.neighbourhood import entities_named, neighbourhood
from firstline.questions.render import render
from firstline.questions.replay import replay
from firstline.questions.traverse import WalkLimits

WALK = WalkLimits(budget_s=5)
STAFF = frozenset({"staff"})


async def opened(*items: SourceItem) -> World:
    world = World(walked=True)
    await world.ingest(*items)
    return world


async def ask(world: World, question: str, session: str = "", **who: Any) -> Turn:
    made = await world.session(session or str(uuid.uuid4()))
    return await world.questions(walk=WALK).ask(session=made, principal=asker(**who), question=question)


def ticket(item_id: str, text: str, title: str, **metadata: str) -> SourceItem:
    return page(item_id, text, title=title, kind=DocumentKind.TICKET, metadata=metadata)


def shown(turn: Turn) -> str:
    reply = render(turn.outcome)
    return "\n".join([reply.notice or "", *(block.text for block in reply.blocks)])


def notes(turn: Turn) -> tuple[Note, ...]:
    assert isinstance(turn.outcome, Answered)
    return turn.outcome.notes


def scope(snapshot: int = 1, **who: Any) -> Scope:
    return Scope.of(asker(**who), kb=KB, snapshot=snapshot)


async def edges(world: World, snapshot: int = 1) -> list[Edge]:
    return await world.graph.edges(scope(snapshot), limit=10_000)


async def called(world: World, name: str, snapshot: int = 1, **who: Any) -> set[str]:
    """Ids of the documents that go by the name."""
    found = await world.graph.named([f"component:{name}"], scope(snapshot, **who), limit_each=100)
    return {edge.doc_id for edge in found}


async def read(world: World, turn: Turn, **who: Any) -> list[str]:
    """Ids of the documents read, in order."""
    chunks = await world.knowledge.chunks([one for one, _ in turn.evidence], scope(turn.snapshot or 1, **who))
    place = {chunk.chunk_id: chunk.doc_id for chunk in chunks}
    return list(dict.fromkeys(place[one] for one, _ in turn.evidence if one in place))


# --- names ----------------------------------------------------------------------------------------------------------


async def test_two_ways_of_writing_a_name_are_one_entity() -> None:
    world = await opened(
        page("one.md", "# Guide\n\nThe Relay Agent sends it.\n"),
        page("two.md", "# Notes\n\nAsk the `RELAY-AGENT` again.\n"),
        page("three.md", "# Relay Agents\n\nThey run at night.\n"),
    )
    told = {edge.target.entity_id for edge in await edges(world) if edge.target.key.startswith("relay")}
    assert told == {"component:relayagent"}
    assert await called(world, "relayagent") == {"three.md"}


async def test_two_products_of_one_name_stay_two() -> None:
    world = await opened(
        page("a.md", "# Gateway\n\nIt listens on 80.\n", title="Gateway", metadata={"product": "Mail"}),
        page("b.md", "# Gateway\n\nIt listens on 90.\n", title="Gateway", metadata={"product": "Shop"}),
    )
    assert (await called(world, "mail/gateway"), await called(world, "shop/gateway")) == ({"a.md"}, {"b.md"})
    assert await called(world, "gateway") == set()


@pytest.mark.parametrize("name", ["null", "It", "None", "N" * 4_000, "x " * 2_000, "...", "\u200b"])
async def test_what_is_no_name_names_nothing(name: str) -> None:
    world = await opened(
        page("a.md", f"# {name}\n\nSee `{name}` and {name}.\n", title=name, metadata={"aliases": name})
    )
    found = await edges(world)
    said = {edge.target for edge in found if edge.relation in (Relation.NAMES, Relation.MENTIONS)}
    assert {one.entity_id for one in said} == {"address:a"}
    assert all(len(one.key) <= 400 and len(one.name) <= 120 for edge in found for one in (edge.source, edge.target))


async def test_a_chinese_name_leads_to_its_page() -> None:
    world = await opened(
        page("a.md", "# 夜间导出\n\n夜间导出由「中继代理」运行。\n", title="夜间导出"),
        page("b.md", "# 中继代理\n\n中继代理由边缘团队维护。\n", title="中继代理"),
    )
    assert await called(world, "中继代理") == {"b.md"}
    assert any(edge.doc_id == "a.md" and edge.target.key == "中继代理" for edge in await edges(world))


async def test_what_stands_in_a_title_or_a_field_alone_can_be_looked_at() -> None:
    metadata = {"product": "Shop Desk", "superseded_by": "New Portal"}
    world = await opened(page("faq/7.md", "Invoices are sent by mail.\n", title="Billing Portal", metadata=metadata))
    told: set[tuple[str, str]] = set()
    for name in ("Billing Portal", "Shop Desk", "New Portal"):
        (entity,) = await entities_named(name, scope(), graph=world.graph, knowledge=world.knowledge)
        found = await neighbourhood(
            entity.entity_id, scope(), graph=world.graph, knowledge=world.knowledge, blobs=world.blobs, limit=20
        )
        told |= {(name, one.words) for one in found.edges}
    assert told == {(name, "Billing Portal") for name in ("Billing Portal", "Shop Desk", "New Portal")}


# --- what changes ---------------------------------------------------------------------------------------------------

GUIDE = "# Guide\n\nThe Relay Agent fails with `LK-1205: spool is full`. See [the export](export.md).\n"
CHANGED = "# Guide\n\nThe Mail Gateway fails with `LK-1300: queue is full`. See [the import](import.md).\n"


async def test_a_rerun_doubles_nothing() -> None:
    world = await opened(page("guide.md", GUIDE))
    before = await edges(world)
    await world.ingest(page("guide.md", GUIDE))
    await world.ingest(page("guide.md", GUIDE), page("other.md", "# Other\n\nText.\n"))
    assert [one for one in await edges(world, 2) if one.doc_id == "guide.md"] == before
    assert await world.graph.count(tenant=TENANT, kb=KB) == len(await edges(world, 2))


async def test_an_update_takes_away_what_the_old_text_said() -> None:
    world, scratch = await opened(page("guide.md", GUIDE)), await opened(page("guide.md", CHANGED))
    await world.ingest(page("guide.md", CHANGED))

    def said(found: list[Edge]) -> set[tuple[str, Relation, str]]:
        return {(one.source.entity_id, one.relation, one.target.entity_id) for one in found}

    assert said(await edges(world, 2)) == said(await edges(scratch))
    assert "component:relayagent" in {one.target.entity_id for one in await edges(world, 1)}, "the past stays"


async def test_what_was_deleted_and_comes_again_has_nothing_of_its_former_self() -> None:
    world = await opened(page("guide.md", GUIDE), page("other.md", "# Other\n\nText.\n"))
    before = await ask(world, "What is the root cause of LK-1205 and how is it fixed?")
    assert "guide.md" in await read(world, before)
    await world.documents.ingest(Items(), tenant=TENANT, kb=KB, removed=["guide.md"], force=True)
    gone = await ask(world, "What is the root cause of LK-1205 and how is it fixed?")
    assert "guide.md" not in await read(world, gone)
    await world.ingest(page("guide.md", CHANGED))
    assert {one.target.key for one in await edges(world, 3) if one.doc_id == "guide.md"}.isdisjoint(
        {"relayagent", "lk1205"}
    )
    again = await ask(world, "What is the root cause of LK-1205 and how is it fixed?")
    assert "spool" not in shown(again)


async def test_one_entity_told_of_by_many_at_once_is_one() -> None:
    world = await opened(page("a.md", "# Relay Agent\n\nThe Relay Agent runs.\n"))
    held = await edges(world)
    many = [replace(edge, chunk_id=f"c{number}") for number in range(20) for edge in held]
    await asyncio.gather(*(world.graph.upsert([edge]) for edge in (*many, *many)))
    assert await world.graph.count(tenant=TENANT, kb=KB) == 21 * len(held)
    assert await world.graph.known(["component:relayagent", "component:Relay Agent"], scope()) == {
        "component:relayagent"
    }


# --- what is large or runs in circles -------------------------------------------------------------------------------


async def test_links_in_a_circle_end() -> None:
    ring = [
        page(f"{n}.md", f"# Ring Part {n}\n\nNext is [this]({(n + 1) % 5}.md). It replaces [that]({(n + 1) % 5}.md).\n")
        for n in range(5)
    ]
    world = await opened(*ring)
    turn = await ask(world, "Which page is the successor of Ring Part 1?")
    assert not turn.degraded and "1.md" in await read(world, turn)
    assert OUT_OF_DATE not in (notes(turn) if isinstance(turn.outcome, Answered) else ()), "a circle has no newest"


async def test_thousands_of_links_on_one_page_are_a_thousand_edges() -> None:
    links = "".join(f"- [more](p{number}.md)\n" for number in range(3_000))
    world = await opened(page("hub.md", f"# Link Farm\n\n{links}\n"), page("p7.md", "# Seventh Heaven\n\nText.\n"))
    assert sum(edge.relation is Relation.REFERENCES for edge in await edges(world)) == 1_000
    turn = await ask(world, "What is the Link Farm's purpose?")
    assert "traverse" in turn.timings_ms and not turn.degraded


# --- who may see ----------------------------------------------------------------------------------------------------


async def test_two_tenants_never_touch() -> None:
    world = await opened(ticket("desk/1", "The fix is to restart.", "LK-1205 after an update"))
    await world.documents.ingest(
        Items(ticket("desk/2", "This reverts #1.", "LK-1205 was wrong")), tenant="rival", kb=KB
    )
    assert {edge.doc_id for edge in await edges(world)} == {"desk/1"}
    theirs = await world.graph.edges(scope(tenant="rival"), limit=1_000)
    assert {edge.doc_id for edge in theirs} == {"desk/2"}
    turn = await ask(world, "We get LK-1205. How do we fix it?")
    assert await read(world, turn) == ["desk/1"] and OUT_OF_DATE not in notes(turn)


# --- versions and reverts -------------------------------------------------------------------------------------------

OLD = ticket(
    "desk/tickets/4711",
    "## Problem\n\nThe night export stops with LK-1205 in version 2.0.\n\n"
    "## Cause\n\nIn version 2.0 LK-1205 means that the spool folder is full.\n\n"
    "## Resolution\n\nIn version 2.0 empty the spool folder and start the export again.\n",
    "LK-1205 in version 2.0",
)
NEW = ticket(
    "desk/tickets/4712",
    "## Problem\n\nThe night export stops with LK-1205 in version 3.1.\n\n"
    "## Cause\n\nIn version 3.1 LK-1205 means that the licence has ended.\n\n"
    "## Resolution\n\nIn version 3.1 renew the licence under Settings.\n",
    "LK-1205 in version 3.1",
)
AFTER = (
    "## Problem\n\nAfter it exports lose rows. {}\n\n"
    "## Resolution\n\nLK-1205 in version 2.0: do not empty the spool folder; move it to a larger disk.\n"
)
REVERT = ticket("desk/tickets/4800", AFTER.format("This reverts #4711."), "Emptying the spool folder loses rows")
QUESTION = "We get LK-1205 in version 2.0, how do we fix it?"


async def test_a_ticket_that_resolves_the_error_of_another_version_does_not_answer() -> None:
    world = await opened(OLD, NEW)
    turn = await ask(world, "What is the root cause of LK-1205 in version 3.1 and how is it fixed?")
    said = shown(turn)
    assert isinstance(turn.outcome, Answered)
    assert "licence" in said and "spool" not in said


async def test_of_another_version_alone_it_is_said() -> None:
    world = await opened(OLD)
    turn = await ask(world, "What is the root cause of LK-1205 in version 3.1 and how is it fixed?")
    assert [note.key for note in notes(turn)] == ["answered.version_ticket"]


def reverting(item_id: str, said: str, title: str = "Emptying the spool folder loses rows", **marks: str) -> SourceItem:
    return ticket(item_id, AFTER.format(said), title, **marks)


REVERTS: dict[str, tuple[SourceItem, SourceItem]] = {
    "a number": (OLD, REVERT),
    "a key": (
        ticket(
            "desk/SHOP-12", "## Resolution\n\nEmpty the spool folder to fix LK-1205 in version 2.0.\n", "LK-1205 fixed"
        ),
        reverting("desk/SHOP-14", "This reverts SHOP-12."),
    ),
    "a title": (OLD, reverting("desk/tickets/4800", "", 'Revert "LK-1205 in version 2.0"')),
    "a field": (OLD, reverting("desk/tickets/4800", "", reverts="#4711")),
    "by its number": (
        replace(OLD, raw=OLD.raw + b"\n## Note\n\nSuperseded by #4800.\n"),
        reverting("desk/tickets/4800", ""),
    ),
    "in a field": (replace(OLD, metadata={"superseded_by": "4800"}), reverting("desk/tickets/4800", "")),
}


@pytest.mark.parametrize("how", REVERTS)
async def test_a_fix_that_was_reverted_later_is_not_told_as_if_it_held(how: str) -> None:
    old, new = REVERTS[how]
    alone = await ask(await opened(old), QUESTION)
    assert "mpty the spool" in shown(alone) and OUT_OF_DATE not in notes(alone)
    turn = await ask(await opened(old, new), QUESTION)
    assert isinstance(turn.outcome, Answered)
    assert shown(turn).strip() == "LK-1205 in version 2.0: do not empty the spool folder; move it to a larger disk."


async def test_the_revert_is_known_although_it_was_not_found() -> None:
    filler = [
        ticket(f"desk/tickets/{n}", f"We get LK-1205 in version 2.0, how do we fix it? Case {n}.", f"LK-1205 case {n}")
        for n in range(40)
    ]
    revert = ticket("desk/tickets/4800", "Rows are lost by it. This reverts #4711.", "Lost rows")
    back = ticket("desk/tickets/4900", "It was right. This reverts #4800.", "Right again")
    world = await opened(OLD, revert, back, *filler)
    journey = world.questions(walk=WALK)
    ranked = await journey.rank(principal=asker(), kb=KB, question=QUESTION)
    ids = [one.doc_id for one in ranked]
    place = ids.index("desk/tickets/4711")
    assert ids[place - 2 : place] == ["desk/tickets/4900", "desk/tickets/4800"], "what replaced it, and that in turn"
    world.walked = False
    plain = await world.questions().rank(principal=asker(), kb=KB, question=QUESTION)
    assert {"desk/tickets/4900", "desk/tickets/4800"}.isdisjoint(one.doc_id for one in plain)


async def test_a_revert_of_a_revert_is_the_last_word() -> None:
    last = ticket(
        "desk/tickets/4900",
        "This reverts #4800.\n\n## Resolution\n\nIn version 2.0 LK-1205 is fixed by emptying the spool folder twice.\n",
        "The spool folder again",
    )
    turn = await ask(await opened(OLD, REVERT, last), QUESTION)
    assert "twice" in shown(turn)


async def test_who_picks_the_reverted_fix_is_told_that_it_is_out_of_date() -> None:
    world = await opened(OLD, REVERT)
    first = await ask(world, "How do I fix LK-1205 in version 2.0?", "s")
    assert "LK-1205 in version 2.0" in getattr(first.outcome, "options", ())
    session = await world.conversations.session("s", tenant=TENANT, user="u")
    assert session is not None
    journey = world.questions(walk=WALK)
    turn = await journey.ask(session=session, principal=asker(), question="LK-1205 in version 2.0")
    assert OUT_OF_DATE in notes(turn)
    assert (await replay(turn, session, asker(), journey=journey, conversations=world.conversations)).same


async def test_who_runs_the_old_version_reads_its_fix_and_is_told() -> None:
    world = await opened(OLD, replace(NEW, metadata={"supersedes": "#4711"}))
    ranked = await world.questions(walk=WALK).rank(
        principal=asker(), kb=KB, question="We get LK-1205. How do we fix it?"
    )
    assert [one.doc_id for one in ranked] == ["desk/tickets/4712", "desk/tickets/4711"]
    turn = await ask(world, QUESTION)
    assert "empty the spool" in shown(turn) and OUT_OF_DATE in notes(turn)


KEPT: dict[str, SourceItem] = {
    "a page": replace(REVERT, kind=DocumentKind.DOCUMENTATION),
    "another kind": replace(REVERT, kind=DocumentKind.FORUM_POST),
    "another product": replace(REVERT, metadata={"product": "Shop"}),
    "not for this asker": replace(REVERT, acl=STAFF),
    "above this asker": replace(REVERT, level=Level.INTERNAL),
    "another tracker": replace(REVERT, item_id="shop/tickets/4800"),
    "not done": reverting("desk/tickets/4800", "This does not revert #4711."),
    "somebody else": reverting("desk/tickets/4800", "The customer reverted #4711."),
    "another one": reverting("desk/tickets/4800", "This reverts #4710."),
    "itself": reverting("desk/tickets/4800", "This reverts #4800."),
    "each other": reverting("desk/tickets/4800", "This reverts #4711. Superseded by #4711."),
}


@pytest.mark.parametrize("why", KEPT)
async def test_a_fix_stays_when_nobody_of_its_kind_that_may_be_seen_replaces_it(why: str) -> None:
    world = await opened(OLD, KEPT[why])
    ranked = await world.questions(walk=WALK).rank(principal=asker(), kb=KB, question=QUESTION)
    plain = World()
    await plain.ingest(OLD, KEPT[why])
    before = await plain.questions().rank(principal=asker(), kb=KB, question=QUESTION)
    assert [one.doc_id for one in ranked][:1] == [one.doc_id for one in before][:1] == ["desk/tickets/4711"]


async def test_no_ticket_demotes_a_page() -> None:
    guide = page(
        "docs/spool.md", "# Spool Folder\n\nWe fix LK-1205 in version 2.0 by emptying it.\n", title="Spool Folder"
    )
    story = ticket(
        "desk/tickets/4800", "Superseded: this replaces [the guide](../../docs/spool.md).", 'Revert "Spool Folder"'
    )
    world = await opened(guide, story)
    turn = await ask(world, QUESTION)
    assert (await read(world, turn))[0] == "docs/spool.md" and OUT_OF_DATE not in notes(turn)


async def test_a_name_that_several_go_by_says_of_none_that_it_was_replaced() -> None:
    twin = replace(OLD, item_id="desk/tickets/4713", raw=OLD.raw + b"\nOnce more.\n")
    revert = reverting("desk/tickets/4800", "", 'Revert "LK-1205 in version 2.0"')
    orders: list[list[str]] = []
    for walked in (True, False):
        world = await opened(OLD, twin, revert)
        world.walked = walked
        ranked = await world.questions(walk=WALK).rank(principal=asker(), kb=KB, question=QUESTION)
        orders.append([one.doc_id for one in ranked])
    assert orders[0] == orders[1] and orders[0][-1] == "desk/tickets/4800"
