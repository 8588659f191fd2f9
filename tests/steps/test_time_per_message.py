"""Whatever somebody sends, what is done with each message takes time in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from tests.cost import costs_less

from firstline.domain import Asks, Clarify, Reason, Turn
from firstline.questions.card.case import Case
from firstline.questions.card.gist import gist
from firstline.questions.card.pointed import complains, is_pointed
from firstline.questions.card.read import MESSAGE_CHARS_MAX, TOTAL_CHARS_MAX, read_of
from firstline.questions.card.said import only_wish, sentences_of
from firstline.questions.claims.asked_figures import figures_unsaid
from firstline.questions.handoff import handoff
from firstline.questions.message.asked_for import asked_for
from firstline.questions.message.language import language_of
from firstline.questions.message.manner import asks_how, asks_why, is_shouted, reports_problem
from firstline.questions.message.opposites import opposed
from firstline.questions.message.pasted import condensed
from firstline.questions.message.person_wanted import wants_person, without_wish
from firstline.questions.message.references import begins_anew, changes_subject, is_telling, opens_subject, stands_alone
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.spoken import spoken, written_in
from firstline.questions.message.terms import codes, identifiers, terms
from firstline.questions.message.tongue import tongue_of
from firstline.questions.message.tongues import fold
from firstline.questions.triage import WITHOUT_CLASSIFIER, triage

LENGTH = 20_000
UNITS = (" ", ". ", "a_", "[", "1", "\n", "! ", "-", "a", "a ", "1.", "please ", "no person ", "失", "’", "\t.", "a1\n")
EACH: dict[str, Callable[[str], object]] = {
    "wants_person": wants_person,
    "without_wish": without_wish,
    "asked_for": lambda text: asked_for([text]),
    "language_of": language_of,
    "reports_problem": reports_problem,
    "asks_why": asks_why,
    "asks_how": asks_how,
    "is_shouted": is_shouted,
    "condensed": condensed,
    "stands_alone": stands_alone,
    "begins_anew": begins_anew,
    "changes_subject": lambda text: changes_subject(text, [text]),
    "is_telling": is_telling,
    "opens_subject": opens_subject,
    "small_talk": small_talk,
    "spoken": spoken,
    "written_in": written_in,
    "terms": terms,
    "codes": codes,
    "identifiers": identifiers,
    "tongue_of": tongue_of,
    "fold": fold,
    "complains": complains,
    "is_pointed": is_pointed,
    "sentences_of": lambda text: sentences_of(text, 0),
    "only_wish": only_wish,
    "opposed": lambda text: opposed(text, text),
    "figures_unsaid": lambda text: figures_unsaid(text[:1_000], [text]),
    "gist": lambda text: gist([text]),
    "triage": lambda text: triage(text, history=(), probabilities=WITHOUT_CLASSIFIER),
}


@pytest.mark.parametrize("name", EACH)
def test_what_is_done_with_every_message_is_bounded(name: str) -> None:
    slow = [
        unit
        for unit in UNITS
        for text in ((unit * LENGTH)[:LENGTH], f"I can not {(unit * LENGTH)[:LENGTH]} x")
        if not costs_less(lambda text=text: EACH[name](text), 0.25)
    ]
    assert slow == []


def turn(number: int, question: str) -> Turn:
    return Turn(
        session_id="s",
        number=number,
        question=question,
        asked_at=datetime.now(UTC),
        scope_hash="",
        snapshot=1,
        settings_hash="",
        model_ids=(),
        triage=None,
        plan=None,
        evidence=(),
        gates=(),
        outcome=Clarify(asks=Asks.DETAIL),
        timings_ms={},
        degraded={},
        gates_version=0,
        language="en",
    )


@pytest.mark.parametrize("unit", [" ", ". ", "a_", "The export fails with EX-1001. ", "1.2.3 "])
def test_the_card_of_a_long_conversation_of_long_messages_is_made_in_time(unit: str) -> None:
    said = read_of([(unit * LENGTH)[:LENGTH]] * 200)
    case = Case(
        session_id="s",
        turn=200,
        reason=Reason.LOW_CONFIDENCE,
        question=said[-1],
        earlier=[turn(number, text) for number, text in enumerate(said[:-1], start=1)],
        triage=None,
    )
    assert costs_less(lambda: handoff(case, handoff_id="h", created_at=datetime.now(UTC)), 2.0)


def test_the_newest_and_the_first_are_read_and_the_total_is_bounded() -> None:
    log = "2024-01-01 12:00:00 INFO worker 7 is idle at step 12 of the job\n" * 300
    messages = ["The export fails with EX-1001.", f"Here is the log:\n{log}", *("word " * 3_000,) * 40, "We run 7.0.2."]
    read = read_of(messages)
    assert len(read) == len(messages) and read[0] == messages[0] and read[-1] == messages[-1]
    assert sum(map(len, read)) <= TOTAL_CHARS_MAX + 100 * len(messages)
    assert all(len(text) <= MESSAGE_CHARS_MAX for text in read)


def test_one_pasted_log_does_not_hide_what_was_said_after_it() -> None:
    log = "".join(f"2024-01-01 12:{number % 60:02}:00 INFO worker {number} is idle\n" for number in range(450))
    said = dict(
        gist(["The export fails.", log, log, "It says EX-1001.", "We restarted the server, and it did not help."]).lines
    )
    assert "EX-1001" in said["Error"]
    assert said["Tried by the customer"] == "We restarted the server, and it did not help."
