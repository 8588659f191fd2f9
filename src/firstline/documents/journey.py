"""A document's journey: source -> parse -> redact -> [quarantine] -> chunk -> embed -> write (candidate) ->
check -> publish.

All branching of ingestion is here. The order of writes makes a crash at any instant harmless:

1. the ledger notes which documents are about to be written (`plan`),
2. blobs, index entries and the graph's edges are written, invisible because their `since` is the unpublished
   candidate,
3. the ledger commits documents and chunks and clears the plan: from here they are acknowledged,
4. publishing moves one pointer, or the candidate waits as a snapshot (`publish_policy`).

Batches overlap (`pipeline`): while one is committed the next is embedded and the one after it prepared. Commits
happen strictly one after another, each in the order above.

Before a candidate is opened, what snapshots that were gone back from wrote is undone (`undo`). A rerun reopens the same
candidate, skips what is acknowledged and writes the rest. An index entry or an edge that the ledger
does not know is never shown, because every candidate of a question is looked up in the ledger again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Final

from firstline.documents.commit import commit
from firstline.documents.embed import batch_vectors
from firstline.documents.followers import Followers
from firstline.documents.giving_way import (
    RETAKE_PAUSE_S,
    RETAKE_S_MAX,
    TAKEN_S_MAX,
    ChangesWait,
    GivingWay,
    may_part,
)
from firstline.documents.narrowing import tell, too_open
from firstline.documents.pipeline import pipeline
from firstline.documents.prepare import prepare
from firstline.documents.publish_policy import AS_SHIPPED, Policy, Publish, refuse_wipe, waits
from firstline.documents.quarantine import fingerprint
from firstline.documents.read_back import read_back
from firstline.documents.run import Batch, Extraction, Prepared, Progress, Run, same_id
from firstline.documents.undo import QuestionsEnd, undo
from firstline.domain import FOREVER, NOTHING, Document, Failure, IngestReport, QuarantineState, SourceItem
from firstline.errors import Conflict, InvalidInput, NotAccepted
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    Embedder,
    Graph,
    KnowledgeLedger,
    QuarantineLedger,
    Redactor,
    Source,
    TextFromImage,
    Vectors,
    WordEncoder,
)

__all__ = ["DocumentJourney", "Policy", "Progress", "Publish"]

logger = logging.getLogger(__name__)

HasGolden = Callable[[str, str], Awaitable[bool]]

BATCH_CHUNKS_MAX: Final = 1_000
"""A batch is closed at this many chunks even when it holds few documents."""

HELD_BATCH: Final = 500
"""Documents that wait for a person are recorded this many at a time: every one is, however many they are."""

LISTED_AT_ONCE: Final = 10_000

LOOKS_EVERY_ITEMS: Final = 64
"""Items that are unchanged make no batch: whether somebody waits is looked for all the same."""

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
        ocr: TextFromImage | None = None,
        quarantine: QuarantineLedger | None = None,
        policy: Policy = AS_SHIPPED,
        golden: HasGolden | None = None,
        changes_wait: ChangesWait | None = None,
        questions_end: QuestionsEnd | None = None,
        extract_graph: bool = True,
        graph: Graph | None = None,
    ) -> None:
        """`ocr` reads pages that are pictures. Without a `quarantine` what is suspicious is kept out all the same, and
        named in the report alone. `golden` says whether a knowledge base (tenant, kb) has cases that a bulk change can
        be judged by; without it none has. A long run gives way while `changes_wait`. `questions_end` returns once
        the questions under way have ended, which keep their snapshot; None: there are none. Without `extract_graph`
        no document says edges; without a `graph` nobody keeps them."""
        self._ledger = ledger
        self._index = index
        self._blobs = blobs
        self._embedder = embedder
        self._words = words
        self._redactor = redactor
        self._count_tokens = count_tokens
        self._chunk_tokens = chunk_tokens
        self._batch_documents = batch_documents
        self._ocr = ocr
        self._quarantine = quarantine
        self._policy = policy
        self._golden = golden
        self._changes_wait = changes_wait
        self._questions_end = questions_end
        self._extract_graph = extract_graph and graph is not None
        self._graph = graph
        self._followers = Followers(index=index, graph=graph)
        self.extraction = Extraction()

    async def ingest(
        self,
        source: Source,
        *,
        tenant: str,
        kb: str,
        prune: Sequence[str] = (),
        removed: Collection[str] = (),
        origins: Mapping[str, str] = NOTHING,
        moved: bool = False,
        emptied: bool = False,
        publish: Publish = Publish.AUTO,
        force: bool = False,
        gives_way: bool = True,
        suspect: str = "",
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Bring a knowledge base up to date with a source, as the next snapshot, and publish it if the policy allows.

        `prune` names doc_id prefixes that the source speaks for: documents under them that it no longer yields end.
        `removed` names documents that end, those that it yields all the same left out.
        `origins` says where the documents under a prefix come from, as their metadata does; with `moved`, those that
        came from elsewhere are taken over. With `emptied`, a source that yields nothing, not even a failure, says that
        there is nothing any more: its documents of earlier runs end. Without `force` a run that would end most of them
        is refused; with it the checks before publishing are passed over, too. With `gives_way` a long run that
        publishes by itself does so in parts when announced changes wait: they go between. `suspect` says why a run that
        adds documents must wait; empty: nothing is.
        Raises Conflict when another run holds the knowledge base, InvalidInput when its vectors come from another
        embedder or documents under a prefix came from elsewhere: nothing is written then. Failures of single items
        are in the report.
        """
        started = time.monotonic()
        wanted = Publish.ALWAYS if force and publish is Publish.AUTO else publish
        run, items = (
            Run(tenant=tenant, kb=kb, candidate=0, suspect=suspect, on_progress=on_progress),
            aiter(source.items()),
        )
        way = await self._way(run, wanted, gives_way=gives_way)
        while True:
            async with self._held(run):
                way.begin(committed=run.chunks)
                await self._open(run, origins, moved=moved)
                await self._pipeline(run, items, way)
                if run.exhausted:
                    await self._withdraw(run)
                    await self._prune(run, prune, emptied=emptied, force=force)
                    refuse_wipe(len(removed), of=len(run.current), policy=self._policy, force=force)
                    await self._end(run, removed)
                    await self._record_held(run, prune, removed)
                    return await self._publish(run, started, wanted)
                if (await self._publish(run, started, wanted)).waits:
                    way.stop()
            await way.let_go_first()

    async def _way(self, run: Run, publish: Publish, *, gives_way: bool) -> GivingWay:
        golden = self._golden is not None and await self._golden(run.tenant, run.kb)
        gives_way = gives_way and may_part(publish, golden=golden)
        return GivingWay(self._changes_wait if gives_way else None, tenant=run.tenant, kb=run.kb)

    @asynccontextmanager
    async def _held(self, run: Run) -> AsyncGenerator[None]:
        """The ingest lock: at once or not at all; patiently for a run that gave way, and while changes are taken."""
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            while True:
                try:
                    await stack.enter_async_context(self._ledger.ingest_lock(tenant=run.tenant, kb=run.kb))
                    break
                except Conflict:
                    taken = run.candidate or (self._changes_wait and await self._changes_wait(run.tenant, run.kb))
                    if not taken or time.monotonic() - began > (RETAKE_S_MAX if run.candidate else TAKEN_S_MAX):
                        raise
                await asyncio.sleep(RETAKE_PAUSE_S)
            yield

    async def _open(self, run: Run, origins: Mapping[str, str], *, moved: bool) -> None:
        tenant, kb = run.tenant, run.kb
        await undo(
            tenant=tenant,
            kb=kb,
            ledger=self._ledger,
            index=self._index,
            graph=self._graph,
            questions_end=self._questions_end,
        )
        candidate = await self._ledger.open_candidate(tenant=tenant, kb=kb, embedder_id=self._embedder.model_id)
        run.reopen(candidate, await self._ledger.current(tenant=tenant, kb=kb))
        if not moved:
            run.refuse_strangers(origins)
        if self._quarantine is not None:
            run.decided = await self._quarantine.decided(tenant=tenant, kb=kb)
        await self._clear_leftovers(run)

    async def _clear_leftovers(self, run: Run) -> None:
        """Index entries of documents whose run died before the ledger heard of them."""
        planned = await self._ledger.planned(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
        unknown = [
            doc_id for doc_id in planned if doc_id not in run.current or run.current[doc_id].since != run.candidate
        ]
        if unknown:
            await self._followers.delete(tenant=run.tenant, kb=run.kb, doc_ids=unknown, since=run.candidate)
        run.unsure = frozenset(planned).difference(unknown)

    async def _pipeline(self, run: Run, items: AsyncIterator[SourceItem | Failure], way: GivingWay) -> None:
        async def vectors_of(batch: Batch) -> Vectors:
            return await batch_vectors(batch, embedder=self._embedder, index=self._index)

        async def write(batch: Batch, vectors: Vectors) -> None:
            await commit(
                batch,
                vectors,
                ledger=self._ledger,
                blobs=self._blobs,
                index=self._index,
                words=self._words,
                graph=self._graph,
            )
            run.committed(batch)

        await pipeline(self._batches(run, items, way), embed=vectors_of, commit=write)

    async def _batches(
        self, run: Run, items: AsyncIterator[SourceItem | Failure], way: GivingWay
    ) -> AsyncIterator[Batch]:
        """Until the source is exhausted, or somebody else is let go first."""
        batch: list[Prepared] = []
        chunks, documents_max = 0, min(FIRST_BATCH_DOCUMENTS, self._batch_documents)
        chunks_max = way.chunks_max(BATCH_CHUNKS_MAX, committed=run.chunks)
        async for item in items:
            prepared = await self._prepare_item(run, item)
            run.report_progress()
            if prepared is not None:
                batch.append(prepared)
                chunks += len(prepared.chunks)
            full = len(batch) >= documents_max or chunks >= chunks_max
            let_go = (full or run.items % LOOKS_EVERY_ITEMS == 0) and await way.wanted()
            if batch and (full or let_go):
                yield batch
                chunks_max = way.chunks_max(BATCH_CHUNKS_MAX, committed=run.chunks)
                batch, chunks, documents_max = [], 0, min(2 * documents_max, self._batch_documents)
            if let_go:
                return
        run.exhausted = True
        if batch:
            yield batch

    async def _prepare_item(self, run: Run, item: SourceItem | Failure) -> Prepared | None:
        run.items += 1
        if isinstance(item, Failure):
            run.fail(item)
            return None
        if item.item_id in run.seen:
            run.fail(same_id(item.item_id))
            return None
        run.seen.add(item.item_id)
        known = run.current.get(item.item_id)
        same = known is not None and known.content_hash == item.content_hash and item.item_id not in run.unsure
        if known is not None and same and not self._rejected(run, item):
            await self._keep(run, known)
            return None
        prepared = await self._prepared(run, item, known)
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
            await self._followers.set_until(ids, run.candidate)
            run.removed += 1
            del run.not_taken[known.doc_id]
        return None

    def _rejected(self, run: Run, item: SourceItem) -> bool:
        return bool(run.decided) and run.decided.get((item.item_id, fingerprint(item))) is QuarantineState.REJECTED

    async def _prepared(self, run: Run, item: SourceItem, known: Document | None) -> Prepared | None:
        try:
            prepared = await asyncio.to_thread(
                prepare,
                item,
                tenant=run.tenant,
                kb=run.kb,
                candidate=run.candidate,
                redactor=self._redactor,
                count_tokens=self._count_tokens,
                chunk_tokens=self._chunk_tokens,
                known=known,
                ocr=self._ocr,
                extract_graph=self._extract_graph,
            )
            if self._extract_graph:
                self.extraction.add(prepared)
            return prepared
        except NotAccepted as error:
            run.fail(Failure(item_id=item.item_id, reason=str(error), acl=item.acl, level=item.level))
        except Exception as error:
            # A parser that trips over one hostile file must not stop the other ten thousand.
            logger.exception("could not prepare a document")
            reason = f"It could not be read ({type(error).__name__}). Save it anew."
            run.fail(Failure(item_id=item.item_id, reason=reason, acl=item.acl, level=item.level))
        return None

    async def _withdraw(self, run: Run) -> None:
        """End what stands wider than what could not be taken of it."""
        gone = too_open(run)
        await self._end_all(run, gone)
        tell(run, gone)

    async def _keep(self, run: Run, known: Document) -> None:
        if known.until != FOREVER:
            # `end` repeated changes nothing and names the chunks. The index hears first: were it told last, a crash in
            # between would leave chunks ended that the ledger calls current, and no later run would look at them.
            tenant, kb, candidate, ids = run.tenant, run.kb, run.candidate, [known.doc_id]
            chunks = await self._ledger.end(tenant=tenant, kb=kb, candidate=candidate, doc_ids=ids)
            await self._followers.set_until(chunks, FOREVER)
            await self._ledger.unend(tenant=tenant, kb=kb, candidate=candidate, doc_ids=ids)
            run.changed += 1
        else:
            run.unchanged += 1

    async def _prune(self, run: Run, prefixes: Sequence[str], *, emptied: bool, force: bool) -> None:
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
        own = sum(doc_id.startswith(tuple(prefixes)) for doc_id in run.current)
        refuse_wipe(len(gone), of=own, policy=self._policy, force=force)
        await self._end(run, gone)

    async def _end(self, run: Run, doc_ids: Collection[str]) -> None:
        """Documents that are not current, or that this run met, are left as they are."""
        gone = [
            doc_id
            for doc_id in doc_ids
            if doc_id not in run.seen and doc_id in run.current and run.current[doc_id].until == FOREVER
        ]
        await self._end_all(run, gone)

    async def _end_all(self, run: Run, gone: Sequence[str]) -> None:
        if gone:
            ids = await self._ledger.end(tenant=run.tenant, kb=run.kb, candidate=run.candidate, doc_ids=gone)
            await self._followers.set_until(ids, run.candidate)
            own = [doc_id for doc_id in gone if run.current[doc_id].since == run.candidate]
            if own:
                # Of what this candidate wrote nothing is left in the ledger.
                await self._followers.delete(tenant=run.tenant, kb=run.kb, doc_ids=own, since=run.candidate)
            run.removed += len(gone)

    async def _record_held(self, run: Run, prefixes: Sequence[str], removed: Collection[str]) -> None:
        """What is suspicious waits for a person; what is not there any more, or is clean now, waits no longer."""
        if self._quarantine is None:
            return
        gone = tuple(prefixes)
        clear = [
            doc_id
            for doc_id in await self._waiting(run, self._quarantine)
            if doc_id not in run.waiting
            and (doc_id in run.seen or doc_id in removed or (gone and doc_id.startswith(gone)))
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

    async def _publish(self, run: Run, started: float, publish: Publish) -> IngestReport:
        await self._ledger.record_failures(tenant=run.tenant, kb=run.kb, candidate=run.candidate, failures=run.failures)
        ended = await self._ledger.ended(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
        if run.has_news or run.resumed or ended:
            if ended:
                # A run that died after its commit may not have told the index.
                await self._followers.set_until(ended, run.candidate)
            why = await self._waits(run, publish)
            tenant, kb, candidate = run.tenant, run.kb, run.candidate
            if why:
                snapshot = await self._ledger.seal(tenant=tenant, kb=kb, candidate=candidate, waits=why)
            else:
                snapshot = await self._ledger.publish(tenant=tenant, kb=kb, candidate=candidate)
            published = run.published = not why or run.published
        else:
            snapshot = await self._ledger.published(tenant=run.tenant, kb=run.kb)
            published, why = run.published, ""
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
            waits=why,
        )

    async def _waits(self, run: Run, publish: Publish) -> str:
        """Why the candidate is not published; empty when it is to be."""
        facts = await self._ledger.facts(tenant=run.tenant, kb=run.kb, candidate=run.candidate)
        written = await read_back(run, index=self._index, blobs=self._blobs)
        published = await self._ledger.published(tenant=run.tenant, kb=run.kb)
        return waits(
            # Who may see a document is no matter for golden cases, and must not wait for them.
            replace(facts, changed=max(0, facts.changed - run.readmitted)),
            written,
            publish=publish,
            published=published.number > 0,
            golden=self._golden is not None and await self._golden(run.tenant, run.kb),
            policy=self._policy,
            suspect=run.suspect if run.added else "",
        )
