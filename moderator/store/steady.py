"""How much time has really passed: the machine's own count since it was started, which no setting of the clock changes.

Known on Linux only, and only of the machine's own time: a rehearsal or a test thinks of another.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
NOW = 60
"""A time that is so many seconds off the machine's is not the machine's."""


def mark(moment: datetime) -> str:
    """Start of the machine and seconds since then at ``moment``, which is now; "" where that is not known."""
    if abs(_wall() - moment.timestamp()) > NOW:
        return ""
    try:
        return f"{_BOOT.read_text().strip()} {_seconds():.0f}"
    except OSError:
        return ""


def elapsed(earlier: str, later: str) -> timedelta | None:
    """Between two marks; None where they cannot be compared."""
    boot, _, since = earlier.partition(" ")
    same, _, until = later.partition(" ")
    return timedelta(seconds=int(until) - int(since)) if boot and boot == same else None


def _wall() -> float:
    return time.time()


def _seconds() -> float:
    """With the time that the machine slept."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    if clock is None:
        raise OSError("no such clock on this system")
    return time.clock_gettime(clock)
