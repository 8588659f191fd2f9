"""States of a knowledge base, what differs between them, and what is forgotten in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final


class SnapshotState(StrEnum):
    """PUBLISHED answers questions; CANARY answers a share of the sessions; WAITING was not published yet; EARLIER can
    be gone back to. AHEAD was left by a rollback: it can be published until the next candidate is opened."""

    PUBLISHED = "published"
    CANARY = "canary"
    WAITING = "waiting"
    EARLIER = "earlier"
    AHEAD = "ahead"


@dataclass(frozen=True, kw_only=True, slots=True)
class SnapshotEntry:
    """A snapshot in a list. `sealed_at`: when its last document was written; `waits`: why it was not published by
    itself, empty when it was. `share` of the sessions ask it while it is the canary."""

    number: int
    state: SnapshotState
    documents: int
    chunks: int
    sealed_at: datetime
    published_at: datetime | None
    waits: str = ""
    share: float = 0.0


class ChangeKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentChange:
    """What became of a document between two snapshots. `title` is the later one's, if it is still there."""

    doc_id: str
    title: str
    change: ChangeKind


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateFacts:
    """What the cheap checks read of an open candidate, against the snapshot that it builds on (`before`).

    `closed`: documents that somebody could see and nobody can after it. `chunks_written` are those that the ledger
    holds of the candidate alone.
    """

    documents_before: int
    chunks_before: int
    added: int
    changed: int
    removed: int
    chunks_written: int
    chunks_ended: int
    closed: tuple[str, ...] = ()
    builds_on_waiting: bool = False

    @property
    def changes(self) -> int:
        return self.added + self.changed + self.removed

    @property
    def chunks_after(self) -> int:
        return self.chunks_before + self.chunks_written - self.chunks_ended


FORGOTTEN: Final = "[forgotten]"
"""Stands in records where a document or a person was forgotten."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tombstone:
    """A document that is shown in no snapshot any more. Revisions up to number `upto` are meant: one that is taken
    again later gets a higher number. `purged_at`: when the last trace of them was removed; None: not yet."""

    tenant: str
    kb: str
    doc_id: str
    upto: int
    at: datetime
    by: str
    purged_at: datetime | None = None
