"""No hand-over is silent: on every surface it has a notice and its id, whatever it is about."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstline.api import stream
from firstline.api.shapes import TurnShown
from firstline.cli.ask_command import print_reply
from firstline.cli.printing import plain
from firstline.domain import (
    Availability,
    Escalated,
    Handoff,
    HandoffState,
    HighStakes,
    Intent,
    Mood,
    Reason,
    Silent,
    Turn,
)
from firstline.engines.postgres.codec import decode, encode
from firstline.questions.render import render
from firstline.questions.wording.voice import shipped

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)

availabilities = st.none() | st.builds(
    Availability,
    available=st.booleans(),
    back_at=st.none() | st.integers(0, 300).map(lambda hours: NOW + timedelta(hours=hours)),
    zone=st.just("UTC"),
    reply_time=TEXT,
)
handoffs = st.builds(
    Handoff,
    handoff_id=st.uuids().map(str),
    session_id=st.just("s"),
    turn=st.just(1),
    reason=st.sampled_from(Reason),
    question=TEXT,
    summary=TEXT,
    intent=st.sampled_from(Intent),
    entities=st.just(()),
    tried=st.just(()),
    language=st.sampled_from(["en", "de", "ja"]),
    mood=st.sampled_from(Mood),
    next_step=TEXT,
    state=st.sampled_from(HandoffState),
    created_at=st.just(NOW),
    returns=st.integers(0, 9),
    reopens=st.none() | st.just("earlier"),
    owner=st.none() | st.just("ann"),
    availability=availabilities,
)
outcomes = st.one_of(
    st.builds(Escalated, handoff=handoffs, again=st.booleans()),
    st.builds(
        HighStakes,
        acknowledgement=st.sampled_from(["", "I understand."]),
        offer=st.none() | TEXT,
        handoff=handoffs,
        again=st.booleans(),
    ),
    st.builds(Silent, handoff=handoffs),
)


@given(outcome=outcomes)
@settings(max_examples=150, deadline=None)
def test_every_handover_has_a_notice_and_an_id_on_every_surface(outcome: Escalated | HighStakes | Silent) -> None:
    turn = Turn(
        session_id="s",
        number=1,
        question="?",
        asked_at=NOW,
        scope_hash="0",
        snapshot=1,
        settings_hash="0",
        model_ids=(),
        triage=None,
        plan=None,
        evidence=(),
        gates=(),
        outcome=outcome,
        timings_ms={},
    )
    notice = render(outcome).notice
    assert len(notice) > 20
    shown = TurnShown.of(turn, shipped()).model_dump(mode="json")
    # As the ledger keeps it, for a reload of the page.
    reloaded = TurnShown.of(decode(Turn, json.loads(json.dumps(encode(turn)))), shipped()).model_dump(mode="json")
    told = TurnShown.of(turn, shipped())
    streamed = stream._answer(told, stream.Begun(shipped())).decode()  # pyright: ignore[reportPrivateUsage]  (as sent)
    events = [json.loads(line.removeprefix("data: ")) for line in streamed.split("\n") if line.startswith("data: ")]
    assert events[0] == {"notice": notice}
    for reply in (shown["reply"], reloaded["reply"], events[-1]["reply"]):
        assert (reply["notice"], reply["handoff_id"]) == (notice, outcome.handoff.handoff_id)
        assert reply["person"] == ("none" if isinstance(outcome, Silent) else "connect")


@given(outcome=outcomes)
@settings(max_examples=50, deadline=None)
def test_the_command_line_says_the_same(outcome: Escalated | HighStakes | Silent) -> None:
    printed: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("click.echo", lambda text="", **_: printed.append(text))
        print_reply(render(outcome), shipped().voice("en"))
    assert printed[0] == plain(render(outcome).notice)
    assert outcome.handoff.handoff_id in printed[-1]
