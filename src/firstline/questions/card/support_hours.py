"""Is somebody of the team there, and when are they back? So that nobody waits for a person who is asleep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from firstline.domain import Availability

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PARTS_MAX: Final = 14
"""Stretches as they are written: two of each day."""
DAY_MINUTES: Final = 24 * 60
LOOK_AHEAD_DAYS: Final = 8
FORM: Final = 'hours like "Mon-Fri 09:00-17:00; Sat 10:00-14:00"'

_PART: Final = re.compile(
    r"(?P<first>[a-z]{3})[a-z]*(?:\s*[-–]\s*(?P<last>[a-z]{3})[a-z]*)?\s+"
    r"(?P<from>\d{1,2}:\d\d)\s*[-–]\s*(?P<to>\d{1,2}:\d\d)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """One stretch of one weekday (0: Monday), in minutes from midnight, the end excluded."""

    weekday: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """When the team is there. No openings: no hours are stated. `zone` is an IANA name."""

    openings: tuple[Opening, ...] = ()
    zone: str = "UTC"
    away: bool = False
    reply_time: str = ""


UNSTATED: Final = Support()


def openings_in(text: str) -> tuple[Opening, ...]:
    """Read hours as FORM shows them. ValueError when they are not."""
    parts = [part.strip().casefold() for part in re.split(r"[;,]", text) if part.strip()]
    if len(parts) > PARTS_MAX:
        raise ValueError(f"more than {PARTS_MAX} stretches")
    return tuple(opening for part in parts for opening in _openings(part))


def _openings(part: str) -> tuple[Opening, ...]:
    found = _PART.fullmatch(part)
    if found is None or found["first"] not in DAYS or (found["last"] or "mon") not in DAYS:
        raise ValueError(f"not {FORM}")
    start, end = _minutes(found["from"]), _minutes(found["to"])
    if not (0 <= start < DAY_MINUTES and 0 <= end <= DAY_MINUTES) or start == end:
        raise ValueError("start and end are no two times of a day")
    first = DAYS.index(found["first"])
    last = DAYS.index(found["last"]) if found["last"] else first
    # "Sat-Mon" goes over the end of the week.
    days = [(first + step) % 7 for step in range((last - first) % 7 + 1)]
    return tuple(opening for day in days for opening in _stretches(day, start, end))


def _stretches(day: int, start: int, end: int) -> tuple[Opening, ...]:
    """ "Mon 22:00-06:00" ends on Tuesday morning: two stretches, one of each day."""
    if start < end:
        return (Opening(weekday=day, start=start, end=end),)
    tonight = Opening(weekday=day, start=start, end=DAY_MINUTES)
    morning = Opening(weekday=(day + 1) % 7, start=0, end=end)
    return (tonight, morning) if end else (tonight,)


def _minutes(text: str) -> int:
    hours, minutes = (int(part) for part in text.split(":"))
    return hours * 60 + minutes if minutes < 60 else -1


def availability(support: Support, now: datetime) -> Availability | None:
    """What can honestly be promised at `now`; None when the operator has stated nothing."""
    if support.away or support.openings:
        zone = ZoneInfo(support.zone)
        here = now.astimezone(zone)
        open_now = any(_covers(opening, here) for opening in support.openings)
        if support.away or not open_now:
            back_at = None if support.away else _next_opening(support, here)
            return Availability(available=False, back_at=back_at, zone=support.zone, reply_time=support.reply_time)
    elif not support.reply_time:
        return None
    return Availability(available=True, back_at=None, zone=support.zone, reply_time=support.reply_time)


def _covers(opening: Opening, here: datetime) -> bool:
    return opening.weekday == here.weekday() and opening.start <= here.hour * 60 + here.minute < opening.end


def _next_opening(support: Support, here: datetime) -> datetime | None:
    coming: list[datetime] = []
    for ahead in range(LOOK_AHEAD_DAYS):
        day = here.date() + timedelta(days=ahead)
        for opening in support.openings:
            if opening.weekday == day.weekday():
                clock = time(opening.start // 60, opening.start % 60)
                coming.append(datetime.combine(day, clock, ZoneInfo(support.zone)))
    later = [start for start in coming if start.astimezone(UTC) > here.astimezone(UTC)]
    return min(later, default=None)
