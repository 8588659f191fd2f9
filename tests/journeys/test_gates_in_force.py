"""Calibrated gates decide about the questions of their knowledge base, or nothing does."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.contracts.ledger_samples import gates
from tests.journeys.world import KB, TENANT, World, asker, gate, page

from firstline.domain import (
    Answered,
    CalibratedGates,
    Clarify,
    Completeness,
    Escalated,
    HandoffAct,
    HighStakes,
    Reason,
    Silent,
)
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.errors import InvalidInput
from firstline.questions.gates_in_force import GatesInForce, changed_knobs, hash_of, refusal, weights_knob
from firstline.questions.journey import QuestionJourney
from firstline.questions.render import render_turn
from firstline.questions.wording.voice import shipped
from firstline.settings import Settings
from firstline.wiring import check_gates, gates_of, knobs_of, overridden_gates

KNOBS = {"candidates": "50", "embedder": "toy"}
QUESTION = "How do I rotate the log files?"
PAGE = "# Rotate log files\n\nRotate the log files with `rotate-logs`. Old log files are kept for a week.\n"


def calibrated(**thresholds: float) -> CalibratedGates:
    made = gates(TENANT, kb=KB)
    return replace(made, knobs=KNOBS, retrieval_hash=hash_of(KNOBS), thresholds={**made.thresholds, **thresholds})


async def world_with_page() -> World:
    world = World()
    await world.ingest(page("rotate", PAGE, title="Rotate log files"))
    return world


def journey(
    world: World, *, knobs: dict[str, str] = KNOBS, overridden: frozenset[str] = frozenset()
) -> QuestionJourney:
    made = world.questions()
    made._in_force = GatesInForce(  # pyright: ignore[reportPrivateUsage]  (as wiring gives it)
        ledger=world.knowledge.gates, knobs=knobs, overridden=overridden
    )
    return made


async def test_a_calibration_is_used_by_a_journey_that_runs_already() -> None:
    world = await world_with_page()
    running = journey(world)
    session = await world.session()
    before = await running.ask(session=session, principal=asker(), question=QUESTION)
    assert isinstance(before.outcome, Answered) and before.gates_version == 0

    strict = await world.knowledge.gates.add_gates(calibrated(relevance=0.1, unsure=0.9999, confidence=0.9999))
    other = await world.session("other")
    after = await running.ask(session=other, principal=asker(), question=QUESTION)
    assert isinstance(after.outcome, Clarify) and after.gates_version == strict.version
    assert {reading.name: reading.threshold for reading in after.gates} == strict.thresholds

    await world.knowledge.gates.put_in_force(0, tenant=TENANT, kb=KB)
    third = await world.session("third")
    reset = await running.ask(session=third, principal=asker(), question=QUESTION)
    assert isinstance(reset.outcome, Answered) and reset.gates_version == 0


async def test_between_both_gates_an_answer_is_unsure() -> None:
    world = await world_with_page()
    await world.knowledge.gates.add_gates(calibrated(relevance=0.1, unsure=0.2, confidence=0.9999))
    turn = await journey(world).ask(session=await world.session(), principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Answered) and turn.outcome.completeness is Completeness.UNSURE


async def test_other_settings_than_at_calibration_hand_over_and_tell_the_operator_what_changed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = await world_with_page()
    added = await world.knowledge.gates.add_gates(calibrated())
    running = journey(world, knobs={**KNOBS, "candidates": "80"})
    session = await world.session()
    turn = await running.ask(session=session, principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Escalated) and turn.outcome.handoff.reason is Reason.PROVIDER_FAILURE
    assert await world.conversations.turns(session.session_id, limit=5) == [turn], "the hand-over is on record"
    assert await world.conversations.open_handoff(session.session_id) == turn.outcome.handoff
    assert "candidates" not in str(render_turn(turn, shipped())), "a customer reads nothing of settings"
    assert "candidates was 50 and is 80" in turn.degraded["gates"]
    logged = next(record for record in caplog.records if record.levelname == "ERROR").getMessage()
    assert f"(version {added.version})" in logged and "candidates was 50 and is 80" in logged
    assert "firstline calibrate CASES --kb docs" in logged and "firstline gates reset --kb docs" in logged
    await world.knowledge.gates.put_in_force(0, tenant=TENANT, kb=KB)
    turn = await running.ask(session=await world.session("next"), principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Answered)


async def test_high_stakes_are_acknowledged_and_a_person_is_not_talked_over_whatever_the_gates() -> None:
    world = await world_with_page()
    await world.knowledge.gates.add_gates(calibrated())
    running = journey(world, knobs={**KNOBS, "candidates": "80"})
    session = await world.session()
    turn = await running.ask(session=session, principal=asker(), question="I want to cancel my subscription.")
    assert isinstance(turn.outcome, HighStakes)
    await world.handoffs.act(
        turn.outcome.handoff.handoff_id, tenant=TENANT, act=HandoffAct.TAKE, by="ann", at=turn.asked_at
    )
    turn = await running.ask(session=session, principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Silent)


async def test_documents_may_change_after_a_calibration() -> None:
    world = await world_with_page()
    added = await world.knowledge.gates.add_gates(calibrated(relevance=0.1, unsure=0.2, confidence=0.2))
    await world.ingest(page("more", "# Index builds\n\nAn index build runs in the background.\n", title="Index builds"))
    turn = await journey(world).ask(session=await world.session(), principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Answered)
    assert (turn.snapshot, turn.gates_version) == (2, added.version)


async def test_a_threshold_of_the_settings_wins() -> None:
    world = await world_with_page()
    await world.knowledge.gates.add_gates(calibrated(relevance=0.1, unsure=0.9999, confidence=0.9999))
    running = journey(world, overridden=frozenset({"confidence"}))
    turn = await running.ask(session=await world.session(), principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Answered)
    thresholds = {reading.name: reading.threshold for reading in turn.gates}
    assert (thresholds["confidence"], thresholds["unsure"], thresholds["relevance"]) == (0.5, 0.9999, 0.1)


async def test_a_held_journey_asks_whatever_is_in_force() -> None:
    world = await world_with_page()
    await world.knowledge.gates.add_gates(calibrated())
    running = journey(world, knobs={"candidates": "1"})
    elsewhere, session = MemoryConversationLedger(), await world.session("a")
    await elsewhere.create_session(session)
    outcomes = [
        await running.held(threshold, conversations=elsewhere).ask(
            session=session, principal=asker(), question=QUESTION
        )
        for threshold in (0.0, 1.0)
    ]
    opened, closed = outcomes
    assert isinstance(opened.outcome, Answered) and isinstance(closed.outcome, Clarify)
    assert opened.gates_version == closed.gates_version == 0
    assert await world.conversations.turns("a", limit=5) == [], "nothing of it is recorded where turns are"
    turn = await running.ask(session=await world.session("c"), principal=asker(), question=QUESTION)
    assert isinstance(turn.outcome, Escalated)


def test_knobs_are_what_changes_a_gates_value_and_nothing_else() -> None:
    plain = knobs_of(Settings(), embedder="mini", reranker="none", classifier="c")
    for changed in (
        Settings(port=1234, host="::1", log_level="debug", rate_key_per_minute=5, turns_at_once=3),
        Settings(topics=("keys",), retention_offer="a month", tenant="acme", kb="other", relevance_gate=0.3),
        # Without a reranker these do nothing.
        Settings(rerank_weight=0.9, rerank_passages=10),
    ):
        assert hash_of(knobs_of(changed, embedder="mini", reranker="none", classifier="c")) == hash_of(plain)
    hashes = {
        hash_of(knobs_of(settings, embedder=embedder, reranker=reranker, classifier="c"))
        for settings, embedder, reranker in (
            (Settings(), "mini", "none"),
            (Settings(), "other", "none"),
            (Settings(), "mini", "cross"),
            (Settings(rerank_weight=0.9), "mini", "cross"),
            (Settings(candidates=60), "mini", "none"),
            (Settings(weight_dense=1.0), "mini", "none"),
            (Settings(documents_ranked=5), "mini", "none"),
            (Settings(evidence_chunks=5), "mini", "none"),
            (Settings(chunk_tokens=300), "mini", "none"),
            (Settings(answer_chars_max=900), "mini", "none"),
        )
    }
    hashes.add(hash_of(knobs_of(Settings(), embedder="mini", reranker="none", classifier="other")))
    assert len(hashes) == 11
    models = gates_of(Settings())
    assert weights_knob(models) == weights_knob(gates_of(Settings(confidence_gate=0.9)))
    assert weights_knob(models) != weights_knob({**models, "confidence": gate("confidence", 0.5)})
    assert overridden_gates(Settings(confidence_gate=0.0)) == {"confidence", "unsure"}


def test_a_refusal_names_a_few_knobs_and_counts_the_rest() -> None:
    made = replace(calibrated(), knobs={f"knob{number}": "1" for number in range(7)})
    refused = refusal(made, {f"knob{number}": "2" for number in range(7)})
    assert refused is not None and "knob3 was 1 and is 2, and 3 more." in refused.message
    assert refusal(made, made.knobs) is None
    assert changed_knobs(made, {**made.knobs, "new": "x"}) == ["new was not set and is x"]


async def test_a_server_refuses_to_start_when_it_could_answer_nobody() -> None:
    world = await world_with_page()
    opened = SimpleNamespace(
        settings=Settings(tenant=TENANT), knowledge=world.knowledge, gates=world.knowledge.gates, knobs=KNOBS
    )
    await check_gates(opened)  # pyright: ignore[reportArgumentType]  (what it looks at)
    await world.knowledge.gates.add_gates(calibrated())
    await check_gates(opened)  # pyright: ignore[reportArgumentType]  (what it looks at)
    opened.knobs = {**KNOBS, "embedder": "other"}
    await check_gates(opened, kb="elsewhere")  # pyright: ignore[reportArgumentType]  (what it looks at)
    with pytest.raises(InvalidInput, match="embedder was toy and is other"):
        await check_gates(opened)  # pyright: ignore[reportArgumentType]  (what it looks at)


def test_a_laxer_confidence_gate_shows_more_and_keeps_its_disclaimer():
    shipped, laxer, stricter = (gates_of(Settings(confidence_gate=given)) for given in (-1, 0.5, 0.99))
    assert laxer["unsure"].threshold == 0.5
    assert laxer["confidence"].threshold == shipped["unsure"].threshold
    assert stricter["unsure"].threshold == stricter["confidence"].threshold == 0.99
