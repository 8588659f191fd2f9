"""A graph that answers what was not asked, or not for this asker, is not walked."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Collection
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_traverse import SCOPE, component, document, edge, graph_of, named, passages, walk

from firstline.domain import Edge, Entity, EntityKind, Level, Relation
from firstline.engines.memory.graph import MemoryGraph
from firstline.entity_names import KEY_CHARS_MAX, KEY_CHARS_MIN, keys_in, name_key
from firstline.errors import Unavailable
from firstline.questions.traverse import Walked, WalkLimits, traverse
from firstline.questions.walk.checked import Checked
from firstline.questions.walk.names import IDS_MAX, names_in

EXPORT = f"component:{name_key('Night Export')}"
TRUE = named("export")
LIES = {
    "another tenant": replace(TRUE, tenant="rival"),
    "another knowledge base": replace(TRUE, kb="other"),
    "other tags": replace(TRUE, acl=frozenset({"staff"})),
    "nobody": replace(TRUE, acl=frozenset()),
    "another level": replace(TRUE, level=Level.INTERNAL),
    "a later snapshot": replace(TRUE, since=SCOPE.snapshot + 1),
    "an ended one": replace(TRUE, until=SCOPE.snapshot),
    "no number": replace(TRUE, confidence=math.nan),
    "endless": replace(TRUE, confidence=math.inf),
    "above one": replace(TRUE, confidence=1.01),
    "below nothing": replace(TRUE, confidence=-0.1),
    "another name": named("core"),
    "another relation": replace(TRUE, relation=Relation.MENTIONS),
}


class Lying(MemoryGraph):
    def __init__(self, *lies: Edge) -> None:
        super().__init__()
        self.lies = list(lies)

    async def named(self, *args: object, **more: object) -> list[Edge]:
        return self.lies

    async def around(self, *args: object, **more: object) -> list[Edge]:
        return self.lies


@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_is_told_from_an_answer(lie: str) -> None:
    graph = Checked(Lying(LIES[lie]))
    with pytest.raises(Unavailable):
        await graph.named([EXPORT], SCOPE, limit_each=5)
    if lie != "another relation":
        with pytest.raises(Unavailable):
            await graph.around([EXPORT], SCOPE, relations={Relation.NAMES}, limit_each=5)


async def test_more_than_was_asked_for_is_a_lie_too() -> None:
    graph = Checked(Lying(*(named(f"export-{number}", "Night Export") for number in range(11))))
    assert len(await graph.named([EXPORT], SCOPE, limit_each=11)) == 11
    with pytest.raises(Unavailable):
        await graph.named([EXPORT], SCOPE, limit_each=10)
    with pytest.raises(Unavailable):
        await graph.around([EXPORT], SCOPE, relations={Relation.NAMES}, limit_each=5)


async def test_a_walk_ends_with_the_first_lie() -> None:
    with pytest.raises(Unavailable):
        await walk("Night Export's owner?", Lying(LIES["another tenant"]))


async def test_what_cannot_be_read_is_not_gone_on_from_and_its_title_stands_in_no_path() -> None:
    """The graph is behind the ledger: it still tells of a page that is forgotten, or whose answer has expired."""
    there = Entity(kind=EntityKind.ADDRESS, key="docs/billing", name="docs/billing")
    secret = Entity(kind=EntityKind.DOCUMENT, key="gone", name="Merger with Rival")
    graph = await graph_of(
        edge(secret, Relation.NAMES, component("Project Blue"), "gone"),
        edge(secret, Relation.REFERENCES, there, "gone"),
        edge(secret, Relation.MENTIONS, component("Relay Agent"), "gone"),
        edge(document("unrelated"), Relation.NAMES, there, "unrelated"),
    )
    walked = await walk("Who maintains Project Blue's agent?", graph)
    assert not any("Merger" in words for one in walked.reached for words in one.path)
    assert "unrelated" not in {one.doc_id for one in walked.reached}


async def walked_so_far(steps: int) -> Walked:
    return await traverse(
        "Night Export's owner?",
        [],
        SCOPE,
        graph=await graph_of(),
        passages=passages,
        limits=WalkLimits(budget_s=5, steps=steps),
    )


async def test_a_walk_that_was_cut_short_can_be_made_again() -> None:
    whole = await walked_so_far(100)
    assert whole.whole and whole.steps > 4
    sizes: list[int] = []
    for steps in range(1, whole.steps):
        part = await walked_so_far(steps)
        assert not part.whole and part.steps == steps
        assert part == await walked_so_far(steps)
        sizes.append(len(part.reached))
    assert sizes == sorted(sizes) and sizes[0] < len(whole.reached)


async def test_what_cannot_begin_in_time_reaches_nothing() -> None:
    class Hanging(MemoryGraph):
        async def named(self, *args: object, **more: object) -> list[Edge]:
            await asyncio.sleep(30)
            return []

    began = time.perf_counter()
    walked = await walk("Night Export's owner?", Hanging(), limits=WalkLimits(budget_s=0.05))
    assert (walked.reached, walked.whole, walked.begun, walked.steps) == ((), False, False, 0)
    assert time.perf_counter() - began < 5


async def test_what_was_begun_and_not_ended_reaches_nothing() -> None:
    """A step is whole or not there: a replay could not tell how far inside of one the walk was."""

    class Half(MemoryGraph):
        async def around(self, *args: object, **more: object) -> list[Edge]:
            await asyncio.sleep(30)
            return []

    graph = Half()
    await graph.upsert([named("export")])
    walked = await walk("What causes LK-1205 in the Night Export?", graph, limits=WalkLimits(budget_s=0.1))
    assert (walked.reached, walked.whole, walked.steps) == ((), False, 0)


async def test_so_many_ids_are_looked_up_and_no_more() -> None:
    asked: list[int] = []

    class Counting(MemoryGraph):
        async def named(self, entity_ids: Collection[str], *args: object, **more: object) -> list[Edge]:
            asked.append(len(entity_ids))
            return []

    texts = [" ".join(f"Relay{place}x{number}" for number in range(900)) for place in range(12)]
    found = await names_in(texts, SCOPE, graph=Counting())
    assert len(found) == len(texts)
    assert IDS_MAX <= sum(asked) <= IDS_MAX + 1


async def test_a_hundred_names_are_reached_within_the_limits() -> None:
    graph = await graph_of(*(named(f"n{number}", f"Unit Q{number}") for number in range(100)))
    question = "Which is older: " + " or ".join(f"Unit Q{number}" for number in range(100)) + "?"
    limits = WalkLimits(budget_s=5)
    walked = await walk(question, graph, limits=limits)
    assert walked.whole and len(walked.reached) == limits.reached


@pytest.mark.parametrize("hostile", ["</a><script>alert(1)</script>", "`](javascript:x)", "” NAMES “Root"])
async def test_a_title_in_a_path_stays_the_words_that_it_is(hostile: str) -> None:
    """Paths are data: whoever shows one escapes it. Nothing in a title makes a second step of one."""
    graph = await graph_of(named("odd", f"Odd Unit {hostile}"), named("odd", "Odd Unit"))
    walked = await walk("Odd Unit's owner?", graph)
    (odd,) = [one for one in walked.reached if one.doc_id == "odd"]
    assert odd.path == ("the question NAMES “Odd Unit”",)


@given(st.text(alphabet="aAbs T9.-_é數é'’,", max_size=120))
def test_keys_are_those_of_their_words(text: str) -> None:
    """Each run's key is the key of its words, at most so many of them, longest first of each word."""
    runs = list(keys_in(text))
    for key, start, end in runs:
        assert name_key(text[start:end]) == key
        assert KEY_CHARS_MIN <= len(key) <= KEY_CHARS_MAX
    assert runs == sorted(runs, key=lambda run: (run[1], -run[2]))
    few = set(keys_in(text, words_max=2))
    assert few <= set(runs)
