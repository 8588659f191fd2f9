"""Wrappers of models and index: the same port in and out, the same values with and without."""

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.journeys.world import KB, TENANT, ToyEmbedder, World, asker, page

from firstline.caches.caches import CACHES, Caches
from firstline.caches.embedding import KeptEmbedder
from firstline.caches.records import KIND, RecordsAndCaches
from firstline.caches.reranking import KeptReranker
from firstline.caches.retrieval import KeptIndex
from firstline.caches.store import Kept, key_of
from firstline.domain import EVERYONE, Completion, Finish, Level, Tombstone
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.models.words import EngineerWords
from firstline.ports import Hit, IndexQuery, Marks, Scope, Vectors

TEAM = frozenset({"team"})


class CountingEmbedder(ToyEmbedder):
    def __init__(self, model_id: str = "toy") -> None:
        self.model_id = model_id  # pyright: ignore[reportIncompatibleVariableOverride]  (a class constant there)
        self.calls: list[list[str]] = []
        self.lies: Vectors | None = None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        await asyncio.sleep(0)
        return self.lies if self.lies is not None else await super().embed(texts)


def store() -> Kept[Vectors]:
    return Kept("embedding", bytes_max=1_000_000)


async def test_a_text_is_embedded_once_and_nobody_can_change_what_is_kept():
    inner = CountingEmbedder()
    embedder = KeptEmbedder(inner, store())
    expected = await ToyEmbedder().embed(["a b"])
    for _ in range(3):
        found = await embedder.embed(["a b"])
        assert np.array_equal(found, expected)
        found[:] = 7
    several = await embedder.embed(["a b", "c", "a b", "d"])
    several[:] = 7
    assert np.array_equal(await embedder.embed(["d", "a b"]), await ToyEmbedder().embed(["d", "a b"]))
    assert inner.calls == [["a b"], ["c", "d"]]
    assert (embedder.model_id, embedder.dimensions) == ("toy", 64)


async def test_fifty_who_embed_the_same_are_one_call():
    inner = CountingEmbedder()
    embedder = KeptEmbedder(inner, store())
    await asyncio.gather(*(embedder.embed(["a"]) for _ in range(50)))
    assert inner.calls == [["a"]]


async def test_the_text_counts_to_the_letter_and_so_does_the_model():
    kept = store()
    one, other = CountingEmbedder("one"), CountingEmbedder("other")
    for text in ("a", "A", "a ", "a\n"):
        await KeptEmbedder(one, kept).embed([text])
        await KeptEmbedder(other, kept).embed([text])
    assert len(one.calls) == len(other.calls) == 4


@pytest.mark.parametrize("lie", [np.full((1, 64), np.nan), np.zeros((2, 64)), np.zeros((1, 3)), np.zeros((0, 64))])
async def test_an_embedder_that_lies_is_not_believed_twice(lie: Vectors):
    inner = CountingEmbedder()
    embedder = KeptEmbedder(inner, store())
    inner.lies = lie.astype(np.float32)
    assert (await embedder.embed(["a"])).shape == lie.shape, "the caller sees what it gave"
    inner.lies = None
    assert np.array_equal(await embedder.embed(["a"]), await ToyEmbedder().embed(["a"]))
    inner.lies = np.full((2, 64), np.inf, dtype=np.float32)
    await embedder.embed(["x", "y"])
    inner.lies = None
    assert np.isfinite(await embedder.embed(["x", "y"])).all()


async def test_ingestion_passes_by_the_cache():
    inner = CountingEmbedder()
    embedder = KeptEmbedder(inner, store())
    texts = [str(number) for number in range(9)]
    await embedder.embed(texts)
    await embedder.embed(texts)
    assert inner.calls == [texts, texts]
    assert (await embedder.embed([])).shape == (0, 64)


