"""What stands in a list for a record that cannot be read, so that one damaged row does not hide all others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from psycopg.rows import DictRow

from firstline.domain import (
    DraftState,
    DraftTicket,
    Handoff,
    HandoffAct,
    HandoffEntry,
    HandoffEvent,
    HandoffMessage,
    HandoffState,
    Intent,
    Mood,
    Quarantined,
    QuarantineState,
    Reason,
)
from firstline.engines.postgres.codec import decode
from firstline.errors import Broken

T = TypeVar("T")
UNREADABLE: Final = "(this record cannot be read: restore it from a backup)"

logger = logging.getLogger(__name__)


def decode_or(kind: type[T], value: Any, stands_in: Callable[[], T], *, row_id: str) -> T:
    """As `decode`, with a stand-in for what cannot be read. It is logged with its id."""
    try:
        return decode(kind, value)
    except Broken as error:
        logger.error("%s %r: %s", kind.__name__, row_id, error.message)
        return stands_in()


def readable_of(kind: type[T], records: Iterable[tuple[object, Any]]) -> list[T]:
    """Of (what names it, record) those that can be read, in their order. The others are logged by name, and how many
    they are."""
    read: list[T] = []
    skipped = 0
    for name, value in records:
        try:
            read.append(decode(kind, value))
        except Broken as error:
            skipped += 1
            logger.error("%s %r is left out: %s", kind.__name__, name, error.message)
    if skipped:
        logger.error("%d of %d: records of %s cannot be read", skipped, skipped + len(read), kind.__name__)
    return read


def entry_of(row: DictRow) -> HandoffEntry:
    """A note in its place, so that whoever reads the story knows that a part of it is missing."""
    return HandoffEntry(
        handoff_id=row["handoff_id"],
        session_id=row["session_id"],
        number=row["number"],
        act=HandoffAct.NOTE,
        by="",
        text=UNREADABLE,
        at=row["created_at"],
        before=HandoffState.OPEN,
        after=HandoffState.OPEN,
        owner_before=None,
    )


def handoff_of(row: DictRow) -> Handoff:
    """From the columns beside the record."""
    return Handoff(
        handoff_id=row["handoff_id"],
        session_id=row.get("session_id", ""),
        turn=0,
        reason=Reason.PROVIDER_FAILURE,
        question=UNREADABLE,
        summary="",
        intent=Intent.OTHER,
        entities=(),
        tried=(),
        language="en",
        mood=Mood.NEUTRAL,
        next_step="",
        state=HandoffState.OPEN,
        created_at=row["created_at"],
    )


def message_of(row: DictRow) -> HandoffMessage:
    return HandoffMessage(
        event=HandoffEvent.UPDATED,
        tenant=row["tenant"],
        kb="",
        handoff=handoff_of(row),
        occurred_at=row["created_at"],
    )


def draft_of(row: DictRow) -> DraftTicket:
    return DraftTicket(
        draft_id=row["draft_id"],
        tenant=row["tenant"],
        kb="",
        title=UNREADABLE,
        symptom="",
        resolution="",
        state=DraftState.DRAFT,
        created_at=row["created_at"],
    )


def quarantined_of(row: DictRow) -> Quarantined:
    return Quarantined(
        tenant=row["tenant"],
        kb=row["kb"],
        doc_id=row["doc_id"],
        fingerprint=row["fingerprint"],
        title=UNREADABLE,
        suspicions=(),
        state=QuarantineState.HELD,
        found_at=row["found_at"],
    )
