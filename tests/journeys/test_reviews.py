"""From a thumb down to a case that catches the same mistake again."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.journeys.world import KB, TENANT, World, asker, page

from firstline.cli.review_command import Terminal, notices, review_all
from firstline.domain import (
    Answered,
    Completeness,
    FeedbackReason,
    HandoffAct,
    Level,
    Rating,
    ReviewReason,
    Turn,
    Verdict,
)
from firstline.errors import InvalidInput, NotFound
from firstline.evals.calibrate import Wanted
from firstline.evals.calibration_cases import check_enough
from firstline.evals.cases import load_cases
from firstline.evals.evaluate import ask_cases
from firstline.evals.golden import Golden, golden
from firstline.evals.run import Runner
from firstline.questions.wording.voice import shipped

ALPHA = "# Restart alpha\n\nRestart the alpha service with `alphactl restart`.\n"
BETA = "# Maintenance of alpha\n\nSince 5.0 the alpha service is restarted by `svc cycle alpha`, and by nothing else.\n"
QUESTION = "How do I restart the alpha service?"
REVIEWER = asker(level=Level.RESTRICTED)


@pytest.fixture
async def world() -> World:
    made = World()
    await made.ingest(page("alpha", ALPHA, title="Restart alpha"), page("beta", BETA, title="Maintenance of alpha"))
    return made


async def asked(world: World, *questions: str, session_id: str = "s") -> Turn:
    session = await world.session(session_id)
    journey = world.questions()
    turns = [await journey.ask(session=session, principal=asker(), question=question) for question in questions]
    return turns[-1]


def pressing(keys: str, *lines: str) -> Terminal:
    waiting, typed = iter(keys), iter(lines)
    return Terminal(key=lambda: next(waiting), line=lambda asks, before: next(typed), wording=shipped())


async def exported(world: World, path: Path) -> list[Golden]:
    current = await world.knowledge.current(tenant=TENANT, kb=KB)
    judged = await world.review.judged(tenant=TENANT, kb=KB, limit=100)
    found = [golden(one, turns, tenant=TENANT, current=current) for one, turns in judged]
    lines = [json.dumps(one.case, ensure_ascii=False) for one in found if one.case is not None]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return found


def runner(world: World) -> Runner:
    journey = world.questions()
    return Runner(
        rank_question=journey.rank,
        ask_question=journey.ask,
        create_session=world.conversations.create_session,
        tenant=TENANT,
        kb=KB,
    )


async def test_a_thumb_down_becomes_a_case_that_catches_the_mistake(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turn = await asked(world, "Hello", QUESTION)
    assert isinstance(turn.outcome, Answered)
    assert turn.outcome.claims[0].citations[0].doc_id == "alpha"
    await world.review.rate(
        "s", turn.number, Rating.DOWN, FeedbackReason.OUTDATED, "Since 5.0 it is svc, says jane@example.com", by="u"
    )
    (item,) = await world.review.waiting(tenant=TENANT, limit=10)
    assert item.reasons[0] is ReviewReason.DISLIKED and item.turn == turn.number

    (file,) = await world.review.next(REVIEWER, by="bob", limit=1)
    place = [each.doc_id for each in file.pages].index("beta") + 1
    await world.review.release(tenant=TENANT, by="bob")
    judged = await review_all(world.review, REVIEWER, "ann", pressing(f"w{place}"))
    assert judged == 1
    shown = capsys.readouterr().out
    for part in ("Hello", QUESTION, "alphactl restart", "Restart alpha (alpha)", "down, outdated", "needed 0.30"):
        assert part in shown
    assert "jane@" not in shown

    (found,) = await exported(world, tmp_path / "cases.jsonl")
    assert found.changed == ()
    (case,) = load_cases(tmp_path / "cases.jsonl")
    assert (case.turns, case.docs, case.answerable) == (("Hello", QUESTION), ("beta",), True)
    assert case.level is Level.PUBLIC, "asked as it was asked"
    (result,) = await ask_cases([case], runner(world).ask)
    assert result.shown and result.wrong, "the same mistake is caught"

    # Once the wrong page is gone the case says that it is right.
    await world.ingest(page("beta", BETA, title="Maintenance of alpha"), prune=["alpha"])
    (result,) = await ask_cases([case], runner(world).ask)
    assert result.shown and not result.wrong


async def test_good_partly_and_unanswerable_round_trip(world: World, tmp_path: Path) -> None:
    for number in range(3):
        await asked(world, QUESTION, session_id=f"s-{number}")
    away = await asked(world, "How do I configure the zebra exporter?", session_id="away")
    assert not isinstance(away.outcome, Answered)
    desk = world.review
    good = await desk.judge("s-0", 1, Verdict.GOOD, REVIEWER, by="ann", reference="By alphactl, ask jane@example.com")
    assert good.docs == ("alpha",) and good.snapshot == 1 and "jane@" not in good.reference
    await desk.judge("s-1", 1, Verdict.PARTLY, REVIEWER, by="ann", docs=["alpha", "beta"], must_contain=["svc cycle"])
    await desk.judge("s-2", 1, Verdict.UNANSWERABLE, REVIEWER, by="ann")
    await desk.judge("away", 1, Verdict.GOOD, REVIEWER, by="ann")
    await exported(world, tmp_path / "cases.jsonl")
    cases = {case.case_id: case for case in load_cases(tmp_path / "cases.jsonl")}
    assert set(cases) == {"s-0.1", "s-1.1", "s-2.1", "away.1"}
    assert (cases["s-0.1"].docs, cases["s-0.1"].outcomes) == (("alpha",), ("answered",))
    assert cases["s-0.1"].reference == good.reference
    assert (cases["s-1.1"].docs, cases["s-1.1"].must_contain) == (("alpha", "beta"), ("svc cycle",))
    assert (cases["s-2.1"].docs, cases["s-2.1"].answerable) == ((), False)
    assert (cases["away.1"].answerable, cases["away.1"].outcomes) == (False, ("clarify", "escalated"))
    results = {one.key: one for one in await ask_cases(list(cases.values()), runner(world).ask)}
    assert not results["reviewed/s-0.1"].wrong and results["reviewed/s-0.1"].met
    assert results["reviewed/s-1.1"].met is False and results["reviewed/s-1.1"].lacking == ("svc cycle",)
    assert results["reviewed/s-2.1"].wrong
    assert results["reviewed/away.1"].met
    with pytest.raises(InvalidInput, match="cases"):
        check_enough(list(cases.values()), Wanted(max_wrong=0.01, max_wrong_unsure=0.01, certainty=0.95))


async def test_what_changed_since_is_flagged(world: World, tmp_path: Path) -> None:
    await asked(world, QUESTION)
    await world.review.judge("s", 1, Verdict.GOOD, REVIEWER, by="ann")
    await world.ingest(page("alpha", ALPHA + "\nOr turn it off and on.\n", title="Restart alpha"))
    (found,) = await exported(world, tmp_path / "cases.jsonl")
    assert found.changed == ("alpha",) and found.case is not None and "CHANGED SINCE: alpha" in found.case["note"]
    assert notices([found], unchanged=False) == ["s.1: alpha changed since it was judged; look at it again."]
    # Judged anew, on the documents as they are.
    await world.review.judge("s", 1, Verdict.GOOD, REVIEWER, by="bob", docs=["alpha"])
    (found,) = await exported(world, tmp_path / "cases.jsonl")
    assert found.changed == () and found.judgement.snapshot == 2 and found.judgement.by == "bob"


async def test_what_says_nothing_is_left_out_and_told(world: World, tmp_path: Path) -> None:
    await asked(world, QUESTION)
    await world.review.judge("s", 1, Verdict.WRONG, REVIEWER, by="ann")
    (found,) = await exported(world, tmp_path / "cases.jsonl")
    assert found.case is None
    assert notices([found], unchanged=False) == ["s.1 is left out: nobody named a document that holds the answer."]


async def test_verdicts_must_make_sense(world: World) -> None:
    await asked(world, QUESTION)
    await asked(world, "Where can I buy purple umbrellas?", session_id="away")
    desk = world.review
    with pytest.raises(InvalidInput, match="no document 'gamma'"):
        await desk.judge("s", 1, Verdict.WRONG, REVIEWER, by="ann", docs=["gamma"])
    with pytest.raises(InvalidInput, match="no documents"):
        await desk.judge("s", 1, Verdict.UNANSWERABLE, REVIEWER, by="ann", docs=["beta"])
    with pytest.raises(InvalidInput, match="partly"):
        await desk.judge("away", 1, Verdict.PARTLY, REVIEWER, by="ann")
    with pytest.raises(NotFound):
        await desk.judge("s", 7, Verdict.GOOD, REVIEWER, by="ann")
    with pytest.raises(InvalidInput, match="good rating"):
        await desk.rate("s", 1, Rating.UP, FeedbackReason.WRONG, "", by="u")


async def test_a_handover_that_a_person_answered_is_reviewed(world: World) -> None:
    turn = await asked(
        world, "Why is my alpha service green, and who painted the wall?", "no, that is not it", "still no"
    )
    handoff = await world.conversations.open_handoff("s")
    assert handoff is not None and turn.evidence
    for act in (HandoffAct.TAKE, HandoffAct.RESOLVE):
        await world.desk.act(handoff.handoff_id, act, tenant=TENANT, by="ann", text="Repaint it.")
    items = await world.review.waiting(tenant=TENANT, limit=10)
    assert [ReviewReason.PERSON_ANSWERED in item.reasons for item in items if item.turn == handoff.turn] == [True]


async def test_a_better_rating_takes_a_turn_out_again(world: World) -> None:
    await asked(world, QUESTION)
    await world.review.rate("s", 1, Rating.DOWN, None, "", by="u")
    assert len(await world.review.waiting(tenant=TENANT, limit=10)) == 1
    await world.review.rate("s", 1, Rating.UP, None, "", by="u")
    assert await world.review.waiting(tenant=TENANT, limit=10) == []


async def test_a_turn_that_becomes_visible_later_than_its_time_says_is_not_passed_over(world: World) -> None:
    await asked(world, QUESTION, session_id="first")
    await world.review.refresh(tenant=TENANT)
    session = await world.session("late")
    (sent,) = await world.conversations.turns("first", limit=1)
    earlier = sent.asked_at - timedelta(minutes=1)
    assert isinstance(sent.outcome, Answered)
    unsure = replace(sent.outcome, completeness=Completeness.UNSURE)
    late = replace(sent, session_id=session.session_id, asked_at=earlier, outcome=unsure)
    await world.conversations.append_turn(late, None)
    items = await world.review.waiting(tenant=TENANT, limit=10)
    assert "late" in [item.session_id for item in items]


async def test_a_reviewer_sees_only_what_they_may_open(world: World) -> None:
    await world.ingest(page("secret", "# Restart omega\n\nRestart omega with `hush`.\n", level=Level.INTERNAL))
    session = await world.session()
    await world.questions().ask(
        session=session, principal=asker(level=Level.INTERNAL), question="How do I restart omega?"
    )
    for level, visible in ((Level.INTERNAL, True), (Level.PUBLIC, False)):
        file = await world.review.file("s", 1, asker(level=level))
        assert ("hush" in str((file.turn.outcome, file.quotes))) is visible
        assert ("secret" in [each.doc_id for each in file.pages]) is visible


async def test_an_answer_called_good_must_hold_what_it_must_contain(world: World) -> None:
    await asked(world, QUESTION, session_id="s-0")
    with pytest.raises(InvalidInput, match="called good, and does not hold 'zzz'"):
        await world.review.judge("s-0", 1, Verdict.GOOD, REVIEWER, by="ann", must_contain=["ALPHACTL", "zzz"])
    kept = await world.review.judge("s-0", 1, Verdict.GOOD, REVIEWER, by="ann", must_contain=["ALPHACTL"])
    assert kept.must_contain == ("ALPHACTL",)
    await asked(world, QUESTION, session_id="s-1")
    partly = await world.review.judge("s-1", 1, Verdict.PARTLY, REVIEWER, by="ann", must_contain=["zzz"])
    assert partly.must_contain == ("zzz",), "what is only partly right may lack it"


async def test_keys_edit_skip_and_quit(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        await asked(world, QUESTION, session_id=f"s-{number}")
        await world.review.rate(f"s-{number}", 1, Rating.DOWN, None, "", by="u")
    # An id that is not there is said, and nothing is lost; an unknown key does nothing.
    terminal = pressing("xegegsq", "nowhere", "", "", "beta", "It is svc.", "restart")
    assert await review_all(world.review, REVIEWER, "ann", terminal) == 1
    assert "There is no document 'nowhere'" in capsys.readouterr().out
    (judged,) = await world.feedback.judgements(tenant=TENANT, kb=KB, limit=10)
    assert (judged.docs, judged.reference, judged.must_contain) == (("beta",), "It is svc.", ("restart",))
    # What was on the screen when ann quit is free at once, and what she skipped waits for others.
    assert len(await world.review.next(REVIEWER, by="bob", limit=10)) == 2
    await world.review.release(tenant=TENANT, by="bob")
    assert len(await world.review.next(REVIEWER, by="ann", limit=10)) == 1
