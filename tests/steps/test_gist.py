"""What a customer said, in their own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cost import costs_less

from firstline.questions.card.gist import gist
from firstline.questions.card.urgent_words import DATA_LOST


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
        "Asks for a person": "can I talk to a human",
        "Also said": "Does it need another port?",
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
            ("the exact error message", "the version", "the platform it runs on"),
        ),
        (["After the upgrade to 4.2 it fails on Linux with EX-1001."], ("the version before the upgrade",)),
        (["After the upgrade from 4.1 to 4.2 it fails on Linux with EX-1001."], ()),
        (["How do I export a report?"], ("the version",)),
        (
            ["The server 10.0.0.1 fails with EX-1001 on Linux since yesterday"],
            ("the version", "what changed before it began"),
        ),
        (
            ["The app fails with EX-1001 on Linux since the upgrade", "driver 3.1"],
            ("the version of the server (only the driver's was given)",),
        ),
        (["Our invoice was charged twice"], ("the invoice or account number",)),
        (["Could we get a quote for a bigger contract?"], ("the organisation or account",)),
        (["Could we get a quote for a bigger contract?", "org id 4471"], ()),
        (["The export fails with EX-17 on Linux, 4.2. Please call me"], ("a phone number and a time",)),
        (["The export fails with EX-17 every night", "4.2 on Linux"], ("what runs at that time", "the server log")),
        (["who decides about an exception to the limit?"], ()),
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
        "doubled the ring | opened 7421 in the firewall | Muted it in the console, same thing"
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
        (["Two things today.", "First: the backup lags.", "Second: the report is empty."], "(1) The backup lags."),
        (["The sync is slow", "That page does not help, we do not use it"], "The sync is slow"),
        (["こんにちは。昨日から書き込みが失敗します。", "担当者と話したいです。"], "昨日から書き込みが失敗します。"),
        (["no puedo conectarme desde la oficina", "Esto no me ayuda, quiero hablar con una persona."], "no puedo"),
        (["quick one", "the balancer", "is stuck since sunday"], "the balancer"),
    ],
)
def test_the_problem_is_what_tells_of_a_failure(messages: list[str], problem: str) -> None:
    assert told(*messages)["Problem"].startswith(problem)


def test_a_wish_for_a_person_stands_under_its_own_label_alone() -> None:
    found = told("The export fails", "I also restarted the pods. Please pass me to support")
    assert found["Tried by the customer"] == "I also restarted the pods."
    assert found.pop("Asks for a person") == "Please pass me to support"
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
    assert costs_less(lambda: gist([(piece * 2_000)[:8_000]] * 50), than_s=1.0)


def test_what_was_tried_is_not_the_problem_and_what_changed_is_told_in_every_language() -> None:
    german = told(
        "Seit dem Wochenende kommt unser Backup nicht mehr durch.",
        "Am Freitag hat ein Kollege den Bucket in eine andere Region umgezogen.",
        "Ein neues Vollbackup haben wir schon gestartet, das hat nichts geändert.",
    )
    assert german["Problem"] == "Seit dem Wochenende kommt unser Backup nicht mehr durch."
    assert german["What changed"] == "Am Freitag hat ein Kollege den Bucket in eine andere Region umgezogen."
    assert german["Tried by the customer"].startswith("Ein neues Vollbackup")
    assert (
        told("ça échoue", "Le certificat a été renouvelé hier.")["What changed"]
        == "Le certificat a été renouvelé hier."
    )
    assert "What changed" in told("writes fail", "we scaled storage this morning")
    japanese = gist(["先週バージョンを5.2.0に上げてから、EX-1208で失敗します。", "環境はUbuntu 24.04です。"])
    assert not japanese.missing


def test_an_opener_and_a_word_about_the_support_are_not_the_problem() -> None:
    assert told("j'ai un souci de connexion", "mon application n'arrive plus à se connecter")["Problem"].startswith(
        "mon"
    )
    said = told("The export broke.", "Third time I write today and nobody answers. Every checkout takes 4 seconds")
    assert said["Problem"] == "The export broke. | Every checkout takes 4 seconds"
    leaving = told("how is the fee billed?", "I want to cancel the whole organisation by the end of March.")
    assert leaving["Problem"] == "I want to cancel the whole organisation by the end of March."


@pytest.mark.parametrize(
    ("messages", "asked", "not_asked"),
    [
        (["server 5.0.9 wont start on Rocky Linux since the update"], "the server log", "the exact error message"),
        (["5.0.9 on Linux: checksum mismatch after the update"], "backup", "the exact error message"),
        (["the TTL index does not delete", "5.1.6 on Rocky 8"], "", "what changed"),
        (["our only owner left, the 2FA was on his phone", "I cannot invite anyone"], "", "the version"),
        (["I tried --types price=decimal, it fails"], "the version", "invoice"),
    ],
)
def test_what_is_missing_goes_by_the_kind_of_matter(messages: list[str], asked: str, not_asked: str) -> None:
    missing = ", ".join(gist(messages).missing)
    assert asked in missing
    assert not_asked not in missing


def test_who_says_that_it_is_not_urgent_tells_of_no_failure() -> None:
    told = gist(["It is not urgent. When will version 7 be released?"])
    assert told.problem == "When will version 7 be released?"
    assert "the exact error message" not in told.missing


@pytest.mark.parametrize(
    ("message", "lost"),
    [
        ("We lost data last night", True),
        ("We are losing orders", True),
        ("We never lost data, but the restore takes 3 hours", False),
        ("We did not lose any data", False),
        ("There was no data loss", False),
    ],
)
def test_data_that_was_not_lost_is_not_feared_for(message: str, lost: bool) -> None:
    assert (DATA_LOST.search(message) is not None) == lost
