"""Deadlines as a calendar file (RFC 5545) that phones and mail programs take in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

ALARM = timedelta(days=-1)


@dataclass(frozen=True)
class Date:
    """One deadline. ``uid`` never changes, ``sequence`` rises with each change, so that a newer file replaces the entry
    of an older one."""

    uid: str
    sequence: int
    when: datetime
    """Aware."""
    title: str
    text: str


def calendar(dates: Sequence[Date], *, language: str, name: str, now: datetime) -> bytes:
    """The file, published to whoever opens it: nobody is invited, nothing is to be answered."""
    from icalendar import Alarm, Calendar, Event

    made = Calendar()
    made.add("prodid", "-//moderator//postal games//EN")
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", name, parameters={"language": language})
    for date in dates:
        event = Event()
        event.add("uid", date.uid)
        event.add("sequence", date.sequence)
        event.add("dtstamp", now)
        event.add("dtstart", date.when)  # without an end: the moment itself
        event.add("summary", date.title, parameters={"language": language})
        event.add("description", date.text, parameters={"language": language})
        event.add("transp", "TRANSPARENT")
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", date.title, parameters={"language": language})
        alarm.add("trigger", ALARM)
        event.add_component(alarm)
        made.add_component(event)
    return bytes(made.to_ical())
