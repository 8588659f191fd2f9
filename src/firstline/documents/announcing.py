"""A source announces a change: it is kept, redacted, and a worker is told. A deletion is in force when this returns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from firstline.documents.changes import Bury
from firstline.documents.jobs import changes_of, purge_of, sync_of
from firstline.documents.prepare import safe_metadata
from firstline.domain import Accepted, ChangeState, Job, RawChange, RawDocument, RegisteredSource, SourceItem
from firstline.errors import FirstlineError, NotFound
from firstline.ports import ChangeLedger, JobQueue, Redactor

logger = logging.getLogger(__name__)

Announcement = tuple[str, SourceItem | None, int | None]
"""Document id, the document or None when it is gone, and its version by the source's own order."""


class Announcing:
    """Takes announcements. What it has acknowledged is not lost, whatever becomes of the jobs."""

    def __init__(
        self,
        *,
        changes: ChangeLedger,
        jobs: JobQueue,
        bury: Bury,
        redactor: Redactor,
        hashed: Callable[[SourceItem], SourceItem],
    ) -> None:
        """`hashed` gives an item the hash of what shapes its document."""
        self._changes = changes
        self._jobs = jobs
        self._bury = bury
        self._redactor = redactor
        self._hashed = hashed
        self._telling: set[asyncio.Task[None]] = set()

    async def changed(
        self, announced: Sequence[Announcement], *, tenant: str, kb: str, source: str, event_id: str
    ) -> Accepted:
        """Documents of a source were written or deleted. An event that was seen before changes nothing."""
        raw = await asyncio.to_thread(lambda: [self._raw(*one) for one in announced])
        accepted = await self._changes.accept(raw, tenant=tenant, kb=kb, source=source, event_id=event_id)
        taken = frozenset(accepted.taken)
        gone = [change.item_id for change in raw if change.document is None and change.item_id in taken]
        done = [doc_id for doc_id in gone if await self._delete(doc_id, tenant=tenant, kb=kb)]
        if done:
            self._tell(purge_of(tenant), news=True)
        if len(done) < len(taken):
            # What was announced now is not to wait for what failed before it.
            self._tell(changes_of(tenant, kb), news=True)
        return accepted

    async def something(self, source: RegisteredSource, *, event_id: str) -> Accepted:
        """Something changed at the source: it is synced."""
        accepted = await self._changes.accept(
            (), tenant=source.tenant, kb=source.kb, source=source.name, event_id=event_id, wake=True
        )
        if not accepted.again:
            # A sync that waits for its next attempt may wait because its source said so: it is not hurried.
            self._tell(sync_of(source))
        return accepted

    async def deleted(self, doc_id: str, *, tenant: str, kb: str) -> None:
        """A person deletes a document. NotFound when it is not there."""
        known = await self._changes.newest(doc_id, tenant=tenant, kb=kb)
        waits = known is not None and known.state is not ChangeState.DONE
        if waits:
            # What was announced before must not bring it back.
            gone = RawChange(item_id=doc_id, document=None)
            await self._changes.accept([gone], tenant=tenant, kb=kb, source=known.source if known else "", event_id="")
        there = await self._delete(doc_id, tenant=tenant, kb=kb)
        if not there and not waits:
            raise NotFound(f"There is no document {doc_id[:200]!r} in {kb!r}.", remedy="Check the id, and the base.")
        self._tell(purge_of(tenant), news=True)

    async def _delete(self, doc_id: str, *, tenant: str, kb: str) -> bool:
        """False when it is not there, or not yet: a worker that has it in hand looks once more."""
        # Read before: what is announced later must not be settled here.
        known = await self._changes.newest(doc_id, tenant=tenant, kb=kb)
        if known is not None and known.change.document is not None and known.state is not ChangeState.DONE:
            return False
        try:
            await self._bury([doc_id], tenant, kb)
        except NotFound:
            return False
        if known is not None:
            await self._changes.settle([known], answerable=True)
        return True

    def _tell(self, job: Job, *, news: bool = False) -> None:
        """Nobody waits for it: what is announced is kept already."""
        telling = asyncio.create_task(self._put(job, news=news))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _put(self, job: Job, *, news: bool) -> None:
        try:
            await self._jobs.put(job, news=news)
        except FirstlineError as error:
            logger.warning("the job %s could not be put; a worker finds what waits: %s", job.name, error)

    def _raw(self, item_id: str, item: SourceItem | None, version: int | None) -> RawChange:
        document = None if item is None else RawDocument.of(self._hashed(self._redacted(item)))
        return RawChange(item_id=item_id, document=document, version=version)

    def _redacted(self, item: SourceItem) -> SourceItem:
        """Before it is kept anywhere. Parsing and redacting once more, later, changes nothing of that."""
        redactor = self._redactor.for_document(item.kind)
        safe = redactor.redact
        text = safe(item.raw.decode("utf-8", "replace")).text
        url = item.url if item.url is None or safe(item.url).text == item.url else None
        metadata = safe_metadata(item.metadata, item.title, redactor)
        return replace(item, raw=text.encode("utf-8"), title=safe(item.title).text, url=url, metadata=metadata)
