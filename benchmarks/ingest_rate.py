"""How fast ingestion is, beside the embedder alone on the same texts: `python -m benchmarks.ingest_rate`.

Both are taken in turns, in one process, over the same documents: ingest them into an empty folder and write down every
call that the embedder got, then make the same calls again with nothing else to do, two at a time as ingestion makes
them. Each turn gives a pair of neighbours in time and two ratios:

- by the clock: seconds of the embedder alone over seconds of the ingest. True on a machine that does nothing else.
- by processor time: the part of the ingest in which the embedder had work, times the embedder's processor time over
  that of the ingest with its index worker and Postgres. It counts work that happens while the embedder waits twice,
  so it is a lower bound; other programs hardly touch it, and it cannot exceed 1.

The share is the median by the clock over the rounds in which other programs took less than OTHERS_MAX of the machine;
by processor time over all rounds when there are too few of those. It says which.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.processes import cpu_s, descendants, postmaster
from firstline.documents.embed import CALLS_MAX
from firstline.domain import EVERYONE, DocumentKind, Failure, Level, SourceItem
from firstline.evals.datasets import DataSource, present
from firstline.models.embedder import open_embedder
from firstline.ports import Embedder, Source, Vectors
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

DOCUMENTS: Final = 160
"""A few batches, as in any large ingest: the first and the last one cannot overlap with another."""
ROUNDS_MAX: Final = 5
SECONDS_MAX: Final = 150.0
"""No round after the first is begun that would end later than this."""
OTHERS_MAX: Final = 0.05
QUIET_ROUNDS_MIN: Final = 2
WARM_TEXTS: Final = 64
WARM_DOCUMENTS: Final = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """What a stretch of work took: seconds by the clock, processor seconds of all its processes, and the part of the
    machine that other programs had meanwhile."""

    clock_s: float
    cpu_s: float
    others: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One turn of each. `embedding` is the part of the ingest in which at least one call to the embedder was open."""

    chunks: int
    texts: int
    ingest: Taken
    alone: Taken
    embedding: float

    @property
    def is_quiet(self) -> bool:
        return max(self.ingest.others, self.alone.others) < OTHERS_MAX

    @property
    def share_by_clock(self) -> float:
        return self.alone.clock_s / self.ingest.clock_s

    @property
    def share_by_cpu(self) -> float:
        return self.embedding * min(1.0, self.alone.cpu_s / self.ingest.cpu_s)


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestRate:
    """What the rounds came to. Rates are chunks per second, medians over the rounds."""

    rounds: tuple[Round, ...]

    @property
    def chunks(self) -> int:
        return self.rounds[0].chunks

    @property
    def chunks_per_s(self) -> float:
        return statistics.median(one.chunks / one.ingest.clock_s for one in self.rounds)

    @property
    def embedder_chunks_per_s(self) -> float:
        return statistics.median(one.texts / one.alone.clock_s for one in self.rounds)

    @property
    def embedder_chunks_per_core_s(self) -> float:
        return statistics.median(one.texts / one.alone.cpu_s for one in self.rounds)

    @property
    def is_by_clock(self) -> bool:
        return sum(one.is_quiet for one in self.rounds) >= QUIET_ROUNDS_MIN

    @property
    def shares(self) -> list[float]:
        """Of the rounds that count, by the measure that counts."""
        if self.is_by_clock:
            return [one.share_by_clock for one in self.rounds if one.is_quiet]
        return [one.share_by_cpu for one in self.rounds]

    @property
    def embedder_share(self) -> float:
        return statistics.median(self.shares)

    @property
    def embedder_cpu_share(self) -> float:
        return statistics.median(one.share_by_cpu for one in self.rounds)

    @property
    def measure(self) -> str:
        low, high = min(self.shares), max(self.shares)
        of = f"{len(self.shares)} rounds, {low:.3f} to {high:.3f}"
        return f"by the clock, {of}" if self.is_by_clock else f"by processor time, the machine being busy, {of}"


class Recorder:
    """Passes calls on and keeps their texts, so that the embedder can be timed on exactly these; and for how long at
    least one call was open."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._open = 0
        self._since = 0.0
        self.calls: list[list[str]] = []
        self.busy_s = 0.0

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        if not self._open:
            self._since = time.perf_counter()
        self._open += 1
        try:
            return await self._inner.embed(texts)
        finally:
            self._open -= 1
            if not self._open:
                self.busy_s += time.perf_counter() - self._since


class Stopwatch:
    """Measures this process with all it started, and Postgres, which may be nobody's child."""

    def __init__(self, data_folder: Path | None = None) -> None:
        self._data_folder = data_folder
        self._clock, self._cpu, self._machine = time.perf_counter(), self._cpu_s(), _machine_busy_s()

    def taken(self) -> Taken:
        clock_s, cpu_s = time.perf_counter() - self._clock, self._cpu_s() - self._cpu
        others_s = max(0.0, _machine_busy_s() - self._machine - cpu_s)
        return Taken(clock_s=clock_s, cpu_s=cpu_s, others=others_s / (clock_s * (os.cpu_count() or 1)))

    def _cpu_s(self) -> float:
        pids = descendants(os.getpid())
        database = postmaster(self._data_folder) if self._data_folder else None
        return cpu_s({*pids, *(descendants(database) if database else [])})


