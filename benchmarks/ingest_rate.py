"""How fast ingestion is, beside the embedder's own rate on the same texts in the same run."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from firstline.domain import EVERYONE, DocumentKind, Failure, Level, SourceItem
from firstline.evals.datasets import DataSource, present
from firstline.models.embedder import open_embedder
from firstline.ports import Embedder, Source, Vectors
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

DOCUMENTS: Final = 300
ROUNDS: Final = 3
WARM_TEXTS: Final = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestRate:
    """Seconds of the best round of each: whatever else the machine does can only make a round longer. `_cpu_s` is
    processor time of this process, which holds the embedder; the index worker and Postgres come on top."""

    chunks: int
    ingest_s: float
    ingest_cpu_s: float
    embed_s: float
    embed_cpu_s: float

    @property
    def chunks_per_s(self) -> float:
        return self.chunks / self.ingest_s

    @property
    def embedder_chunks_per_s(self) -> float:
        return self.chunks / self.embed_s

    @property
    def embedder_share(self) -> float:
        return self.chunks_per_s / self.embedder_chunks_per_s

    @property
    def embedder_cpu_share(self) -> float:
        """The same by processor time: steadier on a busy machine, blind to waiting."""
        return self.embed_cpu_s / self.ingest_cpu_s

    @property
    def embedder_chunks_per_core_s(self) -> float:
        return self.chunks / self.embed_cpu_s


class Recorder:
    """Passes texts on and keeps them, so that the embedder can be timed on exactly these."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.texts: list[str] = []

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return await self._inner.embed(texts)


class Spread:
    """At most `limit` documents, taken evenly over all of a source."""

    def __init__(self, inner: Source, *, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        everything = [item async for item in self._inner.items()]
        step = max(1, len(everything) // self._limit)
        for item in islice(everything, 0, None, step):
            yield item


async def measure_ingest(data: Path | None, demo: Path, *, documents: int = DOCUMENTS) -> IngestRate:
    """Ingest into a fresh folder, then embed the same texts with nothing else to do; in turns, a few times.

    Without the public data the demo's documents are taken.
    """
    settings = load_settings()
    embedder = open_embedder(
        name=settings.embedder,
        model=settings.embedder_model,
        api_key=settings.embedder_api_key,
        threads=settings.embed_threads,
    )
    recorder = Recorder(embedder)
    await embedder.embed([f"warm up the model with text number {place}" for place in range(WARM_TEXTS)])
    source: Source = DataSource(data, present(data)) if data else demo_documents(demo)
    ingests: list[tuple[float, float]] = []
    embeds: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        recorder.texts.clear()
        async with _fresh(recorder) as opened:
            cpu = time.process_time()
            report = await opened.documents.ingest(Spread(source, limit=documents), tenant="bench", kb="rate")
            ingests.append((report.duration_s, time.process_time() - cpu))
        began, cpu = time.perf_counter(), time.process_time()
        # One call: the embedder sorts and batches as it likes best.
        await embedder.embed(recorder.texts)
        embeds.append((time.perf_counter() - began, time.process_time() - cpu))
    return IngestRate(
        chunks=len(recorder.texts),
        ingest_s=min(seconds for seconds, _ in ingests),
        ingest_cpu_s=min(cpu for _, cpu in ingests),
        embed_s=min(seconds for seconds, _ in embeds),
        embed_cpu_s=min(cpu for _, cpu in embeds),
    )


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
