"""Every stage of the search made slow and broken in turn: what the asker gets, and where it is noted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import pytest
from test_evidence_cases import INSERTS
from test_evidence_cases import PAGES as OTHER_PAGES
from world import KB, ToyEmbedder, World, asker, page

from firstline.domain import Answered, Clarify, Completeness, Escalated, HighStakes, Reason, Turn
from firstline.engines.memory.index import MemoryIndex
from firstline.errors import Unavailable
from firstline.models.classifier import open_classifier
from firstline.models.embedder import open_embedder
from firstline.ports import Hit, IndexQuery, Vectors
from firstline.settings import load_settings
from firstline.wiring import gates_of

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


class FaultyShipped:
    """The embedder of a new installation."""

    fault: Fault | None = None

    def __init__(self) -> None:
        settings = load_settings(environ={})
        self._inner = open_embedder(name=settings.embedder, model=settings.embedder_model, api_key="", threads=1)
        self.model_id, self.dimensions = self._inner.model_id, self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fault is not None:
            await self.fault()
        return await self._inner.embed(texts)


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
    assert isinstance(turn.outcome, Answered), "the toy gates weigh words alone"
    assert turn.outcome.claims[0].citations[0].doc_id == "drivers"


async def shipped(world: World, question: str) -> Turn:
    """With the gates and the classifier as shipped; the threshold of an operator who shows more."""
    journey = world.questions()
    journey._gates = gates_of(load_settings(environ={"FIRSTLINE_CONFIDENCE_GATE": "0.65"}))  # pyright: ignore[reportPrivateUsage]  (not the toys)
    journey._classifier = open_classifier(embedder=world.embedder.model_id)  # pyright: ignore[reportPrivateUsage]
    session = await world.session(uuid4().hex)
    return await journey.ask(session=session, principal=asker(), question=question)


def is_full(turn: Turn) -> bool:
    return isinstance(turn.outcome, Answered) and turn.outcome.completeness is Completeness.FULL


async def test_without_the_embedder_the_shipped_gates_let_little_pass() -> None:
    """What is answered in full with vectors is asked back about without them, unless its very words stand in a page."""
    embedder = FaultyShipped()
    world = World(embedder=embedder, index=MemoryIndex(dimensions=embedder.dimensions))  # pyright: ignore[reportArgumentType]  (no toy)
    await world.ingest(*PAGES, *OTHER_PAGES, *INSERTS)
    vague = (QUESTION, "How long are snapshots kept on the large plan?", "How do I turn audit logging on?")
    literal = "no free socket in pool, which setting?"
    for question in (*vague, literal):
        assert is_full(await shipped(world, question)), question
    embedder.fault = broken
    for question in vague:
        turn = await shipped(world, question)
        assert "embed" in turn.degraded and turn.evidence
        assert isinstance(turn.outcome, Clarify | Escalated), question
    turn = await shipped(world, literal)
    assert isinstance(turn.outcome, Answered) and turn.outcome.completeness is Completeness.UNSURE
    assert {citation.doc_id for claim in turn.outcome.claims for citation in claim.citations} == {"client"}


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


async def surprised() -> None:
    raise OverflowError("what no reranker says it raises")


@pytest.mark.parametrize("fault", [late, broken, surprised])
async def test_without_the_reranker_the_fused_order_stands(fault: Fault, caplog: pytest.LogCaptureFixture) -> None:
    plain = await asked(World())
    turn = await asked(World(reranker=ByWish("backup", fault)), rerank_budget_s=0.05)

    assert turn.degraded == {"rerank": f"{'late' if fault is late else 'broken'}: the fused order stands"}
    assert [scores for _, scores in turn.evidence] == [scores for _, scores in plain.evidence]
    assert plain.degraded == {}
    cause = {late: "late (TimeoutError)", broken: "broken (down)", surprised: "broken (OverflowError)"}[fault]
    assert f"stage rerank was {cause}: the fused order stands" in caplog.text


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