def _machine_busy_s() -> float:
    """Processor seconds of the whole machine that were neither idle nor waiting for a disk."""
    fields = [int(field) for field in Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


class Listed:
    """A source that was read before: reading files is not what is measured."""

    def __init__(self, items: Sequence[SourceItem | Failure]) -> None:
        self.listed = items

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for item in self.listed:
            yield item


async def measure_ingest(
    data: Path | None, demo: Path, *, documents: int = DOCUMENTS, seconds_max: float = SECONDS_MAX
) -> IngestRate:
    """Rounds of ingest and embedder alone. Without the public data the demo's documents are taken."""
    settings = load_settings()
    embedder = open_embedder(
        name=settings.embedder,
        model=settings.embedder_model,
        api_key=settings.embedder_api_key,
        threads=settings.embed_threads,
    )
    await embedder.embed([f"warm up the model with text number {place}" for place in range(WARM_TEXTS)])
    source = await spread_over(DataSource(data, present(data)) if data else demo_documents(demo), limit=documents)
    # What is imported and compiled once is no part of any rate.
    await _round(Listed(source.listed[:WARM_DOCUMENTS]), embedder)
    rounds: list[Round] = []
    began = time.perf_counter()
    while len(rounds) < ROUNDS_MAX:
        passed = time.perf_counter() - began
        if rounds and passed * (1 + 1 / len(rounds)) > seconds_max:
            break
        rounds.append(await _round(source, embedder))
    return IngestRate(rounds=tuple(rounds))


async def _round(source: Source, embedder: Embedder) -> Round:
    recorder = Recorder(embedder)
    async with _fresh(recorder) as opened:
        recorder.busy_s, watch = 0.0, Stopwatch(opened.settings.data_folder)
        report = await opened.documents.ingest(source, tenant="bench", kb="rate")
        ingest = watch.taken()
    watch = Stopwatch()
    await embed_again(recorder.calls, embedder)
    return Round(
        chunks=report.chunks,
        texts=sum(len(call) for call in recorder.calls),
        ingest=ingest,
        alone=watch.taken(),
        embedding=recorder.busy_s / ingest.clock_s,
    )


async def embed_again(calls: Sequence[Sequence[str]], embedder: Embedder) -> None:
    """The same calls in the same order, the next one under way before one ends: the embedder's own best."""
    waiting = iter(calls)

    async def work() -> None:
        for call in waiting:
            await embedder.embed(call)

    await asyncio.gather(*(work() for _ in range(CALLS_MAX)))


async def spread_over(source: Source, *, limit: int) -> Listed:
    """At most `limit` documents, taken evenly over all of a source."""
    everything = [item async for item in source.items()]
    step = max(1, -(-len(everything) // limit))
    return Listed(list(islice(everything, 0, None, step)))


def demo_documents(demo: Path) -> Source:
    from firstline.connectors.files import FilesSource

    return FilesSource(
        [demo / "docs"],
        kind=DocumentKind.DOCUMENTATION,
        acl=frozenset({EVERYONE}),
        level=Level.PUBLIC,
        map={},
        bytes_max=load_settings().file_bytes_max,
    )


@asynccontextmanager
async def _fresh(embedder: Embedder) -> AsyncGenerator[Firstline]:
    with tempfile.TemporaryDirectory(prefix="firstline-bench-") as folder:
        # The embedded Postgres may run as a user of its own, who must be able to enter.
        await asyncio.to_thread(Path(folder).chmod, 0o711)
        settings = load_settings(flags={"data_folder": Path(folder) / "data"})
        async with open_firstline(settings, embedder=embedder) as opened:
            yield opened


def main() -> None:
    from benchmarks.speed_figures import data_or_none
    from benchmarks.workbench import DEMO

    rate = asyncio.run(measure_ingest(data_or_none(), DEMO))
    for one in rate.rounds:
        print(
            f"{one.chunks} chunks, {one.texts} texts: ingest {one.ingest.clock_s:.1f} s, {one.ingest.cpu_s:.1f} s of "
            f"processor; embedder alone {one.alone.clock_s:.1f} s, {one.alone.cpu_s:.1f}; others had "
            f"{one.ingest.others:.0%} and {one.alone.others:.0%}; embedding {one.embedding:.1%} of the time; "
            f"share {one.share_by_clock:.3f} by the clock, {one.share_by_cpu:.3f} by processor time"
        )
    print(f"share {rate.embedder_share:.3f} ({rate.measure})")
    print(f"{rate.chunks_per_s:.1f} chunks/s ingested, {rate.embedder_chunks_per_core_s:.1f} per core-second embedded")


if __name__ == "__main__":
    main()
