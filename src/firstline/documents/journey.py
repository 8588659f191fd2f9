"""A document's journey: source -> parse -> redact -> chunk -> embed -> write (candidate) -> publish.

All branching of ingestion is here. The order of writes makes a crash at any instant harmless:

1. the ledger notes which documents are about to be written (`plan`),
2. blobs and index entries are written, invisible because their `since` is the unpublished candidate,
3. the ledger commits documents and chunks and clears the plan: from here they are acknowledged,
4. publishing moves one pointer.

A rerun reopens the same candidate, skips what is acknowledged and writes the rest. An index entry that the ledger
does not know is never shown, because every candidate of a question is looked up in the ledger again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from firstline.documents.chunk import chunk, embedding_text
from firstline.documents.parse import parse
from firstline.domain import FOREVER, Chunk, Document, Failure, IngestReport, SourceItem
from firstline.errors import InvalidInput, NotAccepted
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    Embedder,
    IndexEntry,
    KnowledgeLedger,
    Redactor,
    Source,
    StoredDocument,
    Vectors,
    WordEncoder,
)

logger = logging.getLogger(__name__)

BATCHES_AHEAD = 2
"""Prepared batches that may wait for the embedder: bounds memory whatever the corpus size."""

BATCH_CHUNKS_MAX = 1_000
"""A batch is closed at this many chunks even when it holds few documents."""

FAILURES_MAX = 10_000
"""Failures kept in detail; past that only their number grows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """How far a run is: items seen, documents and chunks committed."""

    items: int
    documents: int
    chunks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A document that is ready to be embedded. `texts` are the chunks' embedding texts, `words` what BM25 sees."""

    document: Document
    chunks: tuple[Chunk, ...]
    blob: bytes
    texts: tuple[str, ...]
    titles: tuple[str, ...]
    bodies: tuple[str, ...]
    redactions: Counter[str]


