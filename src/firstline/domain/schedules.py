"""When is something due again? Intervals and cron lines, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from firstline.errors import InvalidInput

UNITS_S: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
INTERVAL_S_MIN: Final = 10
INTERVAL_S_MAX: Final = 366 * 86_400
NAMES: Final = {"@hourly": "0 * * * *", "@daily": "0 3 * * *", "@weekly": "0 3 * * 0", "@monthly": "0 3 1 * *"}
FIELDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
DAYS_AHEAD_MAX: Final = 366 * 8
"""The 29th of February is at most eight years away."""
_INTERVAL: Final = re.compile(r"(\d{1,6})([smhdw])")
_PART: Final = re.compile(r"(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?")
_DAYS: Final = {name: str(number) for number, name in enumerate("sun mon tue wed thu fri sat".split())}
_WRITE: Final = 'Write an interval like "15m", "6h" or "1d", or a cron line like "0 3 * * 1-5" (UTC).'


def next_due(schedule: str, after: datetime) -> datetime | None:
    """The first moment later than `after`; None for "", which is never. InvalidInput when it is no schedule."""
    text = " ".join(schedule.lower().split())
    if not text:
        return None
    interval = _INTERVAL.fullmatch(text.removeprefix("every "))
    if interval:
        seconds = int(interval[1]) * UNITS_S[interval[2]]
        if not INTERVAL_S_MIN <= seconds <= INTERVAL_S_MAX:
            raise InvalidInput(f"The schedule {schedule!r} is too short or too long.", remedy="Write 10s to 366d.")
        return after + timedelta(seconds=seconds)
    return _next_of_cron(NAMES.get(text, text), schedule, after)


def _next_of_cron(line: str, schedule: str, after: datetime) -> datetime:
    for name, number in _DAYS.items():
        line = re.sub(rf"\b{name}\b", number, line)
    fields = line.split()
    if len(fields) != len(FIELDS):
        raise InvalidInput(f"{schedule!r} is no schedule.", remedy=_WRITE)
    minutes, hours, days, months, weekdays = (
        _values(field, low, high, schedule) for field, (low, high) in zip(fields, FIELDS, strict=True)
    )
    weekdays = frozenset(day % 7 for day in weekdays)
    # As cron does: with both given a day is meant that fits either of them.
    either = fields[2][0] != "*" and fields[4][0] != "*"
    start = after.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    midnight = start.replace(hour=0, minute=0)
    for ahead in range(DAYS_AHEAD_MAX):
        day = midnight + timedelta(days=ahead)
        in_month, in_week = day.day in days, day.isoweekday() % 7 in weekdays
        if day.month not in months or not ((in_month or in_week) if either else (in_month and in_week)):
            continue
        for hour in sorted(hours):
            for minute in sorted(minutes):
                moment = day.replace(hour=hour, minute=minute)
                if moment >= start:
                    return moment
    raise InvalidInput(f"The schedule {schedule!r} names a day that never comes.", remedy=_WRITE)


def _values(field: str, low: int, high: int, schedule: str) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise InvalidInput(f"{schedule!r} is no schedule.", remedy=_WRITE)
        first = low if match[1] is None else int(match[1])
        # `5/10` goes on to the end, as `*/10` does; a lone `5` is itself.
        last = int(match[2]) if match[2] else (high if match[1] is None or match[3] else first)
        step = int(match[3]) if match[3] else 1
        if not (low <= first <= last <= high) or step == 0:
            raise InvalidInput(f"{schedule!r} is no schedule: {part} is outside {low}-{high}.", remedy=_WRITE)
        found.update(range(first, last + 1, step))
    return frozenset(found)
