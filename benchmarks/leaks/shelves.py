"""The library, ingested into engines: the memory reference, and Postgres with Qdrant Edge as wired for a server."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.leaks.library import KBS, RUNS, TENANTS, Library, Revision
from firstline.documents.journey import DocumentJourney
from firstline.documents.redact import PatternRedactor
from firstline.domain import DocumentKind, Failure, Level, SourceItem, question_key
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.models.words import EngineerWords
from firstline.ports import BlobStore, ChunkIndex, Graph, KnowledgeLedger, SnapshotLedger, TombstoneLedger, Vectors
from firstline.settings import Settings
from firstline.vocabulary import vocabulary
from firstline.wiring import Firstline, count_tokens, open_firstline

DIMENSIONS: Final = 32
PLENTY: Final = 10**6
BY: Final = "librarian"


class DirectionEmbedder:
    """Every word has a direction; a text is their sum. Small, and the same everywhere."""

    model_id = "directions"
    dimensions = DIMENSIONS

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._one(text) for text in texts]) if texts else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def _one(self, text: str) -> Vectors:
        row = np.zeros(DIMENSIONS, dtype=np.float32)
        for word in sorted(vocabulary(text)):
            digest = hashlib.sha256(word.encode()).digest()
            row += np.frombuffer(digest, dtype=np.uint8).astype(np.float32) - 127.5
        return row / max(float(np.linalg.norm(row)), 1e-9)


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Engines that hold the library. `numbers` are the snapshots after each run, by (tenant, kb); `owners` the revision
    of every chunk id there is, read without any filter."""

    name: str
    knowledge: KnowledgeLedger
    snapshots: SnapshotLedger
    index: ChunkIndex
    blobs: BlobStore
    graph: Graph
    numbers: dict[tuple[str, str], list[int]]
    owners: dict[str, Revision]
    firstline: Firstline | None = None

    def run_of(self, tenant: str, kb: str, number: int) -> int:
        return sum(one <= number for one in self.numbers[tenant, kb])


@asynccontextmanager
async def memory_shelf(library: Library) -> AsyncGenerator[Shelf]:
    knowledge, index, blobs = MemoryKnowledgeLedger(), MemoryIndex(dimensions=DIMENSIONS), MemoryBlobs()
    graph = MemoryGraph()
    documents = DocumentJourney(
        ledger=knowledge,
        index=index,
        blobs=blobs,
        embedder=DirectionEmbedder(),
        words=EngineerWords(),
        redactor=PatternRedactor(),
        count_tokens=count_tokens,
        chunk_tokens=60,
        batch_documents=64,
        graph=graph,
    )
    numbers = await _fill(library, documents, knowledge)
    kept = {
        chunk.chunk_id: (chunk.tenant, chunk.kb, chunk.doc_id, chunk.since)
        for base in knowledge._bases.values()  # pyright: ignore[reportPrivateUsage]  (without any filter)
        for one in base.revisions.values()
        for chunk in one.chunks
    }
    yield Shelf(
        name="memory",
        knowledge=knowledge,
        snapshots=knowledge,
        index=index,
        blobs=blobs,
        graph=graph,
        numbers=numbers,
        owners=_owners(library, kept, numbers),
    )


