"""Stories of pages that tell to do what is not wanted, or that give another figure than the question."""

from __future__ import annotations

import pytest
from tests.journeys.world import World, asker, page

from firstline.domain import Answered, Clarify, Completeness, DocumentKind, Outcome
from firstline.questions.render import render

BACKUPS = (
    "To enable backups, run `backup enable` and then choose a target folder. Backups run every 24 hours.\n\n"
    "The connection timeout is 30 seconds by default."
)


async def outcome_of(question: str) -> Outcome:
    world = World()
    await world.ingest(
        page("backups.md", BACKUPS, title="Backups"),
        page("lock", "Run `locks clear` to free a lock.", title="How do I free a lock?", kind=DocumentKind.FAQ),
    )
    return (await world.questions().ask(session=await world.session(), principal=asker(), question=question)).outcome


@pytest.mark.parametrize(
    "question",
    [
        "How do I not enable backups?",
        "Why should I never enable backups?",
        "How can I avoid enabling backups?",
        "How do I not free a lock?",
    ],
)
async def test_an_instruction_to_do_it_is_no_answer_to_how_not_to(question: str) -> None:
    outcome = await outcome_of(question)
    assert isinstance(outcome, Clarify), outcome


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("How do I enable backups every 12 hours?", "12 hours"),
        ("Is the connection timeout 90 seconds?", "90 seconds"),
    ],
)
async def test_another_figure_is_told_above_an_answer_that_is_not_the_whole_one(question: str, figure: str) -> None:
    outcome = await outcome_of(question)
    assert isinstance(outcome, Answered)
    assert outcome.completeness is not Completeness.FULL
    assert [note.values["figures"] for note in outcome.notes if note.key == "answered.figure"] == [(figure,)]
    assert figure in render(outcome).notice


@pytest.mark.parametrize(
    "question",
    [
        "How do I enable backups?",
        "How do I enable backups every 24 hours?",
        "Is the connection timeout 30 seconds?",
        "I cannot enable backups",
        "How do I free a lock?",
    ],
)
async def test_what_the_page_says_is_answered_without_a_notice(question: str) -> None:
    outcome = await outcome_of(question)
    assert isinstance(outcome, Answered) and outcome.completeness is Completeness.FULL
    assert outcome.notes == ()
