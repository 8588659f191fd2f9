"""Invariant 10: every recorded turn, whatever it came to, can be taken once more and comes to the same."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.invariants.faults import READS, TOTAL, Plan, Planned, faulty_world
from tests.invariants.universe import CLOSED, CUSTOMER, NEW, PAGES, PRINCIPALS, QUESTIONS, open_universe, with_address
from tests.journeys.world import KB, TENANT, Items, World, gate, page

from firstline.domain import (
    Answered,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    HandoffAct,
    HighStakes,
    Principal,
    Scores,
    Session,
    Silent,
    Turn,
)
from firstline.engines.postgres.codec import decode, encode
from firstline.errors import FirstlineError, InvalidInput
from firstline.questions import looked_up
from firstline.questions.replay import Replay, asker_of, replay

STRIKES = sorted(set(READS) - TOTAL)
FAULTS_MEANT = ("down", "surprised", "no_number", "wrong_shape", "hang")
"""Those that a turn can notice. What is silently left out of a list is in no record: a replay shows that it differs."""
LATE = {"turn_deadline_s": 0.5, "embed_budget_s": 0.05, "search_budget_s": 0.05, "rerank_budget_s": 0.05}


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looked_up, "CODES_S_MAX", 0.05)
        patch.setattr(looked_up, "VERSIONS_S_MAX", 0.05)
        logging.disable(logging.ERROR)
        yield
        logging.disable(logging.NOTSET)


async def again(world: World, turn: Turn, principal: Principal, session: Session, **limits: object) -> Replay:
    """From the record as a ledger keeps it."""
    kept = decode(Turn, json.loads(json.dumps(encode(turn))))
    asker = asker_of(kept, session, [principal])
    assert asker is not None
    return await replay(kept, session, asker, journey=world.questions(**limits), conversations=world.conversations)


async def change_pages(world: World, at: int) -> None:
    """Another snapshot: pages changed, gone and added."""
    changed = page("logs.md", f"# Log rotation\n\nRotate the log files with `lark spin` number {at}.\n")
    kept = [one for one in PAGES if one.item_id not in ("logs.md", "backup.md")]
    items = [with_address(one) for one in (*kept, changed, NEW, CLOSED)]
    await world.documents.ingest(Items(*items), tenant=TENANT, kb=KB, prune=("",))


acts = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS)),
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS)),
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS[:6])),
    st.tuples(st.just("change"), st.integers(1, 3).map(str)),
    st.tuples(st.just("take"), st.just("")),
    st.tuples(st.just("resolve"), st.just("Rotate it by hand.")),
)
strikes = st.none() | st.builds(Planned, st.sampled_from(STRIKES), st.sampled_from(FAULTS_MEANT), st.integers(0, 2))


async def lived(
    plan: Plan, world: World, told: list[tuple[tuple[str, str], Planned | None]], principal: Principal
) -> tuple[Session, list[Turn]]:
    """A conversation with what happened around it. Every turn that was recorded."""
    session = replace(await world.session(str(uuid.uuid4())))
    journey = world.questions(**LATE)
    for at, ((act, text), strike) in enumerate(told):
        stands = await world.conversations.open_handoff(session.session_id)
        match act:
            case "change":
                await change_pages(world, at)
            case "take" | "resolve" if stands is not None:
                try:
                    await world.desk.act(
                        stands.handoff_id, tenant=TENANT, act=HandoffAct(act), by="ann", text=text, force=False
                    )
                except FirstlineError:
                    continue
            case "ask":
                plan.put([strike] if strike else [])
                await journey.ask(session=session, principal=principal, question=text)
                plan.put([])
            case _:
                pass
    return session, await world.conversations.turns(session.session_id, limit=99)


@given(
    told=st.lists(st.tuples(acts, strikes), min_size=1, max_size=5),
    principal=st.sampled_from(PRINCIPALS),
    reranked=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_every_recorded_turn_comes_to_the_same(
    told: list[tuple[tuple[str, str], Planned | None]], principal: Principal, reranked: bool
) -> None:
    async def example() -> None:
        plan = Plan()
        world = (await open_universe(faulty_world(plan, reranked=reranked))).world
        session, turns = await lived(plan, world, told, principal)
        for turn in turns:
            found = await again(world, turn, principal, session, **LATE)
            assert found.differences == (), (turn.question, turn.degraded, turn.timings_ms, found.differences)
        assert await world.conversations.turns(session.session_id, limit=99) == turns, "nothing is recorded"

    asyncio.run(example())


async def test_every_kind_of_outcome_is_replayed() -> None:
    """One conversation after the other until each kind was there; else the test above might miss one."""
    world = (await open_universe()).world
    seen: Counter[str] = Counter()
    conversations = [[("ask", question)] for question in QUESTIONS]
    conversations += [
        [("ask", QUESTIONS[11]), ("ask", QUESTIONS[11]), ("take", ""), ("ask", QUESTIONS[0])],
        [("ask", "zebrawood relay?"), ("ask", "zebrawood relay?"), ("ask", "zebrawood relay!")],
        [("ask", QUESTIONS[0]), ("change", "1"), ("ask", QUESTIONS[8]), ("ask", "How do I rotate logs in version 9?")],
    ]
    for told in conversations:
        session, turns = await lived(Plan(), world, [(one, None) for one in told], CUSTOMER)
        for turn in turns:
            found = await again(world, turn, CUSTOMER, session)
            assert found.same and not found.differences, (turn.question, found.differences)
            if isinstance(turn.outcome, Answered) and turn.outcome.confidence < 1.0:
                assert {"relevance", "unsure", "confidence"} <= {reading.name for reading in turn.gates}
            seen[type(turn.outcome).__name__] += 1
    assert set(seen) == {one.__name__ for one in (Answered, Clarify, Escalated, HighStakes, Deflected, Silent)}, seen


async def answered() -> tuple[World, Session, Turn]:
    world = (await open_universe()).world
    session, turns = await lived(Plan(), world, [(("ask", QUESTIONS[0]), None)], CUSTOMER)
    assert isinstance(turns[0].outcome, Answered)
    return world, session, turns[0]


async def test_what_differs_is_told() -> None:
    world, session, turn = await answered()
    assert isinstance(turn.outcome, Answered)
    low = Scores(dense=0.0, words=0.0, document=0.0, fused=0.0)
    bent = {
        "evidence": replace(turn, evidence=turn.evidence[1:]),
        "evidence ": replace(turn, evidence=(("made-up", low), *turn.evidence)),
        "evidence  ": replace(turn, evidence=tuple((name, low) for name, _ in turn.evidence)),
        "gates": replace(turn, gates=()),
        "gates ": replace(turn, gates=tuple(replace(one, value=one.value - 0.2) for one in turn.gates)),
        "outcome": replace(turn, outcome=Clarify()),
        "outcome ": replace(turn, outcome=replace(turn.outcome, completeness=Completeness.UNSURE)),
        "outcome  ": replace(
            turn, outcome=replace(turn.outcome, claims=(replace(turn.outcome.claims[0], text="Another."),))
        ),
    }
    for what, record in bent.items():
        found = await again(world, record, CUSTOMER, session)
        assert not found.same and what.strip() in {one.what for one in found.differences}, what
    for what, record in {
        "settings": replace(turn, settings_hash="another"),
        "models": replace(turn, model_ids=("another",)),
    }.items():
        found = await again(world, record, CUSTOMER, session)
        assert found.same and [one.what for one in found.differences] == [what]


async def test_a_changed_gate_or_limit_changes_the_outcome_and_is_seen() -> None:
    world, session, turn = await answered()
    journey = world.questions()
    journey._gates = {**journey._gates, "relevance": gate("relevance", 2.0)}  # pyright: ignore[reportPrivateUsage]
    found = await replay(turn, session, CUSTOMER, journey=journey, conversations=world.conversations)
    assert {"gates", "outcome"} <= {one.what for one in found.differences} and not found.same


async def test_differences_hold_no_words_of_documents_or_customers() -> None:
    world, session, turn = await answered()
    await change_pages(world, 1)
    assert isinstance(turn.outcome, Answered)
    bent = replace(turn, plan=None, evidence=(), outcome=replace(turn.outcome, claims=turn.outcome.claims[:1] * 2))
    found = await again(world, bent, CUSTOMER, session)
    assert len(found.differences) >= 3
    told = " ".join(f"{one.then} {one.now}" for one in found.differences)
    assert "rotate" not in told.casefold() and "lark" not in told


async def test_somebody_who_may_see_other_pages_is_no_stand_in() -> None:
    world, session, turn = await answered()
    for other in PRINCIPALS[1:]:
        with pytest.raises(InvalidInput, match="other documents"):
            await replay(turn, session, other, journey=world.questions(), conversations=world.conversations)
    assert asker_of(replace(turn, scope_hash="unknown"), session, PRINCIPALS) is None
    secret = replace(turn, scope_hash=PRINCIPALS[2].scope_hash)
    assert asker_of(secret, session, []) is None and asker_of(secret, session, PRINCIPALS) is not None
