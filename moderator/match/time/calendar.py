"""Days and hours of a place: which days are played, and when it is eight in the evening there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

Span = tuple[date, date]
"""First and last day, both included."""

DAY = timedelta(days=1)
WEEKDAYS = (("mon", "mo"), ("tue", "di"), ("wed", "mi"), ("thu", "do"), ("fri", "fr"), ("sat", "sa"), ("sun", "so"))
FAR = date(9000, 1, 1)
"""A span that goes on for ever ends here: dates end soon after."""
_HOLIDAY = re.compile(r"(?:([0-9]{4})-)?([0-9]{2})-([0-9]{2})")


def local(day: date, hour: int, place: ZoneInfo, minute: int = 0) -> datetime:
    """That time of the wall clock as UTC. Of a time that comes twice the first is meant; one that is skipped
    becomes the first moment after the gap."""
    return at(day, time(hour, minute), place)


def at(day: date, clock: time, place: ZoneInfo) -> datetime:
    """``local`` for a time with seconds."""
    wall = datetime.combine(day, clock, place).replace(fold=0)
    moment = wall.astimezone(UTC)
    if moment.astimezone(place).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return moment
    wall = wall.replace(microsecond=0)
    before, seconds = wall.replace(fold=1).astimezone(UTC), 0
    until = int((moment - before).total_seconds())
    while until - seconds > 1:
        middle = (seconds + until) // 2
        there = (before + timedelta(seconds=middle)).astimezone(place)
        seconds, until = (
            (seconds, middle) if there.replace(tzinfo=None) > wall.replace(tzinfo=None) else (middle, until)
        )
    return before + timedelta(seconds=until)


def local_day(moment: datetime, zone: str) -> date:
    """The date on the wall calendar of ``zone``."""
    return moment.astimezone(ZoneInfo(zone)).date()


def exists(day: date, place: ZoneInfo) -> bool:
    """False for a day that was left out when a place changed sides of the date line (Samoa, 30 December 2011)."""
    return local(day, 0, place).astimezone(place).date() == day


def next_day(day: date, place: ZoneInfo) -> date:
    """The next day on the calendar of ``place``."""
    day += DAY
    return day if exists(day, place) else next_day(day, place)


def day_before(day: date, place: ZoneInfo) -> date:
    """The day before on the calendar of ``place``."""
    day -= DAY
    return day if exists(day, place) else day_before(day, place)


def weekday(name: str) -> int:
    """0 = Monday for "mon", "Mo", "mo." and so on. Raises ValueError for any other name."""
    plain = name.strip().rstrip(".").lower()
    for number, names in enumerate(WEEKDAYS):
        if plain in names:
            return number
    raise ValueError(name)


def holiday(text: str) -> tuple[int, int, int]:
    """(year, month, day) of "2026-12-24"; year 0 for "12-24" = every year. Raises ValueError if no such day exists."""
    found = _HOLIDAY.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    year, month, day = (int(part or 0) for part in found.groups())
    date(year if found[1] else 2024, month, day)
    return year, month, day


@dataclass(frozen=True)
class PlayingDays:
    """The days that count: not on a weekday or holiday that is skipped, not within ``away``."""

    place: ZoneInfo
    weekdays: frozenset[int]
    holidays: frozenset[tuple[int, int, int]]
    away: tuple[Span, ...]
    """In order, without overlaps."""

    @staticmethod
    def of(zone: str, weekdays: Iterable[str], holidays: Iterable[str], away: Iterable[Span]) -> PlayingDays:
        """Names and dates as players write them; ``away`` in any order. Raises ValueError for unknown ones."""
        return PlayingDays(
            ZoneInfo(zone), frozenset(map(weekday, weekdays)), frozenset(map(holiday, holidays)), _joined(away)
        )

    def on(self, day: date) -> date:
        """``day``, or the first playing day after it."""
        while True:
            index = bisect_right(self.away, day, key=lambda span: span[0])
            if index and day <= self.away[index - 1][1]:
                day = self.away[index - 1][1] + DAY
            elif self._is_played(day):
                return day
            else:
                day += DAY

    def after(self, day: date, count: int) -> date:
        """The playing day so many after ``day``; with 0 ``day`` itself, whether it is played or not."""
        for _ in range(count):
            day = self.on(day + DAY)
        return day

    def between(self, start: date, end: date) -> int:
        """How many playing days come after ``start``, up to ``end``."""
        count = 0
        while (start := self.on(start + DAY)) <= end:
            count += 1
        return count

    def _is_played(self, day: date) -> bool:
        return (
            day.weekday() not in self.weekdays
            and (0, day.month, day.day) not in self.holidays
            and (day.year, day.month, day.day) not in self.holidays
            and exists(day, self.place)
        )


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """In order, those that overlap or touch made one. One that ends before it begins holds no day and does no harm."""
    joined: list[Span] = []
    for first, last in sorted((first, min(last, FAR)) for first, last in spans):
        if joined and first <= joined[-1][1] + DAY:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
