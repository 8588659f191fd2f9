"""Turns survive the way to JSON and back, whatever they hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_samples import handoff, turn

from firstline.domain import (
    Answered,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    Handoff,
    HighStakes,
    Note,
    Silent,
    Turn,
)
from firstline.engines.postgres.codec import decode, encode
from firstline.errors import Broken

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12)
FLOATS = st.floats(allow_nan=False)
TIMES = st.datetimes(min_value=datetime(2000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  (hypothesis adds it)


def _registered() -> st.SearchStrategy[Turn]:
    st.register_type_strategy(str, TEXT)
    st.register_type_strategy(float, FLOATS)
    st.register_type_strategy(datetime, TIMES)
    claims = st.builds(Claim, text=TEXT, kind=st.sampled_from(ClaimKind), citations=st.tuples(st.builds(Citation)))
    answered = st.builds(
        Answered,
        completeness=st.sampled_from(Completeness),
        claims=st.tuples(claims),
        confidence=FLOATS,
        notes=st.tuples(st.builds(Note, key=TEXT, values=st.dictionaries(TEXT, st.tuples(TEXT)))),
    )
    others = [st.builds(kind) for kind in (Clarify, Escalated, HighStakes, Deflected, Silent)]
    return st.builds(Turn, outcome=st.one_of(answered, *others), timings_ms=st.dictionaries(TEXT, FLOATS))


TURNS = _registered()
CITED = {"chunk_id": "c", "doc_id": "d", "blob": "b", "start": 0, "end": 7, "title": "Logs", "url": None}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TURNS)
def test_round_trip(written: Turn) -> None:
    assert decode(Turn, json.loads(json.dumps(encode(written), allow_nan=False))) == written


def test_what_postgres_cannot_hold_becomes_the_replacement_character() -> None:
    assert decode(Turn, encode(turn("s", 1, question="a\x00\udfff"))).question == "a\ufffd\ufffd"


def test_a_record_of_an_older_version_is_read() -> None:
    value = encode(handoff("s"))
    value["a field of the past"] = 1
    assert decode(Handoff, value) == decode(Handoff, encode(decode(Handoff, value)))


def test_a_record_from_before_texts_had_keys_is_read() -> None:
    claim = {"text": "Run it.", "kind": "sentence", "citations": [CITED]}
    old = {"type": "Answered", "completeness": "full", "claims": [claim], "confidence": 1.0, "notes": ["About 4.1."]}
    value = {**encode(turn("s", 1)), "outcome": old}
    del value["language"]
    read = decode(Turn, value)
    assert isinstance(read.outcome, Answered) and read.outcome.notes == (Note.of_text("About 4.1."),)
    assert read.language == ""


@pytest.mark.parametrize(
    "damage",
    [
        {"outcome": {"type": "Nonsense"}},
        {"outcome": None},
        {"number": "one"},
        {"asked_at": "yesterday"},
        {"model_ids": 5},
    ],
)
def test_a_damaged_record_is_broken(damage: dict[str, object]) -> None:
    with pytest.raises(Broken, match="Turn"):
        decode(Turn, {**encode(turn("s", 1)), **damage})


def test_an_answer_without_citation_cannot_come_back() -> None:
    """Invariant 1 holds for what is read from the ledger too."""
    bare = {"type": "Answered", "completeness": "full", "claims": [], "confidence": 1.0}
    with pytest.raises(Broken, match="claim"):
        decode(Turn, {**encode(turn("s", 1)), "outcome": bare})
