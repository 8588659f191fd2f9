"""Stories of questions."""

import asyncio

import pytest
from tests.journeys.world import World, asker, page

from firstline.domain import (
    Answered,
    Clarify,
    Deflected,
    DocumentKind,
    Escalated,
    HandoffAct,
    HighStakes,
    Level,
    Reason,
    Silent,
    question_key,
)
from firstline.errors import InvalidInput, Unavailable
from firstline.questions.render import render

LOGS = "# Rotate logs\n\nRun `larkctl rotate` to rotate the logs. Seven files are kept."
SECRET = "# Salary bands\n\nThe salary bands are reviewed in March."


async def ready(*more) -> World:
    world = World()
    await world.ingest(page("logs", LOGS), *more)
    return world


async def ask(world: World, question: str, *, session=None, principal=None, **changes):
    session = session or await world.session(question[:20])
    return await world.questions(**changes).ask(session=session, principal=principal or asker(), question=question)


async def test_an_answer_cites_each_claim_with_a_span_of_its_own_evidence():
    world = await ready()
    turn = await ask(world, "rotate logs")
    assert isinstance(turn.outcome, Answered)
    evidence = {chunk_id for chunk_id, _ in turn.evidence}
    for claim in turn.outcome.claims:
        assert claim.citations
        for citation in claim.citations:
            assert citation.chunk_id in evidence
            cut = await world.blobs.get_range(citation.blob, citation.start, citation.end)
            assert claim.text.split()[0].encode() in cut
    assert turn.snapshot == 1 and turn.settings_hash == "test" and turn.gates and turn.timings_ms["total"] > 0


@pytest.mark.parametrize(
    "principal", [asker(), asker(level=Level.INTERNAL, acl=frozenset({"other"})), asker(level=Level.CUSTOMER)]
)
async def test_what_the_asker_may_not_see_is_no_evidence(principal):
    world = await ready(page("pay", SECRET, level=Level.INTERNAL, acl=frozenset({"hr"})))
    turn = await ask(world, "salary bands", principal=principal)
    assert not isinstance(turn.outcome, Answered)
    shown = await ask(
        world,
        "salary bands",
        principal=asker(level=Level.INTERNAL, acl=frozenset({"hr"})),
        session=await world.session("x"),
    )
    assert isinstance(shown.outcome, Answered)


async def test_a_document_without_an_acl_is_seen_by_nobody():
    world = await ready(page("pay", SECRET, acl=frozenset()))
    turn = await ask(world, "salary bands", principal=asker(level=Level.RESTRICTED))
    assert not isinstance(turn.outcome, Answered)


async def test_it_asks_once_and_then_hands_over():
    world = await ready()
    session = await world.session()
    first = await ask(world, "zebra crossing hours", session=session)
    assert isinstance(first.outcome, Clarify)
    second = await ask(world, "purple elephant", session=session)
    assert isinstance(second.outcome, Escalated)
    handoff = second.outcome.handoff
    assert handoff.reason in (Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT)
    # Two words in reply to a question back are a detail of what was asked, and not the question.
    assert handoff.question == "zebra crossing hours" and "purple elephant" in handoff.summary and handoff.next_step


async def test_it_never_asks_back_for_ever():
    world = await ready()
    session = await world.session()
    messages = (
        "it is broken",
        "purple elephant sandwich recipe",
        "seven green bottles hanging",
        "quiet winter harbour",
    )
    turns = [await ask(world, message, session=session) for message in messages]
    assert [type(turn.outcome) for turn in turns[:2]] == [Clarify, Clarify]
    assert isinstance(turns[2].outcome, Escalated)


@pytest.mark.parametrize("closing", [HandoffAct.RESOLVE, HandoffAct.RETURN])
async def test_a_person_is_connected_at_once_and_the_bot_is_silent_while_they_own_it(closing):
    world = await ready()
    session = await world.session()
    turn = await ask(world, "I want to talk to a human please", session=session)
    assert isinstance(turn.outcome, Escalated) and turn.outcome.handoff.reason is Reason.USER_ASKED
    handoff_id = turn.outcome.handoff.handoff_id
    for act in (HandoffAct.TAKE, HandoffAct.REPLY):
        await world.desk.act(handoff_id, act, tenant="acme", by="a person", text="Hello.")
        assert isinstance((await ask(world, "rotate logs", session=session)).outcome, Silent)
    await world.desk.act(handoff_id, closing, tenant="acme", by="a person", text="Done.")
    assert isinstance((await ask(world, "rotate logs", session=session)).outcome, Answered)


