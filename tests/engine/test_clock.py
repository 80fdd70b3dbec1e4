"""Deadlines stay at their hour on the wall clock, whatever summer time does."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.engine.clock import local, next_deadline, reminder

BERLIN = "Europe/Berlin"
PLACE = ZoneInfo(BERLIN)
# Central Europe, 2026: summer time from 29 March 01:00 UTC to 25 October 01:00 UTC.
CHANGES = (datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("start", "days", "hour", "deadline"),
    [
        ("2026-01-05 12:00", 7, 20, "2026-01-12 19:00"),
        ("2026-01-05 19:00", 7, 20, "2026-01-12 19:00"),  # exactly seven days are seven days
        ("2026-01-05 19:01", 7, 20, "2026-01-13 19:00"),  # a minute less are not
        ("2026-01-05 23:30", 1, 0, "2026-01-07 23:00"),  # 00:30 on the 6th there; midnight of the 8th
        ("2026-03-28 19:00", 1, 20, "2026-03-29 18:00"),  # 23 hours: the night is short
        ("2026-10-24 18:00", 1, 20, "2026-10-25 19:00"),  # 25 hours
        ("2026-03-22 12:00", 6, 2, "2026-03-29 01:00"),  # 02:00 is skipped: 03:00 summer time
        ("2026-10-18 12:00", 6, 2, "2026-10-25 00:00"),  # 02:00 comes twice: the first
    ],
)
def test_next_deadline(start: str, days: int, hour: int, deadline: str) -> None:
    begun = datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert next_deadline(begun, days, hour, BERLIN) == datetime.fromisoformat(deadline).replace(tzinfo=UTC)


@given(st.sampled_from(CHANGES), st.integers(-200 * 60, 60 * 60), st.integers(1, 10), st.integers(0, 23))
def test_around_the_changes(change: datetime, minutes: int, days: int, hour: int) -> None:
    start = change + timedelta(minutes=minutes)
    deadline = next_deadline(start, days, hour, BERLIN)
    assert deadline.tzinfo is UTC
    then, now = deadline.astimezone(PLACE), start.astimezone(PLACE)
    skipped = local(then.date(), hour, PLACE).astimezone(PLACE).hour != hour
    assert (then.hour, then.minute, then.second) == (hour + skipped, 0, 0)
    assert skipped <= (hour == 2 and then.date() == date(2026, 3, 29))
    left = then.replace(tzinfo=None) - now.replace(tzinfo=None)
    assert timedelta(days=days) <= left < timedelta(days=days + 1, hours=1)
    day_before = local(then.date() - timedelta(days=1), hour, PLACE).astimezone(PLACE).replace(tzinfo=None)
    assert day_before - now.replace(tzinfo=None) < timedelta(days=days, hours=1)


@given(st.integers(1, 400), st.integers(0, 23), st.integers(1, 6))
def test_reminder_is_at_the_same_hour(day: int, hour: int, before: int) -> None:
    deadline = local(date(2026, 1, 1) + timedelta(days=day), hour, PLACE)
    reminded = reminder(deadline, before, BERLIN)
    assert reminded is not None
    then, now = deadline.astimezone(PLACE), reminded.astimezone(PLACE)
    assert then.date() - now.date() == timedelta(days=before)
    assert now.hour == then.hour or (now.hour, then.hour) == (3, 2)


def test_no_reminder() -> None:
    assert reminder(CHANGES[0], 0, BERLIN) is None


@pytest.mark.parametrize(
    ("zone", "day", "hour", "minute", "expected"),
    [
        # Lord Howe goes on by half an hour at 02:00 (+10:30 to +11:00) on 4 October 2026.
        ("Australia/Lord_Howe", date(2026, 10, 4), 2, 15, datetime(2026, 10, 3, 15, 30, tzinfo=UTC)),
        # Samoa had no 30 December 2011 (-10 to +14).
        ("Pacific/Apia", date(2011, 12, 30), 12, 0, datetime(2011, 12, 30, 10, 0, tzinfo=UTC)),
    ],
)
def test_first_moment_after_a_gap(zone: str, day: date, hour: int, minute: int, expected: datetime) -> None:
    assert local(day, hour, ZoneInfo(zone), minute) == expected
