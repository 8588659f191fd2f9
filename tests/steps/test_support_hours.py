"""What is promised when nobody is there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from firstline.questions.card.support_hours import Opening, Support, availability, openings_in

OFFICE = Support(openings=openings_in("Mon-Fri 09:00-17:00; Sat 10:00-14:00"), zone="Europe/Berlin")


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """In June 2026, whose first day is a Monday; UTC, two hours behind Berlin."""
    return datetime(2026, 6, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "back"),
    [
        (at(1, 8), None),
        (at(1, 6, 59), "2026-06-01T09:00:00+02:00"),
        (at(1, 7), None),
        (at(1, 14, 59), None),
        (at(1, 15), "2026-06-02T09:00:00+02:00"),
        (at(5, 16), "2026-06-06T10:00:00+02:00"),
        (at(6, 13), "2026-06-08T09:00:00+02:00"),
        (at(7, 23), "2026-06-08T09:00:00+02:00"),
    ],
)
def test_when_the_team_is_back(now: datetime, back: str | None) -> None:
    found = availability(OFFICE, now)
    assert found is not None
    assert found.available is (back is None)
    assert (found.back_at.isoformat() if found.back_at else None) == back


def test_hours_keep_the_clock_over_a_change_of_time() -> None:
    friday = datetime(2026, 10, 23, 20, tzinfo=UTC)
    weekdays = Support(openings=openings_in("Mon-Fri 09:00-17:00"), zone="Europe/Berlin")
    found = availability(weekdays, friday)
    assert found is not None and found.back_at is not None
    assert found.back_at.isoformat() == "2026-10-26T09:00:00+01:00"


def test_nothing_is_promised_that_nobody_stated() -> None:
    assert availability(Support(), at(1, 8)) is None
    away = availability(Support(away=True, openings=OFFICE.openings), at(1, 8))
    assert away is not None and not away.available and away.back_at is None
    later = availability(Support(reply_time="within a day"), at(1, 8))
    assert later is not None and later.available and later.reply_time == "within a day"


def test_hours_as_people_write_them() -> None:
    assert openings_in("sat–mon 8:00 - 24:00") == tuple(Opening(weekday=day, start=480, end=1440) for day in (5, 6, 0))
    assert openings_in("Monday 09:00-12:00, Monday 13:00-17:00")[1] == Opening(weekday=0, start=780, end=1020)
    assert openings_in("") == ()


NIGHTS = Support(openings=openings_in("Mon-Fri 22:00-06:00"), zone="Europe/Berlin")


@pytest.mark.parametrize(
    ("now", "back"),
    [
        (at(1, 19, 59), "2026-06-01T22:00:00+02:00"),
        (at(1, 20), None),
        (at(1, 23), None),
        (at(2, 3, 59), None),
        (at(2, 4), "2026-06-02T22:00:00+02:00"),
        (at(6, 3), None),
        (at(6, 4), "2026-06-08T22:00:00+02:00"),
        (at(8, 1), "2026-06-08T22:00:00+02:00"),
    ],
    ids=[
        "before",
        "first minute",
        "over midnight here",
        "last",
        "over",
        "Saturday morning",
        "weekend",
        "Monday morning",
    ],
)
def test_hours_that_run_over_midnight_end_on_the_next_day(now: datetime, back: str | None) -> None:
    found = availability(NIGHTS, now)
    assert found is not None
    assert found.available is (back is None)
    assert (found.back_at.isoformat() if found.back_at else None) == back


def test_a_night_before_the_week_ends_on_monday_and_one_to_midnight_has_no_morning() -> None:
    assert openings_in("Sun 20:00-02:00")[1] == Opening(weekday=0, start=0, end=120)
    assert openings_in("Mon 20:00-00:00") == (Opening(weekday=0, start=1200, end=1440),)


@pytest.mark.parametrize(
    "text", ["9 to 5", "Mon-Fri", "Mon-Fri 17:00-17:00", "Foo 09:00-10:00", "Mon 09:61-10:00", "Mon 09:00-25:00"]
)
def test_hours_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        openings_in(text)