async def test_high_stakes_never_gets_a_how_to():
    world = await ready(page("cancel", "# Cancel your account\n\nTo cancel your account, press delete."))
    turn = await ask(world, "I want to cancel my account")
    assert isinstance(turn.outcome, HighStakes)
    assert turn.outcome.offer == "Two months free?"
    assert not render(turn.outcome).blocks


@pytest.mark.parametrize("question", ["🙂🙂🙂", "asdfghjkl qwrtzp"])
async def test_nonsense_is_deflected_without_retrieval(question: str):
    turn = await ask(await ready(), question)
    assert isinstance(turn.outcome, Deflected)
    assert turn.evidence == ()


async def test_the_same_faq_question_gets_the_curated_answer():
    faq = page(
        "f",
        "It listens on port 27100.",
        title="Which port does it use?",
        kind=DocumentKind.FAQ,
        metadata={"question_key": question_key("Which port does it use?")},
    )
    turn = await ask(await ready(faq), "which PORT does it use ?!")
    assert isinstance(turn.outcome, Answered)
    assert turn.outcome.confidence == 1.0
    assert "27100" in turn.outcome.claims[0].text


async def test_an_engine_that_is_slow_or_down_becomes_an_honest_hand_over(monkeypatch: pytest.MonkeyPatch):
    world = await ready()

    async def slow(query: object):
        await asyncio.sleep(10)

    async def down(query: object):
        raise Unavailable("the index is down")

    for failing, deadline in ((slow, 0.05), (down, 5.0)):
        monkeypatch.setattr(world.index, "search", failing)
        turn = await ask(world, "rotate logs", session=await world.session(str(deadline)), turn_deadline_s=deadline)
        assert isinstance(turn.outcome, Escalated)
        assert turn.outcome.handoff.reason is Reason.PROVIDER_FAILURE


async def test_personal_data_in_a_message_is_redacted_before_it_is_kept():
    world = await ready()
    turn = await ask(world, "rotate logs and write to jane@corp.example")
    assert "jane@corp.example" not in repr(turn)


@pytest.mark.parametrize("question", ["", "  \n ", "\x00\x01", "x" * 2_001])
async def test_an_empty_or_too_long_message_is_refused_with_a_remedy(question: str):
    with pytest.raises(InvalidInput) as caught:
        await ask(await ready(), question)
    assert caught.value.remedy


async def test_a_reload_withholds_what_the_reader_may_no_longer_see():
    world = await ready()
    turn = await ask(world, "rotate logs")
    questions = world.questions()
    assert await questions.readable(turn, asker(), kb="docs") == turn
    outsider = asker(acl=frozenset({"nobody"}))
    withheld = await questions.readable(turn, outsider, kb="docs")
    assert not isinstance(withheld.outcome, Answered)
    assert not render(withheld.outcome).citations


async def test_what_is_left_out_for_evaluation_cannot_be_cited():
    world = await ready(page("other", "# Other\n\nThe rotation of crops."))
    session = await world.session()
    turn = await world.questions().ask(
        session=session, principal=asker(), question="rotate logs", exclude=frozenset({"logs"})
    )
    assert "logs" not in {c.doc_id for claim in getattr(turn.outcome, "claims", ()) for c in claim.citations}


async def test_a_reload_does_not_bring_back_a_document_that_was_deleted_since():
    world = await ready()
    turn = await ask(world, "rotate logs")
    candidate = await world.knowledge.open_candidate(tenant="acme", kb="docs", embedder_id="toy")
    await world.knowledge.end(tenant="acme", kb="docs", candidate=candidate, doc_ids=["logs"])
    await world.knowledge.publish(tenant="acme", kb="docs", candidate=candidate)
    withheld = await world.questions().readable(turn, asker(), kb="docs")
    assert not isinstance(withheld.outcome, Answered)
