"""Questions that wait together are embedded together, and each gets its own vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from firstline.caches.embedding import KeptEmbedder
from firstline.caches.store import Kept
from firstline.errors import Unavailable
from firstline.models.embedder import for_questions
from firstline.models.embedder_endpoint import CONCURRENT_MAX, EndpointEmbedder
from firstline.models.gathered import GatheredEmbedder
from firstline.ports import Vectors


class Slow:
    """Answers when told to. A text's vector is its length."""

    model_id = "slow@1"
    dimensions = 1

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.go = asyncio.Semaphore(0)
        self.fails = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        await self.go.acquire()
        if self.fails:
            raise Unavailable("the model is down")
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def ask(embedder: GatheredEmbedder, *texts: str) -> asyncio.Task[Vectors]:
    return asyncio.create_task(embedder.embed(texts))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_first_goes_at_once_and_those_who_wait_go_together() -> None:
    inner = Slow()
    embedder = GatheredEmbedder(inner, texts_max=4)
    tasks = [ask(embedder, "a")]
    await settle()
    assert inner.calls == [["a"]]
    tasks += [ask(embedder, "bb"), ask(embedder, "ccc", "dddd"), ask(embedder, "eeeee", "ffffff")]
    await settle()
    inner.go.release()
    await settle()
    # Three texts: the next two would not fit, and nobody is overtaken.
    assert inner.calls[1:] == [["bb", "ccc", "dddd"]]
    inner.go.release()
    inner.go.release()
    found = await asyncio.gather(*tasks)
    assert inner.calls[2:] == [["eeeee", "ffffff"]]
    assert [part.tolist() for part in found] == [[[1]], [[2]], [[3], [4]], [[5], [6]]]


async def test_it_starts_again_after_it_has_come_to_rest() -> None:
    inner = Slow()
    embedder = GatheredEmbedder(inner)
    for _ in range(3):
        inner.go.release()
        assert (await embedder.embed(["one"])).tolist() == [[3]]
    assert len(inner.calls) == 3


async def test_a_failure_reaches_those_who_fail_alone_too() -> None:
    inner = Slow()
    embedder = GatheredEmbedder(inner)
    first = ask(embedder, "a")
    await settle()
    second, third = ask(embedder, "b"), ask(embedder, "c")
    await settle()
    inner.go.release()
    await settle()
    inner.fails = True
    for _ in range(3):
        inner.go.release()
    assert (await first).tolist() == [[1]]
    for task in (second, third):
        with pytest.raises(Unavailable):
            await task
    assert inner.calls == [["a"], ["b", "c"], ["b"], ["c"]], "once more for each, and no more"
    inner.fails = False
    inner.go.release()
    assert (await embedder.embed(["later"])).tolist() == [[5]]


async def test_who_gives_up_is_left_out_and_holds_up_nobody() -> None:
    inner = Slow()
    embedder = GatheredEmbedder(inner)
    first = ask(embedder, "a")
    await settle()
    second, third = ask(embedder, "b"), ask(embedder, "c")
    await settle()
    first.cancel()
    second.cancel()
    await settle()
    inner.go.release()
    inner.go.release()
    assert (await third).tolist() == [[1]]
    assert inner.calls == [["a"], ["c"]]


async def test_ingestion_passes_by() -> None:
    inner = Slow()
    embedder = GatheredEmbedder(inner, texts_max=2)
    waiting = ask(embedder, "a")
    await settle()
    bulk = ask(embedder, "x", "y", "z")
    await settle()
    assert inner.calls == [["a"], ["x", "y", "z"]]
    inner.go.release()
    inner.go.release()
    await asyncio.gather(waiting, bulk)


async def test_questions_use_it_behind_their_cache() -> None:
    inner = Slow()
    embedder = KeptEmbedder(for_questions(inner), Kept("embedding", bytes_max=100_000))
    assert (embedder.model_id, embedder.dimensions) == ("slow@1", 1)
    inner.go.release()
    await embedder.embed(["a"])
    await embedder.embed(["a"])
    assert inner.calls == [["a"]]


class Picky(Slow):
    """Refuses one text."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = await super().embed(texts)
        if "poison" in texts:
            raise Unavailable("refused")
        return vectors


async def test_a_text_that_is_refused_fails_nobody_else() -> None:
    inner = Picky()
    embedder = GatheredEmbedder(inner)
    tasks = [ask(embedder, "a")]
    await settle()
    tasks += [ask(embedder, "b"), ask(embedder, "poison"), ask(embedder, "cc", "ddd")]
    await settle()
    for _ in range(5):
        inner.go.release()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(found.pop(2), Unavailable)
    assert [part.tolist() for part in found if not isinstance(part, BaseException)] == [[[1]], [[1]], [[2], [3]]]


async def test_a_call_that_hangs_ends_with_the_last_who_waits_for_it() -> None:
    inner = Slow()
    embedder = GatheredEmbedder(inner)
    first = ask(embedder, "a")
    await settle()
    hung = [ask(embedder, "b"), ask(embedder, "c")]
    inner.go.release()
    await first
    await settle()
    later = ask(embedder, "later")
    hung[0].cancel()
    await settle()
    assert inner.calls == [["a"], ["b", "c"]], "one still waits"
    hung[1].cancel()
    await settle()
    assert inner.calls[2:] == [["later"]], "its place is free again"
    inner.go.release()
    assert (await later).tolist() == [[5]]


async def test_an_endpoint_gets_as_many_calls_at_once_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Slow()
    endpoint = EndpointEmbedder(url="http://127.0.0.1:1/", model="", api_key="")
    monkeypatch.setattr(endpoint, "embed", inner.embed)
    embedder = for_questions(endpoint)
    tasks: list[asyncio.Task[Vectors]] = []
    for number in range(CONCURRENT_MAX + 3):
        tasks.append(asyncio.create_task(embedder.embed([str(number)])))
        await settle()
    assert len(inner.calls) == CONCURRENT_MAX
    for _ in tasks:
        inner.go.release()
    await asyncio.gather(*tasks)
    assert len(inner.calls) == CONCURRENT_MAX + 1
