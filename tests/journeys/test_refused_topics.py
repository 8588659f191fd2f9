"""The operator's rules have the last word, whichever way a message came to be looked up or turned away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.journeys.world import KB, World, asker, page

from firstline.domain import Answered, Category, Clarify, Escalated, Intent, Reason, Turn
from firstline.ports import Vectors
from firstline.questions.topics import BUILT_IN, TopicRules

DOSAGE = "Recommended dosage of the medicine for adults"
REFUSING = TopicRules(refused=(*BUILT_IN, "dosage medicine"))


class Shares:
    """A classifier that reads every message alike."""

    def __init__(self, **shares: float) -> None:
        self._shares = {each: shares.get(each.value, 0.01) for each in Category}

    def classify(self, vector: Vectors, text: str) -> Mapping[Category, float]:
        return self._shares


async def pharmacy(*titles: str) -> World:
    world = World()
    others = [page(f"o{n}", f"# Other {n}\n\nNothing much about subject{n} here.\n") for n in range(12)]
    named = [
        page(f"n{n}", f"# {title}\n\nThe {title.lower()} is 5 mg.\n", title=title) for n, title in enumerate(titles)
    ]
    await world.ingest(*named, *others)
    return world


async def talk(world: World, *messages: str, rules: TopicRules, shares: Shares | None = None) -> list[Turn]:
    journey, session = world.questions(rules={KB: rules}), await world.session()
    if shares is not None:
        journey._classifier = shares  # pyright: ignore[reportPrivateUsage]  (the world's reads nothing)
    return [await journey.ask(session=session, principal=asker(), question=text) for text in messages]


def is_refused(turn: Turn) -> bool:
    return isinstance(turn.outcome, Escalated) and turn.outcome.handoff.reason is Reason.UNSUPPORTED_CATEGORY


@pytest.mark.parametrize(
    "shares",
    [None, Shares(out_of_scope=0.51, answerable=0.46), Shares(out_of_scope=0.55, answerable=0.42)],
    ids=["answerable", "unsettled", "more unsettled"],
)
async def test_a_refused_phrase_is_refused_whatever_the_classifier_reads(shares: Shares | None) -> None:
    world = await pharmacy(DOSAGE)
    answered = (await talk(world, DOSAGE, rules=TopicRules(), shares=shares))[0]
    assert isinstance(answered.outcome, Answered), "without the rule it is answered"
    assert is_refused((await talk(await pharmacy(DOSAGE), DOSAGE, rules=REFUSING, shares=shares))[0])


async def test_a_refused_phrase_that_is_misspelt_is_refused_as_it_was_read() -> None:
    world = await pharmacy(DOSAGE)
    turn = (await talk(world, "Recommended dosagge of the medicine for adults", rules=REFUSING))[0]
    assert turn.plan is not None and turn.plan.corrections, "the knowledge base knows the word"
    assert is_refused(turn)


async def test_a_refused_topic_that_is_picked_by_its_number_is_refused() -> None:
    world = await pharmacy("Medicine storage for adults", "Medicine dosage for adults")
    journey, session = world.questions(rules={KB: REFUSING}), await world.session()
    gates = journey._gates  # pyright: ignore[reportPrivateUsage]  (the world sets one threshold for all)
    journey._gates = {**gates, "relevance": replace(gates["relevance"], threshold=1.0)}  # pyright: ignore[reportPrivateUsage]
    asked_back = (await journey.ask(session=session, principal=asker(), question="the medicine")).outcome
    assert isinstance(asked_back, Clarify) and asked_back.options
    number = next(at for at, title in enumerate(asked_back.options, 1) if "dosage" in title)
    assert is_refused(
        await world.questions(rules={KB: REFUSING}).ask(session=session, principal=asker(), question=str(number))
    )


@pytest.mark.parametrize("served", [True, False])
async def test_weak_evidence_turns_no_topic_away_that_is_served(served: bool) -> None:
    rules = TopicRules(refused=tuple(name for name in BUILT_IN if name != "account" or not served))
    message = "how do I find the zebra of the garden in summer"  # not read as account by triage, for it asks how
    shares = Shares(out_of_scope=0.9, answerable=0.05)
    turn = (await talk(await pharmacy(DOSAGE), message, rules=rules, shares=shares))[0]
    assert turn.triage is not None
    if served:
        assert turn.triage.category is Category.ANSWERABLE and isinstance(turn.outcome, Clarify)
    else:
        assert turn.triage.intent is Intent.ACCOUNT and is_refused(turn)


async def test_what_is_no_high_stakes_here_is_compared_with_the_phrases_too() -> None:
    rules = TopicRules(refused=("refund",), high_stakes=())
    assert is_refused((await talk(await pharmacy("Refund"), "I want a refund now", rules=rules))[0])