class CountingReranker:
    model_id = "judge"

    def __init__(self) -> None:
        self.calls = 0
        self.lies: list[float] | None = None

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.calls += 1
        return self.lies if self.lies is not None else [float(len(question) * len(text)) for text in texts]


async def test_a_call_of_the_reranker_is_kept_as_a_whole():
    inner = CountingReranker()
    reranker = KeptReranker(inner, Kept("rerank", bytes_max=100_000))
    for _ in range(2):
        scores = await reranker.score("ab", ["x", "yy"])
        assert scores == [2.0, 4.0]
        scores.clear()
    assert inner.calls == 1 and reranker.model_id == "judge"
    for question, texts in (("ab", ["yy", "x"]), ("ab", ["x"]), ("abx", ["yy"]), ("ab", ["xy", "y"])):
        assert await reranker.score(question, texts) == [float(len(question) * len(text)) for text in texts]
    assert inner.calls == 5
    for lie in ([1.0], [float("nan"), 1.0]):
        inner.lies = lie
        await reranker.score("lied", ["x", "y"])
    inner.lies = None
    assert await reranker.score("lied", ["x", "y"]) == [4.0, 4.0]


class CountingIndex:
    """The world's index, counting what is searched."""

    def __init__(self, world: World) -> None:
        self._index = world.index
        self.searches = 0
        self.extra: list[Hit] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._index, name)

    async def search(self, query: IndexQuery) -> list[Hit]:
        self.searches += 1
        await asyncio.sleep(0)
        return [*await self._index.search(query), *self.extra]

    async def neighbour(self, doc_id: str, scope: Scope, *, exclude: Collection[str] = ()) -> float:
        return await self._index.neighbour(doc_id, scope, exclude=exclude)


async def indexed() -> tuple[World, CountingIndex, KeptIndex, IndexQuery]:
    world = World()
    await world.ingest(
        page("open", "Rotate the log files."), page("team", "Rotate the log files of the team.", acl=TEAM)
    )
    inner = CountingIndex(world)
    index = KeptIndex(
        inner,  # pyright: ignore[reportArgumentType]  (hands every other method on)
        Kept("retrieval", bytes_max=1_000_000),
        knowledge=world.knowledge,
        frame=("3", "toy"),
    )
    text = "rotate log files"
    query = IndexQuery(
        scope=Scope.of(asker(), kb=KB, snapshot=1),
        dense=(await world.embedder.embed([text]))[0],
        words=EngineerWords().encode_query(text),
        limit=10,
    )
    return world, inner, index, query


async def test_a_search_is_kept_for_one_scope_and_one_query():
    _, inner, index, query = await indexed()
    first = await index.search(query)
    assert [hit.doc_id for hit in first] == ["open"]
    first.clear()
    assert [hit.doc_id for hit in await index.search(query)] == ["open"]
    assert inner.searches == 1
    scope = query.scope
    others = [
        replace(scope, acl_tags=frozenset({EVERYONE, "team"})),
        replace(scope, level_max=Level.INTERNAL),
        replace(scope, snapshot=2),
        replace(scope, tenant="umbra"),
        replace(scope, kb="attic"),
        replace(scope, forgotten=1),
    ]
    for number, other in enumerate(others, start=2):
        found = await index.search(replace(query, scope=other))
        assert inner.searches == number, "nothing is shared between scopes"
        assert ("team" in {hit.doc_id for hit in found}) == ("team" in other.acl_tags)
    for changed in (replace(query, limit=11), replace(query, dense=-query.dense)):
        await index.search(changed)
    assert inner.searches == len(others) + 3


async def test_a_search_whose_document_is_gone_is_made_anew():
    world, inner, index, query = await indexed()
    await index.search(query)
    await world.knowledge.bury(["open"], tenant=TENANT, kb=KB, by="t")
    await index.search(query)
    assert inner.searches == 2, "the same scope, as of somebody who began before"
    await index.purge(tenant=TENANT, kb=KB, doc_ids=["open"], upto=1)
    assert await index.search(query) == []
    assert await index.search(query) == [] and inner.searches == 3


