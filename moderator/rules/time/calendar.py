"""Days and hours of a place: which days are played, when it is eight in the evening there, and who is on leave."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.common.errors import ConfigError, OperatorError

if TYPE_CHECKING:
    from moderator.rules.game import Note

Span = tuple[date, date]
"""First and last day, both included."""

DAY = timedelta(days=1)
WEEKDAYS = (("mon", "mo"), ("tue", "di"), ("wed", "mi"), ("thu", "do"), ("fri", "fr"), ("sat", "sa"), ("sun", "so"))
FAR = date(9000, 1, 1)
"""A span that goes on for ever ends here: dates end soon after."""
_FORMS = (r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})", r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})")
_HOLIDAY = re.compile(r"(?:([0-9]{4})-)?([0-9]{2})-([0-9]{2})")


def parse_day(text: str) -> date:
    """Parse a date like ``2026-12-24`` or ``24.12.2026``. Raises OperatorError."""
    for form in _FORMS:
        found = re.fullmatch(form, text.strip())
        if found:
            try:
                return date(int(found["y"]), int(found["m"]), int(found["d"]))
            except ValueError:
                break
    raise OperatorError(f"{text!r} is no date.", "Write it as 2026-12-24 or 24.12.2026.")


def resolve_local_hour(day: date, hour: int, place: ZoneInfo, minute: int = 0) -> datetime:
    """Return a time of the wall clock of ``place`` as UTC. Of a time that comes twice the first is meant; one that is
    skipped becomes the first moment after the gap."""
    return resolve_local_time(day, time(hour, minute), place)


def resolve_local_time(day: date, clock: time, place: ZoneInfo) -> datetime:
    """Return what ``resolve_local_hour`` does, for a time with seconds."""
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


def to_local_day(moment: datetime, zone: str) -> date:
    """Return the date on the wall calendar of ``zone``."""
    return moment.astimezone(ZoneInfo(zone)).date()


def format_local_time(moment: datetime, zone: str) -> str:
    """Return ``2026-12-24 20:00`` in that zone."""
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"


def is_existing_day(day: date, place: ZoneInfo) -> bool:
    """Return whether a day is on the calendar of ``place``: False for one that was left out when a place changed sides
    of the date line (Samoa, 30 December 2011)."""
    return resolve_local_hour(day, 0, place).astimezone(place).date() == day


def get_next_day(day: date, place: ZoneInfo) -> date:
    """Return the next day on the calendar of ``place``."""
    day += DAY
    return day if is_existing_day(day, place) else get_next_day(day, place)


def get_day_before(day: date, place: ZoneInfo) -> date:
    """Return the day before on the calendar of ``place``."""
    day -= DAY
    return day if is_existing_day(day, place) else get_day_before(day, place)


def parse_weekday(name: str) -> int:
    """Return the number of a weekday, 0 = Monday, for "mon", "Mo", "mo." and so on. Raises ValueError for any other
    name."""
    plain = name.strip().rstrip(".").lower()
    for number, names in enumerate(WEEKDAYS):
        if plain in names:
            return number
    raise ValueError(name)


def parse_holiday(text: str) -> tuple[int, int, int]:
    """Return (year, month, day) of "2026-12-24"; year 0 for "12-24" = every year. Raises ValueError if no such day
    exists."""
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
    def from_names(zone: str, weekdays: Iterable[str], holidays: Iterable[str], away: Iterable[Span]) -> PlayingDays:
        """Return playing days from names and dates as players write them; ``away`` in any order. Raises ValueError for
        unknown ones."""
        # The spans in order, those that overlap or touch merged.
        joined: list[Span] = []
        for first, last in sorted((first, min(last, FAR)) for first, last in away):
            if joined and first <= joined[-1][1] + DAY:
                joined[-1] = (joined[-1][0], max(joined[-1][1], last))
            else:
                joined.append((first, last))
        return PlayingDays(
            ZoneInfo(zone),
            frozenset(map(parse_weekday, weekdays)),
            frozenset(map(parse_holiday, holidays)),
            tuple(joined),
        )

    def on_or_after(self, day: date) -> date:
        """Return ``day``, or the first playing day after it."""
        while True:
            index = bisect_right(self.away, day, key=lambda span: span[0])
            if index and day <= self.away[index - 1][1]:
                day = self.away[index - 1][1] + DAY
            elif self._is_playing_day(day):
                return day
            else:
                day += DAY

    def add_playing_days(self, day: date, count: int) -> date:
        """Return the playing day so many after ``day``; with 0 ``day`` itself, whether it is played or not."""
        for _ in range(count):
            day = self.on_or_after(day + DAY)
        return day

    def count_between(self, start: date, end: date) -> int:
        """Count the playing days that come after ``start``, up to ``end``."""
        count = 0
        while (start := self.on_or_after(start + DAY)) <= end:
            count += 1
        return count

    def _is_playing_day(self, day: date) -> bool:
        return (
            day.weekday() not in self.weekdays
            and (0, day.month, day.day) not in self.holidays
            and (day.year, day.month, day.day) not in self.holidays
            and is_existing_day(day, self.place)
        )


# ---- leave ----
#
# Players' leave: what may be announced, and which of it counts for a turn. Pure arithmetic on local days.


@dataclass(frozen=True)
class LeaveRules:
    """The club's rules for leave. Read from TOML by ``common.typed.build_dataclass``; then ``check_values`` them."""

    quota: int = 42
    """Days per calendar year."""
    minimum: int = 3
    """Days of the shortest block."""
    longest: int = 28
    """Days of the longest block."""
    announce: int = 0
    """Days from the announcement to the first day of leave; 0 = it may begin today."""

    def check_values(self, where: str = "Leave") -> None:
        """Check the values. Raises ConfigError for values that cannot be; ``where`` names the table in it."""
        for name, lowest in (("quota", 0), ("minimum", 1), ("longest", self.minimum), ("announce", 0)):
            if not lowest <= getattr(self, name) <= 366:
                message = f"{where}: {name} = {getattr(self, name)} cannot be."
                raise ConfigError(message, f"Possible: {lowest} to 366.")


