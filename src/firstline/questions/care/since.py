"""How far back, and until when? "30d", "12w", a date, or a moment."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from firstline.errors import InvalidInput

DAYS_MAX: Final = 3_660
_SPAN: Final = re.compile(r"(\d{1,5})\s*([hdw])", re.IGNORECASE)
_HOURS: Final = {"h": 1, "d": 24, "w": 168}


def since_of(text: str, *, now: datetime) -> datetime:
    """A moment in the past. InvalidInput when it is none."""
    span = _span(text)
    found = now - span if span is not None else _moment(text)
    if found > now:
        raise InvalidInput(f"{text[:40]!r} is still to come.", remedy='Write it like "30d".')
    return found


def until_of(text: str, *, now: datetime) -> datetime | None:
    """A moment in the future, or "now"; None for "never". InvalidInput when it is neither."""
    word = text.strip().lower()
    if word == "never":
        return None
    if word == "now":
        return now
    span = _span(text)
    found = now + span if span is not None else _moment(text)
    if found <= now:
        raise InvalidInput("It would have expired already.", remedy="Name a later day, or expire it.")
    return found


def span_of(text: str) -> timedelta:
    """InvalidInput when it is no number of hours, days or weeks."""
    span = _span(text)
    if span is None:
        raise _not_read(text)
    return span


def _span(text: str) -> timedelta | None:
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        return None
    span = timedelta(hours=int(found[1]) * _HOURS[found[2].lower()])
    if span > timedelta(days=DAYS_MAX):
        raise InvalidInput(f"{text[:40]!r} is more than ten years.", remedy='Write it like "30d".')
    return span


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise _not_read(text) from None


def _not_read(text: str) -> InvalidInput:
    return InvalidInput(f"{text[:40]!r} is no time.", remedy='Write it like "30d", "12w" or "2026-07-01".')
