"""The clock of a match: examples that can be checked on a wall calendar, and a second clock to hold it against. Leave:
what may be announced, and for which turns it counts.

November 2026: the 1st is a Sunday. Berlin's summer time ends on 25 October 2026 and begins on 28 March 2027."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moderator.common.errors import ConfigError
from moderator.common.typed import build_dataclass
from moderator.rules.game import Note
from moderator.rules.time.calendar import (
    LeaveRules,
    LeaveSpan,
    count_leave_days_left,
    find_leave_problem,
    list_counting_leaves,
)
from moderator.rules.time.clock import (
    Span,
    TimeRules,
    TurnSchedule,
    build_turn_schedule,
    compute_bank_after,
    compute_first_day,
    count_bank_used,
    count_outage_days,
    is_late,
    list_reminders,
    merge_schedules,
    shift_after_pause,
    shift_deadline,
    shift_schedule,
    to_local_day,
)

BERLIN = "Europe/Berlin"
ALL = ("half", "day", "bank", "grace")
"""Kinds of reminders."""
WEEKENDS = ("sat", "sun")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def berlin(text: str) -> datetime:
    """``11-09 20:00`` of 2026 there; with a year as it is."""
    wall = text if text[:2] == "20" else f"2026-{text}"
    return datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(BERLIN)).astimezone(UTC)


def day(text: str) -> date:
    """Of 2026; with a year as it is."""
    return date.fromisoformat(text if text[:2] == "20" else f"2026-{text}")


def plan(zat: str, *bank: str, final: str = "") -> TurnSchedule:
    ends = [berlin(f"{end} 20:00") for end in (zat, *bank)]
    return TurnSchedule(ends[0], tuple(ends[1:]), berlin(f"{final} 20:00") if final else ends[-1])


@pytest.mark.parametrize(("last", "zat"), [(date(2032, 11, 30), date(2032, 12, 7)), (date.max, date(9000, 1, 8))])
def test_a_leave_of_years_comes_to_an_end(last: date, zat: date) -> None:
    ends = build_turn_schedule(day("11-02"), TimeRules(), BERLIN, away=[(day("11-03"), last)])
    assert to_local_day(ends.zat, BERLIN) == zat


def test_latest_is_the_last_of_everything() -> None:
    one, two = plan("11-09", "11-10", "11-13", final="11-14"), plan("11-11", "11-12")
    assert merge_schedules([one, two]) == merge_schedules([two, one]) == plan("11-11", "11-12", "11-13", final="11-14")
    assert merge_schedules([one]) == one
    assert merge_schedules([plan("11-09", "11-10"), plan("11-10", "11-11")]) == plan("11-10", "11-11")
    with pytest.raises(ValueError, match="empty"):
        merge_schedules([])


def test_what_an_order_costs() -> None:
    """An extra day for each that had begun; in grace all of them."""
    ends = plan("11-09", "11-10", "11-11", final="11-12")
    moments = ("11-09 20:00", "11-09 20:00:00.000001", "11-10 20:00", "11-10 20:01", "11-12 20:00")
    assert [count_bank_used(ends, berlin(moment)) for moment in moments] == [0, 1, 1, 2, 2]
    assert not is_late(ends, berlin("11-12 20:00"))
    assert is_late(ends, berlin("11-12 20:00:00.000001"))


@pytest.mark.parametrize(
    ("bank", "used", "terms", "punctual", "left"),
    [
        (5, 0, TimeRules(bank=5), True, 5),
        (5, 2, TimeRules(bank=5), False, 3),
        (3, 0, TimeRules(bank=5, bank_increment=1), True, 4),
        (5, 0, TimeRules(bank=5, bank_increment=1), True, 5),  # no gain above the start
        (5, 0, TimeRules(bank=5, bank_increment=3, bank_cap=7), True, 7),
        (3, 0, TimeRules(bank=5, bank_increment=1), False, 3),  # in grace, or missed
        (0, 0, TimeRules(bank_increment=1, bank_cap=4), True, 1),
        (0, 0, TimeRules(bank_increment=1), True, 0),
        (2, 3, TimeRules(bank=5), False, 0),
    ],
)
def test_extra_days_are_used_up_and_earned(bank: int, used: int, terms: TimeRules, punctual: bool, left: int) -> None:
    assert compute_bank_after(bank, used, terms, punctual) == left


def test_what_was_set_by_hand_keeps_its_hour() -> None:
    ends = TurnSchedule(berlin("11-09 12:30"), (), berlin("11-09 12:30"))
    found = list_reminders(day("11-02"), ends, TimeRules(), BERLIN)
    assert found == ((berlin("11-05 12:30"), "half"), (berlin("11-08 12:30"), "day"))
    assert shift_deadline(berlin("11-09 12:30:15"), 1, TimeRules(), BERLIN) == berlin("11-10 12:30:15")
    assert shift_deadline(berlin("03-28 02:10:30.5"), 1, TimeRules(), BERLIN) == utc("2026-03-29 01:00"), (
        "a time that is skipped"
    )
    assert shift_deadline(berlin("03-29 03:00"), 1, TimeRules(hour=2), BERLIN) == berlin("03-30 02:00"), "that is back"
    assert shift_deadline(berlin("03-29 03:00"), 1, TimeRules(hour=3), BERLIN) == berlin("03-30 03:00")


@pytest.mark.parametrize(
    ("hours", "days"), [(-1, 0), (0, 0), (0.001, 1), (5, 1), (24, 1), (24.001, 2), (48, 2), (71.9, 3)]
)
def test_an_outage_counts_as_whole_days(hours: float, days: int) -> None:
    assert count_outage_days(timedelta(hours=hours)) == days


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
def test_terms_that_cannot_be_are_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=r"^\[deadlines\]: ") as error:
        build_dataclass(TimeRules, values, "[deadlines]").check_values("[deadlines]")
    assert said in error.value.message
    assert error.value.hint


def test_terms_that_can_be_are_taken() -> None:
    TimeRules().check_values()
    values = {
        "skip_weekdays": ["Sa", "sun"],
        "holidays": ["02-29", "2028-02-29"],
        "reminders": ["grace"],
        "evening": -1,
    }
    build_dataclass(TimeRules, values, "[deadlines]").check_values()


# ---- the second clock ----
#
# As a person with a wall calendar would keep time: it walks over real moments, a quarter of an hour at a step, looks at
# the wall clock, and crosses off days as they appear. It shares nothing with moderator.rules.time.clock but the fields
# of Terms, which it only reads.

STEP = timedelta(minutes=15)
WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WOCHE = ["mo", "di", "mi", "do", "fr", "sa", "so"]
Ends = tuple[datetime, tuple[datetime, ...], datetime]


@cache
def quarters(zone: str, utc_day: date) -> tuple[tuple[datetime, datetime], ...]:
    """(moment, what the wall clock shows) for every quarter of an hour of a day in Greenwich."""
    start = datetime.combine(utc_day, time(), UTC)
    moments = [start + n * STEP for n in range(96)]
    return tuple((moment, moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)) for moment in moments)


def walk(zone: str, start: date) -> Iterator[tuple[datetime, datetime]]:
    for n in count(-2):
        yield from quarters(zone, start + timedelta(days=n))


def dates(zone: str, start: date) -> Iterator[date]:
    """The dates that the calendar shows, from ``start`` on, each once."""
    shown = None
    for _, wall in walk(zone, start):
        if wall.date() >= start and (shown is None or wall.date() > shown):
            shown = wall.date()
            yield shown


@cache
def strikes(zone: str, day: date, hour: int) -> datetime:
    """The first moment at which the clock shows that hour of that day, or has jumped over it."""
    target = datetime.combine(day, time(hour))
    return next(moment for moment, wall in walk(zone, day) if wall >= target)


@dataclass(frozen=True)
class Calendar:
    """The wall calendar of one seat, with the days crossed off on which it need not play."""

    terms: TimeRules
    zone: str
    away: tuple[tuple[date, date], ...] = ()

    def plays(self, day: date) -> bool:
        names = (WEEK[day.isoweekday() - 1], WOCHE[day.isoweekday() - 1])
        if any(name.lower() in names for name in self.terms.skip_weekdays):
            return False
        text = day.isoformat()
        if text in self.terms.holidays or text[5:] in self.terms.holidays:
            return False
        return not any(first <= day <= last for first, last in self.away)

    def playing(self, start: date) -> Iterator[date]:
        return (day for day in dates(self.zone, start) if self.plays(day))

    def playing_after(self, day: date) -> Iterator[date]:
        return self.playing(day + timedelta(days=1))

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(ZoneInfo(self.zone)).date()

    def ends_on(self, deadline: datetime) -> date:
        """The day whose deadline that is: of an hour before midnight that was jumped over, the day before."""
        today = self.day_of(deadline)
        yesterday = today - timedelta(days=1)
        jumped = deadline != strikes(self.zone, today, self.terms.hour)
        return yesterday if jumped and deadline == strikes(self.zone, yesterday, self.terms.hour) else today

    def begins(self, accepted: datetime) -> date:
        today = self.day_of(accepted)
        if self.terms.evening == -1 or accepted <= strikes(self.zone, today, self.terms.evening):
            return today
        return next(dates(self.zone, today + timedelta(days=1)))

    def ends(self, began: date, bank: int) -> Ends:
        """(ZAT, ends of extra days, final)."""
        wanted = self.terms.days + bank + self.terms.grace
        struck = []
        for day in self.playing_after(began):
            struck.append(strikes(self.zone, day, self.terms.hour))
            if len(struck) == wanted:
                break
        reply = self.terms.days
        return struck[reply - 1], tuple(struck[reply : reply + bank]), struck[-1]

    def reminders(self, began: date, ends: Ends) -> list[tuple[datetime, str]]:
        zat, bank, final = ends
        end = self.ends_on(zat)
        between = [day for day in dates_until(self.zone, began, end) if began < day < end]
        found = {}
        if between:
            found[strikes(self.zone, between[-1], self.terms.hour)] = "day"
        half = [day for day in between if (day - began) * 2 <= end - began]
        if half and not (half[-1] == between[-1] and "day" in self.terms.reminders):
            moment = strikes(self.zone, half[-1], self.terms.hour)
            found[moment] = "half"
        starts = [zat, *bank]
        for start in starts:
            found[start] = "bank" if start != starts[-1] else "grace" if start != final else ""
        return sorted((moment, kind) for moment, kind in found.items() if kind in self.terms.reminders)

    def moved(self, moment: datetime, days: int) -> datetime:
        """For a moment at the hour of the ZAT."""
        for day in self.playing(self.ends_on(moment) + timedelta(days=days)):
            return strikes(self.zone, day, self.terms.hour)
        raise AssertionError

    def after_pause(self, moment: datetime, paused: datetime, now: datetime) -> datetime:
        """For a moment at the hour of the ZAT, on a day that is played or not."""
        if moment <= paused:
            return moment
        if self.day_of(paused) == self.day_of(now) and moment > now:
            return moment
        left = sum(self.plays(day) for day in dates_until(self.zone, self.day_of(paused), self.ends_on(moment)))
        left -= self.plays(self.day_of(paused))
        today = self.day_of(now)
        for day in self.playing(today):
            left -= day != today  # today is no day to spend: it has begun
            strike = max(moment, strikes(self.zone, day, self.terms.hour))
            if left <= 0 and strike > now:
                return strike
        raise AssertionError

    def laid_behind(self, end: datetime, number: int) -> list[datetime]:
        """The ends of so many further days behind one that ends then."""
        days = self.playing_after(self.ends_on(end))
        return [strikes(self.zone, next(days), self.terms.hour) for _ in range(number)]


def dates_until(zone: str, first: date, last: date) -> Iterator[date]:
    for day in dates(zone, first):
        if day > last:
            return
        yield day


CHANGES = {
    BERLIN: ("2025-03-30", "2025-10-26", "2026-03-29", "2026-10-25", "2027-03-28", "2027-10-31"),
    "America/New_York": ("2025-03-09", "2025-11-02", "2026-03-08", "2026-11-01"),
    "Australia/Lord_Howe": ("2025-04-06", "2025-10-05", "2026-04-05", "2026-10-04"),  # half an hour
    "Pacific/Apia": ("2011-09-24", "2011-12-30", "2012-04-01"),  # no 30 December
    "Asia/Beirut": ("2026-03-29", "2026-10-25"),  # at midnight
    "America/Nuuk": ("2026-03-28", "2026-10-24"),  # at eleven in the evening
    "Asia/Kathmandu": ("1986-01-01", "2026-06-30"),  # a quarter of an hour
    "UTC": ("2026-12-31", "2028-02-29"),
}
PLACES = st.sampled_from([(zone, date.fromisoformat(text)) for zone, texts in CHANGES.items() for text in texts])
HOURS = st.one_of(st.sampled_from([0, 1, 2, 3, 20, 23]), st.integers(0, 23))
DELTAS = st.sampled_from([timedelta(microseconds=-1), timedelta(0), timedelta(microseconds=1)])


@st.composite
def moments(draw: st.DrawFn, zone: str, near: date, first: int = -9, last: int = 3) -> datetime:
    """Some minute near that day, or a full hour there give or take a microsecond."""
    on = near + timedelta(days=draw(st.integers(first, last)))
    if draw(st.booleans()):
        return datetime.combine(on, time(), UTC) + timedelta(minutes=draw(st.integers(0, 1439)))
    wall = datetime.combine(on, time(draw(HOURS)), ZoneInfo(zone))
    return wall.replace(fold=draw(st.integers(0, 1))).astimezone(UTC) + draw(DELTAS)


@st.composite
def spans(draw: st.DrawFn, near: date) -> tuple[Span, ...]:
    """Up to three spans that begin within a month, often close together; some end before they begin."""
    found = []
    for _ in range(draw(st.integers(0, 3))):
        first = near + timedelta(days=draw(st.integers(-8, 16)))
        found.append((first, first + timedelta(days=draw(st.integers(-1, 6)))))
    return tuple(found)


@st.composite
def terms_near(draw: st.DrawFn, near: date) -> TimeRules:
    """Terms whose holidays lie near that day."""
    weekdays = ("mon", "Di", "mi", "THU", "fri", "sa", "sun")
    offsets = draw(st.lists(st.integers(-5, 15), max_size=4))
    dates = [(near + timedelta(days=n)).isoformat() for n in offsets]
    return TimeRules(
        days=draw(st.integers(1, 8)),
        hour=draw(HOURS),
        grace=draw(st.integers(0, 3)),
        skip_weekdays=draw(st.lists(st.sampled_from(weekdays), max_size=3).map(tuple)),
        holidays=tuple(text[draw(st.sampled_from([0, 5])) :] for text in dates),
        evening=draw(st.one_of(st.just(-1), HOURS)),
        reminders=draw(st.sampled_from([ALL, ("half", "day"), ("half", "grace"), ("day", "bank"), ("bank",)])),
    )


@st.composite
def turns(draw: st.DrawFn) -> tuple[Calendar, datetime, int, date]:
    """(the seat's calendar, when the board mail was accepted, extra days, the day of a change)."""
    zone, near = draw(PLACES)
    calendar = Calendar(draw(terms_near(near)), zone, draw(spans(near)))
    return calendar, draw(moments(zone, near)), draw(st.integers(0, 3)), near


def ends_of(plan: TurnSchedule) -> Ends:
    return plan.zat, plan.bank, plan.final


def planned(calendar: Calendar, accepted: datetime, bank: int) -> tuple[date, TurnSchedule]:
    began = compute_first_day(accepted, calendar.terms, calendar.zone)
    return began, build_turn_schedule(began, calendar.terms, calendar.zone, bank, calendar.away)


APIA = Calendar(TimeRules(days=1), "Pacific/Apia")
NUUK = Calendar(TimeRules(days=3, hour=23, grace=1, evening=-1), "America/Nuuk")
AWAY = Calendar(TimeRules(days=3, skip_weekdays=WEEKENDS, holidays=("11-09",)), BERLIN, ((day("11-06"), day("11-06")),))


@settings(max_examples=60)
@given(turns())
@example((APIA, utc("2011-12-30 05:00"), 1, date(2011, 12, 30)))
@example((APIA, utc("2011-12-30 06:01"), 1, date(2011, 12, 30)))
@example((NUUK, utc("2026-03-25 12:00"), 0, date(2026, 3, 28)))
@example((AWAY, berlin("11-02 21:00"), 2, day("11-02")))
def test_schedule_and_reminders_of_the_second_clock(turn: tuple[Calendar, datetime, int, date]) -> None:
    calendar, accepted, bank, _ = turn
    terms, zone = calendar.terms, calendar.zone
    terms.check_values()
    began, plan = planned(calendar, accepted, bank)
    assert began == calendar.begins(accepted)
    expected = calendar.ends(began, bank)
    assert ends_of(plan) == expected
    assert all(moment.tzinfo is UTC for moment in (plan.zat, *plan.bank, plan.final))
    ends = [accepted, plan.zat, *plan.bank]
    assert ends == sorted(set(ends))
    assert plan.final > ends[-1] if terms.grace else plan.final == ends[-1]
    found = list_reminders(began, plan, terms, zone)
    assert list(found) == calendar.reminders(began, expected)
    assert len({moment for moment, _ in found}) == len(found)
    assert all(began < to_local_day(moment, zone) and moment < plan.final for moment, _ in found)


def near_the_end(turn: tuple[Calendar, datetime, int, date], before: TurnSchedule) -> st.SearchStrategy[datetime]:
    """Any time from the turn's beginning to some days behind it, often just when one of its days ends."""
    calendar, accepted, _, near = turn
    ends = st.builds(datetime.__add__, st.sampled_from([accepted, before.zat, *before.bank, before.final]), DELTAS)
    return st.one_of(moments(calendar.zone, near, -9, 20), ends)


@settings(max_examples=40)
@given(turns(), st.integers(0, 5), st.data())
def test_postponed_of_the_second_clock(
    turn: tuple[Calendar, datetime, int, date], days: int, data: st.DataObject
) -> None:
    calendar, accepted, bank, _ = turn
    terms, zone, away = calendar.terms, calendar.zone, calendar.away
    _, before = planned(replace(calendar, away=away[1:]), accepted, bank)  # one leave is new
    for end in (before.zat, before.final):
        assert shift_deadline(end, days, terms, zone, away) == calendar.moved(end, days)
    since = data.draw(near_the_end(turn, before))
    after = shift_schedule(before, since, days, terms, zone, away)
    assert ends_of(after) == carried(calendar, before, since, lambda end: calendar.moved(end, days))


@settings(max_examples=40)
@given(turns(), st.data())
def test_pauses_of_the_second_clock(turn: tuple[Calendar, datetime, int, date], data: st.DataObject) -> None:
    calendar, accepted, bank, _ = turn
    terms, zone, away = calendar.terms, calendar.zone, calendar.away
    _, before = planned(replace(calendar, away=away[1:]), accepted, bank)  # one leave is new
    paused, now = sorted((data.draw(near_the_end(turn, before)), data.draw(near_the_end(turn, before))))
    ends = (before.zat, *before.bank, before.final)
    found = [shift_after_pause(end, paused, now, terms, zone, away) for end in ends]
    assert found == [calendar.after_pause(end, paused, now) for end in ends]
    if all(calendar.plays(calendar.ends_on(end)) for end in ends):
        assert found == sorted(found)
    assert all(new == end if end <= paused else new > now and new >= end for end, new in zip(ends, found, strict=True))
    if to_local_day(paused, zone) == to_local_day(now, zone):
        assert all(new == end or paused < end <= now for end, new in zip(ends, found, strict=True))


def carried(calendar: Calendar, before: TurnSchedule, since: datetime, carry: Any) -> Ends:
    """What is left of a turn put off by hand: its next end carried, one playing day for each extra day behind it, one
    for each day of grace; nothing earlier than it was."""
    old = [before.zat, *before.bank]
    passed = [end for end in old if end <= since]
    if passed == old:
        return before.zat, before.bank, carry(before.final) if before.final > since else before.final
    left = len(old) - len(passed)
    first = carry(old[len(passed)])
    laid = [first, *calendar.laid_behind(first, left - 1 + calendar.terms.grace)]
    new = passed + [max(pair) for pair in zip(old[len(passed) :], laid, strict=False)]
    return new[0], tuple(new[1:]), max(before.final, laid[-1])


TODAY = date(2026, 11, 21)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def leave(first: str, last: str, announced: datetime = NOW) -> LeaveSpan:
    return LeaveSpan(day(first), day(last), announced)


AUTUMN = (leave("10-01", "10-28"), leave("12-01", "12-05"))
"""33 of the 42 days of 2026."""


@pytest.mark.parametrize(
    ("first", "last", "others", "rules", "expected"),
    [
        ("11-21", "11-23", (), {}, None),  # from today on
        ("12-12", "12-10", (), {}, Note("leave-backwards", {"first": day("12-12"), "last": day("12-10")})),
        ("11-20", "11-30", (), {}, Note("leave-past", {"first": day("11-20")})),
        ("11-23", "11-30", (), {"announce": 3}, Note("leave-short-notice", {"announce": 3})),
        ("11-24", "11-30", (), {"announce": 3}, None),
        ("12-10", "12-11", (), {}, Note("leave-too-short", {"minimum": 3})),
        ("12-01", "12-29", (), {}, Note("leave-too-long", {"longest": 28})),
        ("12-05", "12-08", AUTUMN, {}, Note("leave-overlap", {"first": day("12-01"), "last": day("12-05")})),
        ("12-06", "12-06", AUTUMN, {}, None),  # a day more of the leave before
        ("12-06", "12-09", AUTUMN, {"longest": 8}, Note("leave-too-long", {"longest": 8})),
        ("11-30", "12-02", (leave("12-06", "12-08"), leave("12-03", "12-05")), {"longest": 9}, None),
        ("12-07", "12-16", AUTUMN, {}, Note("leave-quota", {"year": 2026, "quota": 42, "left": 9})),
        ("12-22", "2027-01-10", AUTUMN, {}, Note("leave-quota", {"year": 2026, "quota": 42, "left": 9})),
        ("12-30", "2027-01-08", (), {"quota": 7}, Note("leave-quota", {"year": 2027, "quota": 7, "left": 7})),
    ],
)
def test_what_may_be_announced(
    first: str, last: str, others: tuple[LeaveSpan, ...], rules: dict[str, int], expected: Note | None
) -> None:
    assert find_leave_problem(day(first), day(last), others, TODAY, LeaveRules(**rules)) == expected


@pytest.mark.parametrize(
    ("year", "leaves", "left"),
    [
        (2026, (), 42),
        (2026, AUTUMN, 9),
        (2027, AUTUMN, 42),
        (2026, (leave("12-30", "2027-01-08"),), 40),
        (2027, (leave("12-30", "2027-01-08"),), 34),
        (2026, (leave("01-01", "12-31"),), 0),  # given by the moderator: not below nothing
    ],
)
def test_days_that_are_left_of_a_year(year: int, leaves: tuple[LeaveSpan, ...], left: int) -> None:
    assert count_leave_days_left(year, leaves, LeaveRules()) == left


def test_only_leave_announced_before_the_turn_counts() -> None:
    before, after = NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)
    leaves = [leave("12-20", "12-24", before), leave("12-10", "12-12", before), leave("12-01", "12-03", after)]
    assert list_counting_leaves([*leaves, leave("12-26", "12-28", NOW)], NOW) == (
        (day("12-10"), day("12-12")),
        (day("12-20"), day("12-24")),
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"quota": -1}, "quota = -1"),
        ({"minimum": 0}, "minimum = 0"),
        ({"minimum": 10, "longest": 9}, "longest = 9"),
        ({"announce": -1}, "announce = -1"),
        ({"quota": 400}, "quota = 400"),
    ],
)
def test_rules_of_leave_that_cannot_be_are_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        build_dataclass(LeaveRules, values, "[leave]").check_values("[leave]")
    assert error.value.message == f"[leave]: {said} cannot be."
    LeaveRules(quota=0, minimum=1, longest=1, announce=14).check_values()
