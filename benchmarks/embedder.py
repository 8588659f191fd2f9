"""How fast the shipped embedder is here: `python -m benchmarks.embedder`.

Chunks of 200 tokens per second in all and per core, as ingestion sends them; latency of one short question, alone and
while ingestion runs beside it.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Sequence

import numpy as np

from firstline.models.embedder import open_embedder
from firstline.models.embedder_local import LocalEmbedder

CHUNK_TOKENS = 200
CHUNKS = 256
QUERIES = 200
WORDS = (
    "index table grows rows written vacuum removed old versions check setting restart worker read its log "
    "error before opening ticket with support team after upgrade replica cluster node memory disk query slow"
)


def chunks(embedder: LocalEmbedder, count: int) -> list[str]:
    """Different texts of 200 tokens each, markers included."""
    dice = random.Random(7)  # noqa: S311 (not a secret)
    vocabulary = WORDS.split()
    texts: list[str] = []
    for number in range(count):
        words = [str(number)]
        while embedder.count_tokens(" ".join(words)) < CHUNK_TOKENS - 2:
            words.append(dice.choice(vocabulary))
        texts.append(" ".join(words))
    return texts


async def rate(embedder: LocalEmbedder, texts: Sequence[str], *, rounds: int = 3) -> float:
    """Texts per second, the best of a few rounds: other work on the machine only ever slows one."""
    best = 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        await embedder.embed(texts)
        best = max(best, len(texts) / (time.perf_counter() - start))
    return best


async def latencies_ms(embedder: LocalEmbedder, *, count: int = QUERIES) -> tuple[float, float]:
    """p50 and p95 of one question at a time."""
    taken: list[float] = []
    for number in range(count):
        start = time.perf_counter()
        await embedder.embed([f"Why does the replica report error {number} after the upgrade?"])
        taken.append((time.perf_counter() - start) * 1000)
    return float(np.percentile(taken, 50)), float(np.percentile(taken, 95))


async def main() -> None:
    start = time.perf_counter()
    embedder = open_embedder(name="", model="", api_key="", threads=0)
    assert isinstance(embedder, LocalEmbedder)
    print(f"open                      {time.perf_counter() - start:8.2f} s")
    cores = len(os.sched_getaffinity(0))
    texts = chunks(embedder, CHUNKS)
    await embedder.embed(texts[:32])
    found = await rate(embedder, texts)
    print(
        f"chunks of {CHUNK_TOKENS} tokens      {found:8.1f} /s   ({found / cores:.1f} per core-second, {cores} cores)"
    )
    p50, p95 = await latencies_ms(embedder)
    print(f"question alone            {p50:8.2f} ms p50 {p95:8.2f} ms p95")
    ingesting = asyncio.create_task(rate(embedder, texts * 2, rounds=1))
    p50, p95 = await latencies_ms(embedder, count=50)
    print(f"question beside ingestion {p50:8.2f} ms p50 {p95:8.2f} ms p95")
    await ingesting


if __name__ == "__main__":
    asyncio.run(main())
