"""What stands in for the machine in a test: its clock, its randomness, and what its disk would cost."""

import functools
import hashlib
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakValueDictionary

from sqlalchemy import event
from sqlalchemy.engine import Engine

from moderator.common import clock
from moderator.settings import CLOCK, Config
from moderator.store import engines


def begin() -> None:
    """For this process and those that it forks; what it starts is as ever."""
    _begin_clocks()
    _begin_lots()
    _begin_databases()


# ---- the clock ----
#
# A command goes by the clock of the club whose settings it reads: in a test by that of the latest `Club` in that
# folder. Where no club is, the machine's clock shows MACHINE and goes on from there. A test of real servers lives in
# their time, and so does one marked `machine_clock`, which starts processes or looks at times that the system writes.

MACHINE = datetime(2026, 11, 20, 13, 0, tzinfo=UTC)
"""An hour behind the day on which clubs begin (tests.club.club.START): nobody's time by chance."""

_real = clock.get_wall_time
"""The machine's clock itself."""


class HasClock(Protocol):
    now: datetime


_clubs: WeakValueDictionary[Path, HasClock] = WeakValueDictionary()
_machine: Callable[[], datetime] = _real


def keep_clock(folder: Path, club: HasClock) -> None:
    """What is asked for the time in this folder goes by the club's clock from now on."""
    _clubs[folder] = club


def _since(began: float) -> Callable[[], datetime]:
    return lambda: MACHINE + timedelta(seconds=time.monotonic() - began)


def _begin_clocks() -> None:
    asked = Config.read_clock

    def now(config: Config) -> datetime:
        folder = config.file.parent
        club = _clubs.get(folder)
        if club is None or _machine is _real or (folder / CLOCK).exists():
            return asked(config)
        return club.now

    Config.read_clock = now  # type: ignore[method-assign]
    clock.get_wall_time = lambda: _machine()
    _set(_since(time.monotonic()))


def _set(machine: Callable[[], datetime]) -> None:
    global _machine
    _machine = machine


@contextmanager
def clock_of(machines: bool) -> Iterator[None]:
    """Begin anew, or by the machine's clock; and then go on as before."""
    before = _machine
    _set(_real if machines else _since(time.monotonic()))
    try:
        yield
    finally:
        _set(before)


# ---- lots that fall the same in each run ----
#
# Codes of matches, tokens and seeds of shuffles are drawn from the system's randomness, and what a match plays depends
# on them: a test that is right for nearly every draw fails once in a hundred runs, on another machine, at night. So
# each test, and each fixture that several tests share, draws from streams that begin with its name: each place that
# draws has one of its own, so that what is drawn once in a process, by whichever test comes first, shifts nothing for
# the others.
#
# MODERATOR_LOTS=3 in the environment draws others: what passes by luck may fail then.

_DRAWS_FOR_OTHERS = frozenset({"random", "secrets", "tempfile", "uuid", __name__})
_others = os.environ.get("MODERATOR_LOTS", "")
_name = ""
_drawn: Counter[str] = Counter()
"""How often each place has drawn under this name."""


STREAMS = {
    "moderator.common.tokens <genexpr>": "moderator.club.tokens <genexpr>",
    "moderator.common.tokens generate_match_code": "moderator.club.tokens new_code",
    "moderator.delivery.compose _compose_page": "moderator.outbox.post compose_and_queue",
    "moderator.delivery.compose _compose_copy": "moderator.outbox.post queue_mail_copy",
    "moderator.mail.trial_letter generate_trial_mark": "moderator.mail.trial.letter generate_trial_mark",
    "moderator.service.match.start prepare_match": "moderator.play.create prepare",
    "moderator.service.match.match undo_to_entry": "moderator.play.lifecycle undo",
    "moderator.service.tournaments.registration store_tournament": "moderator.play.tournaments.registration set_up",
    "moderator.tournaments.ratings <dictcomp>": "moderator.tournaments.rating <dictcomp>",
    "moderator.tournaments.ratings <listcomp>": "moderator.tournaments.rating <listcomp>",
}
"""Streams that are not called after the function that draws today: the golden files were written with these."""


def _draw(count: int) -> bytes:
    place = _place()
    _drawn[place] += 1
    return hashlib.shake_256(f"{_others}{_name} {place} {_drawn[place]}".encode()).digest(count)


def _place() -> str:
    """The module and function that draws."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__") in _DRAWS_FOR_OTHERS:
        frame = frame.f_back
    place = f"{frame.f_globals.get('__name__')} {frame.f_code.co_name}"
    return STREAMS.get(place, place)


def _begin_lots() -> None:
    os.urandom = _draw
    random._urandom = _draw  # type: ignore[attr-defined]  # what `secrets` draws from


def get_name() -> str:
    """Return the name of what draws: a test, or a fixture."""
    return _name


@contextmanager
def lots_of(name: str) -> Iterator[None]:
    """Draw from the streams of this name, and then go on where those before were."""
    global _name, _drawn
    before = _name, _drawn
    _name, _drawn = name, Counter()
    try:
        yield
    finally:
        _name, _drawn = before


# ---- what thousands of small databases in one process need not do each time ----
#
# No waiting for the disk: what a process that dies has written stays in the system's memory, and no test here pulls the
# plug. That files are flushed, and when, tests see by traps of their own (tests/faults). And a statement is written out
# as SQL once, as for the one database of a real process, not anew for each club: that was a seventh of the run.

_KNOWN: dict[str, Engine] = {}
"""The first engine of each kind of database that has connected."""


def _begin_databases() -> None:
    os.fsync = lambda descriptor: None
    engines.open_sqlite_engine = _written_once(_unflushed(engines.open_sqlite_engine))
    engines.open_postgres_engine = _written_once(engines.open_postgres_engine)


def _unflushed(open_engine: Any) -> Any:
    @functools.wraps(open_engine)
    def opened(*arguments: Any, **more: Any) -> Engine:
        engine: Engine = open_engine(*arguments, **more)
        event.listen(engine, "connect", _at_once)
        return engine

    return opened


def _at_once(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA synchronous=OFF")


def _written_once(open_engine: Any) -> Any:
    @functools.wraps(open_engine)
    def opened(*arguments: Any, **more: Any) -> Engine:
        return share_statements(open_engine(*arguments, **more))

    return opened


def share_statements(engine: Engine) -> Engine:
    """What is written out is kept by dialect, and each engine makes its own; it is the same for all of a kind."""
    known = _KNOWN.get(engine.name)
    if known is None:
        event.listen(engine, "connect", lambda *_: _KNOWN.setdefault(engine.name, engine))
    else:
        engine.dialect = engine.pool._dialect = known.dialect
        engine._compiled_cache = known._compiled_cache
    return engine