@asynccontextmanager
async def real_shelf(library: Library) -> AsyncGenerator[Shelf]:
    """On a data folder of its own, which goes with it."""
    folder = await asyncio.to_thread(_open_folder)
    settings = Settings(
        data_folder=folder / "data",
        tenant=TENANTS[0],
        chunk_tokens=60,
        review_sample=1.0,
        turns_at_once=64,
        rate_key_per_minute=PLENTY,
        rate_user_per_minute=PLENTY,
        rate_session_per_minute=PLENTY,
        widget_secret="a secret of these trials",  # noqa: S106 - of nothing else
    )
    try:
        async with open_firstline(settings, embedder=DirectionEmbedder()) as firstline:
            numbers = await _fill(library, firstline.documents, firstline.ledgers.tombstones)
            assert firstline.graph is not None
            yield Shelf(
                name="Postgres + Qdrant Edge",
                knowledge=firstline.knowledge,
                snapshots=firstline.snapshots,
                index=firstline.index,
                blobs=firstline.blobs,
                graph=firstline.graph,
                numbers=numbers,
                owners=_owners(library, await _kept(firstline), numbers),
                firstline=firstline,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _open_folder() -> Path:
    """Postgres run by root is another user, which must pass through."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-leaks-"))
    folder.chmod(0o711)
    return folder


class _Pages:
    """A source that lists one knowledge base as it is in one run."""

    def __init__(self, revisions: Sequence[Revision]) -> None:
        self._revisions = revisions

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for one in self._revisions:
            yield SourceItem(
                item_id=one.doc_id,
                kind=DocumentKind.FAQ if one.faq else DocumentKind.DOCUMENTATION,
                media_type="text/markdown",
                raw=one.text.encode(),
                title=one.title,
                metadata={"question_key": question_key(f"How do I set up {one.topic}?")} if one.faq else {},
                acl=one.acl,
                level=Level(one.level),
                content_hash=hashlib.sha256(f"{one.mark} {sorted(one.acl)} {one.level}".encode()).hexdigest(),
                url=f"https://docs.example/{one.mark}",
            )


async def _fill(
    library: Library, documents: DocumentJourney, tombstones: TombstoneLedger
) -> dict[tuple[str, str], list[int]]:
    numbers: dict[tuple[str, str], list[int]] = {}
    places = sorted({(one.tenant, one.kb) for one in library.revisions}, key=lambda one: (KBS.index(one[1]), one[0]))
    for run in range(1, library.runs + 1):
        await ingest_run(library, run, documents, numbers)
    for tenant, kb in places:
        doc_ids = sorted(doc_id for of, base, doc_id in library.forgotten if (of, base) == (tenant, kb))
        # Buried and not purged: everything is still there, and must not be shown.
        await tombstones.bury(doc_ids, tenant=tenant, kb=kb, by=BY)
    return numbers


async def follow(shelf: Shelf, library: Library) -> None:
    """The newest run of the library, which changed meanwhile. Of a real shelf."""
    assert shelf.firstline is not None
    await ingest_run(library, library.runs, shelf.firstline.documents, shelf.numbers)
    kept = await _kept(shelf.firstline)
    shelf.owners.update(_owners(library, kept, shelf.numbers))


async def _kept(firstline: Firstline) -> dict[str, tuple[str, str, str, int]]:
    rows = await firstline.ledgers.database.rows("SELECT chunk_id, tenant, kb, doc_id, since FROM firstline.chunks")
    return {str(row["chunk_id"]): (row["tenant"], row["kb"], row["doc_id"], row["since"]) for row in rows}


async def ingest_run(
    library: Library, run: int, documents: DocumentJourney, numbers: dict[tuple[str, str], list[int]]
) -> None:
    for tenant, kb in sorted({(one.tenant, one.kb) for one in library.revisions}):
        gone = {doc_id for of, base, doc_id in library.forgotten if (of, base) == (tenant, kb)}
        # What was forgotten in an earlier run is not listed again: that would bring it back.
        listed = [one for one in library.of_run(tenant, kb, run) if run <= RUNS or one.doc_id not in gone]
        report = await documents.ingest(_Pages(listed), tenant=tenant, kb=kb, prune=("",), force=True)
        if report.failures or report.waits:
            raise RuntimeError(f"the library could not be ingested: {report.failures} {report.waits}")
        numbers.setdefault((tenant, kb), []).append(report.snapshot)


def _owners(
    library: Library, kept: dict[str, tuple[str, str, str, int]], numbers: dict[tuple[str, str], list[int]]
) -> dict[str, Revision]:
    of = {
        (one.tenant, one.kb, one.doc_id, numbers[one.tenant, one.kb][one.since - 1]): one for one in library.revisions
    }
    return {chunk_id: of[place] for chunk_id, place in kept.items()}
