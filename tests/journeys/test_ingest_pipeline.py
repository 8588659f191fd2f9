"""Batches overlap, commits do not; errors and cancellation end every stage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
from tests.journeys.world import KB, TENANT, Items, ToyEmbedder, World, page

from firstline.documents.embed import TEXTS_PER_CALL, embed
from firstline.documents.pipeline import pipeline
from firstline.errors import Unavailable
from firstline.ports import Vectors


class Stages:
    """Writes down what happened, in order."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.prepared = 0

    async def batches(self, count: int, *, error: Exception | None = None) -> AsyncIterator[int]:
        for number in range(count):
            self.prepared = number + 1
            yield number
        if error is not None:
            raise error

    async def embed(self, number: int) -> int:
        self.log.append(f"embed {number}")
        await asyncio.sleep(0)
        return number * 10

    async def commit(self, number: int, vectors: int) -> None:
        assert vectors == number * 10
        self.log.append(f"commit {number}")
        await asyncio.sleep(0.002)
        self.log.append(f"committed {number}")

    @property
    def committed(self) -> list[int]:
        return [int(line.split()[1]) for line in self.log if line.startswith("committed")]


async def test_the_next_batch_is_embedded_while_this_one_is_committed_and_commits_never_overlap() -> None:
    stages = Stages()
    await pipeline(stages.batches(5), embed=stages.embed, commit=stages.commit)
    assert stages.committed == [0, 1, 2, 3, 4]
    commits = [line for line in stages.log if "commit" in line]
    assert commits == [f"{word} {n}" for n in range(5) for word in ("commit", "committed")]
    assert stages.log.index("embed 1") < stages.log.index("committed 0")


async def test_a_source_far_ahead_waits() -> None:
    stages, hold = Stages(), asyncio.Event()

    async def held(number: int, vectors: int) -> None:
        await hold.wait()
        await stages.commit(number, vectors)

    running = asyncio.create_task(pipeline(stages.batches(100), embed=stages.embed, commit=held))
    await asyncio.sleep(0.05)
    assert stages.prepared <= 7, "one in each stage, three in the queues and one in hand"
    hold.set()
    await running
    assert len(stages.committed) == 100


async def test_what_was_read_before_the_source_failed_is_committed() -> None:
    stages = Stages()
    with pytest.raises(Unavailable, match="the source is down"):
        await pipeline(
            stages.batches(3, error=Unavailable("the source is down", remedy="Wait.")),
            embed=stages.embed,
            commit=stages.commit,
        )
    assert stages.committed == [0, 1, 2]


@pytest.mark.parametrize("stage", ["embed", "commit"])
async def test_an_error_of_a_stage_is_raised_as_it_was_and_ends_the_others(stage: str) -> None:
    stages = Stages()

    async def embed_or_fail(number: int) -> int:
        if stage == "embed" and number == 2:
            raise Unavailable("no model", remedy="Wait.") from OSError("why")
        return await stages.embed(number)

    async def commit_or_fail(number: int, vectors: int) -> None:
        if stage == "commit" and number == 2:
            raise Unavailable("no model", remedy="Wait.") from OSError("why")
        await stages.commit(number, vectors)

    with pytest.raises(Unavailable, match="no model") as caught:
        await pipeline(stages.batches(50), embed=embed_or_fail, commit=commit_or_fail)
    assert isinstance(caught.value.__cause__, OSError)
    assert stages.committed in ([], [0], [0, 1])
    assert stages.prepared < 20
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("ingest-")]


class SlowEmbedder(ToyEmbedder):
    def __init__(self) -> None:
        self.calls: list[Sequence[str]] = []
        self.started = asyncio.Event()
        self.stuck_at = 10**9

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(texts)
        if len(self.calls) >= self.stuck_at:
            self.started.set()
            await asyncio.Event().wait()
        return await super().embed(texts)


async def test_a_cancelled_run_leaves_no_task_and_keeps_what_was_committed() -> None:
    world, embedder = World(), SlowEmbedder()
    embedder.stuck_at = 3
    world.embedder = embedder
    pages = [page(str(number), f"Words of page {number}.") for number in range(20)]
    running = asyncio.create_task(world.documents.ingest(Items(*pages), tenant=TENANT, kb=KB))
    await embedder.started.wait()
    await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("ingest-")]
    assert len(await world.knowledge.current(tenant=TENANT, kb=KB)) == 4, "two batches of two"
    assert (await world.knowledge.published(tenant=TENANT, kb=KB)).number == 0

    world.embedder = ToyEmbedder()
    report = await world.ingest(*pages)
    assert (report.unchanged, report.added, report.snapshot) == (4, 16, 1)


async def test_equal_texts_are_embedded_once_and_every_row_finds_its_text() -> None:
    embedder = SlowEmbedder()
    texts = [f"word {number % 7} and some more" for number in range(50)]
    vectors = await embed(texts, embedder=embedder)
    assert sorted(embedder.calls[0]) == sorted(set(texts))
    assert np.array_equal(vectors, await ToyEmbedder().embed(texts))


async def test_many_texts_go_in_calls_that_can_be_waited_for() -> None:
    embedder = SlowEmbedder()
    texts = [f"text {number} " + "more " * (number % 13) for number in range(2 * TEXTS_PER_CALL + 5)]
    vectors = await embed(texts, embedder=embedder)
    assert [len(call) for call in embedder.calls] == [TEXTS_PER_CALL, TEXTS_PER_CALL, 5]
    assert np.array_equal(vectors, await ToyEmbedder().embed(texts))
