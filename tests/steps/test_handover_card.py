"""What a card says beside the customer's words: the question, the version, what to do next, what was of no use."""

from __future__ import annotations

import pytest

from firstline.domain import Intent, Reason
from firstline.questions.card.codes import codes_of, holds
from firstline.questions.card.next_step import Matter, Situation, next_step
from firstline.questions.card.pointed import pointed
from firstline.questions.card.running_version import running_version


@pytest.mark.parametrize(
    ("messages", "question"),
    [
        (["The export fails.", "yes"], "The export fails."),
        (["what is EX-1799?", "5.0.3, two nodes"], "what is EX-1799?"),
        (["what is EX-1799?", "it is the index on orders"], "what is EX-1799?"),
        (["The export fails.", "GET ME SOMEBODY NOW", "region Rome"], "The export fails."),
        (["hello", "GET ME SOMEBODY NOW", "region Rome"], "GET ME SOMEBODY NOW"),
        (["How do I export?", "that did not help. Rows are missing", "still"], "that did not help. Rows are missing"),
        (["Please cancel our account", "Organisation id is ORG-7731"], "Please cancel our account"),
        (["5.0.3", "on Linux"], "on Linux"),
    ],
)
def test_the_question_is_the_newest_message_that_asks_or_complains(messages: list[str], question: str) -> None:
    assert pointed(messages) == question


@pytest.mark.parametrize(
    ("messages", "version"),
    [
        (["exporter 5.0.7, Ubuntu 22.04"], "5.0.7"),
        (["It is 5.0", "sorry, it is 4.4.9 not 5.0"], "4.4.9"),
        (["yes 5.1.0 before it was 4.4"], "5.1.0"),
        (["we went from 4.4.11 to 5.1.2", "the staging cluster is still on 4.4.11"], "5.1.2"),
        (["we did upgrade from 4.4 on monday", "no idea"], None),
        (["it does not work", "the driver", "6.2"], None),
        (["4.4.10 - no wait, that is the test system. Production is 5.0.5"], "5.0.5"),
        (["Ubuntu 22.04"], None),
        (["We're on 5.1.", "Sorry, the affected one is still 4.2.9, the 5.1 one is staging."], "4.2.9"),
        (["server 5.2.1", "since the operator upgrade to 2.3", "operator 2.3.0"], "5.2.1"),
        (["5.1.6 on Rocky 8", "so it isn't the 5.1 bug"], "5.1.6"),
        (["our address is 203.0.113.40"], None),
        (["先週バージョンを5.2.0に上げてから失敗します。", "環境はUbuntu 24.04です。"], "5.2.0"),
    ],
)
def test_the_version_is_the_one_that_runs_now(messages: list[str], version: str | None) -> None:
    found = running_version(messages)
    assert (str(found) if found else None) == version


def step(*messages: str, reason: Reason = Reason.LOW_CONFIDENCE, **changes: object) -> str:
    given: dict[str, object] = {"reason": reason, "intent": Intent.CAUSE, "messages": messages, **changes}
    return next_step(Situation(**given))  # pyright: ignore[reportArgumentType]  (the cases name its fields)


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (step("MY CLUSTER IS DOWN"), ("Urgent",)),
        (step("312 orders are missing"), ("fear for data",)),
        (step("we need it by Thursday"), ("deadline",)),
        (step("my key is [SECRET_1]"), ("change it",)),
        (step("I attached the file"), ("attachment", "send it to you")),
        (step("x", unknown=["EX-1"]), ("No page mentions EX-1: answer it yourself",)),
        (step("x", apt=["A"]), ("Read “A”: if it answers, send it",)),
        (step("x", apt=["B"], shown=["A"]), ("“B”", "Shown already, and it did not help: “A”")),
        (step("x", followed=["A"], shown=["A"]), ("They did what “A” says; it did not help.",)),
        (step("x"), ("No page fits well: answer it yourself.",)),
        (step("x", question="who decides about that?"), ("find who can make it",)),
        (step("our lawyer will write", "who pays?", reason=Reason.HIGH_STAKES), ("promise nothing", "legal")),
        (step("x", reason=Reason.UNSUPPORTED_CATEGORY, refused=True), ("does not answer on this topic", "Do not send")),
        (step("x", unnamed=["a.b"], apt=["A"]), ("No page mentions a.b.", "Read “A”")),
        (step("x", apt=["A"], answered=["A"]), ("wait for their reply",)),
        (step("server wont come up"), ("Urgent: something",)),
        (step("segment 188 checksum mismatch"), ("fear for data",)),
        (step("it has to end by the end of March"), ("deadline",)),
        (step("until 20 February"), ("deadline",)),
        (step("Status: HELD"), ("state of the account",)),
        (
            step("x", matters=[Matter(text="the backup lags", apt=["A"]), Matter(text="a wrong invoice")]),
            ("(1) Read “A”", "(2) A matter of contract or billing"),
        ),
        (step("x", account=True, apt=["A"]), ("who may do what", "account team")),
        (step("x", reason=Reason.HIGH_STAKES, intent=Intent.CANCELLATION), ("cancel", "retention")),
        (step("x", reason=Reason.HIGH_STAKES, intent=Intent.BILLING_DISPUTE), ("billing", "invoice")),
        (step("x", reason=Reason.HIGH_STAKES, intent=Intent.LEGAL), ("promise nothing", "legal")),
        (step("x", reason=Reason.USER_ASKED, also=[(Reason.PRIVATE_DATA, 4)]), ("greet", "Message 4")),
        (
            step("x", reason=Reason.UNSUPPORTED_CATEGORY, question="list their users please"),
            ("do not give it out", "who is asking"),
        ),
        (step("x", missing=("the version", "the error")), ("Ask for the version and the error.",)),
    ],
)
def test_the_next_step_is_one_that_can_be_done(said: str, parts: tuple[str, ...]) -> None:
    assert all(part in said for part in parts), said


def test_every_reason_has_a_next_step() -> None:
    assert all(step("x", reason=reason) for reason in Reason)
    assert step("x") == step("it grew slowly and nothing went down the drain"), "nothing urgent, nothing else"


@pytest.mark.parametrize("said", ["it worked until 4.4", "before 5.1 it was fast", "it worked until 10 February"])
def test_what_ended_is_no_deadline(said: str) -> None:
    assert "deadline" not in step(said)


def test_a_matter_of_an_account_names_no_page() -> None:
    assert "Read" not in step("x", account=True, apt=["A"])


def test_codes_are_read_whole_in_every_script() -> None:
    said = ["集計クエリがLK1208で失敗します。", "then EX-17 again, customer number AB1234, AES-256"]
    assert codes_of(said, codes_max=4) == ("EX-17", "LK1208")
    assert holds("LK1208で", "LK1208")
    assert not holds("E11000", "E1100")
