"""Causes that say the same in other words are one where a model says so, and where their words allow it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_communities import again, ask, causes, listed, opened, seen, store_of, ticket
from world import KB, TENANT, World

from firstline.caches.store import Kept
from firstline.documents.communities.alike import STATEMENTS_MAX, AlikeByModel, SameWords, may_be_one, merged
from firstline.documents.communities.build import CommunityBuilder
from firstline.domain import Finish, ModelRequest, ModelRole
from firstline.errors import InvalidInput, Unavailable
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import alike_of, compose
from firstline.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
from scripted_models import Scripted, Step, whole

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}
FULL = "The disk of the Relay Agent is full."
ALSO = "The disk of the Relay Agent was found full in the morning."
EXPIRED = "The certificate of the Relay Agent has expired."
NOT_FULL = "The disk of the Relay Agent is not full but slow."


def grouping(*groups: list[int]) -> list[Step]:
    return [json.dumps({"groups": list(groups)}), whole("openai:small")]


def by_model(steps: Sequence[Step]) -> tuple[AlikeByModel, Scripted]:
    model = Scripted("openai:small", lambda request, number: steps)
    settings = ModelsSettings.model_validate({"small": {"chain": ["openai:small"], "attempts": 1}})
    language, _ = compose(settings, {ModelRole.SMALL: (model,)}, Kept("model", bytes_max=0))
    return AlikeByModel(language), model


async def six_tickets(alike: Any, said: Sequence[str] = (FULL, FULL, ALSO, EXPIRED, EXPIRED, NOT_FULL)) -> World:
    world = opened()
    await world.ingest(*(ticket(f"t{at}", cause) for at, cause in enumerate(said)))
    own = {"graph": world.graph, "store": store_of(world), "knowledge": world.knowledge, "blobs": world.blobs}
    await CommunityBuilder(**own, alike=alike).build(**WHERE)
    return world


async def told_in(world: World) -> dict[str, int]:
    """Causes of all communities, with how many documents tell each."""
    return dict(causes(await seen(world)))


async def test_without_a_model_the_same_words_alone_are_one() -> None:
    told = await told_in(await six_tickets(SameWords()))
    assert (told[FULL], told[ALSO]) == (2, 1)


async def test_what_a_model_groups_is_told_by_all_of_them_in_the_words_of_most() -> None:
    alike, model = by_model(grouping([1, 3], [2, 4]))
    told = await told_in(await six_tickets(alike))
    assert told[FULL] == 3, told
    assert ALSO not in told
    assert told[EXPIRED] == 2 and NOT_FULL in told, "denied and not denied are never one"
    assert {part.label for part in model.calls[0].parts} >= {"sentence 1", "sentence 2"}


async def test_the_bot_tells_them_as_one_and_quotes_a_page() -> None:
    alike, _ = by_model(grouping([2, 4]))
    world = await six_tickets(alike)
    turn = await ask(world)
    assert FULL in [text for text, _ in listed(turn)]
    assert ALSO not in [text for text, _ in listed(turn)]
    assert (await again(world, turn)).same


@pytest.mark.parametrize(
    "steps",
    [
        [Unavailable("down", remedy="wait")],
        ["no json", whole()],
        [json.dumps({"groups": [[1, 3]]}), whole(finish=Finish.REFUSED)],
        grouping(),
        grouping([1], [99, 0, -4], [1, 1]),
        grouping([1, 2, 3, 4]),
    ],
    ids=["down", "words", "refused", "none", "no-places", "all"],
)
async def test_whatever_it_says_what_is_not_near_the_same_stays_apart(steps: list[Step]) -> None:
    alike, _ = by_model(steps)
    told = await told_in(await six_tickets(alike))
    assert {FULL, EXPIRED, NOT_FULL} <= set(told)
    assert told[EXPIRED] == 2


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        (FULL, ALSO, True),
        (FULL, EXPIRED, False),
        (FULL, NOT_FULL, False),
        ("The limit of 50 connections was reached.", "The limit of 100 connections was reached.", False),
        ("The limit of 50 connections was reached.", "All 50 connections of the limit were reached.", True),
        ("Version 4.1 has the bug.", "Version 4.2 has the bug.", False),
        ("The file `a.yaml` is wrong.", "The file `b.yaml` is wrong.", False),
        ("ok", "ok then", False),
    ],
)
def test_words_decide_whether_two_may_be_one(one: str, other: str, may: bool) -> None:
    assert may_be_one(one, other) is may
    assert may_be_one(other, one) is may


@given(
    st.lists(st.sampled_from([FULL, ALSO, EXPIRED, NOT_FULL, "x"]), max_size=8),
    st.lists(st.lists(st.integers(-2, 12), max_size=5), max_size=4),
)
def test_who_stands_for_another_stands_for_itself(said: list[str], groups: list[list[int]]) -> None:
    class Says:
        async def groups(self, statements: Sequence[str], *, tenant: str) -> list[list[int]]:
            return [[one for one in group if 0 <= one < len(statements)] or [0] for group in groups]

    distinct = list(dict.fromkeys(said))
    found = asyncio.run(merged(distinct, Says(), tenant="t"))
    assert not set(found) & set(found.values())
    assert all(may_be_one(one, other) for one, other in found.items())


async def test_a_long_list_is_bounded() -> None:
    alike, model = by_model(grouping())
    await merged([f"Cause number {at} of many." for at in range(200)], alike, tenant="t")
    assert len(model.calls[0].parts) == STATEMENTS_MAX
    await merged(["one"], alike, tenant="t")
    assert len(model.calls) == 1, "nothing to group, nobody asked"


def test_the_setting_needs_a_model() -> None:
    assert alike_of(Settings(), None) is None
    with pytest.raises(InvalidInput, match="communities_by"):
        alike_of(Settings(communities_by="model"), None)


def test_requests_are_of_the_role_small() -> None:
    alike, model = by_model(grouping([1, 2]))
    assert asyncio.run(alike.groups([FULL, ALSO], tenant="acme")) == [[0, 1]]
    request: ModelRequest = model.calls[0]
    assert (request.role, request.tenant, alike.asked, alike.failed) == (ModelRole.SMALL, "acme", 1, 0)
