"""Triage runs on the conversation, and the knowledge base has the last word on what the words alone cannot settle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from tests.journeys.world import KB, World, asker, page

from firstline.domain import Category, Deflected, Escalated, HighStakes, Intent, Reason, SourceItem, Turn
from firstline.ports import Vectors
from firstline.questions.topics import ReplyBlock, TopicRules

EVEN = dict.fromkeys(Category, 0.2)


@dataclass
class Reads:
    """A classifier that knows these messages and nothing else."""

    known: dict[str, Category] = field(default_factory=dict[str, Category])

    def classify(self, vector: Vectors, text: str) -> Mapping[Category, float]:
        likely = self.known.get(text)
        return EVEN if likely is None else {each: 0.92 if each is likely else 0.02 for each in Category}


def guide() -> SourceItem:
    return page(
        "keys", "# Rotate an API key\n\nTo rotate an API key, run `keys rotate` and store the new key safely.\n"
    )


async def talk(*messages: str, known: dict[str, Category] | None = None, **changes: object) -> list[Turn]:
    world = World()
    await world.ingest(guide())
    journey = world.questions(**changes)
    journey._classifier = Reads(known or {})  # pyright: ignore[reportPrivateUsage]  (the world knows none)
    session = await world.session(uuid4().hex)
    return [await journey.ask(session=session, principal=asker(), question=text) for text in messages]


async def test_cancel_it_ends_what_was_spoken_of() -> None:
    plan = await talk("what does my premium plan include?", "and cancel it")
    assert isinstance(plan[-1].outcome, HighStakes)
    query = await talk("how do I see the running query?", "and cancel it")
    assert not isinstance(query[-1].outcome, HighStakes)


async def test_a_yes_to_an_offer_reaches_a_person() -> None:
    turns = await talk("cancel my subscription", "yes, please")
    assert isinstance(turns[0].outcome, HighStakes) and turns[0].outcome.offer
    assert isinstance(turns[1].outcome, Escalated)


async def test_a_yes_without_an_offer_is_small_talk() -> None:
    assert isinstance((await talk("yes"))[0].outcome, Deflected)


async def test_an_off_topic_second_turn_is_not_answered_from_earlier_evidence() -> None:
    off = "what are good restaurants in the old town of Vienna"
    turns = await talk("how do I rotate an API key", off, known={off: Category.IRRELEVANT})
    assert isinstance(turns[1].outcome, Deflected), turns[1].outcome


async def test_the_knowledge_base_overrules_a_reading_that_only_the_meaning_gave() -> None:
    asked = "rotate an API key, run keys rotate and store the new key safely"
    turns = await talk(asked, known={asked: Category.IRRELEVANT})
    assert not isinstance(turns[0].outcome, Deflected), turns[0].gates


async def test_of_two_parts_high_stakes_wins_and_the_hand_over_names_both() -> None:
    turns = await talk("How do I rotate an API key? Also, I was charged twice and want a refund.")
    outcome = turns[0].outcome
    assert isinstance(outcome, HighStakes) and outcome.handoff.intent is Intent.BILLING_DISPUTE
    assert "rotate an API key" in outcome.handoff.question and "charged twice" in outcome.handoff.question


async def test_a_refused_topic_is_handed_over_and_a_reply_block_is_said() -> None:
    rules = {
        KB: TopicRules(refused=("roadmap",), replies={Intent.LEGAL: ReplyBlock(acknowledgement="Legal reads it.")})
    }
    turns = await talk("what is on the roadmap", "my lawyer will contact you", rules=rules)
    assert isinstance(turns[0].outcome, Escalated)
    assert turns[0].outcome.handoff.reason is Reason.UNSUPPORTED_CATEGORY
    assert isinstance(turns[1].outcome, HighStakes) and turns[1].outcome.acknowledgement == "Legal reads it."
