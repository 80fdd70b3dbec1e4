"""The clock of a match: examples that can be checked on a wall calendar.

November 2026: the 1st is a Sunday. Berlin's summer time ends on 25 October 2026 and begins on 28 March 2027.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from moderator.errors import ConfigError
from moderator.match.time.clock import (
    Schedule,
    Terms,
    after_pause,
    bank_after,
    bank_used,
    first_day,
    late,
    latest,
    local,
    local_day,
    moved,
    outage_days,
    postponed,
    reminders,
    schedule,
)
from moderator.typed import build
from tests.match.clock_times import ALL, BERLIN, berlin, day, plan, utc

WEEKENDS = ("sat", "sun")


# --- when a turn begins ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "evening", "zone", "began"),
    [
        ("2026-11-02 18:59", 20, BERLIN, "2026-11-02"),  # 19:59 there
        ("2026-11-02 19:00", 20, BERLIN, "2026-11-02"),  # exactly at eight
        ("2026-11-02 19:00:00.000001", 20, BERLIN, "2026-11-03"),
        ("2026-11-02 22:59", -1, BERLIN, "2026-11-02"),
        ("2026-11-02 23:00", -1, BERLIN, "2026-11-03"),  # midnight there
        ("2026-11-02 23:00", 0, BERLIN, "2026-11-03"),
        ("2026-11-02 23:01", 0, BERLIN, "2026-11-04"),
        ("2026-03-29 01:00", 2, BERLIN, "2026-03-29"),  # two o'clock is skipped: it is three
        ("2026-03-29 01:01", 2, BERLIN, "2026-03-30"),
        ("2026-10-25 00:01", 2, BERLIN, "2026-10-26"),  # two o'clock comes twice: after the first
        ("2026-10-25 01:00", 2, BERLIN, "2026-10-26"),
        ("2011-12-30 09:00", 20, "Pacific/Apia", "2011-12-31"),  # the evening of the 29th; there is no 30th
    ],
)
def test_first_day(accepted: str, evening: int, zone: str, began: str) -> None:
    assert first_day(utc(accepted), Terms(evening=evening), zone) == date.fromisoformat(began)


# --- when it ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("began", "terms", "bank", "away", "ends"),
    [
        ("11-02", {}, 0, [], plan("11-09")),  # a Monday, and a week later
        ("11-02", {}, 2, [], plan("11-09", "11-10", "11-11")),
        ("11-02", {"grace": 3}, 0, [], plan("11-09", final="11-12")),
        ("11-02", {"grace": 1}, 1, [], plan("11-09", "11-10", final="11-11")),
        ("11-02", {"days": 5, "skip_weekdays": WEEKENDS}, 0, [], plan("11-09")),
        ("11-06", {"days": 1, "skip_weekdays": ("Sa.", "SO"), "grace": 1}, 0, [], plan("11-09", final="11-10")),
        ("11-05", {"days": 1, "skip_weekdays": WEEKENDS}, 2, [], plan("11-06", "11-09", "11-10")),
        ("11-07", {"days": 1, "skip_weekdays": WEEKENDS}, 0, [], plan("11-09")),  # sent on a day that does not count
        ("12-23", {"days": 2, "holidays": ("12-24", "2026-12-26")}, 0, [], plan("12-27")),
        ("12-23", {"days": 2, "holidays": ("2025-12-24",)}, 0, [], plan("12-25")),
        ("11-02", {"days": 3}, 0, [("11-04", "11-10")], plan("11-12")),  # the 3rd, then the 11th and 12th
        ("11-02", {"days": 3}, 0, [("11-01", "11-02")], plan("11-05")),  # leave before the turn costs nothing
        ("11-02", {"days": 3}, 1, [("11-06", "11-06")], plan("11-05", "11-07")),  # nor does it eat an extra day
        ("11-02", {"days": 3, "grace": 1}, 0, [("11-06", "11-06")], plan("11-05", final="11-07")),
        ("11-02", {"days": 1}, 0, [("11-07", "11-09"), ("11-03", "11-04"), ("11-04", "11-06")], plan("11-10")),
        ("11-02", {"days": 1}, 0, [("11-04", "11-03")], plan("11-03")),  # ends before it begins: no leave
        ("11-02", {"days": 1, "skip_weekdays": WEEKENDS}, 0, [("11-03", "11-06")], plan("11-09")),
        ("10-24", {"days": 1}, 0, [], plan("10-25")),  # 25 hours later
        ("03-28", {"days": 1}, 0, [], plan("03-29")),  # 23
    ],
)
def test_schedule(began: str, terms: dict[str, Any], bank: int, away: list[tuple[str, str]], ends: Schedule) -> None:
    spans = [(day(first), day(last)) for first, last in away]
    assert schedule(day(began), Terms(**terms), BERLIN, bank, spans) == ends


@pytest.mark.parametrize(
    ("began", "hour", "zat"),
    [
        ("2026-03-28", 2, "2026-03-29 01:00"),  # skipped: three o'clock summer time
        ("2026-10-24", 2, "2026-10-25 00:00"),  # twice: the first
        ("2026-03-28", 0, "2026-03-28 23:00"),
    ],
)
def test_hours_of_the_night(began: str, hour: int, zat: str) -> None:
    assert schedule(date.fromisoformat(began), Terms(days=1, hour=hour), BERLIN).zat == utc(zat)


def test_an_hour_before_midnight_that_is_skipped() -> None:
    """In Nuuk the 28th of March ends at eleven: the ZAT of the 28th is at midnight, and that of the 29th at 23:00."""
    terms = Terms(days=3, hour=23, grace=1, evening=-1)
    ends = schedule(day("03-25"), terms, "America/Nuuk")
    assert (ends.zat, ends.final) == (utc("2026-03-29 01:00"), utc("2026-03-30 00:00"))
    found = reminders(day("03-25"), ends, terms, "America/Nuuk")
    assert found == ((utc("2026-03-27 01:00"), "half"), (utc("2026-03-28 01:00"), "day"))
    assert moved(ends.zat, 1, terms, "America/Nuuk") == ends.final
    assert postponed(ends, utc("2026-03-26 12:00"), 1, terms, "America/Nuuk").final == utc("2026-03-31 00:00")
    assert after_pause(ends.zat, utc("2026-03-26 12:00"), utc("2026-03-26 13:00"), terms, "America/Nuuk") == ends.zat


def test_a_day_that_never_was_is_no_reply_day() -> None:
    ends = schedule(date(2011, 12, 29), Terms(days=1), "Pacific/Apia")
    assert local_day(ends.zat, "Pacific/Apia") == date(2011, 12, 31)
    assert ends.zat - local(date(2011, 12, 29), 20, ZoneInfo("Pacific/Apia")) == timedelta(days=1)


@pytest.mark.parametrize(
    ("last", "zat"),
    [(date(2032, 11, 30), date(2032, 12, 7)), (date.max, date(9000, 1, 8))],
)
def test_a_leave_of_years_comes_to_an_end(last: date, zat: date) -> None:
    ends = schedule(day("11-02"), Terms(), BERLIN, away=[(day("11-03"), last)])
    assert local_day(ends.zat, BERLIN) == zat


def test_many_holidays_come_to_an_end() -> None:
    winter = tuple(f"{date(2027, 12, 1) + timedelta(days=n):%m-%d}" for n in range(91))
    terms = Terms(days=1, holidays=winter, skip_weekdays=("mon", "tue", "wed", "thu", "fri", "sat"))
    terms.check()
    assert schedule(day("11-30"), terms, BERLIN).zat == berlin("2027-03-07 20:00")


# --- of several seats ----------------------------------------------------------------------------------------------


def test_latest_is_the_last_of_everything() -> None:
    one, two = plan("11-09", "11-10", "11-13", final="11-14"), plan("11-11", "11-12")
    assert latest([one, two]) == latest([two, one]) == plan("11-11", "11-12", "11-13", final="11-14")
    assert latest([one]) == one


def test_an_extra_day_before_the_common_zat_is_none() -> None:
    assert latest([plan("11-09", "11-10"), plan("11-10", "11-11")]) == plan("11-10", "11-11")


def test_latest_of_nobody() -> None:
    with pytest.raises(ValueError, match="empty"):
        latest([])


# --- what an order costs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrived", "used", "too_late"),
    [
        ("11-02 08:00", 0, False),
        ("11-09 20:00", 0, False),
        ("11-09 20:00:00.000001", 1, False),
        ("11-10 20:00", 1, False),
        ("11-10 20:01", 2, False),
        ("11-11 20:00", 2, False),
        ("11-11 20:01", 2, False),  # in grace: all of them
        ("11-12 20:00", 2, False),
        ("11-12 20:00:00.000001", 2, True),
    ],
)
def test_what_an_order_costs(arrived: str, used: int, too_late: bool) -> None:
    ends = plan("11-09", "11-10", "11-11", final="11-12")
    assert bank_used(ends, berlin(arrived)) == used
    assert late(ends, berlin(arrived)) is too_late


def test_without_extra_days_none_is_used() -> None:
    assert bank_used(plan("11-09"), berlin("11-20 20:00")) == 0


@pytest.mark.parametrize(
    ("bank", "used", "terms", "punctual", "left"),
    [
        (5, 0, Terms(bank=5), True, 5),
        (5, 2, Terms(bank=5), False, 3),
        (3, 0, Terms(bank=5, bank_increment=1), True, 4),
        (5, 0, Terms(bank=5, bank_increment=1), True, 5),  # no gain above the start
        (5, 0, Terms(bank=5, bank_increment=3, bank_cap=7), True, 7),
        (3, 0, Terms(bank=5, bank_increment=1), False, 3),  # in grace, or missed
        (0, 0, Terms(bank_increment=1, bank_cap=4), True, 1),
        (0, 0, Terms(bank_increment=1), True, 0),
        (2, 3, Terms(bank=5), False, 0),
    ],
)
def test_extra_days_left(bank: int, used: int, terms: Terms, punctual: bool, left: int) -> None:
    assert bank_after(bank, used, terms, punctual) == left


# --- reminders -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "ends", "expected"),
    [
        (("half", "day"), plan("11-09"), [("11-05", "half"), ("11-08", "day")]),
        (("half", "day"), plan("11-10"), [("11-06", "half"), ("11-09", "day")]),
        (("half", "day"), plan("11-03"), []),  # one day: both would be on the day it began
        (("half", "day"), plan("11-04"), [("11-03", "day")]),  # two days: they are one
        (("half",), plan("11-04"), [("11-03", "half")]),
        (("half", "day"), plan("11-05"), [("11-03", "half"), ("11-04", "day")]),
        (ALL, plan("11-03", "11-04", "11-05"), [("11-03", "bank"), ("11-04", "bank")]),
        (ALL, plan("11-03", "11-04", final="11-06"), [("11-03", "bank"), ("11-04", "grace")]),
        (ALL, plan("11-03", final="11-04"), [("11-03", "grace")]),
        (("half", "day"), plan("11-03", "11-04", final="11-05"), []),
        (("grace", "half"), plan("11-09", "11-10", final="11-11"), [("11-05", "half"), ("11-10", "grace")]),
        ((), plan("11-09", "11-10", final="11-11"), []),
    ],
)
def test_reminders(kinds: Any, ends: Schedule, expected: list[tuple[str, str]]) -> None:
    found = reminders(day("11-02"), ends, Terms(reminders=kinds), BERLIN)
    assert found == tuple((berlin(f"{on} 20:00"), kind) for on, kind in expected)


def test_reminders_keep_the_hour_across_summer_time() -> None:
    terms = Terms(days=4, hour=2)
    found = reminders(day("10-22"), schedule(day("10-22"), terms, BERLIN), terms, BERLIN)
    assert found == ((utc("2026-10-24 00:00"), "half"), (utc("2026-10-25 00:00"), "day"))
    found = reminders(day("03-25"), schedule(day("03-25"), terms, BERLIN), terms, BERLIN)
    assert found == ((utc("2026-03-27 01:00"), "half"), (utc("2026-03-28 01:00"), "day"))


def test_reminders_come_at_the_hour_of_a_zat_that_was_set_by_hand() -> None:
    ends = Schedule(berlin("11-09 12:30"), (), berlin("11-09 12:30"))
    found = reminders(day("11-02"), ends, Terms(), BERLIN)
    assert found == ((berlin("11-05 12:30"), "half"), (berlin("11-08 12:30"), "day"))


# --- deadlines that move -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hours", "days"), [(-1, 0), (0, 0), (0.001, 1), (5, 1), (24, 1), (24.001, 2), (48, 2), (71.9, 3)]
)
def test_outage_days(hours: float, days: int) -> None:
    assert outage_days(timedelta(hours=hours)) == days


@pytest.mark.parametrize(
    ("moment", "days", "terms", "away", "expected"),
    [
        ("11-09 20:00", 1, {}, [], "11-10 20:00"),
        ("11-09 20:00", 0, {}, [], "11-09 20:00"),
        ("11-06 20:00", 1, {"skip_weekdays": WEEKENDS}, [], "11-09 20:00"),
        ("11-06 20:00", 4, {"skip_weekdays": WEEKENDS}, [], "11-10 20:00"),  # calendar days, not playing days
        ("11-09 20:00", 1, {"holidays": ("11-10",)}, [("11-11", "11-12")], "11-13 20:00"),
        ("10-24 20:00", 1, {}, [], "10-25 20:00"),
        ("11-09 12:30:15", 1, {}, [], "11-10 12:30:15"),  # set by hand
        ("03-29 03:00", 1, {"hour": 2}, [], "03-30 02:00"),  # the hour that was skipped is back
        ("03-28 02:00", 1, {"hour": 2}, [], "03-29 03:00"),
        ("03-29 03:00", 1, {"hour": 3}, [], "03-30 03:00"),
    ],
)
def test_moved(moment: str, days: int, terms: dict[str, Any], away: list[tuple[str, str]], expected: str) -> None:
    spans = [(day(first), day(last)) for first, last in away]
    assert moved(berlin(moment), days, Terms(**terms), BERLIN, spans) == berlin(expected)


def test_seconds_of_a_time_that_is_skipped() -> None:
    assert moved(berlin("03-28 02:10:30.5"), 1, Terms(), BERLIN) == utc("2026-03-29 01:00")


@pytest.mark.parametrize(
    ("moment", "paused", "now", "expected"),
    [
        ("11-09 20:00", "11-05 12:00", "11-05 12:00", "11-09 20:00"),
        ("11-09 20:00", "11-05 12:00", "11-05 23:00", "11-09 20:00"),  # one day: nothing lost
        ("11-09 20:00", "11-05 12:00", "11-06 00:01", "11-10 20:00"),
        ("11-09 20:00", "11-05 12:00", "12-05 23:00", "12-09 20:00"),  # four days left then, four days left now
        ("11-05 20:00", "11-05 12:00", "11-07 12:00", "11-07 20:00"),  # the last day: today
        ("11-05 20:00", "11-05 12:00", "11-07 20:00", "11-08 20:00"),  # unless its hour has struck
        ("11-05 20:00", "11-05 12:00", "11-05 21:00", "11-06 20:00"),  # it passed in the pause of one day
        ("11-05 20:00", "11-05 20:00", "11-07 12:00", "11-05 20:00"),  # it had passed before
        ("11-09 20:00", "11-05 12:00", "11-04 12:00", "11-09 20:00"),  # never earlier
    ],
)
def test_after_pause(moment: str, paused: str, now: str, expected: str) -> None:
    assert after_pause(berlin(moment), berlin(paused), berlin(now), Terms(), BERLIN) == berlin(expected)


def test_days_that_do_not_count_are_none_of_those_left() -> None:
    terms = Terms(skip_weekdays=WEEKENDS)
    # Thursday to Tuesday: Friday, Monday, Tuesday. On the Saturday after next: Monday, Tuesday, Wednesday.
    again = after_pause(berlin("11-10 20:00"), berlin("11-05 12:00"), berlin("11-14 12:00"), terms, BERLIN)
    assert again == berlin("11-18 20:00")
    # The Wednesday is a day of leave.
    away = [(day("11-18"), day("11-18"))]
    again = after_pause(berlin("11-10 20:00"), berlin("11-05 12:00"), berlin("11-14 12:00"), terms, BERLIN, away)
    assert again == berlin("11-19 20:00")


@pytest.mark.parametrize(
    ("ends", "since", "days", "expected"),
    [
        (plan("11-09", "11-10", final="11-11"), "11-05", 2, plan("11-11", "11-12", final="11-13")),
        # Saturday and Sunday would both become Monday.
        (plan("11-05", "11-06", "11-09"), "11-04", 2, plan("11-09", "11-10", "11-11")),
        (plan("11-05", "11-06", final="11-10"), "11-04", 2, plan("11-09", "11-10", final="11-12")),
        (plan("11-05", "11-06", "11-09"), "11-05", 2, plan("11-05", "11-09", "11-10")),  # the ZAT had passed
        (plan("11-05", "11-06", final="11-10"), "11-07", 1, plan("11-05", "11-06", final="11-11")),  # in grace
        (plan("11-05", "11-06", final="11-09"), "11-04", 0, plan("11-05", "11-06", final="11-09")),
        (plan("11-05", "11-06", final="11-09"), "11-10", 1, plan("11-05", "11-06", final="11-09")),  # it was over
    ],
)
def test_postponed(ends: Schedule, since: str, days: int, expected: Schedule) -> None:
    terms = Terms(skip_weekdays=WEEKENDS)
    assert postponed(ends, berlin(f"{since} 21:00"), days, terms, BERLIN) == expected


# --- the terms themselves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"days": 0}, "days = 0"),
        ({"days": 10**9}, "days = 1000000000"),
        ({"hour": 24}, "hour = 24"),
        ({"hour": -1}, "hour = -1"),
        ({"bank": -1}, "bank = -1"),
        ({"bank_increment": -1}, "bank_increment"),
        ({"bank": 5, "bank_cap": 4}, "bank_cap = 4 is less"),
        ({"grace": -2}, "grace = -2"),
        ({"evening": -2}, "evening = -2"),
        ({"evening": 24}, "evening = 24"),
        ({"abandon_after": -1}, "abandon_after"),
        ({"excused": -1}, "excused"),
        ({"skip_weekdays": ["sat", "caturday"]}, "'caturday'"),
        ({"skip_weekdays": ["mo", "di", "mi", "do", "fr", "sa", "so"]}, "whole week"),
        ({"skip_weekdays": ["mon", "tue", "wed", "thu", "fri", "sa", "SUN"]}, "whole week"),
        ({"holidays": ["24.12."]}, "'24.12.'"),
        ({"holidays": ["2026-02-29"]}, "'2026-02-29'"),
        ({"holidays": ["02-30"]}, "'02-30'"),
        ({"holidays": ["20261224"]}, "'20261224'"),
        ({"holidays": ["0000-01-01"]}, "'0000-01-01'"),
        ({"holidays": [f"{m:02d}-{n:02d}" for m in range(1, 13) for n in range(1, 10)]}, "108 days of every year"),
    ],
)
def test_terms_that_cannot_be(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=r"^\[deadlines\]: ") as error:
        build(Terms, values, "[deadlines]").check("[deadlines]")
    assert said in error.value.message
    assert error.value.hint


def test_terms_that_can_be() -> None:
    Terms().check()
    values = {
        "skip_weekdays": ["Sa", "sun"],
        "holidays": ["02-29", "2028-02-29"],
        "reminders": ["grace"],
        "evening": -1,
    }
    build(Terms, values, "[deadlines]").check()


@pytest.mark.parametrize(
    ("zone", "on", "hour", "minute", "expected"),
    [
        # Lord Howe goes on by half an hour at 02:00 (+10:30 to +11:00) on 4 October 2026.
        ("Australia/Lord_Howe", date(2026, 10, 4), 2, 15, datetime(2026, 10, 3, 15, 30, tzinfo=UTC)),
        # Samoa had no 30 December 2011 (-10 to +14).
        ("Pacific/Apia", date(2011, 12, 30), 12, 0, datetime(2011, 12, 30, 10, 0, tzinfo=UTC)),
    ],
)
def test_first_moment_after_a_gap(zone: str, on: date, hour: int, minute: int, expected: datetime) -> None:
    assert local(on, hour, ZoneInfo(zone), minute) == expected
