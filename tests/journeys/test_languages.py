"""A conversation is answered in its own language, whatever the knowledge base is written in."""

from __future__ import annotations

import pytest
from tests.journeys.world import World, asker, page

from firstline.domain import Answered, Deflected, Escalated, HighStakes, Intent, Talk, Turn
from firstline.questions.render import render_turn
from firstline.questions.wording.voice import open_wording, shipped

TEXT = (
    "# Rotate logs\n\nYou can rotate the logs with the command larkctl rotate. It is run on the server by an operator."
)


async def conversation(*messages: str) -> list[Turn]:
    world = World()
    await world.ingest(page("logs", TEXT, title="Rotate logs"))
    session = await world.session()
    return [await world.questions().ask(session=session, principal=asker(), question=each) for each in messages]


async def test_a_german_conversation_stays_german() -> None:
    turns = await conversation("Danke!", "larkctl rotate logs", "Ich möchte mit einem Menschen sprechen.", "ok")
    assert [turn.language for turn in turns] == ["de"] * 4
    thanks, found, handed, after = (render_turn(turn, shipped()) for turn in turns)
    assert isinstance(turns[0].outcome, Deflected) and thanks.notice.startswith("Gern geschehen.")
    assert isinstance(turns[1].outcome, Answered) and "auf Englisch" in found.notice
    assert any("larkctl rotate" in block.text for block in found.blocks)
    assert isinstance(turns[2].outcome, Escalated) and "Ein Mensch" in handed.notice
    assert after.language == "de"


async def test_who_changes_the_language_is_followed_and_who_tells_none_gets_the_teams() -> None:
    turns = await conversation("4.2", "Merci !", "Can you tell me how to rotate the logs?")
    assert [turn.language for turn in turns] == ["", "fr", "en"]
    assert render_turn(turns[0], open_wording(language="es")).language == "es"
    assert render_turn(turns[2], shipped()).notice == ""


@pytest.mark.parametrize("message", ["Ich will kündigen!", "je veux resilier", "quiero la baja", "解約したいです"])
async def test_who_wants_to_cancel_is_handed_over_in_any_language(message: str) -> None:
    (turn,) = await conversation(message)
    assert isinstance(turn.outcome, HighStakes) and turn.triage is not None
    assert turn.triage.intent is Intent.CANCELLATION


@pytest.mark.parametrize(
    "message", ["¿Qué significa LK9999?", "Quel temps dans la forêt ?", "Wer backt das beste Brot?", "今日の天気は？"]
)
async def test_no_question_in_another_language_is_turned_away(message: str) -> None:
    (turn,) = await conversation(message)
    assert not isinstance(turn.outcome, Deflected), turn.outcome


@pytest.mark.parametrize("thanks", ["Vielen Dank!", "merci de votre aide", "Mil gracias", "ありがとうございました"])
async def test_thanks_after_an_answer_get_the_friendly_line(thanks: str) -> None:
    turns = await conversation("larkctl rotate logs", thanks)
    assert isinstance(turns[1].outcome, Deflected) and turns[1].outcome.talk is Talk.THANKS
