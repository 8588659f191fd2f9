"""A conversation that is read again, or gone on with, after pages were closed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.journeys.world import KB, World, asker, page
from tests.steps.evidence import piece

from firstline.domain import EVERYONE, Answered, Asks, Clarify, Completeness, SourceItem
from firstline.questions.clarify import clarify
from firstline.questions.journey import QuestionJourney
from firstline.questions.render import render

CLOSED = frozenset({"staff"})
ASKED = "What is the session timeout of the gateway by default?"


def timeout(item_id: str, minutes: int, *, title: str, acl: frozenset[str] = frozenset({EVERYONE})) -> SourceItem:
    text = f"# {title}\n\nThe session timeout of the gateway is {minutes} minutes by default.\n"
    return page(item_id, text, title=title, acl=acl)


def strict(world: World, gate: str) -> QuestionJourney:
    """With one gate that nothing passes."""
    journey = world.questions()
    gates = journey._gates  # pyright: ignore[reportPrivateUsage]  (the world sets one threshold for all)
    journey._gates = {**gates, gate: replace(gates[gate], threshold=1.0)}  # pyright: ignore[reportPrivateUsage]
    return journey


async def test_an_answer_that_was_unsure_stays_unsure_when_a_page_of_it_is_closed() -> None:
    world = World()
    pages = {"a": (30, "Session timeout"), "b": (60, "Gateway limits")}
    await world.ingest(*(timeout(doc_id, minutes, title=title) for doc_id, (minutes, title) in pages.items()))
    journey = strict(world, "confidence")
    turn = await journey.ask(session=await world.session(), principal=asker(), question=ASKED)
    assert isinstance(turn.outcome, Answered) and turn.outcome.completeness is Completeness.UNSURE
    cited = [c.doc_id for claim in turn.outcome.claims for c in claim.citations]
    assert len(set(cited)) == 2
    minutes, title = pages[cited[-1]]
    await world.ingest(timeout(cited[-1], minutes, title=title, acl=CLOSED))

    seen = (await journey.readable(turn, asker(), kb=KB)).outcome
    assert isinstance(seen, Answered) and seen.completeness is Completeness.UNSURE
    assert "answered.pages_differ" in {note.key for note in turn.outcome.notes}
    assert "answered.pages_differ" not in {note.key for note in seen.notes}


def backup(system: str, *, acl: frozenset[str] = frozenset({EVERYONE})) -> SourceItem:
    return page(
        system,
        f"# Backup\n\nOn {system} use the backup program of {system} with care.\n",
        title=f"Take a backup on {system}",
        acl=acl,
    )


@pytest.mark.parametrize(
    ("systems", "left"), [(("Linux", "Windows", "Solaris"), 2), (("Windows", "Solaris"), 0)], ids=["two", "none"]
)
async def test_the_title_of_a_page_that_was_closed_since_is_not_offered_again(
    systems: tuple[str, ...], left: int
) -> None:
    world = World()
    await world.ingest(*map(backup, systems))
    journey, session = strict(world, "relevance"), await world.session()
    turn = await journey.ask(session=session, principal=asker(), question="backup please")
    assert isinstance(turn.outcome, Clarify) and len(turn.outcome.options) == len(systems)
    assert await journey.readable(turn, asker(), kb=KB) == turn
    place = next(at for at, title in enumerate(turn.outcome.options) if "Solaris" in title)
    await world.ingest(backup("Solaris", acl=CLOSED))

    seen = (await journey.readable(turn, asker(), kb=KB)).outcome
    assert isinstance(seen, Clarify) and len(seen.options) == left
    assert "Solaris" not in repr(seen) + render(seen).notice
    # Nor is it picked: what is searched and kept in the record names it no more.
    picked = await world.questions().ask(session=session, principal=asker(), question=str(place + 1))
    assert picked.plan is None or "Solaris" not in repr(picked.plan)


async def test_a_record_that_does_not_say_whose_titles_it_offered_offers_none() -> None:
    world = World()
    await world.ingest(backup("Linux"), backup("Windows"))
    turn = await strict(world, "relevance").ask(
        session=await world.session(), principal=asker(), question="backup please"
    )
    assert isinstance(turn.outcome, Clarify) and turn.outcome.pages
    old = replace(turn, outcome=replace(turn.outcome, pages=()))
    assert (await world.questions().readable(old, asker(), kb=KB)).outcome == Clarify(asks=Asks.DETAIL)


def test_every_option_is_recorded_with_its_page() -> None:
    asked = clarify(
        "how?",
        [piece("x", doc_id="1", title="A"), piece("y", doc_id="2", title="A"), piece("z", doc_id="3", title="B")],
    )
    assert (asked.options, asked.pages) == (("A", "B"), ("1", "3"))