@dataclass(frozen=True)
class LeaveSpan:
    """First and last day, both included, and when it was announced (aware UTC)."""

    first: date
    last: date
    announced: datetime


def find_leave_problem(
    first: date, last: date, others: Iterable[LeaveSpan], today: date, rules: LeaveRules
) -> Note | None:
    """Return a note on why a player who has announced ``others`` cannot announce this leave today; None if they can.

    Leave that adjoins another is one block with it. A leave over New Year takes its days from both years."""
    from moderator.rules.game import Note

    taken = tuple(others)
    if last < first:
        return Note("leave-backwards", {"first": first, "last": last})
    if first < today:
        return Note("leave-past", {"first": first})
    if (first - today).days < rules.announce:
        return Note("leave-short-notice", {"announce": rules.announce})
    for leave in sorted(taken, key=lambda leave: leave.first):
        if leave.first <= last and first <= leave.last:
            return Note("leave-overlap", {"first": leave.first, "last": leave.last})
    block = _count_block_days(first, last, taken)
    if block < rules.minimum:
        return Note("leave-too-short", {"minimum": rules.minimum})
    if block > rules.longest:
        return Note("leave-too-long", {"longest": rules.longest})
    for year in range(first.year, last.year + 1):
        left = count_leave_days_left(year, taken, rules)
        if _count_days_in_year(year, first, last) > left:
            return Note("leave-quota", {"year": year, "quota": rules.quota, "left": left})
    return None


def list_counting_leaves(leaves: Iterable[LeaveSpan], began: datetime) -> tuple[Span, ...]:
    """List the leaves that count for a turn that began then: those announced before it, in order. So a leave never
    moves a deadline that was running when it was announced."""
    return tuple(sorted((leave.first, leave.last) for leave in leaves if leave.announced < began))


def count_leave_days_left(year: int, leaves: Iterable[LeaveSpan], rules: LeaveRules) -> int:
    """Count the days of leave that may still be announced for that calendar year."""
    return max(0, rules.quota - sum(_count_days_in_year(year, leave.first, leave.last) for leave in leaves))


def _count_days_in_year(year: int, first: date, last: date) -> int:
    start, end = max(first, date(year, 1, 1)), min(last, date(year, 12, 31))
    return max(0, (end - start).days + 1)


def _count_block_days(first: date, last: date, taken: Iterable[LeaveSpan]) -> int:
    """Count the days of the block that ``first`` to ``last`` make together with the leaves that adjoin."""
    spans = sorted((leave.first, leave.last) for leave in taken)
    for start, end in reversed(spans):
        if end + DAY == first:
            first = start
    for start, end in spans:
        if last + DAY == start:
            last = end
    return (last - first).days + 1
