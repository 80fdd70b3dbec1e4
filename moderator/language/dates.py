"""Times as people say them in each language, without the system's locales."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from moderator.language.messages import load_labels, render_label
from moderator.rules.game import Note


def get_time_zone(name: str) -> tzinfo:
    """Return the zone of that name; UTC where this machine doesn't know it (a mail must be sent all the same)."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def format_moment(when: datetime, now: datetime, language: str, zone_name: str, club_zone: str = "") -> str:
    """Return ``Montag, 24. November, 20:00 Uhr``. The year is added when it isn't this one, the zone when its clock
    differs from the club's at that time."""
    local = when.astimezone(get_time_zone(zone_name))
    year = local.year != now.astimezone(get_time_zone(zone_name)).year
    named = (
        zone_name != club_zone and local.utcoffset() != when.astimezone(get_time_zone(club_zone or "UTC")).utcoffset()
    )
    text = render_label(
        "moment-year" if year else "moment", language, **_build_date_parts(local, language), time=f"{local:%H:%M}"
    )
    return f"{text} {format_zone(local, language)}" if named else text


def format_timestamp(when: datetime, zone_name: str) -> str:
    """Return ``2026-11-24 20:00 CET``: for the command line."""
    local = when.astimezone(get_time_zone(zone_name))
    return f"{local:%Y-%m-%d %H:%M} {format_zone(local, 'en')}"


def format_zone(local: datetime, language: str) -> str:
    """Return ``MEZ``, ``GMT``, or ``UTC+05:30`` where the zone has no letters of its own."""
    name = local.tzname() or "UTC"
    if not name.isalpha():
        offset = local.utcoffset() or timedelta()
        minutes = abs(int(offset.total_seconds())) // 60
        rest = f":{minutes % 60:02d}" if minutes % 60 else ""
        return f"UTC{'-' if offset < timedelta() else '+'}{minutes // 60}{rest}"
    return load_labels(language).get(f"zone.{name}", name)


def format_time_left(when: datetime, now: datetime, language: str, zone_name: str) -> str:
    """Return ``noch 4 Tage`` (days of the reader's calendar), below two days ``noch 30 Stunden``, ``noch 5
    Minuten``."""
    seconds = (when - now).total_seconds()
    if seconds <= 0:
        return render_label("left-over", language)
    if seconds >= 48 * 3600:
        here = get_time_zone(zone_name)
        amount, unit = (when.astimezone(here).date() - now.astimezone(here).date()).days, "day"
    elif seconds >= 2 * 3600:
        amount, unit = int(seconds // 3600), "hour"
    else:
        amount, unit = max(1, int(seconds // 60)), "minute"
    return render_label(f"left-{unit}", language, count=amount)


def format_deadline(when: datetime, now: datetime, language: str, zone_name: str, club_zone: str = "") -> str:
    """Return ``Montag, 24. November, 20:00 Uhr (noch 4 Tage)``."""
    moment = format_moment(when, now, language, zone_name, club_zone)
    return f"{moment} ({format_time_left(when, now, language, zone_name)})"


def format_day(when: date, now: datetime, language: str) -> str:
    """Return ``Donnerstag, 24. Dezember``; with the year when it isn't this one."""
    return render_label("date-year" if when.year != now.year else "date", language, **_build_date_parts(when, language))


def format_short_date(when: date, language: str) -> str:
    """Return ``24.12.2026``, ``24 Dec 2026``."""
    name = render_label("months-short", language).split()[when.month - 1]
    return render_label(
        "date-short", language, number=_format_day_number(when, language), month=name, year=str(when.year)
    )


def format_brief_day(when: datetime, language: str, zone_name: str) -> str:
    """Return ``Sa 12. Dez.``: the reader's day, where it is near."""
    local = when.astimezone(get_time_zone(zone_name))
    weekday = render_label("weekdays-brief", language).split()[local.weekday()]
    month = render_label("months-brief", language).split()[local.month - 1]
    number = _format_day_number(local, language)
    return render_label("date-brief", language, weekday=weekday, number=number, month=month)


def format_hour(when: datetime, zone_name: str) -> str:
    """Return ``20:00``, by the reader's clock."""
    return f"{when.astimezone(get_time_zone(zone_name)):%H:%M}"


def get_month_name(number: int, language: str) -> str:
    """Return the name of a month, from 1."""
    return render_label("months", language).split()[number - 1]


def _build_date_parts(when: date, language: str) -> dict[str, str]:
    weekday = render_label("weekdays", language).split()[when.weekday()]
    return {
        "weekday": weekday,
        "number": _format_day_number(when, language),
        "month": get_month_name(when.month, language),
        "year": str(when.year),
    }


# ---- moments in notes become words on the reader's clock, before any sentence is made ----


class ReadersClock(Protocol):
    """The clock that moments are written by: the reader's language and zone, the club's zone, and now."""

    @property
    def now(self) -> datetime: ...
    @property
    def club_zone(self) -> str: ...
    @property
    def reader(self) -> _ReaderOfMoments: ...


class _ReaderOfMoments(Protocol):
    @property
    def language(self) -> str: ...
    @property
    def zone(self) -> str: ...


def localize_notes(notes: Iterable[Note], page: ReadersClock) -> tuple[Note, ...]:
    """Return the notes with moments and days as words."""
    return tuple(
        replace(note, params={key: _localize_value(value, page) for key, value in note.params.items()})
        if any(isinstance(value, date | list | tuple) for value in note.params.values())
        else note
        for note in notes
    )


def _localize_value(value: Any, page: ReadersClock) -> Any:
    reader = page.reader
    if isinstance(value, datetime):
        return format_moment(value, page.now, reader.language, reader.zone, page.club_zone)
    if isinstance(value, date):
        return format_day(value, page.now, reader.language)
    if isinstance(value, list | tuple):
        return [_localize_value(item, page) for item in value]
    if isinstance(value, dict):
        return {key: _localize_value(item, page) for key, item in value.items()}
    return value


def _format_day_number(when: date, language: str) -> str:
    """Return the number of the day in its month; the first has a form of its own in French."""
    return render_label("first-day", language) if when.day == 1 else str(when.day)
