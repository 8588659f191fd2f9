"""When something is due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.domain import next_due
from firstline.errors import InvalidInput

SUNDAY = datetime(2026, 3, 1, 10, 17, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "due"),
    [
        ("", None),
        ("  ", None),
        ("30s", "2026-03-01 10:18:00"),
        ("15m", "2026-03-01 10:32:30"),
        ("every 6h", "2026-03-01 16:17:30"),
        ("1d", "2026-03-02 10:17:30"),
        ("2W", "2026-03-15 10:17:30"),
        ("* * * * *", "2026-03-01 10:18:00"),
        ("*/20 * * * *", "2026-03-01 10:20:00"),
        ("5/20 * * * *", "2026-03-01 10:25:00"),
        ("0 3 * * *", "2026-03-02 03:00:00"),
        ("17 10 * * *", "2026-03-02 10:17:00"),
        ("0 9-17 * * mon-fri", "2026-03-02 09:00:00"),
        ("0 0 * * 0", "2026-03-08 00:00:00"),
        ("0 0 * * 7", "2026-03-08 00:00:00"),
        ("0 0 29 2 *", "2028-02-29 00:00:00"),
        ("0 0 31 1,3 *", "2026-03-31 00:00:00"),
        ("0 0 13 * 5", "2026-03-06 00:00:00"),
        ("@hourly", "2026-03-01 11:00:00"),
        ("@daily", "2026-03-02 03:00:00"),
        ("@weekly", "2026-03-08 03:00:00"),
    ],
)
def test_when_it_is_due(schedule: str, due: str | None):
    expected = None if due is None else datetime.fromisoformat(due).replace(tzinfo=UTC)
    assert next_due(schedule, SUNDAY) == expected


@pytest.mark.parametrize(
    "schedule",
    ["now", "5", "1s", "9s", "400d", "0h", "-5m", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
     "* * * *", "* * * * * *", "5-3 * * * *", "*/0 * * * *", "0 0 30 2 *", "a b c d e", "1.5h"],
)  # fmt: skip
def test_what_is_no_schedule(schedule: str):
    with pytest.raises(InvalidInput) as raised:
        next_due(schedule, SUNDAY)
    assert raised.value.remedy


FIELD = st.one_of(st.just("*"), st.integers(1, 7).map(str), st.integers(1, 6).map("*/{}".format))


@given(st.tuples(FIELD, FIELD, FIELD, FIELD, FIELD), st.integers(0, 10_000_000))
def test_the_next_is_later_and_none_lies_between(fields: tuple[str, ...], seconds: int):
    line = " ".join(fields)
    after = SUNDAY + timedelta(seconds=seconds)
    due = next_due(line, after)
    assert due is not None and due > after and due.second == 0
    assert next_due(line, due - timedelta(seconds=1)) == due