class DocumentJourney:
    """Takes sources into knowledge bases. One run at a time per knowledge base, over all processes."""

    def __init__(
        self,
        *,
        ledger: KnowledgeLedger,
        index: ChunkIndex,
        blobs: BlobStore,
        embedder: Embedder,
        words: WordEncoder,
        redactor: Redactor,
        count_tokens: Callable[[str], int],
        chunk_tokens: int,
        batch_documents: int,
    ) -> None:
        self._ledger = ledger
        self._index = index
        self._blobs = blobs
        self._embedder = embedder
        self._words = words
        self._redactor = redactor
        self._count_tokens = count_tokens
        self._chunk_tokens = chunk_tokens
        self._batch_documents = batch_documents

    async def ingest(
        self,
        source: Source,
        *,
        tenant: str,
        kb: str,
        prune: Sequence[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Bring a knowledge base up to date with a source and publish the result as the next snapshot.

        `prune` names doc_id prefixes that the source speaks for: documents under them that it no longer yields end.
        Raises Conflict when another run holds the knowledge base, InvalidInput when its vectors come from another
        embedder. Failures of single items are in the report.
        """
        started = time.monotonic()
        async with self._ledger.ingest_lock(tenant=tenant, kb=kb):
            candidate = await self._ledger.open_candidate(tenant=tenant, kb=kb, embedder_id=self._embedder.model_id)
            run = _Run(tenant=tenant, kb=kb, candidate=candidate, on_progress=on_progress)
            run.current = await self._ledger.current(tenant=tenant, kb=kb)
            run.resumed = any(document.since == candidate for document in run.current.values())
            await self._clear_leftovers(run)
            await self._pipeline(run, source)
            await self._prune(run, prune)
            return await self._publish(run, started)

    async def _clear_leftovers(self, run: _Run) -> None:
        """Index entries of documents whose run died before the ledger heard of them."""
        planned = await self._ledger.planned(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
        unknown = [
            doc_id for doc_id in planned if doc_id not in run.current or run.current[doc_id].since != run.candidate
        ]
        if unknown:
            await self._index.delete(tenant=run.tenant, kb=run.kb, doc_ids=unknown, since=run.candidate)

    async def _pipeline(self, run: _Run, source: Source) -> None:
        """Prepare the next batches while this one is embedded: the embedder is the bottleneck and must not wait."""
        queue: asyncio.Queue[list[Prepared] | None] = asyncio.Queue(maxsize=BATCHES_AHEAD)
        producer = asyncio.create_task(self._prepare_all(run, source, queue))
        try:
            while (batch := await queue.get()) is not None:
                await self._commit(run, batch)
            await producer
        finally:
            producer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await producer

    async def _prepare_all(self, run: _Run, source: Source, queue: asyncio.Queue[list[Prepared] | None]) -> None:
        try:
            await self._batches(run, source, queue)
        except Exception:
            # The mark ends the consumer's loop; it then meets the error by awaiting this task.
            await queue.put(None)
            raise
        await queue.put(None)

    async def _batches(self, run: _Run, source: Source, queue: asyncio.Queue[list[Prepared] | None]) -> None:
        batch: list[Prepared] = []
        chunks = 0
        async for item in source.items():
            prepared = await self._prepare_item(run, item)
            run.report_progress()
            if prepared is None:
                continue
            batch.append(prepared)
            chunks += len(prepared.chunks)
            if len(batch) >= self._batch_documents or chunks >= BATCH_CHUNKS_MAX:
                await queue.put(batch)
                batch, chunks = [], 0
        if batch:
            await queue.put(batch)

    async def _prepare_item(self, run: _Run, item: SourceItem | Failure) -> Prepared | None:
        run.items += 1
        if isinstance(item, Failure):
            run.fail(item)
            return None
        if item.item_id in run.seen:
            run.fail(
                Failure(item_id=item.item_id, reason="Another item of this run has the same id; the first is kept.")
            )
            return None
        run.seen.add(item.item_id)
        known = run.current.get(item.item_id)
        if known is not None and known.content_hash == item.content_hash:
            await self._keep(run, known)
            return None
        try:
            return await asyncio.to_thread(self._prepare, run, item)
        except NotAccepted as error:
            run.fail(Failure(item_id=item.item_id, reason=str(error)))
        except Exception as error:
            # A parser that trips over one hostile file must not stop the other ten thousand.
            logger.exception("could not prepare a document")
            run.fail(Failure(item_id=item.item_id, reason=f"It could not be read ({type(error).__name__})."))
        return None

    async def _keep(self, run: _Run, known: Document) -> None:
        if known.until != FOREVER:
            # `end` repeated changes nothing and names the chunks. The index hears first: were it told last, a crash in
            # between would leave chunks ended that the ledger calls current, and no later run would look at them.
            tenant, kb, candidate, ids = run.tenant, run.kb, run.candidate, [known.doc_id]
            chunks = await self._ledger.end(tenant=tenant, kb=kb, candidate=candidate, doc_ids=ids)
            await self._index.set_until(chunks, FOREVER)
            await self._ledger.unend(tenant=tenant, kb=kb, candidate=candidate, doc_ids=ids)
            run.changed += 1
        else:
            run.unchanged += 1

    def _prepare(self, run: _Run, item: SourceItem) -> Prepared:
        parsed = parse(item)
        redacted = self._redactor.redact(parsed.text)
        title = self._redactor.redact(parsed.title).text
        blob = redacted.text.encode("utf-8")
        spans = chunk(redacted.text, tokens_aim=self._chunk_tokens, count_tokens=self._count_tokens)
        if not spans:
            raise NotAccepted("It holds no text.")
        document = Document(
            tenant=run.tenant,
            kb=run.kb,
            doc_id=item.item_id,
            kind=item.kind,
            title=title,
            url=self._safe_url(item.url or parsed.metadata.get("url")),
            blob=_sha256(blob),
            size_bytes=len(blob),
            content_hash=item.content_hash,
            acl=item.acl,
            level=item.level,
            since=run.candidate,
            metadata=self._safe({**parsed.metadata, **item.metadata}),
        )
        chunks = tuple(
            Chunk(
                chunk_id=_chunk_id(document, span.start, span.end),
                tenant=run.tenant,
                kb=run.kb,
                doc_id=item.item_id,
                blob=document.blob,
                ordinal=ordinal,
                start=span.start,
                end=span.end,
                kind=span.kind,
                title=title,
                section_path=span.section_path,
                url=document.url,
                acl=item.acl,
                level=item.level,
                since=run.candidate,
                lead=span.lead,
            )
            for ordinal, span in enumerate(spans)
        )
        bodies = tuple(_cut(blob, part.start, part.end) for part in chunks)
        leads = tuple(_cut(blob, *part.lead) if part.lead else "" for part in chunks)
        return Prepared(
            document=document,
            chunks=chunks,
            blob=blob,
            texts=tuple(
                embedding_text(title, part.section_path, lead, body)
                for part, lead, body in zip(chunks, leads, bodies, strict=True)
            ),
            titles=tuple(" ".join((title, *part.section_path)) for part in chunks),
            bodies=tuple(f"{lead}\n{body}" for lead, body in zip(leads, bodies, strict=True)),
            redactions=Counter(redaction.type for redaction in redacted.redactions),
        )

    def _safe(self, metadata: Mapping[str, str]) -> dict[str, str]:
        """Columns and front matter hold personal data as readily as the text does."""
        return {name: self._redactor.redact(value).text for name, value in metadata.items()}

    def _safe_url(self, url: str | None) -> str | None:
        """A link that carried a secret is dropped: with a placeholder inside it would lead nowhere."""
        return url if url is None or not self._redactor.redact(url).redactions else None

    async def _commit(self, run: _Run, batch: list[Prepared]) -> None:
        texts = [text for prepared in batch for text in prepared.texts]
        vectors = await self._embedder.embed(texts)
        await self._ledger.plan(
            tenant=run.tenant,
            kb=run.kb,
            candidate=run.candidate,
            doc_ids=[prepared.document.doc_id for prepared in batch],
        )
        for prepared in batch:
            await self._blobs.put(prepared.blob)
        await self._index.upsert(await asyncio.to_thread(self._entries, batch, vectors))
        ended = await self._ledger.write(
            [StoredDocument(document=prepared.document, chunks=prepared.chunks) for prepared in batch]
        )
        await self._index.set_until(ended, run.candidate)
        run.committed(batch)

    def _entries(self, batch: Iterable[Prepared], vectors: Vectors) -> list[IndexEntry]:
        entries: list[IndexEntry] = []
        row = 0
        for prepared in batch:
            own = vectors[row : row + len(prepared.chunks)]
            mean = own.mean(axis=0)
            mean /= max(float(np.linalg.norm(mean)), 1e-9)
            for part, title, body, vector in zip(prepared.chunks, prepared.titles, prepared.bodies, own, strict=True):
                entries.append(
                    IndexEntry(
                        chunk_id=part.chunk_id,
                        tenant=part.tenant,
                        kb=part.kb,
                        doc_id=part.doc_id,
                        acl=part.acl,
                        level=part.level,
                        since=part.since,
                        dense=vector,
                        words=self._words.encode_document(body, title=title),
                        document_vector=mean if part.ordinal == 0 else None,
                    )
                )
            row += len(prepared.chunks)
        return entries

    async def _prune(self, run: _Run, prefixes: Sequence[str]) -> None:
        unread = tuple(run.unread)
        gone = [
            doc_id
            for doc_id, document in run.current.items()
            if document.until == FOREVER
            and doc_id not in run.seen
            and not (unread and doc_id.startswith(unread))
            and doc_id.startswith(tuple(prefixes))
        ]
        if not prefixes or not gone:
            return
        if not run.seen:
            raise InvalidInput(
                f"The source yielded nothing, and pruning would remove {len(gone)} documents.",
                remedy="Check the path, or leave out --prune.",
            )
        ids = await self._ledger.end(tenant=run.tenant, kb=run.kb, candidate=run.candidate, doc_ids=gone)
        await self._index.set_until(ids, run.candidate)
        run.removed = len(gone)

    async def _publish(self, run: _Run, started: float) -> IngestReport:
        await self._ledger.record_failures(tenant=run.tenant, kb=run.kb, candidate=run.candidate, failures=run.failures)
        changes = run.added + run.changed + run.removed
        ended = await self._ledger.ended(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
        if changes or run.resumed or ended:
            if ended:
                # A run that died after its commit may not have told the index.
                await self._index.set_until(ended, run.candidate)
            snapshot = await self._ledger.publish(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
            published = True
        else:
            snapshot = await self._ledger.published(tenant=run.tenant, kb=run.kb)
            published = False
        return IngestReport(
            snapshot=snapshot.number,
            published=published,
            added=run.added,
            changed=run.changed,
            removed=run.removed,
            unchanged=run.unchanged,
            chunks=run.chunks,
            redactions=dict(run.redactions),
            failures=tuple(run.failures),
            duration_s=time.monotonic() - started,
        )


class _Run:
    """What one run has seen and done so far."""

    def __init__(self, *, tenant: str, kb: str, candidate: int, on_progress: Callable[[Progress], None] | None) -> None:
        self.tenant = tenant
        self.kb = kb
        self.candidate = candidate
        self.current: dict[str, Document] = {}
        self.resumed = False
        self.seen: set[str] = set()
        self.items = self.added = self.changed = self.removed = self.unchanged = self.chunks = 0
        self.redactions: Counter[str] = Counter()
        self.failures: list[Failure] = []
        self.unread: set[str] = set()
        self._on_progress = on_progress

    def fail(self, failure: Failure) -> None:
        # What could not be read must not look deleted: a folder speaks for all below it, a broken line for its table.
        table, mark, _ = failure.item_id.partition("#")
        self.unread.add(table + mark)
        if len(self.failures) < FAILURES_MAX:
            self.failures.append(failure)

    def committed(self, batch: Sequence[Prepared]) -> None:
        for prepared in batch:
            known = prepared.document.doc_id in self.current
            self.changed += known
            self.added += not known
            self.chunks += len(prepared.chunks)
            self.redactions.update(prepared.redactions)
        self.report_progress()

    def report_progress(self) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(items=self.items, documents=self.added + self.changed, chunks=self.chunks))


def _cut(blob: bytes, start: int, end: int) -> str:
    return blob[start:end].decode("utf-8")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _chunk_id(document: Document, start: int, end: int) -> str:
    """The blob is part of the name: another text of the same document never takes over a chunk's id."""
    name = "\x1f".join(
        (document.tenant, document.kb, document.doc_id, str(document.since), document.blob, str(start), str(end))
    )
    return str(uuid.UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=5))
