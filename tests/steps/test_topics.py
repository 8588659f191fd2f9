"""What a knowledge base serves, refuses and says."""

from __future__ import annotations

import pytest

from firstline.domain import Category, Intent, Mood, Triage
from firstline.questions.topics import ReplyBlock, TopicRules, under_rules


def found(category: Category, intent: Intent) -> Triage:
    return Triage(
        category=category, confidence=0.9, intent=intent, entities=(), language="en", mood=Mood.NEUTRAL, reason="r"
    )


def test_the_built_in_rules_leave_a_reading_as_it_is() -> None:
    for category, intent in (
        (Category.HIGH_STAKES, Intent.BILLING_DISPUTE),
        (Category.OUT_OF_SCOPE, Intent.ACCOUNT),
        (Category.ANSWERABLE, Intent.HOW_TO),
    ):
        reading = found(category, intent)
        assert under_rules(reading, "how do I change my billing plan", TopicRules()) is reading


@pytest.mark.parametrize("text", ["What salaries are negotiated?", "can I negotiate a salary"])
def test_a_phrase_of_the_operator_is_refused_in_any_form(text: str) -> None:
    rules = TopicRules(refused=("salary negotiate",))
    got = under_rules(found(Category.ANSWERABLE, Intent.HOW_TO), text, rules)
    assert got.category is Category.OUT_OF_SCOPE
    assert "salary negotiate" in got.reason
    assert (
        under_rules(found(Category.ANSWERABLE, Intent.HOW_TO), "how do I sort", rules).category is Category.ANSWERABLE
    )


def test_a_built_in_topic_can_be_served_but_private_data_never() -> None:
    rules = TopicRules(refused=())
    served = under_rules(found(Category.OUT_OF_SCOPE, Intent.ACCOUNT), "where is my order", rules)
    assert served.category is Category.ANSWERABLE
    private = found(Category.OUT_OF_SCOPE, Intent.PRIVATE_DATA)
    assert under_rules(private, "his password", rules) is private


def test_an_intent_that_is_no_high_stakes_is_refused_or_looked_up() -> None:
    calm = TopicRules(high_stakes=(Intent.LEGAL,))
    dispute = found(Category.HIGH_STAKES, Intent.BILLING_DISPUTE)
    assert under_rules(dispute, "charged twice", calm).category is Category.OUT_OF_SCOPE
    leaving = found(Category.HIGH_STAKES, Intent.CANCELLATION)
    assert under_rules(leaving, "cancel my plan", calm).category is Category.ANSWERABLE


def test_a_refused_phrase_never_hides_high_stakes_or_a_person() -> None:
    rules = TopicRules(refused=("lawyer",))
    legal = found(Category.HIGH_STAKES, Intent.LEGAL)
    assert under_rules(legal, "my lawyer will call", rules) is legal
    person = found(Category.ANSWERABLE, Intent.PERSON)
    assert under_rules(person, "a person, not a lawyer", rules) is person


def test_reply_blocks_are_said_for_their_intent_alone() -> None:
    rules = TopicRules(
        replies={
            Intent.LEGAL: ReplyBlock(acknowledgement="Our legal team reads this today.", contact="legal@example.org"),
            Intent.COMPLAINT: ReplyBlock(contact="Call 555-0100."),
        }
    )
    assert rules.told(Intent.LEGAL, offer="a month") == ("Our legal team reads this today. legal@example.org", "")
    assert rules.told(Intent.CANCELLATION, offer="a month") == ("", "a month")
    assert rules.told(Intent.COMPLAINT, offer="a month") == ("", "Call 555-0100.")
