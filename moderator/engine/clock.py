"""Deadlines (ZAT): pure date arithmetic. Everything that goes in and out is aware UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def next_deadline(start: datetime, days: int, hour: int, zone: str) -> datetime:
    """``hour`` o'clock in ``zone`` on the first day that leaves at least ``days`` whole days after ``start``.

    Days are counted on the wall clock, so a ZAT stays at its hour when summer time begins or ends: seven days
    may then be 167 or 169 hours. To keep the weekday, start from the last ZAT and not from the moment of the run.
    """
    place = ZoneInfo(zone)
    wall = start.astimezone(place).replace(tzinfo=None) + timedelta(days=days)
    day = wall.date()
    if wall > datetime.combine(day, time(hour)):
        day += timedelta(days=1)
    return local(day, hour, place)


def reminder(deadline: datetime, days_before: int, zone: str) -> datetime | None:
    """The same hour on the wall clock ``days_before`` days earlier; None for 0 = no reminder."""
    if days_before <= 0:
        return None
    place = ZoneInfo(zone)
    wall = deadline.astimezone(place)
    return local(wall.date() - timedelta(days=days_before), wall.hour, place, wall.minute)


def local(day: date, hour: int, place: ZoneInfo, minute: int = 0) -> datetime:
    """That time of the wall clock as UTC. Of a time that comes twice the first is meant; one that is skipped
    becomes the first moment after the gap."""
    wall = datetime.combine(day, time(hour, minute), place)
    moment = wall.astimezone(UTC)
    if moment.astimezone(place).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return moment
    before, seconds = wall.replace(fold=1).astimezone(UTC), 0
    until = int((moment - before).total_seconds())
    while until - seconds > 1:
        middle = (seconds + until) // 2
        skipped = (before + timedelta(seconds=middle)).astimezone(place).replace(tzinfo=None) > wall.replace(
            tzinfo=None
        )
        seconds, until = (seconds, middle) if skipped else (middle, until)
    return before + timedelta(seconds=until)
