"""Times as people say them in each language, without the system's locales."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from moderator.match.contract import Note
from moderator.pages.content import Content, Opening
from moderator.pages.messages import label, labels
from moderator.pages.pages import Page


def zone(name: str) -> tzinfo:
    """The zone of that name; UTC where this machine doesn't know it (a mail must go out all the same)."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def moment(when: datetime, now: datetime, language: str, zone_name: str, club_zone: str = "") -> str:
    """``Montag, 24. November, 20:00 Uhr``. The year is added when it isn't this one, the zone when its clock
    differs from the club's at that time."""
    local = when.astimezone(zone(zone_name))
    year = local.year != now.astimezone(zone(zone_name)).year
    named = zone_name != club_zone and local.utcoffset() != when.astimezone(zone(club_zone or "UTC")).utcoffset()
    text = label("moment-year" if year else "moment", language, **_parts(local, language), time=f"{local:%H:%M}")
    return f"{text} {zone_label(local, language)}" if named else text


def stamp(when: datetime, zone_name: str) -> str:
    """``2026-11-24 20:00 CET``: for the command line."""
    local = when.astimezone(zone(zone_name))
    return f"{local:%Y-%m-%d %H:%M} {zone_label(local, 'en')}"


def zone_label(local: datetime, language: str) -> str:
    """``MEZ``, ``GMT``, or ``UTC+05:30`` where the zone has no letters of its own."""
    name = local.tzname() or "UTC"
    if not name.isalpha():
        offset = local.utcoffset() or timedelta()
        minutes = abs(int(offset.total_seconds())) // 60
        rest = f":{minutes % 60:02d}" if minutes % 60 else ""
        return f"UTC{'-' if offset < timedelta() else '+'}{minutes // 60}{rest}"
    return labels(language).get(f"zone.{name}", name)


def left(when: datetime, now: datetime, language: str, zone_name: str) -> str:
    """``noch 4 Tage`` (days of the reader's calendar), below two days ``noch 30 Stunden``, ``noch 5 Minuten``."""
    seconds = (when - now).total_seconds()
    if seconds <= 0:
        return label("left-over", language)
    if seconds >= 48 * 3600:
        here = zone(zone_name)
        amount, unit = (when.astimezone(here).date() - now.astimezone(here).date()).days, "day"
    elif seconds >= 2 * 3600:
        amount, unit = int(seconds // 3600), "hour"
    else:
        amount, unit = max(1, int(seconds // 60)), "minute"
    return label(f"left-{unit}", language, count=amount)


def deadline(when: datetime, now: datetime, language: str, zone_name: str, club_zone: str = "") -> str:
    """``Montag, 24. November, 20:00 Uhr (noch 4 Tage)``."""
    return f"{moment(when, now, language, zone_name, club_zone)} ({left(when, now, language, zone_name)})"


def day(when: date, now: datetime, language: str) -> str:
    """``Donnerstag, 24. Dezember``; with the year when it isn't this one."""
    return label("date-year" if when.year != now.year else "date", language, **_parts(when, language))


def short(when: date, language: str) -> str:
    """``24.12.2026``, ``24 Dec 2026``."""
    name = label("months-short", language).split()[when.month - 1]
    return label("date-short", language, number=_number(when, language), month=name, year=str(when.year))


def month(number: int, language: str) -> str:
    """The name of a month, from 1."""
    return label("months", language).split()[number - 1]


def _parts(when: date, language: str) -> dict[str, str]:
    weekday = label("weekdays", language).split()[when.weekday()]
    return {
        "weekday": weekday,
        "number": _number(when, language),
        "month": month(when.month, language),
        "year": str(when.year),
    }


# ---- moments in notes become words on the reader's clock, before any sentence is made ----


def localised(page: Page) -> Page:
    """The page with every datetime (aware UTC) and date in its notes as text."""
    receipt = page.receipt
    if receipt is not None:
        lines = tuple(replace(line, notes=worded(line.notes, page)) for line in receipt.lines)
        receipt = replace(receipt, lines=lines)
    return replace(
        page,
        receipt=receipt,
        reports=tuple(replace(r, before=worded(r.before, page)) if r.before else r for r in page.reports),
        notes=worded(page.notes, page),
        remarks=worded(page.remarks, page),
        content=_worded(page.content, page),
    )


def _worded(content: Content | None, page: Page) -> Content | None:
    return replace(content, terms=worded(content.terms, page)) if isinstance(content, Opening) else content


def worded(notes: Iterable[Note], page: Page) -> tuple[Note, ...]:
    """The notes with moments and days as words."""
    return tuple(
        replace(note, params={key: _said(value, page) for key, value in note.params.items()})
        if any(isinstance(value, date | list | tuple) for value in note.params.values())
        else note
        for note in notes
    )


def _said(value: Any, page: Page) -> Any:
    reader = page.reader
    if isinstance(value, datetime):
        return moment(value, page.now, reader.language, reader.zone, page.club_zone)
    if isinstance(value, date):
        return day(value, page.now, reader.language)
    if isinstance(value, list | tuple):
        return [_said(item, page) for item in value]
    if isinstance(value, dict):
        return {key: _said(item, page) for key, item in value.items()}
    return value


def _number(when: date, language: str) -> str:
    """Of the day in its month; the first has a form of its own in French."""
    return label("first-day", language) if when.day == 1 else str(when.day)
