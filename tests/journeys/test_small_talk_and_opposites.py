"""Stories of messages that ask for nothing, and of pages on the opposite of what was asked."""

from __future__ import annotations

import pytest
from tests.journeys.world import World, asker, page

from firstline.domain import Answered, Clarify, Deflected, Session, Talk, Turn
from firstline.questions.render import render

LOGS = "# Rotate logs\n\nRun `larkctl rotate` to rotate the logs. Seven files are kept."
ENCRYPTION = "# Encryption at rest\n\nTo enable encryption at rest, set `enabled = true` in `larkspur.toml`."


async def ready() -> World:
    world = World()
    await world.ingest(page("logs", LOGS), page("encryption", ENCRYPTION, title="Encryption at rest"))
    return world


async def say(world: World, session: Session, message: str) -> Turn:
    return await world.questions().ask(session=session, principal=asker(), question=message)


@pytest.mark.parametrize(
    ("message", "talk", "starts"),
    [
        ("thanks!", Talk.THANKS, "You are welcome. Ask me anything else about drivers."),
        ("thank you very much, that worked", Talk.THANKS, "You are welcome."),
        ("danke", Talk.THANKS, "You are welcome."),
        ("ok", Talk.NOD, "All right. Ask me anything else about drivers."),
        ("hm", Talk.NOD, "All right."),
        ("great, that helped", Talk.SOLVED, "Good to hear. Ask me anything else about drivers."),
        ("hello", Talk.GREETING, "Hello. I can help with drivers."),
        ("bye!", Talk.FAREWELL, "Goodbye."),
        ("are you a bot?", Talk.ABOUT_ME, "I am an automated assistant. I can help with drivers."),
    ],
)
async def test_small_talk_gets_a_friendly_line_before_and_after_an_answer(message: str, talk: Talk, starts: str):
    world = await ready()
    session = await world.session()
    first = await say(world, session, message)
    answer = await say(world, session, "rotate logs")
    after = await say(world, session, message)
    assert isinstance(answer.outcome, Answered)
    for turn in (first, after):
        assert isinstance(turn.outcome, Deflected) and turn.outcome.talk is talk
        assert turn.plan is None and not turn.evidence
        assert render(turn.outcome).notice.startswith(starts)


@pytest.mark.parametrize("message", ["it does not work", "that did not help", "thanks, but it still fails"])
async def test_a_complaint_after_an_answer_is_not_small_talk(message: str):
    world = await ready()
    session = await world.session()
    await say(world, session, "rotate logs")
    assert not isinstance((await say(world, session, message)).outcome, Deflected)


async def test_a_choice_that_starts_with_ok_is_a_choice():
    world = await ready()
    session = await world.session()
    asked = await say(world, session, "rotate encryption of everything elsewhere tomorrow")
    assert isinstance(asked.outcome, Clarify) and len(asked.outcome.options) > 1
    chosen = await say(world, session, "ok, the second one")
    assert chosen.plan is not None and not isinstance(chosen.outcome, Deflected)


async def test_a_question_after_thanks_is_answered():
    world = await ready()
    session = await world.session()
    for message in ("rotate logs", "thanks"):
        await say(world, session, message)
    turn = await say(world, session, "how do I enable encryption at rest?")
    assert isinstance(turn.outcome, Answered) and "enabled = true" in turn.outcome.claims[0].text


@pytest.mark.parametrize("question", ["How do I disable encryption at rest?", "turn off encryption at rest"])
async def test_a_page_on_the_opposite_is_never_the_answer(question: str):
    world = await ready()
    turn = await say(world, await world.session(), question)
    assert isinstance(turn.outcome, Clarify), turn.outcome
    assert turn.evidence, "the page was found, and not shown as the answer"
