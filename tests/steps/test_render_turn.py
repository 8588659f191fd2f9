"""What a reply owes to the message that it answers: a person offered in need, and the true reason of a refusal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.contracts.ledger_samples import handoff, turn

from firstline.domain import Category, Clarify, Deflected, Escalated, Intent, Mood, Outcome, Reason, Triage
from firstline.questions.render import render_turn
from firstline.questions.said_before import Offer, offered
from firstline.questions.topics import TopicRules, under_rules
from firstline.questions.wording.text_keys import LANGUAGES
from firstline.questions.wording.voice import shipped

DOWN = "My server is down and production is losing money, help!!"
GONE = "all of our data is gone!!!"


@pytest.mark.parametrize("message", [DOWN, GONE])
@pytest.mark.parametrize("outcome", [Clarify(), Deflected(category=Category.IRRELEVANT, topics=())])
def test_who_tells_of_harm_and_gets_no_answer_is_offered_a_person(message: str, outcome: Outcome) -> None:
    assert render_turn(turn("s", 1, question=message, outcome=outcome), shipped()).person == "soft"


def test_an_everyday_question_back_offers_none() -> None:
    assert render_turn(turn("s", 1, question="How do I restart it?", outcome=Clarify()), shipped()).person == "none"


def test_a_yes_takes_the_person_that_was_offered_and_else_the_page() -> None:
    assert offered(turn("s", 1, question=GONE, outcome=Clarify())) is Offer.PERSON
    assert offered(turn("s", 1, question=GONE, outcome=Clarify(options=("A", "B")))) is Offer.CHOICE
    assert offered(turn("s", 1, question="How?", outcome=Clarify())) is Offer.CHOICE


def told(found: Triage, language: str = "en") -> str:
    handed = replace(handoff("s"), reason=Reason.UNSUPPORTED_CATEGORY)
    asked = replace(turn("s", 1, outcome=Escalated(handoff=handed)), triage=found, language=language)
    return render_turn(asked, shipped()).notice


def test_a_refused_phrase_is_told_as_a_topic_and_not_as_a_matter_of_the_account() -> None:
    reading = Triage(
        category=Category.ANSWERABLE,
        confidence=0.9,
        intent=Intent.HOW_TO,
        entities=(),
        language="en",
        mood=Mood.NEUTRAL,
        reason="",
    )
    refused = under_rules(reading, "What is on the roadmap?", TopicRules(refused=("roadmap",)))
    account = replace(refused, intent=Intent.ACCOUNT)
    said = {language: told(refused, language) for language in LANGUAGES}
    assert said["en"].startswith("This is a topic that I do not answer here.")
    assert told(account).startswith("This needs somebody who can look at your account")
    assert len(set(said.values())) == len(LANGUAGES)
