"""Ending a thing inside the product is no farewell, declining a person no wish for one; harm is heard."""

from __future__ import annotations

import pytest

from firstline.domain import Category
from firstline.questions.card.urgent_words import tells_of_harm
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.product_things import ends_a_thing
from firstline.questions.triage import triage

IN_THE_PRODUCT = """
I want to cancel a running query
cancel my query please
How can I delete my account's collections?
cancel my build
stop my subscription to the topic
cancel our subscription to the orders queue
I need to terminate my long running export
remove all tables of my project
we want to stop our replication and keep the data
"""
HELD = """
cancel my plan
cancel my subscription
cancel my contract
cancel my account
cancel my backup plan
I want to cancel my build service subscription
stop my subscription to the premium support
cancel my subscription, the queries are slow
delete my account and all collections
close my account's profile
cancel my build and my contract
delete my data
"""


def reading(text: str, share: float) -> Category:
    rest = (1 - share) / (len(Category) - 1)
    shares = {each: share if each is Category.HIGH_STAKES else rest for each in Category}
    return triage(text, history=(), probabilities=shares).category


@pytest.mark.parametrize("text", IN_THE_PRODUCT.strip().splitlines())
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_ending_a_thing_of_the_product_is_no_high_stakes(text: str, share: float) -> None:
    assert reading(text, share) is not Category.HIGH_STAKES


@pytest.mark.parametrize("text", HELD.strip().splitlines())
def test_what_somebody_holds_with_the_company_stays_high_stakes(text: str) -> None:
    assert reading(text, 0.5) is Category.HIGH_STAKES


def test_a_dispute_beside_a_thing_stays_one() -> None:
    assert reading("cancel my build, you charged me for a month that I never paid", 0.7) is Category.HIGH_STAKES
    assert not ends_a_thing("cancel my lunch")


@pytest.mark.parametrize(
    "text",
    [
        "no person please",
        "No humans, please.",
        "I don't need a human",
        "I do not want to talk to an agent",
        "please don't connect me to a person",
        "I want to solve it without talking to a person",
        "no need for a human",
        "je ne veux pas parler à un humain",
        "no necesito un humano",
        "pas besoin d'un humain",
    ],
)
def test_who_declines_a_person_asks_for_none(text: str) -> None:
    assert not wants_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "no, a person please",
        "no bots, person please",
        "I don't want to talk to a bot, I want a human",
        "I don't need a manager, I need a human",
        "I don't need an agent that guesses. Let me talk to a person.",
        "don't you have a real person there?",
    ],
)
def test_a_wish_beside_something_declined_stays_one(text: str) -> None:
    assert wants_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "My server is down and production is losing money, help!!",
        "all of our data is gone!!!",
        "our whole data has gone",
        "everything is down since 9",
    ],
)
def test_an_outage_or_lost_data_is_told(text: str) -> None:
    assert tells_of_harm(text)


def test_a_question_about_data_tells_of_no_harm() -> None:
    assert not tells_of_harm("How do I break my data down by region?")
    assert not tells_of_harm("Where are the log files?")
