"""Every stage of the search made slow and broken in turn: what the asker gets, and where it is noted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from world import KB, ToyEmbedder, World, asker, page

from firstline.domain import Answered, Clarify, Escalated, HighStakes, Reason, Turn
from firstline.engines.memory.index import MemoryIndex
from firstline.errors import Unavailable
from firstline.ports import Hit, IndexQuery, Vectors

PAGES = (
    page("drivers", "# Drivers\n\nUpgrade the driver to end the duplicate key error after a retry.\n"),
    page("backup", "# Backup\n\nA backup of the cluster is taken every night and kept for a week.\n"),
    page("access", "# Access\n\nRoles grant access to a collection, never to a single document.\n"),
)
QUESTION = "Why is there a duplicate key error after a retry of the driver?"

Fault = Callable[[], Any]


async def late() -> None:
    await asyncio.sleep(30)


async def broken() -> None:
    raise Unavailable("down", remedy="wait")


class FaultyEmbedder(ToyEmbedder):
    fault: Fault | None = None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fault is not None:
            await self.fault()
        return await super().embed(texts)


class FaultyIndex(MemoryIndex):
    fault: Fault | None = None

    async def search(self, query: IndexQuery) -> list[Hit]:
        if self.fault is not None:
            await self.fault()
        return await super().search(query)


class ByWish:
    """A reranker that prefers the passages that hold a word."""

    model_id = "by-wish"

    def __init__(self, word: str, fault: Fault | None = None) -> None:
        self.word, self.fault = word, fault
        self.read: list[str] = []

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        if self.fault is not None:
            await self.fault()
        self.read += texts
        return [float(self.word in text) for text in texts]


async def asked(world: World, question: str = QUESTION, **limits: object) -> Turn:
    await world.ingest(*PAGES)
    session = await world.session()
    return await world.questions(**limits).ask(session=session, principal=asker(), question=question)


@pytest.mark.parametrize("fault", [late, broken])
async def test_without_the_embedder_words_alone_are_searched(fault: Fault) -> None:
    world = World(embedder=FaultyEmbedder())
    await world.ingest(*PAGES)
    world.embedder.fault = fault  # pyright: ignore[reportAttributeAccessIssue]  (it is the faulty one)

    turn = await asked(world, embed_budget_s=0.05)

    assert turn.degraded["embed"].endswith("words alone were searched")
    assert turn.degraded["embed"].startswith("late" if fault is late else "broken")
    chunk_id, scores = turn.evidence[0]
    assert (scores.dense, scores.document) == (0.0, 0.0)
    assert scores.words > 0
    assert chunk_id
    assert isinstance(turn.outcome, Answered | Clarify | Escalated)


async def test_without_the_embedder_high_stakes_are_still_seen() -> None:
    world = World(embedder=FaultyEmbedder())
    await world.ingest(*PAGES)
    world.embedder.fault = broken  # pyright: ignore[reportAttributeAccessIssue]  (it is the faulty one)

    turn = await asked(world, "I want to cancel my subscription and get my money back")

    assert isinstance(turn.outcome, HighStakes)


@pytest.mark.parametrize("fault", [late, broken])
async def test_without_the_index_the_turn_is_handed_over(fault: Fault) -> None:
    index = FaultyIndex(dimensions=64)
    world = World(index=index)
    await world.ingest(*PAGES)
    index.fault = fault

    turn = await asked(world, search_budget_s=0.05)

    assert isinstance(turn.outcome, Escalated)
    assert turn.outcome.handoff.reason is Reason.PROVIDER_FAILURE


@pytest.mark.parametrize("fault", [late, broken])
async def test_without_the_reranker_the_fused_order_stands(fault: Fault) -> None:
    plain = await asked(World())
    turn = await asked(World(reranker=ByWish("backup", fault)), rerank_budget_s=0.05)

    assert turn.degraded == {"rerank": f"{'late' if fault is late else 'broken'}: the fused order stands"}
    assert [scores for _, scores in turn.evidence] == [scores for _, scores in plain.evidence]
    assert plain.degraded == {}


async def test_a_reranker_decides_and_is_named_in_the_record() -> None:
    reranker = ByWish("backup")
    world = World(reranker=reranker)
    await world.ingest(*PAGES)
    found = await world.questions(rerank_weight=1.0).rank(principal=asker(), kb=KB, question=QUESTION)
    turn = await asked(world, rerank_weight=1.0)

    assert found[0].doc_id == "backup"
    assert "by-wish" in turn.model_ids
    assert "rerank" in turn.timings_ms
    # What it reads is what a person would: where the passage stands, then its text.
    assert any(text.startswith(("drivers > Drivers\n", "Drivers\n")) for text in reranker.read)
