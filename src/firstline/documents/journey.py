"""A document's journey: source -> parse -> redact -> [quarantine] -> chunk -> embed -> write (candidate) -> publish.

All branching of ingestion is here. The order of writes makes a crash at any instant harmless:

1. the ledger notes which documents are about to be written (`plan`),
2. blobs and index entries are written, invisible because their `since` is the unpublished candidate,
3. the ledger commits documents and chunks and clears the plan: from here they are acknowledged,
4. publishing moves one pointer.

Batches overlap (`pipeline`): while one is committed the next is embedded and the one after it prepared. Commits
happen strictly one after another, each in the order above.

A rerun reopens the same candidate, skips what is acknowledged and writes the rest. An index entry that the ledger
does not know is never shown, because every candidate of a question is looked up in the ledger again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

from firstline.documents.commit import commit
from firstline.documents.embed import embed
from firstline.documents.pipeline import pipeline
from firstline.documents.prepare import prepare
from firstline.documents.quarantine import fingerprint
from firstline.documents.run import Batch, Prepared, Progress, Run
from firstline.domain import FOREVER, NOTHING, Document, Failure, IngestReport, QuarantineState, SourceItem
from firstline.errors import InvalidInput, NotAccepted
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    Embedder,
    KnowledgeLedger,
    QuarantineLedger,
    Redactor,
    Source,
    Vectors,
    WordEncoder,
)

__all__ = ["DocumentJourney", "Progress"]

logger = logging.getLogger(__name__)

BATCH_CHUNKS_MAX: Final = 1_000
"""A batch is closed at this many chunks even when it holds few documents."""

HELD_BATCH: Final = 500
"""Documents that wait for a person are recorded this many at a time: every one is, however many they are."""

LISTED_AT_ONCE: Final = 10_000

FIRST_BATCH_DOCUMENTS: Final = 4
"""The first batch is small, so that the embedder starts at once; each one after it may be twice as large."""


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
        quarantine: QuarantineLedger | None = None,
    ) -> None:
        """Without a `quarantine` what is suspicious is kept out all the same, named in the report alone."""
        self._ledger = ledger
        self._index = index
        self._blobs = blobs
        self._embedder = embedder
        self._words = words
        self._redactor = redactor
        self._count_tokens = count_tokens
        self._chunk_tokens = chunk_tokens
        self._batch_documents = batch_documents
        self._quarantine = quarantine

    async def ingest(
        self,
        source: Source,
        *,
        tenant: str,
        kb: str,
        prune: Sequence[str] = (),
        origins: Mapping[str, str] = NOTHING,
        moved: bool = False,
        emptied: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Bring a knowledge base up to date with a source and publish the result as the next snapshot.

        `prune` names doc_id prefixes that the source speaks for: documents under them that it no longer yields end.
        `origins` says where the documents under a prefix come from, as their metadata does; with `moved`, those that
        came from elsewhere are taken over. With `emptied`, a source that yields nothing, not even a failure, says that
        there is nothing any more: its documents of earlier runs end.
        Raises Conflict when another run holds the knowledge base, InvalidInput when its vectors come from another
        embedder or documents under a prefix came from elsewhere: nothing is written then. Failures of single items
        are in the report.
        """
        started = time.monotonic()
        async with self._ledger.ingest_lock(tenant=tenant, kb=kb):
            candidate = await self._ledger.open_candidate(tenant=tenant, kb=kb, embedder_id=self._embedder.model_id)
            run = Run(tenant=tenant, kb=kb, candidate=candidate, on_progress=on_progress)
            run.current = await self._ledger.current(tenant=tenant, kb=kb)
            if not moved:
                run.refuse_strangers(origins)
            if self._quarantine is not None:
                run.decided = await self._quarantine.decided(tenant=tenant, kb=kb)
            run.resumed = any(document.since == candidate for document in run.current.values())
            await self._clear_leftovers(run)
            await self._pipeline(run, source)
            await self._prune(run, prune, emptied=emptied)
            await self._record_held(run, prune)
            return await self._publish(run, started)

    async def _clear_leftovers(self, run: Run) -> None:
        """Index entries of documents whose run died before the ledger heard of them."""
        planned = await self._ledger.planned(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
        unknown = [
            doc_id for doc_id in planned if doc_id not in run.current or run.current[doc_id].since != run.candidate
        ]
        if unknown:
            await self._index.delete(tenant=run.tenant, kb=run.kb, doc_ids=unknown, since=run.candidate)

    async def _pipeline(self, run: Run, source: Source) -> None:
        async def vectors_of(batch: Batch) -> Vectors:
            return await embed([text for prepared in batch for text in prepared.texts], embedder=self._embedder)

        async def write(batch: Batch, vectors: Vectors) -> None:
            await commit(batch, vectors, ledger=self._ledger, blobs=self._blobs, index=self._index, words=self._words)
            run.committed(batch)

        await pipeline(self._batches(run, source), embed=vectors_of, commit=write)

    async def _batches(self, run: Run, source: Source) -> AsyncIterator[Batch]:
        batch: list[Prepared] = []
        chunks, documents_max = 0, min(FIRST_BATCH_DOCUMENTS, self._batch_documents)
        async for item in source.items():
            prepared = await self._prepare_item(run, item)
            run.report_progress()
            if prepared is None:
                continue
            batch.append(prepared)
            chunks += len(prepared.chunks)
            if len(batch) >= documents_max or chunks >= BATCH_CHUNKS_MAX:
                yield batch
                batch, chunks, documents_max = [], 0, min(2 * documents_max, self._batch_documents)
        if batch:
            yield batch

    async def _prepare_item(self, run: Run, item: SourceItem | Failure) -> Prepared | None:
        run.items += 1
        if isinstance(item, Failure):
            run.fail(item)
            return None
        if item.item_id in run.seen:
            run.fail(
                Failure(
                    item_id=item.item_id,
                    reason="Another item of this run has the same id; the first is kept. Rename this one.",
                )
            )
            return None
        run.seen.add(item.item_id)
        known = run.current.get(item.item_id)
        if known is not None and known.content_hash == item.content_hash and not self._rejected(run, item):
            await self._keep(run, known)
            return None
        prepared = await self._prepared(run, item)
        if prepared is None:
            return None
        run.note_hidden(prepared)
        if not prepared.suspicions or run.state_of(prepared) is QuarantineState.RELEASED:
            return prepared
        run.hold(prepared)
        if len(run.held) >= HELD_BATCH:
            await self._hold(run)
        if known is not None and known.content_hash == item.content_hash:
            # It was taken once, and rejected since.
            ids = await self._ledger.end(tenant=run.tenant, kb=run.kb, candidate=run.candidate, doc_ids=[known.doc_id])
            await self._index.set_until(ids, run.candidate)
            run.removed += 1
        return None

    def _rejected(self, run: Run, item: SourceItem) -> bool:
        return bool(run.decided) and run.decided.get((item.item_id, fingerprint(item))) is QuarantineState.REJECTED

    async def _prepared(self, run: Run, item: SourceItem) -> Prepared | None:
        try:
            return await asyncio.to_thread(
                prepare,
                item,
                tenant=run.tenant,
                kb=run.kb,
                candidate=run.candidate,
                redactor=self._redactor,
                count_tokens=self._count_tokens,
                chunk_tokens=self._chunk_tokens,
            )
        except NotAccepted as error:
            run.fail(Failure(item_id=item.item_id, reason=str(error)))
        except Exception as error:
            # A parser that trips over one hostile file must not stop the other ten thousand.
            logger.exception("could not prepare a document")
            reason = f"It could not be read ({type(error).__name__}). Save it anew."
            run.fail(Failure(item_id=item.item_id, reason=reason))
        return None

    async def _keep(self, run: Run, known: Document) -> None:
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

    async def _prune(self, run: Run, prefixes: Sequence[str], *, emptied: bool) -> None:
        unread = tuple(run.unread)
        gone = [
            doc_id
            for doc_id, document in run.current.items()
            if document.until == FOREVER
            and doc_id not in run.seen
            and not (unread and doc_id.startswith(unread))
            and doc_id.startswith(tuple(prefixes))
        ]
        silent = emptied and not run.items
        if silent and not any(doc_id.startswith(tuple(prefixes)) for doc_id in run.current):
            raise InvalidInput(
                "There is no document, and none was ingested from there before.", remedy="Check the path."
            )
        if not prefixes or not gone:
            return
        if not run.seen and not silent:
            raise InvalidInput(
                f"The source yielded nothing, and pruning would remove {len(gone)} documents.",
                remedy="Check the path, or leave out --prune.",
            )
        ids = await self._ledger.end(tenant=run.tenant, kb=run.kb, candidate=run.candidate, doc_ids=gone)
        await self._index.set_until(ids, run.candidate)
        run.removed += len(gone)

    async def _record_held(self, run: Run, prefixes: Sequence[str]) -> None:
        """What is suspicious waits for a person; what is not there any more, or is clean now, waits no longer."""
        if self._quarantine is None:
            return
        gone = tuple(prefixes)
        clear = [
            doc_id
            for doc_id in await self._waiting(run, self._quarantine)
            if doc_id not in run.waiting and (doc_id in run.seen or (gone and doc_id.startswith(gone)))
        ]
        await self._hold(run, clear=clear)

    async def _waiting(self, run: Run, quarantine: QuarantineLedger) -> list[str]:
        """Ids of all that wait in this knowledge base, those of earlier runs included."""
        limit = LISTED_AT_ONCE
        while len(found := await quarantine.quarantined(tenant=run.tenant, kb=run.kb, limit=limit)) == limit:
            limit *= 4
        return [one.doc_id for one in found]

    async def _hold(self, run: Run, *, clear: Sequence[str] = ()) -> None:
        found = run.take_held()
        if self._quarantine is not None and (found or clear):
            await self._quarantine.hold(found, tenant=run.tenant, kb=run.kb, clear=clear)

    async def _publish(self, run: Run, started: float) -> IngestReport:
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
            held=run.named_held,
            hidden=tuple(run.hidden),
        )
