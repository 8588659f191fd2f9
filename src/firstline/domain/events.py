"""What changes between two syncs: documents that a source announces by itself, and the jobs that take them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from firstline.domain.basics import NOTHING
from firstline.domain.knowledge import DocumentKind, SourceItem
from firstline.domain.principals import Level


class ChangeState(StrEnum):
    """WAITING for a worker; DONE: taken, or found to be nothing new; DEAD: given up until a person retries it."""

    WAITING = "waiting"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, kw_only=True, slots=True)
class RawDocument:
    """A document as its source announced it, as text and redacted, but not parsed yet."""

    kind: DocumentKind
    media_type: str
    text: str
    title: str
    url: str | None
    metadata: Mapping[str, str]
    acl: frozenset[str]
    level: Level
    content_hash: str

    @classmethod
    def of(cls, item: SourceItem) -> RawDocument:
        """`item` holds text in UTF-8."""
        return cls(
            kind=item.kind,
            media_type=item.media_type,
            text=item.raw.decode("utf-8", "replace"),
            title=item.title,
            url=item.url,
            metadata=item.metadata,
            acl=item.acl,
            level=item.level,
            content_hash=item.content_hash,
        )

    def item(self, item_id: str) -> SourceItem:
        return SourceItem(
            item_id=item_id,
            kind=self.kind,
            media_type=self.media_type,
            raw=self.text.encode("utf-8", "replace"),
            title=self.title,
            url=self.url,
            metadata=self.metadata,
            acl=self.acl,
            level=self.level,
            content_hash=self.content_hash,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RawChange:
    """One document that was written (`document`) or deleted (None). `version` is the source's own order, higher is
    newer; None: it does not tell, and the order of arrival counts."""

    item_id: str
    document: RawDocument | None
    version: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingChange:
    """A change that was accepted. `seq` grows with every change of a ledger; a newer change of the same document takes
    the place of an older one and has a higher one. `problem`: why the last attempt failed."""

    tenant: str
    kb: str
    source: str
    change: RawChange
    seq: int
    accepted_at: datetime
    state: ChangeState = ChangeState.WAITING
    attempts: int = 0
    problem: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """What became of an event. `again`: it was seen before, and nothing was done. `taken` and `older` are document ids:
    those that wait now, and those of which something newer is known."""

    again: bool = False
    taken: tuple[str, ...] = ()
    older: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Behind:
    """What is in the way of changes: the newest snapshot that waits to be published, since when and why the oldest one
    does."""

    snapshot: int
    since: datetime
    why: str

    @property
    def what_to_do(self) -> str:
        return (
            f"`firstline snapshot check {self.snapshot} --publish` publishes it if the golden cases do not get worse, "
            f"`firstline snapshot publish {self.snapshot}` whatever they say, `firstline snapshot discard` gives it up"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Lag:
    """How far a knowledge base is behind what its sources announced. `oldest_at`: since when the longest waiting
    document has waited. Of the `settled` changes that became answerable within the last hour, the time from change to
    answerable in seconds: half of them, and 95 of 100, took no longer."""

    tenant: str
    kb: str
    waiting: int
    dead: int
    oldest_at: datetime | None = None
    settled: int = 0
    p50_s: float = 0.0
    p95_s: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A piece of work that may be repeated. Of one `key` one runs at a time over all workers, and at most one waits."""

    name: str
    args: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def key(self) -> str:
        return "\x1f".join((self.name, *(f"{name}={self.args[name]}" for name in sorted(self.args))))


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadJob:
    """A job that was given up. `problem`: why its last attempt failed."""

    job_id: str
    job: Job
    attempts: int
    problem: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JobBacklog:
    waiting: int = 0
    running: int = 0
    dead: int = 0
