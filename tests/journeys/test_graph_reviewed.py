"""People correct what names mean: a question is led further by it, and as before once it is taken back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_graph_walked import FILLER, QUESTION, WALK, pages_of
from test_kept_answers import Desk, hit
from world import KB, TENANT, Items, World, asker, page

from firstline.documents.redact import PatternRedactor
from firstline.domain import EVERYONE, Answered, Level, RuleKind, Turn
from firstline.domain.graph_rules import CLASS_MAX
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.reviewed_graph import ReviewedGraph, RulesInForce
from firstline.errors import Conflict, FirstlineError, InvalidInput, NotFound
from firstline.ports import Scope
from firstline.questions.aliases.desk import AT_ONCE_MAX, AliasDesk, Wanted
from firstline.questions.aliases.noticed import Sort

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
SAME, APART, NOT_A_NAME = RuleKind.SAME, RuleKind.APART, RuleKind.NOT_A_NAME
EXPORT = page("export", "# Night Export\n\nThe Night Export is run by the RS.\n")
RS = page("rs", "# RS\n\nTwo letters on a dashboard.\n")
REPLICASET = page("replicaset", "# ReplicaSet\n\nA small service from Ghent.\n")
WEAK = tuple(page(f"weak-{at}", f"# Shelf {at}\n\nAn agent sleeps on shelf {at}.\n") for at in range(9))
GATEWAYS = (
    page("edge", "# Mail Gateway\n\nThe Mail Gateway of the edge. It fails with `NX-1042: queue is full`.\n"),
    page("core", "# Mail Gateway\n\nThe Mail Gateway of the core, run by the Relay Agent.\n"),
    page("relay", "# Relay Agent\n\nThe Relay Agent is known. Not the Overview Panel.\n"),
    page("panel", "# Overview Panel\n\nNothing of the Relay Agent.\n"),
    page("plan", "# Blue Bird\n\nThe Blue Bird is the Relay Agent of next year.\n", level=Level.RESTRICTED),
)


def opened() -> tuple[World, AliasDesk]:
    world = World(walked=True)
    stored = world.graph
    world.graph = ReviewedGraph(  # pyright: ignore[reportAttributeAccessIssue]  (the same port)
        stored, RulesInForce(world.knowledge)
    )
    return world, AliasDesk(
        graph=stored,
        rules=world.knowledge,
        knowledge=world.knowledge,
        blobs=world.blobs,
        redactor=PatternRedactor(),
        ordinary={"message"},
    )


async def gateways() -> tuple[World, AliasDesk, Scope]:
    world, desk = opened()
    await world.ingest(*GATEWAYS)
    return world, desk, await here(world)


async def here(world: World, **who: Any) -> Scope:
    found = await world.knowledge.published(**WHERE)
    return Scope.of(asker(**who), kb=KB, snapshot=found.number, forgotten=found.forgotten)


async def say(desk: AliasDesk, scope: Scope, kind: RuleKind, first: str, second: str = "", note: str = "") -> int:
    (rule,) = await desk.say([Wanted(kind=kind, first=first, second=second, note=note)], scope, by="ann")
    return rule.number


async def ask(world: World, session: str) -> Turn:
    made = await world.session(session)
    return await world.questions(walk=WALK, documents_ranked=6).ask(session=made, principal=asker(), question=QUESTION)


async def test_a_question_is_led_on_by_what_people_said_and_as_before_once_it_is_undone() -> None:
    world, desk = opened()
    await world.ingest(EXPORT, RS, REPLICASET, *FILLER[:3], *WEAK)
    before = await ask(world, "before")
    assert "replicaset" not in await pages_of(world, before)
    number = await say(desk, await here(world), SAME, "RS", "ReplicaSet", note="Both stand in the handbook.")
    after = await ask(world, "after")
    assert "replicaset" in await pages_of(world, after)
    await desk.undo(number, **WHERE, by="bob", reader=None)
    undone = await ask(world, "undone")
    assert (undone.evidence, undone.outcome) == (before.evidence, before.outcome)


async def test_an_answer_that_is_kept_does_not_outlive_a_rule() -> None:
    world, desk = opened()
    await world.ingest(
        page("export", "# Night Export\n\nThe Night Export is run by the Relay Agent every night at two.\n"),
        page("relay", "# Relay Agent\n\nThe Relay Agent is a small service. It was built by the Edge Team in Ghent.\n"),
        RS,
    )
    asked = Desk(world=world)
    first, second = await asked.ask(QUESTION), await asked.ask(QUESTION)
    assert isinstance(first.outcome, Answered) and not hit(first) and hit(second)
    number = await say(desk, await here(world), NOT_A_NAME, "Relay Agent")
    assert not hit(await asked.ask(QUESTION)) and hit(await asked.ask(QUESTION))
    await desk.undo(number, **WHERE, by="ann", reader=None)
    assert not hit(await asked.ask(QUESTION)), "taking it back is a change too"


async def test_rules_stay_when_documents_are_taken_anew_or_gone_back_from() -> None:
    world, desk, scope = await gateways()
    await say(desk, scope, SAME, "Relay Agent", "Overview Panel")
    stored = await world.graph.edges(scope, limit=999)
    await world.ingest(*GATEWAYS)
    assert await world.graph.edges(scope, limit=999) == stored, "no stored edge knows of a rule"
    found = await world.graph.named(["component:relayagent"], await here(world), limit_each=9)
    assert {edge.doc_id for edge in found} == {"relay", "panel"}


async def test_names_and_ids_are_those_of_show_and_what_goes_for_several_is_refused() -> None:
    _, desk, scope = await gateways()
    (rule,) = await desk.say(
        [Wanted(kind=SAME, first="component:relayagent", second="overview panels")], scope, by="ann"
    )
    assert (rule.first, rule.second) == ("component:relayagent", "component:overviewpanel")
    again = await desk.say([Wanted(kind=SAME, first="Overview Panel", second="RELAY AGENT")], scope, by="bob")
    assert again == [rule], "said twice is said once, whichever end comes first"
    (apart,) = await desk.say([Wanted(kind=APART, first="document:edge", second="Mail Gateway")], scope, by="ann")
    assert (apart.first, apart.second) == ("component:mailgateway", "document:edge")


LONG = "x" * 4_096


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [
        ((SAME, "Relay Agent", "Nobody's Name"), NotFound, "Nothing is said of"),
        ((SAME, "Relay Agent", "Relay Agent"), InvalidInput, "one with itself"),
        ((SAME, "Relay Agent", "document:edge"), InvalidInput, "two kinds"),
        ((SAME, "Relay Agent", "Blue Bird"), NotFound, "not at this level"),
        ((SAME, "Relay Agent", ""), InvalidInput, "said of two"),
        ((SAME, "null", "It"), NotFound, "Nothing is said of"),
        ((SAME, LONG, "Relay Agent"), NotFound, "Nothing is said of"),
        ((SAME, LONG * 2, "Relay Agent"), InvalidInput, "characters"),
        ((SAME, "  ", "Relay Agent"), InvalidInput, "characters"),
        ((APART, "Relay Agent", "edge"), InvalidInput, "does not go by"),
        ((APART, "Relay Agent", "error:nx1042"), InvalidInput, "no name and document"),
        ((APART, "Relay Agent", "Relay Agent"), InvalidInput, "one with itself"),
        ((NOT_A_NAME, "document:edge"), InvalidInput, "is a document"),
        ((NOT_A_NAME, "Relay Agent", "Overview Panel"), InvalidInput, "one name"),
        ((NOT_A_NAME, "It"), NotFound, "Nothing is said of"),
        ((NOT_A_NAME, "section:edge#1"), FirstlineError, ""),
        ((NOT_A_NAME, "Relay Agent", "", "n" * 2_000), InvalidInput, "note"),
    ],
    ids=str,
)
async def test_what_cannot_be_said(wanted: tuple[Any, ...], error: type[FirstlineError], words: str) -> None:
    world, desk, scope = await gateways()
    with pytest.raises(error) as raised:
        await say(desk, scope, *wanted)
    assert words in raised.value.message and raised.value.remedy and len(raised.value.message) < 600
    assert await desk.said(**WHERE, limit=9, reader=None) == []
    assert (await world.knowledge.published(**WHERE)).forgotten == scope.forgotten


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((APART, "Relay Agent", "Overview Panel"), (SAME, "Overview Panel", "Relay Agent")),
        ((SAME, "Overview Panel", "Relay Agent"), (APART, "Relay Agent", "Overview Panel")),
        ((NOT_A_NAME, "Relay Agent"), (SAME, "Overview Panel", "Relay Agent")),
        ((SAME, "Overview Panel", "Relay Agent"), (NOT_A_NAME, "Relay Agent")),
    ],
    ids=str,
)
async def test_what_contradicts_a_rule_is_refused_until_that_one_is_undone(
    first: tuple[Any, ...], second: tuple[Any, ...]
) -> None:
    _, desk, scope = await gateways()
    number = await say(desk, scope, *first)
    with pytest.raises(Conflict, match=f"rule {number}") as raised:
        await say(desk, scope, *second)
    assert f"--undo {number}" in raised.value.remedy
    both = [Wanted(kind=each[0], first=each[1], second=each[2] if len(each) > 2 else "") for each in (first, second)]
    await desk.undo(number, **WHERE, by="ann", reader=None)
    with pytest.raises(Conflict, match="another rule"):
        await desk.say(both, scope, by="ann")
    assert (await desk.said(**WHERE, limit=9, reader=None))[0].number == number, "all or none"
    assert await say(desk, scope, *second) > number


async def test_a_name_that_does_not_mean_a_page_does_not_come_to_mean_it_by_another_one() -> None:
    world, desk = opened()
    text = "---\naliases: [Night Shift]\n---\n# Night Export\n\nThe Night Export.\n"
    await world.ingest(page("export", text), page("other", "# Late Run\n\nThe Late Run.\n"))
    scope = await here(world)
    number = await say(desk, scope, APART, "Night Shift", "export")
    with pytest.raises(Conflict, match=f"rule {number}"):
        await say(desk, scope, SAME, "Night Shift", "Night Export")
    await desk.undo(number, **WHERE, by="ann", reader=None)
    one = await say(desk, scope, SAME, "Night Shift", "Night Export")
    with pytest.raises(Conflict, match=f"rule {one}"):
        await say(desk, scope, APART, "Night Shift", "export")
    assert await say(desk, scope, SAME, "Night Shift", "Late Run")


async def test_so_many_can_be_one_and_no_more() -> None:
    world, desk = opened()
    await world.ingest(*(page(f"p{at}", f"# Relay Box {at}\n\nThe Relay Box {at}.\n") for at in range(CLASS_MAX + 1)))
    scope = await here(world)
    chain = [Wanted(kind=SAME, first=f"Relay Box {at}", second=f"Relay Box {at + 1}") for at in range(CLASS_MAX)]
    with pytest.raises(InvalidInput, match=f"At most {CLASS_MAX}"):
        await desk.say(chain, scope, by="ann")
    assert len(await desk.say(chain[:-1], scope, by="ann")) == CLASS_MAX - 1
    assert len(await desk.one_with("component:relaybox3", scope)) == CLASS_MAX - 1
    with pytest.raises(InvalidInput, match="at once"):
        await desk.say([], scope, by="ann")
    with pytest.raises(InvalidInput, match="at once"):
        await desk.say(chain * (AT_ONCE_MAX // CLASS_MAX + 1), scope, by="ann")


async def test_errors_of_a_list_name_the_line_and_nothing_of_it_is_said() -> None:
    _, desk, scope = await gateways()
    good = Wanted(kind=SAME, first="Relay Agent", second="Overview Panel", line=2)
    for bad in (
        Wanted(kind=SAME, first="Relay Agent", second="Nobody's Name", line=3),
        Wanted(kind=NOT_A_NAME, first="Relay Agent", line=3),
    ):
        with pytest.raises(FirstlineError, match=r"^Line 3: "):
            await desk.say([good, bad], scope, by="ann")
    assert await desk.said(**WHERE, limit=9, reader=None) == []


async def test_two_people_at_once_say_one_after_the_other() -> None:
    _, desk, scope = await gateways()
    said = await asyncio.gather(
        say(desk, scope, SAME, "Relay Agent", "Overview Panel"),
        say(desk, scope, APART, "Overview Panel", "Relay Agent"),
        say(desk, scope, SAME, "Overview Panel", "Relay Agent"),
        say(desk, scope, APART, "Mail Gateway", "edge"),
        return_exceptions=True,
    )
    refused = [one for one in said if isinstance(one, BaseException)]
    assert len(refused) in (1, 2) and all(isinstance(one, Conflict) for one in refused)
    force = [rule for rule in await desk.said(**WHERE, limit=9, reader=None) if rule.undone_at is None]
    assert len(force) == 2 and len({rule.says for rule in force}) == 2


async def test_who_does_not_see_an_entity_is_told_of_no_rule_about_it() -> None:
    _, desk, scope = await gateways()
    staff = replace(scope, level_max=Level.RESTRICTED)
    number = await say(desk, staff, SAME, "Relay Agent", "Blue Bird", note="Mail to ann@example.org.")
    (told,) = await desk.said(**WHERE, limit=9, reader=staff)
    assert "ann@example.org" not in told.note and "Mail to" in told.note
    assert await desk.said(**WHERE, limit=9, reader=scope) == []
    with pytest.raises(NotFound):
        await desk.undo(number, **WHERE, by="eve", reader=scope)
    assert await desk.one_with("component:relayagent", scope) == []
    assert await desk.one_with("component:bluebird", scope) == []
    assert [one.name for one in await desk.one_with("component:relayagent", staff)] == ["Blue Bird"]
    await say(desk, staff, APART, "Blue Bird", "Overview Panel")
    with pytest.raises(Conflict) as raised:
        await say(desk, scope, SAME, "Relay Agent", "Overview Panel")
    assert "bluebird" not in raised.value.message and "another entity" in raised.value.message
    assert (await desk.undo(number, **WHERE, by="ann", reader=staff)).undone_by == "ann"


async def test_a_tenants_rules_reach_no_other() -> None:
    world, desk, scope = await gateways()
    await world.documents.ingest(Items(*GATEWAYS), tenant="rival", kb=KB, prune=())
    await say(desk, scope, SAME, "Relay Agent", "Overview Panel")
    theirs = replace(scope, tenant="rival")
    found = await world.graph.named(["component:relayagent"], theirs, limit_each=9)
    assert {edge.doc_id for edge in found} == {"relay"}
    assert await desk.said(tenant="rival", kb=KB, limit=9, reader=None) == []
    with pytest.raises(NotFound):
        await desk.undo(1, tenant="rival", kb=KB, by="eve", reader=None)


async def test_suggestions_come_with_a_sentence_that_the_ledger_shows() -> None:
    world, desk, scope = await gateways()
    found = await desk.suggested(scope, limit=20)
    (shared,) = [one for one in found.shown if one.noticed.sort is Sort.SHARED]
    assert shared.noticed.first.entity_id == "component:mailgateway"
    assert set(shared.noticed.doc_ids) == {"core", "edge"} and "Mail Gateway" in shared.words
    assert "plan" not in {one.doc_id for one in found.shown}
    await world.knowledge.bury(["core", "edge"], **WHERE, by="operator")
    assert [one for one in (await desk.suggested(scope, limit=20)).shown if one.doc_id in ("core", "edge")] == []


NAMED = ["Relay Agent", "Overview Panel", "Mail Gateway", "component:nobody"]
WANTED = st.one_of(
    st.builds(Wanted, kind=st.just(SAME), first=st.sampled_from(NAMED), second=st.sampled_from(NAMED)),
    st.builds(
        Wanted, kind=st.just(APART), first=st.sampled_from(NAMED), second=st.sampled_from(["edge", "core", *NAMED])
    ),
    st.builds(Wanted, kind=st.just(NOT_A_NAME), first=st.sampled_from(NAMED)),
)


@settings(max_examples=25, deadline=None)
@given(wanted=st.lists(WANTED, max_size=8), order=st.randoms(use_true_random=False))
async def test_any_rules_all_undone_are_as_none_were_said(wanted: list[Wanted], order: Any) -> None:
    world, desk, scope = await gateways()
    graph: Any = world.graph
    stored: MemoryGraph = graph._graph
    for one in wanted:
        try:
            await desk.say([one], scope, by="ann")
        except (InvalidInput, NotFound, Conflict):
            continue
    numbers = [rule.number for rule in await desk.said(**WHERE, limit=99, reader=None)]
    order.shuffle(numbers)
    for number in numbers:
        await desk.undo(number, **WHERE, by="bob", reader=None)
    now = replace(await here(world), acl_tags=frozenset({EVERYONE}))
    ids = ["component:relayagent", "component:mailgateway", "component:overviewpanel", "document:edge", "document:core"]
    every: dict[str, Any] = {"relations": tuple(edge.relation for edge in await stored.edges(now, limit=999))}
    assert await world.graph.around(ids, now, **every, limit_each=9) == await stored.around(
        ids, now, **every, limit_each=9
    )
    assert await world.graph.known(ids, now) == await stored.known(ids, now)
    assert len(await desk.said(**WHERE, limit=99, reader=None)) == len(numbers), "all of it is still told"
