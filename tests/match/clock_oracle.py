"""A second clock, as a person with a wall calendar would keep time: it walks over real moments, a quarter of an hour at
a step, looks at the wall clock, and crosses off days as they appear. It shares nothing with
``moderator.match.time.clock`` but the fields of ``Terms``, which it only reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import count
from zoneinfo import ZoneInfo

from moderator.match.time.clock import Terms

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

    terms: Terms
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
        """The days that are played, from ``start`` on."""
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


def extra_days(ends: Ends, arrived: datetime) -> int:
    """How many extra days had begun when an order arrived."""
    zat, bank, _ = ends
    used = 0
    start = zat
    for end in bank:
        if arrived > start:
            used += 1
        start = end
    return used
