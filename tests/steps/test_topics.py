"""What a knowledge base serves, refuses and says."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from firstline.domain import Category, Intent, Mood, Triage
from firstline.questions.out_of_scope import settled
from firstline.questions.topics import BUILT_IN, ReplyBlock, TopicRules, under_rules


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


REFUSING = [
    TopicRules(refused=(*names, "refund"), high_stakes=grave)
    for names, grave in product(((), ("billing",), tuple(BUILT_IN)), ((), (Intent.LEGAL,), tuple(Intent)))
]


@pytest.mark.parametrize("rules", REFUSING, ids=str)
def test_whatever_ends_answerable_says_no_refused_phrase_and_the_rules_hold_when_applied_again(
    rules: TopicRules,
) -> None:
    for category, intent, sure, beyond in product(Category, Intent, (True, False), (True, False)):
        reading = replace(found(category, intent), settled=sure)
        first = under_rules(reading, "I want a refund now", rules)
        last = under_rules(settled(first, beyond=beyond), "I want a refund now", rules)
        for ruled in (first, last):
            answered = ruled.category is Category.ANSWERABLE and ruled.intent is not Intent.PERSON
            assert not answered, (reading, ruled)
        assert under_rules(last, "I want a refund now", rules) == last


def test_a_phrase_is_found_in_what_the_message_was_understood_to_say() -> None:
    rules, reading = TopicRules(refused=("refund",)), found(Category.ANSWERABLE, Intent.HOW_TO)
    assert under_rules(reading, "refnd?", rules) is reading
    assert under_rules(reading, "refnd?", rules, also=["refund?"]).category is Category.OUT_OF_SCOPE


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


def test_a_contact_comes_after_the_offer() -> None:
    own = ReplyBlock(acknowledgement="We are sorry to see you go.", offer="Stay for half.", contact="Call 555-0100.")
    rules = TopicRules(replies={Intent.CANCELLATION: own, Intent.LEGAL: own})
    assert rules.told(Intent.CANCELLATION, offer="a month") == (own.acknowledgement, "Stay for half. Call 555-0100.")
    unoffered = TopicRules(replies={Intent.CANCELLATION: replace(own, offer="")})
    assert unoffered.told(Intent.CANCELLATION, offer="a month") == (own.acknowledgement, "a month Call 555-0100.")
    assert unoffered.told(Intent.CANCELLATION, offer="") == (f"{own.acknowledgement} Call 555-0100.", "")
