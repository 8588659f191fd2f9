"""The chunk index at 200,000 chunks: `python -m benchmarks.index_at_size [--chunks N]`.

Synthetic chunks: unit vectors around random topics, as embeddings of texts lie (the cosine of two chunks of one topic
is about 0.5, of two topics about 0), and a few words each, frequent and rare ones. One in ten carries a tag by which
the filtered searches ask. Written through the client as ingestion does; then the worker builds the graphs, as it
does by itself past 55,000 new chunks once writing pauses, while searches and writes go on. Recall is measured against
brute force.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from firstline.domain import EVERYONE, Level
from firstline.engines.qdrant_edge import QdrantEdgeIndex, open_qdrant_edge
from firstline.engines.qdrant_edge.note import read_note
from firstline.engines.qdrant_edge.rebuild import REBUILD_POINTS_MIN, REBUILD_QUIET_S
from firstline.ports import IndexEntry, IndexQuery, Scope, SparseVector

CHUNKS: Final = 200_000
DIMENSIONS: Final = 384
TOPICS: Final = 2_000
CHUNKS_PER_DOCUMENT: Final = 8
WORDS: Final = 12
VOCABULARY: Final = 50_000
QUERIES: Final = 100
LIMIT: Final = 50
TENTH: Final = "tenth"
WRITTEN_AT_ONCE: Final = 1_000
PAUSE_S: Final = 0.05
STARTED_S_MAX: Final = REBUILD_QUIET_S + 60.0
BUILD_S_MAX: Final = 3600.0

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Searches:
    """Of one kind of search, in ms; `recall10` against brute force over the same scope."""

    p50_ms: float
    p95_ms: float
    recall10: float


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexAtSize:
    chunks: int
    write_s: float
    build_s: float
    """Copy, graphs and swap; searches and writes went on."""
    building_p95_ms: float
    building_max_ms: float
    """Of unfiltered searches while it was built, the swap included."""
    plain: Searches
    tenth: Searches
    memory_mb: float
    """Resident memory of the index worker after the searches."""
    disk_mb: float
    lost: int
    """Chunks that were acknowledged and are not counted."""


class Corpus:
    """`count` chunks, the same ones every time."""

    def __init__(self, count: int) -> None:
        self._random = np.random.default_rng(11)
        self._centres = self._unit(self._random.normal(size=(TOPICS, DIMENSIONS)))
        self.vectors = self.near(self._random.integers(0, TOPICS, count))

    def near(self, topics: npt.NDArray[np.int64]) -> Matrix:
        noise = self._unit(self._random.normal(size=(len(topics), DIMENSIONS)))
        return self._unit(self._centres[topics] + noise)

    def questions(self, count: int) -> Matrix:
        return self.near(self._random.integers(0, TOPICS, count))

    def words(self) -> SparseVector:
        terms = np.unique(self._random.zipf(1.3, WORDS) % VOCABULARY)
        return SparseVector(indices=tuple(terms.tolist()), values=(1.0,) * len(terms))

    def entry(self, number: int) -> IndexEntry:
        vector = self.vectors[number % len(self.vectors)]
        return IndexEntry(
            chunk_id=str(uuid.UUID(int=number + 1)),
            tenant="bench",
            kb="size",
            doc_id=f"d{number // CHUNKS_PER_DOCUMENT}",
            acl=frozenset({EVERYONE, TENTH} if number % 10 == 0 else {EVERYONE}),
            level=Level.PUBLIC,
            since=1,
            dense=vector,
            words=self.words(),
            document_vector=vector if number % CHUNKS_PER_DOCUMENT == 0 else None,
        )

    @staticmethod
    def _unit(rows: npt.NDArray[np.float64] | Matrix) -> Matrix:
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


async def measure_index(*, chunks: int = CHUNKS) -> IndexAtSize:
    """Write, build, search; in a temporary folder."""
    corpus = Corpus(chunks)
    with tempfile.TemporaryDirectory(prefix="firstline-size-") as scratch:
        folder = Path(scratch) / "index"
        async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
            began = time.perf_counter()
            for start in range(0, chunks, WRITTEN_AT_ONCE):
                await index.upsert([corpus.entry(n) for n in range(start, min(start + WRITTEN_AT_ONCE, chunks))])
                show(f"{start + WRITTEN_AT_ONCE} chunks written in {time.perf_counter() - began:.0f} s")
            write_s = time.perf_counter() - began
            written, build_s, building = await _build(index, corpus, folder)
            show(f"built in {build_s:.0f} s")
            questions = corpus.questions(QUERIES)
            plain = await _search(index, corpus, questions, tag=EVERYONE)
            tenth = await _search(index, corpus, questions, tag=TENTH)
            return IndexAtSize(
                chunks=chunks,
                write_s=write_s,
                build_s=build_s,
                building_p95_ms=float(np.percentile(building, 95)),
                building_max_ms=max(building),
                plain=plain,
                tenth=tenth,
                memory_mb=_resident_mb(await index.ready()),
                disk_mb=await index.size_bytes() / 2**20,
                lost=chunks + written - await index.count(tenant="bench", kb="size"),
            )


async def _build(index: QdrantEdgeIndex, corpus: Corpus, folder: Path) -> tuple[int, float, list[float]]:
    """Chunks written meanwhile, seconds, and the latencies of searches meanwhile."""
    if len(corpus.vectors) < REBUILD_POINTS_MIN:
        show("nothing to build")
        return 0, 0.0, [0.0]
    note = read_note(folder, dimensions=DIMENSIONS)
    async with asyncio.timeout(STARTED_S_MAX):
        while not (folder / note.next_shard).exists():  # noqa: ASYNC110  # another process does it, and tells nobody
            await asyncio.sleep(PAUSE_S)
    began = time.perf_counter()
    building = asyncio.create_task(_swapped(folder, note.next_shard))
    count = len(corpus.vectors)
    written, taken = 0, list[float]()
    questions = corpus.questions(QUERIES)
    while not building.done():
        taken.append(await _timed(index, _query(corpus, questions[written % QUERIES], EVERYONE)))
        await index.upsert([corpus.entry(count + written)])
        written += 1
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(building), PAUSE_S)
    await building
    return written, time.perf_counter() - began, taken


async def _swapped(folder: Path, name: str) -> None:
    async with asyncio.timeout(BUILD_S_MAX):
        while read_note(folder, dimensions=DIMENSIONS).shard != name:  # noqa: ASYNC110  # another process does it, and tells nobody
            await asyncio.sleep(PAUSE_S)


async def _search(index: QdrantEdgeIndex, corpus: Corpus, questions: Matrix, *, tag: str) -> Searches:
    allowed = np.arange(0, len(corpus.vectors), 10 if tag == TENTH else 1)
    own = corpus.vectors[allowed]
    for question in questions[:10]:
        await index.search(_query(corpus, question, tag))
    taken: list[float] = []
    recalls: list[float] = []
    for question in questions:
        query = _query(corpus, question, tag)
        began = time.perf_counter()
        hits = await index.search(query)
        taken.append((time.perf_counter() - began) * 1000)
        scores = own @ question
        best = np.argpartition(-scores, 10)[:10]
        truth = {str(uuid.UUID(int=int(allowed[place]) + 1)) for place in best}
        recalls.append(len(truth & {hit.chunk_id for hit in hits[:10]}) / 10)
    return Searches(
        p50_ms=float(np.percentile(taken, 50)),
        p95_ms=float(np.percentile(taken, 95)),
        recall10=float(np.mean(recalls)),
    )


async def _timed(index: QdrantEdgeIndex, query: IndexQuery) -> float:
    began = time.perf_counter()
    await index.search(query)
    return (time.perf_counter() - began) * 1000


def _query(corpus: Corpus, question: Matrix, tag: str) -> IndexQuery:
    scope = Scope(tenant="bench", kb="size", acl_tags=frozenset({tag}), level_max=Level.PUBLIC, snapshot=1)
    words = corpus.words()
    chosen = words.indices[-4:]
    return IndexQuery(
        scope=scope,
        dense=question,
        words=SparseVector(indices=chosen, values=(1.0,) * len(chosen)),
        limit=LIMIT,
    )


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def show(text: str) -> None:
    print(f"\r{text}", end="", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.index_at_size", description="The chunk index at size.")
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    found = asyncio.run(measure_index(chunks=parser.parse_args(arguments).chunks))
    print(
        f"\n{found.chunks} chunks written in {found.write_s:.0f} s, graphs built in {found.build_s:.0f} s; meanwhile "
        f"searches took {found.building_p95_ms:.0f} ms (p95), {found.building_max_ms:.0f} ms (longest)"
    )
    for name, one in (("no filter", found.plain), ("10% filter", found.tenth)):
        print(f"{name}: p50 {one.p50_ms:.1f} ms, p95 {one.p95_ms:.1f} ms, recall@10 {one.recall10:.3f}")
    print(f"worker {found.memory_mb:.0f} MB resident, {found.disk_mb:.0f} MB on disk, {found.lost} chunks lost")


if __name__ == "__main__":
    main()
