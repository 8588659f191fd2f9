"""What a customer said, in their own words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.questions.card.gist import gist


def told(*messages: str) -> dict[str, str]:
    return dict(gist(messages).lines)


def test_a_conversation_is_sorted_by_what_a_person_must_know() -> None:
    found = told(
        "Hello there, since this morning the sync job hangs. It says: “connection reset by peer”.",
        "We use the 3.2 client on Windows Server 2022.",
        "I restarted it twice, no luck.",
        "thank you",
        "Does it need another port?",
        "can I talk to a human",
    )
    assert found == {
        "Problem": "since this morning the sync job hangs.",
        "Runs on": "We use the 3.2 client on Windows Server 2022.",
        "Error": "It says: “connection reset by peer”.",
        "Tried by the customer": "I restarted it twice, no luck.",
        "Latest": "Does it need another port?",
    }


def test_the_exact_line_of_a_log_is_the_error() -> None:
    error = "IOException: disk quota exceeded (ENOSPC_42)"
    log = f"There is an error.\n2026-03-01 12:00 INFO start\n{error}\nat x.y(Z.java:1)"
    assert told(log)["Error"] == error


@pytest.mark.parametrize(
    ("messages", "missing"),
    [
        (["human please"], ("what it is about",)),
        (["hi", "thanks"], ("what it is about",)),
        (
            ["It does not work."],
            ("the exact error message", "the version", "the platform it runs on", "what changed before it began"),
        ),
        (["After the upgrade to 4.2 it fails on Linux with EX-1001."], ()),
        (["How do I export a report?"], ("the version",)),
        (
            ["The server 10.0.0.1 fails with EX-1001 on Linux since yesterday"],
            ("the version", "what changed before it began"),
        ),
        (["The app fails with EX-1001 on Linux since the upgrade", "driver 3.1"], ("the version",)),
        (["Our invoice was charged twice"], ("the invoice or account number",)),
        (["Could we get a quote for a bigger contract?"], ()),
    ],
)
def test_what_nobody_has_said_is_missing(messages: list[str], missing: tuple[str, ...]) -> None:
    assert gist(messages).missing == missing


def test_every_kind_of_news_has_its_label() -> None:
    found = told(
        "Good morning. We run five members (3.1.2, Rocky Linux 9) for a parcel service. Since we enabled the audit on "
        "Monday, one member restarts every four hours. Its log ends with 'ring overrun, sentinel 4'.",
        "What we did so far:\n- doubled the ring\n- opened 7421 in the firewall",
        "Muted it in the console, same thing",
    )
    assert found["Problem"] == "Since we enabled the audit on Monday, one member restarts every four hours."
    assert found["Runs on"].startswith("We run five members (3.1.2, Rocky Linux 9)")
    assert found["Error"] == "Its log ends with 'ring overrun, sentinel 4'."
    assert found["Tried by the customer"] == (
        "- doubled the ring | - opened 7421 in the firewall | Muted it in the console, same thing"
    )


def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    found = told(
        "The export fails", "It is 5.0", "sorry, it is 4.4.9 not 5.0, I looked at the wrong host", "human please"
    )
    assert found["Runs on"] == "sorry, it is 4.4.9 not 5.0, I looked at the wrong host"
    assert "Tried by the customer" not in found


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        (["Two things today.", "First: the backup lags.", "Second: the report is empty."], "First: the backup lags."),
        (["The sync is slow", "That page does not help, we do not use it"], "The sync is slow"),
        (["こんにちは。昨日から書き込みが失敗します。", "担当者と話したいです。"], "昨日から書き込みが失敗します。"),
        (["no puedo conectarme desde la oficina", "Esto no me ayuda, quiero hablar con una persona."], "no puedo"),
        (["quick one", "the balancer", "is stuck since sunday"], "the balancer"),
    ],
)
def test_the_problem_is_what_tells_of_a_failure(messages: list[str], problem: str) -> None:
    assert told(*messages)["Problem"].startswith(problem)


def test_only_a_sentence_that_is_nothing_but_a_wish_for_a_person_is_left_out() -> None:
    found = told("The export fails", "I also restarted the pods. Please pass me to support")
    assert found["Tried by the customer"] == "I also restarted the pods."
    assert "pass me" not in repr(found)


def test_what_was_answered_and_thanked_for_is_no_problem() -> None:
    messages = ["Which port is used?", "perfect, thanks", "The export fails with EX-1001"]
    assert dict(gist(messages, settled={0}).lines)["Problem"] == "The export fails with EX-1001"


@given(st.lists(st.text(max_size=200), min_size=1, max_size=8))
def test_every_line_is_cut_from_the_messages(messages: list[str]) -> None:
    flat = " ".join(" ".join(message.split()) for message in messages)
    for _, said in gist(messages).lines:
        for part in said.split(" | "):
            assert part.rstrip("…").strip() in flat or "|" in flat


@pytest.mark.parametrize("piece", ["we did ", "says ", "- ", "is down ", "not 1.2 ", "1.2.3 ", "a" * 50, "失敗"])
def test_a_long_conversation_takes_little_time(piece: str) -> None:
    began = time.perf_counter()
    gist([(piece * 2_000)[:8_000]] * 50)
    assert time.perf_counter() - began < 1.0
