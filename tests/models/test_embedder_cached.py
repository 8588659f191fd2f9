"""Caches around an embedder: the same vectors, fewer calls, never a damaged record."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from firstline.models.cached import CachedEmbedder
from firstline.ports import Vectors


class Counting:
    """Vectors made from a digest of the text; counts the texts it was asked for."""

    dimensions = 8

    def __init__(self, model_id: str = "counting@1") -> None:
        self.model_id = model_id
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.extend(texts)
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row] = np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], dtype=np.uint8) + 1.0
        return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


async def test_a_second_run_asks_for_nothing_and_gives_the_same_vectors(tmp_path: Path) -> None:
    first = await CachedEmbedder(Counting(), tmp_path).embed(["a", "b", "a"])
    inner = Counting()
    again = CachedEmbedder(inner, tmp_path)
    assert np.array_equal(await again.embed(["a", "b", "a"]), first)
    assert inner.asked == []
    assert np.array_equal((await again.embed(["c", "b"]))[1], first[1])
    assert inner.asked == ["c"]
    assert (await again.embed([])).shape == (0, 8)


async def test_another_model_id_shares_nothing(tmp_path: Path) -> None:
    await CachedEmbedder(Counting(), tmp_path).embed(["a"])
    other = Counting("counting@2")
    await CachedEmbedder(other, tmp_path).embed(["a"])
    assert other.asked == ["a"]


async def test_torn_and_damaged_records_are_computed_again(tmp_path: Path) -> None:
    first = await CachedEmbedder(Counting(), tmp_path).embed(["a", "b", "c"])
    (path,) = tmp_path.glob("*.young")
    raw = bytearray(path.read_bytes())
    raw[40] ^= 0xFF  # inside the first record's vector
    path.write_bytes(raw[:-5])  # and the last one torn
    inner = Counting()
    cache = CachedEmbedder(inner, tmp_path)
    assert np.array_equal(await cache.embed(["a", "b", "c"]), first)
    assert sorted(inner.asked) == ["a", "c"]
    whole = Counting()
    assert np.array_equal(await CachedEmbedder(whole, tmp_path).embed(["a", "b", "c"]), first)
    assert whole.asked == []


async def test_the_cache_stays_within_its_limit(tmp_path: Path) -> None:
    cache = CachedEmbedder(Counting(), tmp_path, entries_max=20)
    for start in range(0, 200, 5):
        await cache.embed([f"text {number}" for number in range(start, start + 5)])
    record_bytes = 32 + 8 * 4 + 4
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 20 * record_bytes
    inner = Counting()
    await CachedEmbedder(inner, tmp_path, entries_max=20).embed(["text 199", "text 0"])
    assert inner.asked == ["text 0"]
