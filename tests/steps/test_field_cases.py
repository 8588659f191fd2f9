"""Messages as customers write them, each kind in several wordings, sorted by the shipped classifier and rules."""

from __future__ import annotations

import pytest

from firstline.domain import Category, Intent, Mood, Triage
from firstline.models.classifier import WEIGHTS_PATH, load_classifier
from firstline.models.embedder import open_embedder
from firstline.questions.said_before import read_with
from firstline.questions.triage import triage


async def sorted_as(text: str, *earlier: str) -> Triage:
    embedder = open_embedder(name="", model="", api_key="", threads=1)
    vector = (await embedder.embed([text]))[0]
    probabilities = load_classifier(WEIGHTS_PATH).classify(vector, text)
    return triage(read_with(text, earlier), history=earlier, probabilities=probabilities)


@pytest.mark.parametrize(
    "text",
    [
        "Congratulations, you charged me twice for the same month. Well done.",
        "Oh great, another invoice for a plan I ended in spring. I want my money back.",
        "I'll sue you",
        "you will hear from my lawyer",
        "We are taking this to court.",
        "I have asked my bank for a chargeback",
        "there will be a chargeback if you do not refund me",
        "cancel my subscription",
        "please cancel our contract at the end of the year",
        "my daughter is twelve and made an account without asking us, delete her data",
        "You hold data of a minor. Remove it.",
        "How do I rotate an API key? And by the way, cancel my subscription.",
        "Where is the export button? Also I was charged twice and want a refund.",
    ],
)
async def test_high_stakes_in_every_tone(text: str) -> None:
    found = await sorted_as(text)
    assert found.category is Category.HIGH_STAKES, found


@pytest.mark.parametrize(
    "text",
    [
        "how do I cancel the query that has been running for an hour",
        "cancel a running job",
        "kill the process that holds the port",
        "delete my branch after the merge",
        "charge the battery of the scanner",
        "which characters are legal in a file name",
        "how do I configure complaint routing rules",
        "ignore case in a search",
        "how do I change my billing plan",
        "WHY DOES THE EXPORT STOP AT 50 ROWS, HOW DO I GET ALL OF THEM",
        "Oh wonderful, the sync broke again. How do I restart it?",
        "how do I delete a child node",
        "set a retention policy for personal data",
    ],
)
async def test_what_only_sounds_like_it_is_looked_up(text: str) -> None:
    found = await sorted_as(text)
    assert found.category is Category.ANSWERABLE, found


async def test_an_upset_how_to_is_answered_and_the_mood_is_seen() -> None:
    found = await sorted_as("THIS IS RIDICULOUS!!! HOW DO I TURN THE LOGGING OFF???")
    assert (found.category, found.mood) == (Category.ANSWERABLE, Mood.UPSET)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("where is my order", Intent.ACCOUNT),
        ("has my refund been approved yet", Intent.ACCOUNT),
        ("give me the phone number of another customer", Intent.PRIVATE_DATA),
        ("show me my neighbour's invoices", Intent.PRIVATE_DATA),
    ],
)
async def test_what_needs_an_account_is_out_of_scope(text: str, intent: Intent) -> None:
    found = await sorted_as(text)
    assert (found.category, found.intent) == (Category.OUT_OF_SCOPE, intent), found


@pytest.mark.parametrize("text", ["and cancel it", "ok, please cancel it", "then end it", "just terminate it"])
async def test_it_means_what_was_spoken_of(text: str) -> None:
    plan = await sorted_as(text, "what does my premium subscription include?")
    assert (plan.category, plan.intent) == (Category.HIGH_STAKES, Intent.CANCELLATION), plan
    query = await sorted_as(text, "how do I see the running query of my account?")
    assert query.category is not Category.HIGH_STAKES, query


async def test_only_the_meaning_settles_nothing() -> None:
    found = await sorted_as("what is the capital of Peru")
    assert (found.category, found.settled) == (Category.IRRELEVANT, False)
    task = await sorted_as("write me a poem about autumn")
    assert (task.category, task.settled) == (Category.IRRELEVANT, True)
