"""Deadlines as a calendar file (RFC 5545) that phones and mail programs take in, once or by subscription."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from moderator.notifications.content import CalendarDate

if TYPE_CHECKING:
    from icalendar import Calendar, Event


ALARM = timedelta(days=-1)
REFRESH = timedelta(hours=4)
"""How often programs that have subscribed should look."""


def format_calendar(
    dates: Sequence[CalendarDate], *, language: str, name: str, now: datetime, subscribed: bool = False
) -> bytes:
    """Format the dates as a calendar file. Sent by mail it is published to whoever opens it (nobody is invited, nothing
    is to be answered) and reminds; ``subscribed``: it is fetched again and again, reminders are up to the program that
    does so."""
    from icalendar import Calendar

    made = Calendar()
    made.add("prodid", "-//moderator//postal games//EN")
    made.add("version", "2.0")
    made.add("x-wr-calname", " ".join(name.split()), parameters={"language": language})
    if subscribed:
        made.add("name", name, parameters={"language": language})
        made.add("refresh-interval", REFRESH, parameters={"value": "DURATION"})
        made.add("x-published-ttl", "PT4H")
    else:
        made.add("method", "PUBLISH")
    for one in dates:
        made.add_component(_build_calendar_event(one, language, now, alarm=not subscribed))
    if not dates:
        _add_placeholder_zone(made)
    return bytes(made.to_ical())


def _build_calendar_event(one: CalendarDate, language: str, now: datetime, *, alarm: bool) -> Event:
    from icalendar import Alarm, Event

    event = Event()
    event.add("uid", one.uid)
    event.add("sequence", one.sequence)
    event.add("dtstamp", one.changed or now)
    if one.day is None:
        event.add("dtstart", one.when)  # without an end: the moment itself
    else:
        event.add("dtstart", one.day)
        event.add("dtend", one.day + timedelta(days=1))
    event.add("summary", one.title, parameters={"language": language})
    event.add("description", one.text, parameters={"language": language})
    event.add("transp", "TRANSPARENT")
    if one.url:
        event.add("url", one.url)
    if alarm:
        rings = Alarm()
        rings.add("action", "DISPLAY")
        rings.add("description", one.title, parameters={"language": language})
        rings.add("trigger", ALARM)
        event.add_component(rings)
    return event


def _add_placeholder_zone(made: Calendar) -> None:
    """Add a time zone: a calendar without any component is none (RFC 5545, 3.6)."""
    from icalendar import Timezone, TimezoneStandard

    zone, standard = Timezone(), TimezoneStandard()
    zone.add("tzid", "UTC")
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001 - as the format has it
    standard.add("tzoffsetfrom", timedelta(0))
    standard.add("tzoffsetto", timedelta(0))
    zone.add_component(standard)
    made.add_component(zone)
