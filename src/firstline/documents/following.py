"""One sync of one source: what it says changed is committed in windows, and only then its place is kept.

Nothing is removed on suspicion: a source that yields nothing, or far less than it did, raises an alert instead.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final

from firstline.documents.journey import DocumentJourney, Progress
from firstline.documents.listening import listening
from firstline.documents.publish_policy import rules_lost
from firstline.documents.window import Heard, Window
from firstline.domain import (
    CURSOR_CHARS_MAX,
    FOREVER,
    ORIGIN,
    PIPELINE_VERSION,
    Alert,
    Change,
    Complete,
    Cursor,
    IngestReport,
    RegisteredSource,
    RulesFit,
    SnapshotState,
    Unchanged,
)
from firstline.errors import Broken, Conflict, FirstlineError, NotFound
from firstline.ports import Incremental, KnowledgeLedger, SnapshotLedger, SourceLedger

SNAPSHOTS_READ_MAX: Final = 1_000
_PUBLISHED: Final = frozenset({SnapshotState.PUBLISHED, SnapshotState.EARLIER})


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncLimits:
    """A window is committed at so many items or bytes, or when its first item is this old. `stall_s`: a source that
    says nothing for so long is given up. `lock_wait_s`: how long another ingest of the knowledge base is waited for.
    A listing that misses more of the documents than `gone_share_max` is not believed, unless it is `gone_always` or
    fewer."""

    window_items: int = 1_000
    window_bytes: int = 32 * 1024 * 1024
    window_s: float = 15.0
    stall_s: float = 1_800.0
    lease_s: float = 60.0
    lock_wait_s: float = 600.0
    gone_share_max: float = 0.5
    gone_always: int = 5


class Following:
    """Follows a source from a place on. `heard` is what came of it so far."""

    def __init__(
        self,
        source: RegisteredSource,
        *,
        sources: SourceLedger,
        knowledge: KnowledgeLedger,
        snapshots: SnapshotLedger,
        documents: DocumentJourney,
        origin: str,
        limits: SyncLimits,
        force: bool = False,
        moved: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """`origin`: what its documents' metadata calls the place they came from. `force` believes a listing that misses
        much; `moved` takes over documents of its name that came from elsewhere."""
        self.heard = Heard(snapshot=source.cursor_snapshot)
        self._source = source
        self._sources = sources
        self._knowledge = knowledge
        self._snapshots = snapshots
        self._documents = documents
        self._origin = origin
        self._limits = limits
        self._force = force
        self._moved = moved
        self._on_progress = on_progress
        self._window = Window()
        self._window_began = 0.0
        self._place: str | None = None
        self._began_at = 0
        self._suspect = ""
        """Why what is added must wait, as far as the source has told."""
        last = source.last_report
        if last is not None:
            self.heard.rules_met, self.heard.rules_wait = last.rules_met, last.rules_wait

    async def follow(self, connector: Incremental, *, cursor: str | None) -> None:
        """To the end of what it says. When it raises, what it said before is committed first, and its place kept."""
        published = await self._knowledge.published(tenant=self._source.tenant, kb=self._source.kb)
        self._began_at = published.number
        if cursor is None:
            self.heard.snapshot = 0
        limits = self._limits
        changes = connector.changes(cursor)
        async with listening(changes, quiet_s=limits.window_s, stall_s=limits.stall_s) as waiting:
            try:
                async for change in waiting:
                    await self._hear(change)
            except FirstlineError:
                await self._flush()
                raise
            await self._flush()

    async def end(self, doc_ids: Collection[str]) -> None:
        """Let documents of this source end, however many they are."""
        self._force = True
        await self._flush(doc_ids)

    async def standing(self, prefix: str, *, written_until: int = FOREVER) -> frozenset[str]:
        """Current documents under the prefix that came from this source."""
        current = await self._knowledge.current(tenant=self._source.tenant, kb=self._source.kb)
        return frozenset(
            doc_id
            for doc_id, document in current.items()
            if doc_id.startswith(prefix)
            and document.until == FOREVER
            and document.since <= written_until
            and document.metadata.get(ORIGIN, self._origin) == self._origin
        )

    async def _hear(self, change: Change | None) -> None:
        match change:
            case None:
                if not self._suspect:
                    await self._flush()
            case Cursor():
                if len(change.value) > CURSOR_CHARS_MAX:
                    self.heard.alert("Its place to go on from is too long to keep.", keeps=False)
                else:
                    self._place = change.value
            case Unchanged():
                self._check(change.item_id)
                self.heard.seen.add(change.item_id)
                self.heard.unchanged += 1
            case Alert():
                self.heard.alert(change.said, keeps=change.keeps)
            case RulesFit():
                await self._rules_fit(change)
            case Complete():
                if not self._suspect:
                    await self._flush()
                await self._flush(await self._gone(change.prefix, certain=change.certain))
            case _:
                self._check(change.item_id)
                self.heard.item(change)
                if not len(self._window):
                    self._window_began = time.monotonic()
                self._window.take(change)
        await self._flush_when_full()

    def _check(self, item_id: str) -> None:
        if not item_id.startswith(self._source.prefix):
            raise Broken(
                f"The connector {self._source.kind!r} names {item_id[:80]!r}, outside {self._source.prefix!r}.",
                remedy="Report it; nothing of that item was taken.",
            )

    async def _flush_when_full(self) -> None:
        window, limits = self._window, self._limits
        if self._suspect:
            # What is gone is known at the end, and must be committed first: what waits keeps all after it waiting.
            if window.bytes >= limits.window_bytes:
                await self._flush()
            return
        full = len(window) >= limits.window_items or window.bytes >= limits.window_bytes
        if full or (len(window) and time.monotonic() - self._window_began >= limits.window_s):
            await self._flush()

    async def _flush(self, gone: Collection[str] = ()) -> None:
        """Commit what is in hand, then keep the place it leads to. When that fails, neither is in hand any more."""
        window, self._window = self._window, Window()
        place, self._place = self._place, None
        removed = window.removed | frozenset(gone)
        if self._suspect and removed:
            # What is gone must not wait for what is to be looked at.
            self.heard.ingested(await self._patiently(lambda: self._ingest(Window(), removed)))
            removed = frozenset[str]()
        if len(window) or removed:
            report = await self._patiently(lambda: self._ingest(window, removed))
            self.heard.ingested(report)
            if self._suspect and report.waits:
                self.heard.rules_wait = report.snapshot
        if place is None or self.heard.blocked:
            return
        if await self._stands():
            number, shape = self.heard.snapshot, shape_of(self._source)
            await self._sources.advance_source(self._source, cursor=place, snapshot=number, shape=shape)
        else:
            self.heard.alert("It was rolled back meanwhile; the next sync reads everything.", keeps=True)
            self.heard.blocked = True
            await self._sources.advance_source(self._source, cursor=None, snapshot=0, shape="")

    async def _stands(self) -> bool:
        source = self._source
        return await stands(
            self.heard.snapshot,
            tenant=source.tenant,
            kb=source.kb,
            knowledge=self._knowledge,
            snapshots=self._snapshots,
        )

    async def _ingest(self, window: Window, removed: frozenset[str]) -> IngestReport:
        return await self._documents.ingest(
            window,
            tenant=self._source.tenant,
            kb=self._source.kb,
            removed=removed,
            origins={self._source.prefix: self._origin},
            moved=self._moved,
            force=self._force,
            suspect=self._suspect,
            on_progress=self._on_progress,
        )

    async def _rules_fit(self, told: RulesFit) -> None:
        """A rule that fitted and fits no longer is remembered until a person has decided about what came instead."""
        settled = self._force or await self._was_published(self.heard.rules_wait)
        lost = () if settled else tuple(path for path in told.unmet if path in self.heard.rules_met)
        self.heard.rules_met = (*told.met, *lost)
        self._suspect = rules_lost(lost) if lost else ""
        if not lost:
            self.heard.rules_wait = 0

    async def _was_published(self, number: int) -> bool:
        if not number:
            return False
        entries = await self._snapshots.snapshots(
            tenant=self._source.tenant, kb=self._source.kb, limit=SNAPSHOTS_READ_MAX
        )
        return any(one.number == number and one.state in _PUBLISHED for one in entries)

    async def _patiently(self, work: Callable[[], Awaitable[IngestReport]]) -> IngestReport:
        """Another ingest of the knowledge base goes first: it is waited for, not for ever."""
        deadline, pause_s = time.monotonic() + self._limits.lock_wait_s, 0.05
        while True:
            try:
                return await work()
            except Conflict:
                if time.monotonic() + pause_s > deadline:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(2.0, pause_s * 1.5)

    async def _gone(self, prefix: str, *, certain: bool) -> frozenset[str]:
        """Documents under the prefix that this sync did not meet. Those written after it began are not judged: they
        may be newer than the list."""
        self._check(prefix)
        heard = self.heard
        heard.complete = heard.complete or prefix == self._source.prefix
        if heard.keeps:
            return frozenset()
        standing = await self.standing(prefix, written_until=self._began_at)
        gone = heard.missing(standing)
        there = sum(item_id.startswith(prefix) for item_id in heard.seen)
        problem = "" if self._force or certain or not gone else self._unbelievable(len(gone), len(standing), there)
        if not problem:
            return gone
        heard.alert(f"{problem} Nothing was removed. When that is right, sync it with --force.", keeps=True)
        heard.blocked = True
        return frozenset()

    def _unbelievable(self, gone: int, standing: int, there: int) -> str:
        if not there:
            return f"It yielded nothing, and {gone:,} of its documents stand."
        if gone > max(self._limits.gone_always, self._limits.gone_share_max * standing):
            return f"It yielded {there:,} items; {gone:,} of its {standing:,} documents were not among them."
        return ""


async def stands(number: int, *, tenant: str, kb: str, knowledge: KnowledgeLedger, snapshots: SnapshotLedger) -> bool:
    """Whether what this snapshot wrote is still there: not after going back from it."""
    if number <= (await knowledge.published(tenant=tenant, kb=kb)).number:
        return True
    try:
        entries = await snapshots.snapshots(tenant=tenant, kb=kb, limit=SNAPSHOTS_READ_MAX)
    except NotFound:
        return False
    return any(entry.number == number and entry.state is not SnapshotState.AHEAD for entry in entries)


def shape_of(source: RegisteredSource) -> str:
    """Names everything that shapes the source's documents: a place is of one shape, and of no other."""
    shape = [
        PIPELINE_VERSION,
        source.kind,
        sorted(source.config.items()),
        source.document_kind.value,
        sorted(source.acl),
        int(source.level),
    ]
    return hashlib.sha256(json.dumps(shape, sort_keys=True, default=str).encode()).hexdigest()[:16]
