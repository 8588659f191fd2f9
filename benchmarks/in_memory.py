"""Documents in the memory engines: exact and quick, where what is measured is not the engines."""

from __future__ import annotations

from benchmarks.workbench import DATA_KB
from firstline.documents.journey import DocumentJourney
from firstline.documents.redact import PatternRedactor
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.ports import Embedder, Source, WordEncoder
from firstline.settings import Settings
from firstline.wiring import count_tokens


async def ingest_in_memory(
    source: Source,
    *,
    tenant: str,
    ledger: MemoryKnowledgeLedger,
    index: MemoryIndex,
    blobs: MemoryBlobs,
    embedder: Embedder,
    words: WordEncoder,
    settings: Settings,
    graph: MemoryGraph | None = None,
) -> int:
    """Take a source into DATA_KB as the settings say; gives the snapshot."""
    journey = DocumentJourney(
        ledger=ledger,
        index=index,
        blobs=blobs,
        embedder=embedder,
        words=words,
        redactor=PatternRedactor(),
        count_tokens=count_tokens,
        chunk_tokens=settings.chunk_tokens,
        batch_documents=settings.ingest_batch_documents,
        graph=graph,
    )
    return (await journey.ingest(source, tenant=tenant, kb=DATA_KB)).snapshot
