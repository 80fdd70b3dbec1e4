"""Times for the tests of the clock: short to write, in Berlin."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from moderator.match.time.clock import Schedule

BERLIN = "Europe/Berlin"
ALL = ("half", "day", "bank", "grace")
"""Kinds of reminders."""


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def berlin(text: str) -> datetime:
    """``11-09 20:00`` of 2026 there; with a year as it is."""
    wall = text if text[:2] == "20" else f"2026-{text}"
    return datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(BERLIN)).astimezone(UTC)


def day(text: str) -> date:
    return date.fromisoformat(f"2026-{text}")


def plan(zat: str, *bank: str, final: str = "") -> Schedule:
    ends = [berlin(f"{end} 20:00") for end in (zat, *bank)]
    return Schedule(ends[0], tuple(ends[1:]), berlin(f"{final} 20:00") if final else ends[-1])
