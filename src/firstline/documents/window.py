"""What of a sync is in hand: changes that were heard and are not committed yet, and what was heard of all in all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Final

from firstline.domain import (
    Failure,
    IngestReport,
    Removed,
    SourceItem,
    SourceState,
    SyncReport,
)

FAILURES_NAMED_MAX: Final = 200
ALERTS_MAX: Final = 20


class Window:
    """Of each item the last word that was heard."""

    def __init__(self) -> None:
        self._changes: dict[str, SourceItem | Failure | Removed] = {}
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._changes)

    def take(self, change: SourceItem | Failure | Removed) -> None:
        before = self._changes.pop(change.item_id, None)
        self.bytes -= len(before.raw) if isinstance(before, SourceItem) else 0
        self.bytes += len(change.raw) if isinstance(change, SourceItem) else 0
        self._changes[change.item_id] = change

    @property
    def removed(self) -> frozenset[str]:
        return frozenset(item_id for item_id, change in self._changes.items() if isinstance(change, Removed))

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        """Implements ports.Source."""
        for change in self._changes.values():
            if not isinstance(change, Removed):
                yield change


@dataclass(kw_only=True)
class Heard:
    """What one sync heard and did. `seen`: ids of items that are there; `unread`: ids or, ending in a slash or #,
    places that could not be read, which says nothing of what is there."""

    seen: set[str] = field(default_factory=set[str])
    unread: set[str] = field(default_factory=set[str])
    failures: list[Failure] = field(default_factory=list[Failure])
    alerts: list[str] = field(default_factory=list[str])
    keeps: bool = False
    """Nothing that was not yielded is removed: something is wrong with the source as a whole."""
    blocked: bool = False
    """No place is kept any more: the next sync looks at the same again."""
    complete: bool = False
    published: bool = False
    snapshot: int = 0
    waits: str = ""
    rules_met: tuple[str, ...] = ()
    rules_wait: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    held: int = 0
    redactions: dict[str, int] = field(default_factory=dict[str, int])

    def item(self, change: SourceItem | Failure | Removed) -> None:
        if isinstance(change, SourceItem):
            self.seen.add(change.item_id)
            self.unread.discard(change.item_id)
        elif isinstance(change, Removed):
            self.seen.discard(change.item_id)
        elif change.keeps:
            table, mark, _ = change.item_id.partition("#")
            self.unread.add(table + mark)

    def missing(self, doc_ids: Iterable[str]) -> frozenset[str]:
        """Those that this sync did not meet, where it could look."""
        unread = tuple(self.unread)
        return frozenset(
            doc_id for doc_id in doc_ids if doc_id not in self.seen and not (unread and doc_id.startswith(unread))
        )

    def alert(self, said: str, *, keeps: bool) -> None:
        self.keeps = self.keeps or keeps
        if said not in self.alerts and len(self.alerts) < ALERTS_MAX:
            self.alerts.append(said)

    def ingested(self, report: IngestReport) -> None:
        self.added += report.added
        self.changed += report.changed
        self.removed += report.removed
        self.unchanged += report.unchanged
        self.failed += len(report.failures)
        self.held += len(report.held)
        self.published = self.published or report.published
        self.snapshot = max(self.snapshot, report.snapshot)
        self.waits = self.waits or report.waits
        self.failures.extend(report.failures[: max(0, FAILURES_NAMED_MAX - len(self.failures))])
        for name, count in report.redactions.items():
            self.redactions[name] = self.redactions.get(name, 0) + count

    def report(self, *, error: str, duration_s: float) -> SyncReport:
        state = SourceState.OK
        if self.failed:
            state = SourceState.PARTIAL
        if self.alerts:
            state = SourceState.ALERT
        if error:
            state = SourceState.FAILED
        return SyncReport(
            state=state,
            snapshot=self.snapshot,
            waits=self.waits,
            published=self.published,
            added=self.added,
            changed=self.changed,
            removed=self.removed,
            unchanged=self.unchanged,
            failed=self.failed,
            held=self.held,
            failures=tuple(self.failures),
            alerts=tuple(self.alerts),
            error=error,
            complete=self.complete,
            duration_s=duration_s,
            redactions=dict(self.redactions),
            rules_met=self.rules_met,
            rules_wait=self.rules_wait,
        )
