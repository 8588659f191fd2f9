"""A question with two parts of which one is answered: the answer is partial and says what it leaves open."""

from __future__ import annotations

from tests.journeys.world import World, asker, page

from firstline.domain import Answered, Completeness
from firstline.questions.render import render


async def test_the_part_without_an_answer_is_said_above_the_answer() -> None:
    world = World()
    await world.ingest(
        page("backup.md", "To take a backup, run `larkctl backup` on the primary.", title="Take a backup")
    )
    questions = world.questions()
    session = await world.session("s")
    asked = "How do I take a backup, and how do I rotate certificates?"
    outcome = (await questions.ask(session=session, principal=asker(), question=asked)).outcome
    assert isinstance(outcome, Answered)
    assert outcome.completeness is not Completeness.FULL
    assert any("how do I rotate certificates" in part for note in outcome.notes for part in note.values["parts"])
    assert "how do I rotate certificates" in render(outcome).notice


async def test_both_parts_answered_leave_nothing_to_say() -> None:
    world = World()
    text = "To take a backup, run `larkctl backup`. To rotate certificates, run `larkctl certificates`."
    await world.ingest(page("operate.md", text, title="Backup and certificates"))
    session = await world.session("s")
    asked = "How do I take a backup, and how do I rotate certificates?"
    outcome = (await world.questions().ask(session=session, principal=asker(), question=asked)).outcome
    assert isinstance(outcome, Answered)
    assert outcome.completeness is Completeness.FULL
    assert outcome.notes == ()
