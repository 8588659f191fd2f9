"""The engines agree with the reference on random histories, and the graph with brute force."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from index_samples import DIMENSIONS, random_entry, random_question

from firstline.domain import EVERYONE, FOREVER, Level
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.qdrant_edge import QdrantEdgeIndex, layout, open_qdrant_edge
from firstline.engines.qdrant_edge.shard import Shard
from firstline.ports import Hit, IndexEntry, IndexQuery, Scope, SparseVector


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


@pytest.mark.parametrize("seed", range(8))
async def test_random_histories_give_the_same_answers(folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    tenant = f"tenant-{uuid.uuid4()}"
    offset = int(random.integers(1, 2**60)) * 1000
    reference = MemoryIndex(dimensions=DIMENSIONS)
    compared = 0
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as engine:
        for _ in range(12):
            await change(random, (reference, engine), tenant=tenant, offset=offset)
            for _ in range(5):
                query = random_question(random, tenant=tenant)
                # Everything in scope, so that rounding cannot decide who makes the cut.
                everything = IndexQuery(scope=query.scope, dense=query.dense, words=query.words, limit=1000)
                expected = {hit.chunk_id: hit for hit in await reference.search(everything)}
                found = await engine.search(everything)
                assert {hit.chunk_id for hit in found} == expected.keys()
                assert_scores(found, expected)
                cut = await engine.search(query)
                assert_best(cut, expected, limit=query.limit)
                compared += len(found)
    assert compared > 500


async def change(
    random: np.random.Generator, indexes: Sequence[MemoryIndex | QdrantEdgeIndex], *, tenant: str, offset: int
) -> None:
    numbers = [offset + int(number) for number in random.integers(0, 120, size=40)]
    entries = [random_entry(random, tenant=tenant, number=number) for number in dict.fromkeys(numbers)]
    ended = [str(uuid.UUID(int=offset + int(number) + 1)) for number in random.integers(0, 120, size=8)]
    until = int(random.integers(2, 5)) if random.random() < 0.7 else FOREVER
    documents = [f"doc-{(offset + int(number)) // 3}" for number in random.integers(0, 120, size=3)]
    since = int(random.integers(1, 4))
    for index in indexes:
        await index.upsert(entries)
        await index.set_until(ended, until)
        await index.delete(tenant=tenant, kb="docs", doc_ids=documents, since=since)


def assert_scores(found: Sequence[Hit], expected: dict[str, Hit]) -> None:
    for hit in found:
        known = expected[hit.chunk_id]
        assert hit.doc_id == known.doc_id
        assert hit.dense == pytest.approx(known.dense, abs=2e-3)
        assert hit.words == pytest.approx(known.words, rel=1e-2, abs=1e-6)
        assert hit.document == pytest.approx(known.document, abs=2e-3)
    assert list(found) == sorted(found, key=lambda hit: (-hit.dense, hit.chunk_id))


def assert_best(found: Sequence[Hit], expected: dict[str, Hit], *, limit: int) -> None:
    """Whatever is better than the worst of a list by more than rounding, is in the list."""
    assert_scores(found, expected)
    ids = {hit.chunk_id for hit in found}
    by_vector = sorted((hit.dense for hit in expected.values()), reverse=True)[:limit]
    by_words = sorted((hit.words for hit in expected.values() if hit.words > 0), reverse=True)[:limit]
    for hit in expected.values():
        if by_vector and hit.dense > by_vector[-1] + 4e-3:
            assert hit.chunk_id in ids
        if by_words and hit.words > by_words[-1] * 1.02:
            assert hit.chunk_id in ids
    assert len(found) <= 2 * limit


SIZE = 64
CHUNKS = 60_000
SHARES = {"all": 1, "tenth": 10, "hundredth": 100, "thousandth": 1000}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_graph_finds_what_brute_force_finds_under_narrow_filters(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    centres = random.normal(size=(200, SIZE))
    vectors = (centres[random.integers(0, 200, CHUNKS)] + random.normal(size=(CHUNKS, SIZE))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert layout.INDEXING_VECTORS_MIN < CHUNKS
    shard = Shard.open(tmp_path / "index", dimensions=SIZE, exact_max=0)
    for start in range(0, CHUNKS, 1000):
        shard.upsert([recall_entry(number, vectors[number]) for number in range(start, start + 1000)])
    assert shard.optimize()

    for share, step in SHARES.items():
        allowed = np.arange(0, CHUNKS, step)
        recalls: list[float] = []
        for _ in range(20):
            wanted = vectors[int(random.integers(CHUNKS))] + random.normal(size=SIZE).astype(np.float32) * 0.1
            truth = {str(uuid.UUID(int=int(n))) for n in allowed[np.argsort(-(vectors[allowed] @ wanted))[:10]]}
            scope = Scope(tenant="t", kb="k", acl_tags=frozenset({share}), level_max=Level.PUBLIC, snapshot=1)
            words = SparseVector(indices=(), values=())
            hits = shard.search(IndexQuery(scope=scope, dense=wanted, words=words, limit=50))
            recalls.append(len(truth & {hit.chunk_id for hit in hits[:10]}) / 10)
        assert np.mean(recalls) >= 0.97, share
    shard.close()


def recall_entry(number: int, vector: np.ndarray) -> IndexEntry:
    return IndexEntry(
        chunk_id=str(uuid.UUID(int=number)),
        tenant="t",
        kb="k",
        doc_id=f"d{number}",
        acl=frozenset({EVERYONE, *(share for share, step in SHARES.items() if number % step == 0)}),
        level=Level.PUBLIC,
        since=1,
        dense=vector,
        words=SparseVector(indices=(), values=()),
    )
