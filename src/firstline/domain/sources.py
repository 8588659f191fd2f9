"""Where documents come from, again and again: registered sources, what one says of itself, what a sync came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from firstline.domain.knowledge import DocumentKind, Failure, SourceItem
from firstline.domain.principals import Level


@dataclass(frozen=True, kw_only=True, slots=True)
class Unchanged:
    """The item is still there, and is what it was: nobody had to read it."""

    item_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Removed:
    """The source has this item no longer. Repeating it, or naming one that was never taken, changes nothing."""

    item_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursor:
    """A place from which a later sync may go on: yielded only after everything before it. Opaque to all but its
    connector, without secrets, at most CURSOR_CHARS_MAX characters."""

    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Complete:
    """Everything under this prefix of item ids was yielded in this sync: what was not is gone. `certain`: the source
    said so itself (a file was deleted), even when nothing is left."""

    prefix: str
    certain: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """Something about the whole source that a person should look at. Unless `keeps` is false, what was not yielded in
    this sync is kept: a source that answers with its login page must not look empty."""

    said: str
    keeps: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class RulesFit:
    """Access rules of the source, by their paths: those that fit a document that is there now, and those that fit none.
    A source that can say so before its items does."""

    met: tuple[str, ...]
    unmet: tuple[str, ...]


Change = SourceItem | Unchanged | Removed | Failure | Cursor | Complete | Alert | RulesFit
"""What a source may say during a sync."""

CURSOR_CHARS_MAX = 8_000_000


class SourceState(StrEnum):
    """NEW was never synced; OK: the last sync took all; PARTIAL: some items failed; ALERT: look at it, nothing was
    lost; FAILED: the last sync ended early."""

    NEW = "new"
    OK = "ok"
    PARTIAL = "partial"
    ALERT = "alert"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class RegisteredSource:
    """A source of one knowledge base. Its documents' ids start with `name` and a slash.

    `config` is JSON without secrets: where one is needed it names it, `env:NAME` or `file:PATH`. `schedule` is an
    interval ("15m", "6h", "1d") or a cron line in UTC; "" is by hand alone. `cursor` holds for documents up to snapshot
    `cursor_snapshot`, read in the way that `cursor_shape` names: otherwise everything is read anew. `documents` counts
    what the last complete sync saw. `lease` counts claims; `leased_until` is None when nobody syncs.
    """

    tenant: str
    kb: str
    name: str
    kind: str
    config: Mapping[str, object]
    document_kind: DocumentKind
    acl: frozenset[str]
    level: Level
    schedule: str = ""
    added_at: datetime
    cursor: str | None = None
    cursor_snapshot: int = 0
    cursor_shape: str = ""
    state: SourceState = SourceState.NEW
    documents: int = 0
    began_at: datetime | None = None
    finished_at: datetime | None = None
    due_at: datetime | None = None
    last_failure: str = ""
    last_report: SyncReport | None = None
    lease: int = 0
    leased_until: datetime | None = None

    @property
    def prefix(self) -> str:
        return f"{self.name}/"


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncReport:
    """What one sync came to. `failures` and `alerts` name the first of them; `failed` counts all failures. `error`: why
    it ended early, with what to do; what was committed before stays, and the next sync goes on from there. `waits`: why
    the snapshot is not published; empty when it is, or when there is none."""

    state: SourceState
    snapshot: int = 0
    published: bool = False
    waits: str = ""
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    held: int = 0
    failures: tuple[Failure, ...] = ()
    alerts: tuple[str, ...] = ()
    error: str = ""
    complete: bool = False
    duration_s: float = 0.0
    redactions: Mapping[str, int] = field(default_factory=dict[str, int])
    rules_met: tuple[str, ...] = ()
    """Paths of access rules that fit a document, or did until their documents went somewhere."""
    rules_wait: int = 0
    """The snapshot that waits because of the latter; 0 without one."""
