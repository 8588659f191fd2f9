"""Who goes on after an answer gets the other pages judged as if they alone had been found."""

from __future__ import annotations

import pytest
from tests.journeys.world import World, asker, page
from tests.steps.test_prefer import SCORES, document

from firstline.domain import Answered, DocumentKind, GateReading, RankedDocument, SourceItem, Turn
from firstline.questions.shown_before import leave_out
from firstline.questions.trail import Trail

FIRST = "What is the backup retention schedule by default?"
AGAIN = "How long is the default backup retention schedule?"


def shown() -> SourceItem:
    return page(
        "a", "# Backup retention\n\nThe backup retention schedule is 30 days by default.\n", title="Backup retention"
    )


def ticket() -> SourceItem:
    return page(
        "t",
        "# Backup retention\n\nThe default backup retention schedule of one customer was set to 5 days, that long.\n",
        title="Backup retention of one customer",
        kind=DocumentKind.TICKET,
    )


async def asked(*items: SourceItem, questions: tuple[str, ...]) -> list[Turn]:
    world = World()
    await world.ingest(*items)
    journey, session = world.questions(), await world.session()
    return [await journey.ask(session=session, principal=asker(), question=text) for text in questions]


async def test_another_customers_case_is_no_more_shown_behind_a_page_than_alone() -> None:
    alone = (await asked(ticket(), questions=(AGAIN,)))[0]
    assert not isinstance(alone.outcome, Answered)
    turns = await asked(shown(), ticket(), questions=(FIRST, AGAIN))
    assert isinstance(turns[0].outcome, Answered)
    assert not isinstance(turns[1].outcome, Answered), turns[1].outcome


async def test_the_record_holds_one_reading_of_each_gate() -> None:
    turns = await asked(shown(), ticket(), questions=(FIRST, AGAIN))
    names = [reading.name for reading in turns[1].gates]
    assert len(names) == len(set(names)), names


PAGES = {
    one.doc_id: one
    for one in (
        document("page", "Session timeout"),
        document("case", "One customer's timeout", kind=DocumentKind.TICKET),
        document("v4", "Limits 4.0", version="4.0"),
        document("v5", "Limits 5.0", version="5.0"),
    )
}


def trail_of(*order: str) -> Trail:
    ranked = tuple(
        RankedDocument(doc_id=doc_id, score=2.0 - place, hits=((doc_id, SCORES),)) for place, doc_id in enumerate(order)
    )
    return Trail(read_as="What is the default timeout?", ranked=ranked, documents=PAGES)


@pytest.mark.parametrize("gone", ["page", "case", "v4"])
def test_what_is_said_of_the_first_document_is_that_of_the_one_that_is_first_now(gone: str) -> None:
    order = [gone, *(doc_id for doc_id in PAGES if doc_id != gone)]
    went_on = trail_of(*order)
    assert (went_on.story, went_on.sisters) == (trail_of(gone).story, trail_of(gone).sisters)
    leave_out({gone}, went_on, judged_by=())
    afresh = trail_of(*order[1:])
    assert (went_on.story, went_on.sisters) == (afresh.story, afresh.sisters)


def test_readings_of_what_was_left_out_go_and_the_others_stay() -> None:
    trail = trail_of("page", "v5")
    trail.gates = [GateReading(name=name, value=0.5, threshold=0.4, features={}) for name in ("in_scope", "relevance")]
    leave_out({"page"}, trail, judged_by={"relevance", "confidence"})
    assert [reading.name for reading in trail.gates] == ["in_scope"]
