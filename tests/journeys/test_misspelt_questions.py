"""A misspelt code or word in a question: read as the knowledge base spells it, and the asker is told."""

from __future__ import annotations

from world import KB, World, asker, page

from firstline.domain import Answered, Level
from firstline.questions.render import render

DUPLICATE = (
    "# Duplicate key\n\nError E11000 means that a document with the same key is stored already. "
    "Drop the duplicate document, then insert again.\n"
)
BACKUP = "# Backup\n\nA backup of the cluster is taken every night and kept for a week.\n"
SECRET = "# Merger\n\nProject mandarin is announced in spring.\n"


async def filled() -> World:
    world = World()
    await world.ingest(
        page("duplicate.md", DUPLICATE), page("backup.md", BACKUP), page("merger.md", SECRET, level=Level.RESTRICTED)
    )
    return world


async def test_a_typo_in_a_code_is_read_and_said() -> None:
    world = await filled()
    turn = await world.questions().ask(
        session=await world.session(), principal=asker(), question="What does E1100 mean?"
    )
    assert turn.question == "What does E1100 mean?", "the record keeps the asker's words"
    assert turn.plan is not None and turn.plan.corrections == (("E1100", "E11000"),)
    assert turn.plan.queries[0].text == "What does E11000 mean?"
    assert isinstance(turn.outcome, Answered) and "E11000" in turn.outcome.claims[0].text
    assert "I read E1100 as E11000." in render(turn.outcome).notice
    assert "spelling" in turn.timings_ms


async def test_a_follow_up_leans_on_the_words_as_they_were_read() -> None:
    world = await filled()
    session, questions = await world.session(), world.questions()
    await questions.ask(session=session, principal=asker(), question="What does E1100 mean?")
    turn = await questions.ask(session=session, principal=asker(), question="and how do I fix it?")
    assert turn.plan is not None and turn.plan.corrections == ()
    assert "E11000" in turn.plan.queries[-1].text and "E1100 " not in turn.plan.queries[-1].text


async def test_a_known_question_is_left_alone() -> None:
    world = await filled()
    turn = await world.questions().ask(
        session=await world.session(), principal=asker(), question="When is the backup of the cluster taken?"
    )
    assert turn.plan is not None and turn.plan.corrections == ()
    assert "I read" not in render(turn.outcome).notice


async def test_a_word_that_stands_only_in_a_closed_document_is_not_suggested() -> None:
    world = await filled()
    question = "What is the mandarn of the cluster backup?"
    turn = await world.questions().ask(session=await world.session(), principal=asker(), question=question)
    assert turn.plan is not None and turn.plan.corrections == ()
    assert "mandarin" not in turn.plan.standalone
    allowed = await world.questions().ask(
        session=await world.session("t"), principal=asker(level=Level.RESTRICTED), question=question
    )
    assert allowed.plan is not None and allowed.plan.corrections == (("mandarn", "mandarin"),)


async def test_search_alone_reads_misspelt_words_too() -> None:
    world = await filled()
    ranked = await world.questions().rank(principal=asker(), kb=KB, question="E1100")
    assert ranked[0].doc_id == "duplicate.md"
