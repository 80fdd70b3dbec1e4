"""What time it is in a test, on whatever day it runs.

A command goes by the clock of the club whose settings it reads: in a test by that of the latest `Club` in that folder.
Where no club is, the machine's clock shows MACHINE and goes on from there. A
test of real servers lives in their time, and so does one marked `machine_clock`, which starts processes or looks at
times that the system writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from moderator import wall_clock
from moderator.config import CLOCK, Config

MACHINE = datetime(2026, 11, 20, 13, 0, tzinfo=UTC)
"""An hour behind the day on which clubs begin (tests.club.club.START): nobody's time by chance."""

real = wall_clock.now
"""The machine's clock itself."""


class HasClock(Protocol):
    now: datetime


_clubs: WeakValueDictionary[Path, HasClock] = WeakValueDictionary()
_machine: Callable[[], datetime] = real


def keep(folder: Path, club: HasClock) -> None:
    """What is asked for the time in this folder goes by the club's clock from now on."""
    _clubs[folder] = club


def _since(begin: float) -> Callable[[], datetime]:
    return lambda: MACHINE + timedelta(seconds=time.monotonic() - begin)


def begin() -> None:
    """Put these clocks in the place of the machine's."""
    asked = Config.now

    def now(config: Config) -> datetime:
        folder = config.file.parent
        club = _clubs.get(folder)
        if club is None or _machine is real or (folder / CLOCK).exists():
            return asked(config)
        return club.now

    Config.now = now  # type: ignore[method-assign]
    wall_clock.now = lambda: _machine()
    _set(_since(time.monotonic()))


def _set(machine: Callable[[], datetime]) -> None:
    global _machine
    _machine = machine


@contextmanager
def of(machines: bool) -> Iterator[None]:
    """Begin anew, or by the machine's clock; and then go on as before."""
    before = _machine
    _set(real if machines else _since(time.monotonic()))
    try:
        yield
    finally:
        _set(before)