async def test_an_index_that_lies_is_not_believed_twice():
    _, inner, index, query = await indexed()
    inner.extra = [Hit(chunk_id="x", doc_id="open", dense=float("nan"), words=0, document=0)]
    await index.search(query)
    inner.extra = []
    assert len(await index.search(query)) == 1 and inner.searches == 2


async def test_what_is_forgotten_goes_from_every_cache_and_is_looked_for_there():
    caches = Caches.of(dict.fromkeys(CACHES, 1))
    hit = Hit(chunk_id="c-1", doc_id="Secret/Page", dense=1, words=1, document=1)
    for tenant in ("acme", "umbra"):
        caches.retrieval.put(key_of("q", owner=(tenant, KB)), (hit,))
        caches.answer.put(key_of("q", owner=(tenant, KB)), ("answer", "says Anna’s name"))
        caches.answer.put(key_of("q", owner=(tenant, "other")), "other")
        caches.model.put(key_of("q", owner=(tenant, "")), Completion(text="x", finish=Finish.WHOLE, model_id="m"))
    records = RecordsAndCaches(MemoryRecordLedger(World().conversations), caches)
    marks = Marks(kb=KB, doc_ids=frozenset({"Secret/Page"}), texts=frozenset({"ANNA’s"}))
    assert (await records.quoting(marks, tenant="acme"))[KIND] == 2
    assert (await records.scrub(marks, tenant="acme"))[KIND] == 2
    assert (await records.quoting(marks, tenant="acme"))[KIND] == 0
    assert [len(kept) for kept in caches] == [0, 1, 0, 2, 1], "the other tenant keeps its own"
    now = datetime(2026, 1, 1, tzinfo=UTC)
    caches.forget(Tombstone(tenant="umbra", kb=KB, doc_id="x", upto=1, at=now, by="t"))
    assert [len(kept) for kept in caches] == [0, 0, 0, 1, 0], "a model may have seen any page"
    await records.forget_tenant("umbra")
    assert [len(kept) for kept in caches] == [0, 0, 0, 0, 0]


async def test_a_text_is_found_in_a_cache_however_it_is_quoted():
    caches = Caches.of(dict.fromkeys(CACHES, 1))
    said = """Anna said "it's O'Hara" on\na \\ line"""
    caches.answer.put(key_of("q", owner=("acme", KB)), ("answer", {"note": (said,)}))
    for text in ("O'HARA", "it's o'hara", '"it', "on\na", "\\ line", "note", said):
        assert await caches.naming([text], tenant="acme") == 1, text
        assert await caches.naming([text], tenant="umbra") == 0
    assert await caches.naming(["", "Berta"], tenant="acme") == 0


async def test_looking_for_the_names_of_a_book_keeps_nobody_waiting():
    caches = Caches.of(dict.fromkeys(CACHES, 64))
    for number in range(1_500):
        texts = tuple(f"{at} of {number} " + "word " * 40 for at in range(20))
        caches.answer.put(key_of(number, owner=("acme", KB)), texts)

    async def longest_wait() -> float:
        """Of the whole time that the looking took, the greatest part for which another task had to wait."""
        longest, done = 0.0, asyncio.Event()

        async def beat() -> None:
            nonlocal longest
            while not done.is_set():
                before = time.perf_counter()
                await asyncio.sleep(0.001)
                longest = max(longest, time.perf_counter() - before)

        beating = asyncio.create_task(beat())
        began = time.perf_counter()
        assert await caches.naming([f"chunk {at}" for at in range(40)], tenant="acme") == 0
        took = time.perf_counter() - began
        done.set()
        await beating
        return longest / took

    # Without turns for others it is all of the time, every time; with a busy machine, once.
    assert min([await longest_wait() for _ in range(3)]) < 1 / 2
