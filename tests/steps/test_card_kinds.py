"""Kinds of conversations whose cards were judged: attempts, details given late, subjects taken back, pasted code."""

from __future__ import annotations

import pytest

from firstline.questions.card.asides import in_passing, of_us, presses, withdraws
from firstline.questions.card.gist import gist
from firstline.questions.card.next_step import OUT, PRESSED
from firstline.questions.card.not_enough import closeness
from firstline.questions.card.pasted_parts import prose_and_code
from firstline.questions.card.pointed import pointed
from firstline.questions.card.urgent_words import DEADLINE, is_outage, without_pressing


def told(*messages: str, answers: frozenset[int] = frozenset()) -> dict[str, str]:
    return dict(gist(messages, answers=answers).lines)


@pytest.mark.parametrize(
    ("said", "tried"),
    [
        ("I already restarted it", "I already restarted it"),
        ("we imported the certificate and restarted the proxy. still the same message", "still the same message"),
        ("setting the pool to 1 helped for a day, then it came back", "setting the pool to 1"),
        ("export fails on 5.0.7, restarted, same", "restarted, same"),
        ("excluded the folder from the scanner and rebooted", "excluded the folder"),
        ("telnet to the host from the container works", "telnet to the host"),
        ("sent SIGUSR1, reopened, the disk still fills", "sent SIGUSR1"),
        ("restarted everything. twice", "restarted everything. twice"),
        ("já aumentei a memória do contentor", "já aumentei"),
        ("resync fatto, stesso errore", "resync fatto"),
        ("What I did so far:\n- restarted it\n- ran the check", "restarted it | ran the check"),
    ],
)
def test_what_the_customer_did_is_what_was_tried(said: str, tried: str) -> None:
    assert tried in told("The export fails with EX-1001.", said)["Tried by the customer"]


@pytest.mark.parametrize(
    "said",
    [
        "EX-1001 again and again since we moved to version 6",
        "did you restart it?",
        "We use the Go driver",
        "it never stopped",
    ],
)
def test_what_happened_or_is_asked_is_no_attempt(said: str) -> None:
    assert "Tried by the customer" not in told("The export fails.", said)


def test_a_detail_given_to_a_question_back_belongs_to_the_problem() -> None:
    messages = (
        "Inserts fail with EX-1199",
        "only in the order service",
        "We use the Python driver",
        "5.0.4, Debian 12",
    )
    found = told(*messages, answers=frozenset({1}))
    assert found["Problem"] == "Inserts fail with EX-1199 | only in the order service | We use the Python driver"
    assert found["Runs on"] == "5.0.4, Debian 12"


def test_a_subject_that_was_taken_back_is_told_as_such() -> None:
    messages = (
        "How do I shard the events collection?",
        "forget the sharding, management says no",
        "we want to know why the primary changes every night",
    )
    found = told(*messages)
    assert found["Problem"] == messages[2]
    assert found["Withdrawn"] == messages[0]
    assert pointed(messages) == messages[2]


def test_code_and_frames_are_neither_the_problem_nor_what_it_runs_on() -> None:
    found = told(
        "```python\nclient = connect('lark://db1')\nclient.shop.insert({'a': 1})\n```\nthis hangs and then EX-1007",
        "Exception in thread main: EX-1004 failed\n\tat com.example.Tls.open(Tls.java:211)\nCaused by: too old",
    )
    assert found["Problem"].startswith("this hangs and then EX-1007")
    assert found["Code"].startswith("client = connect")
    assert "Tls.java" not in repr(found) and "```" not in repr(found)
    assert prose_and_code("```\neverything is in a fence that never ends") == (
        " \neverything is in a fence that never ends",
        "",
    )


@pytest.mark.parametrize(
    ("messages", "question"),
    [
        (["The export fails.", "I restarted it, no change"], "The export fails."),
        (["The export fails.", "please hurry"], "The export fails."),
        (
            ["Is there a flag for that?", "ok so nobody knows? let me talk to your engineers"],
            "Is there a flag for that?",
        ),
        (["The export fails.", "by the way, is there a dark mode?", "the error is EX-17"], "The export fails."),
        (["cannot connect", "EX-1007", "yes"], "cannot connect"),
        (["list their users", "ok then at least reset his 2fa"], "ok then at least reset his 2fa"),
        (["o servidor reinicia toda noite", "quero falar com alguém"], "o servidor reinicia toda noite"),
    ],
)
def test_the_question_is_what_they_want_and_no_attempt_wish_or_detail(messages: list[str], question: str) -> None:
    assert pointed(messages, answers={2} if len(messages) > 2 else ()) == question


def test_how_a_message_stands_to_what_was_said_before() -> None:
    assert presses("Please hurry!!") and presses("any news?") and not presses("please restart it")
    assert (
        withdraws("never mind the TLS. it is")
        and withdraws("ok leave the plan.")
        and not withdraws("leave it running on 5.1")
    )
    assert in_passing("btw, is there a dark mode?")
    assert of_us("nobody knows?") and of_us("your answers are useless") and not of_us("nobody can log in")


def test_what_fails_now_and_then_or_only_presses_is_no_outage() -> None:
    assert is_outage("Inserts fail") and not is_outage("Inserts fail about once an hour")
    assert not is_outage(without_pressing("this is urgent")) and is_outage(
        without_pressing("urgent, production is down")
    )
    assert OUT != PRESSED


@pytest.mark.parametrize(
    "said", ["audit is tomorrow", "the release is on Thursday", "we plan it for the 15th of March"]
)
def test_a_day_that_is_named_is_a_deadline(said: str) -> None:
    assert DEADLINE.search(said)
    assert told("The export fails.", said)["Deadline"] == said


def test_a_further_matter_stands_beside_the_first() -> None:
    found = told("EX-1601 although the disk is half empty", "another thing: the audit log has grown to 400 GB")
    assert found["Problem"] == "(1) EX-1601 although the disk is half empty | (2) The audit log has grown to 400 GB"


def test_numbers_of_invoices_are_details_and_no_errors() -> None:
    found = told("I was charged twice", "invoice INV-20931 and INV-20932, both 480 EUR")
    assert found["Details"] == "invoice INV-20931 and INV-20932, both 480 EUR" and "Error" not in found


def test_when_and_where_it_happens_has_its_own_label() -> None:
    found = told("The export fails.", "every morning around nine", "from the host it works, from the container not")
    assert found["Happens"] == "every morning around nine | from the host it works, from the container not"


def test_closeness_is_the_share_of_the_words_that_a_text_has() -> None:
    assert closeness("Restore a backup", "how do I restore my backups") == 1.0
    assert closeness("Log rotation", "restore [EMAIL_1]") == 0.0
    assert closeness("anything", "") == 0.0
