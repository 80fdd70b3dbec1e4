"""Is there anything to do? Asked by the standard library alone, so that an idle tick never loads the ORM."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from moderator.errors import StoreError
from moderator.review import REVIEWER
from moderator.store import postgres, sqlite
from moderator.store.schema import refuse_other

Place = Path | str
"""A SQLite file, or the URL of a PostgreSQL database."""

# One row, found by index, is enough to know that there is work.
_BY_TIME = """
    EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = FALSE AND final <= :settled AND stopped = '')
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = TRUE)
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND remind_at <= :now AND stopped = '')
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = FALSE AND stopped = '' AND deadline IS NULL
        AND NOT EXISTS (SELECT 1 FROM seat JOIN player ON player.id = seat.player_id
            WHERE seat.match_id = "match".id AND player.robot = FALSE))
    OR EXISTS(SELECT 1 FROM tournament WHERE next_at <= :now)
    OR EXISTS(SELECT 1 FROM player WHERE digest = TRUE AND (digest_at <= :now OR digest_at > :days))
    OR COALESCE((SELECT value FROM keyvalue WHERE key = :looked), '') < :daily
"""
_OUTGOING = "EXISTS(SELECT 1 FROM outbox WHERE state IN ('queued', 'sending') AND (next_at <= :at OR next_at > :soon))"
_DEFERRED_NEWS = "EXISTS(SELECT 1 FROM deferrednews)"
_REVIEWS = f"""
    :reviews = 'yes' AND (EXISTS(SELECT 1 FROM matchreview WHERE due_at <= :now)
        OR EXISTS(SELECT 1 FROM matchreview WHERE version < {REVIEWER}))
"""
_RULINGS = "EXISTS(SELECT 1 FROM keyvalue WHERE substr(key, 1, 7) = 'ruling-')"
UNREAD = "unread-mails"
"""Key of the mails that the mailbox does not hand out; a run looks whether they are still there."""
_UNREAD = f"EXISTS(SELECT 1 FROM keyvalue WHERE key = '{UNREAD}' AND value <> '{{}}')"
_LAST_POLL = "(SELECT value FROM keyvalue WHERE key = :polled)"
_MARKED = "COALESCE((SELECT CAST(value AS INTEGER) FROM keyvalue WHERE key = :{}), 0)"
_KNOWN = f"""{_LAST_POLL},
    (SELECT at FROM event WHERE id > {_MARKED.format("entries")} ORDER BY id DESC LIMIT 1),
    (SELECT taken_at FROM inbox WHERE id > {_MARKED.format("mails")} ORDER BY id DESC LIMIT 1),
    (SELECT value FROM keyvalue WHERE key = :silent), (SELECT value FROM keyvalue WHERE key = :right),
    EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND stopped = '' AND final IS NOT NULL)
"""
_LOOK = f"""
SELECT {_KNOWN}, (SELECT version_num FROM alembic_version), (SELECT value FROM keyvalue WHERE key = :noted),
    {_OUTGOING}
    OR EXISTS(SELECT 1 FROM inbox WHERE state = 'received')
    OR EXISTS(SELECT 1 FROM seen WHERE filed = FALSE)
    OR {_DEFERRED_NEWS}
    OR {_RULINGS}
    OR {_UNREAD}
    OR {_BY_TIME},
    {_REVIEWS}
"""
_LEFT = f"""
SELECT {_LAST_POLL}, (SELECT count(*) FROM inbox WHERE state = 'received'),
    EXISTS(SELECT 1 FROM inbox WHERE state = 'received' AND attempts > 0), {_DEFERRED_NEWS}, {_RULINGS}, {_OUTGOING},
    (SELECT value FROM keyvalue WHERE key = '{UNREAD}')
"""
PUT_OFF = timedelta(hours=5)
"""No mail is put off for longer than that; what is due later was written under a clock that was wrong."""
DAILY = timedelta(days=40)
"""Nor is a daily mail due so far ahead."""
POLLED, _CLOCK_MARK = "polled", "steady"
SILENT = "silent-since"
"""Key of the row that says since when the mailbox had not been read when something was written all the same."""
RIGHT, ENTRIES, MAILS = "clock-right", "clock-entries", "clock-mails"
"""Keys of what the moderator has said of the clock: when it was right, and up to which entry of a log and which mail
it was not."""
RULING = "ruling-"
"""Begins the keys of the rows that hold rulings for the house list, see club/house_list.py; a number follows."""
LOOKED = "look-told"
"""Key of the row that says when it was last looked what waits for the moderator."""


class Known(NamedTuple):
    """What the clock is held against, see ``club_time``; None = there is none."""

    polled: datetime | None
    """When the mailbox was last read to its end."""
    entry: datetime | None
    """When the newest entry of a log was written."""
    mail: datetime | None
    """When the newest mail was taken in."""
    silent: datetime | None
    """See ``SILENT``."""
    right: datetime | None
    """See ``RIGHT``."""
    deadlines: bool
    """Whether some match has one."""


class Look(NamedTuple):
    known: Known
    due: bool
    """Whether a mail waits to be sent, handled, made or told of, or a deadline, a reminder, the hour of a daily mail or
    a step of a tournament has come."""
    version: str
    """Migration that the database is at."""
    noted: str
    """The value that was asked for, too; "" if there is none."""
    reviews: bool
    """Whether the review of a finished match is to be worked on; that is no hurry."""


class Left(NamedTuple):
    """What earlier runs, and this one's look into the mailbox, have left to do."""

    last_poll: datetime | None
    """See ``Known``."""
    mails: int
    """Not handled yet."""
    unread: str
    """What is noted of mails that the mailbox does not hand out; "" = nothing."""
    begun: bool
    """Whether one of them was begun by a run that did not end."""
    deferred_news: bool
    """Whether somebody has still to be told of something after a backlog."""
    rulings: bool
    """Whether the house list lacks some."""
    outgoing: bool
    """Whether a mail is due to be sent."""


class Come(NamedTuple):
    """What has come while a run handled its mails."""

    by_time: bool
    """A deadline, a reminder, the hour of a daily mail or a step of a tournament."""
    outgoing: bool
    """A mail is due to be sent."""


def stamp(now: datetime) -> str:
    """A time as the database writes it."""
    return now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def version(place: Place) -> str:
    """Migration that the database is at. Raises StoreError when there is no database."""
    found = _first_row(place, "SELECT version_num FROM alembic_version", {})
    return str(found[0]) if found else "none"


def look(place: Place, now: datetime, settle: timedelta, hour: datetime, key: str = "", reviews: bool = False) -> Look:
    """What a tick has to know before it does anything. Deadlines have come when they are over for so long; ``hour``:
    when the club's daily mails were last due; ``key``: of a value that is wanted, too; ``reviews``: whether the club
    has them made."""
    asked = _KEYS | {"noted": key} | _times(now, settle, hour) | _outgoing(now)
    *found, version, value, due, review = _ask(place, _LOOK, asked | {"reviews": "yes" if reviews else "no"})
    return Look(_known(*found), bool(due), version or "none", value or "", bool(review))


def known(place: Place) -> Known:
    """What the clock is held against."""
    return _known(*_ask(place, f"SELECT {_KNOWN}", _KEYS))


_KEYS = {"polled": POLLED, "silent": SILENT, "right": RIGHT, "entries": ENTRIES, "mails": MAILS}


def _known(*found: Any) -> Known:
    polled, entry, mail, silent, right = map(_moment, found[:5])
    return Known(polled, entry, mail, silent, right, bool(found[5]))


def left_over(place: Place, now: datetime) -> Left:
    """Asked at once, when a run has looked into the mailbox."""
    polled, mails, *left, unread = _ask(place, _LEFT, {"polled": POLLED} | _outgoing(now))
    return Left(_moment(polled), mails, unread or "", *map(bool, left))


def come(place: Place, began: datetime, settle: timedelta, hour: datetime, now: datetime) -> Come:
    """What has come by time when the run began (see ``look``), and the mails that are due now."""
    found = _ask(place, f"SELECT {_BY_TIME}, {_OUTGOING}", _times(began, settle, hour) | _outgoing(now))
    return Come(*map(bool, found))


def _moment(value: str | datetime | None) -> datetime | None:
    found = datetime.fromisoformat(value) if isinstance(value, str) and value else value or None
    return found.replace(tzinfo=found.tzinfo or UTC) if isinstance(found, datetime) else None


def _outgoing(now: datetime) -> dict[str, str]:
    return {"at": stamp(now), "soon": stamp(now + PUT_OFF)}


def _times(now: datetime, settle: timedelta, hour: datetime) -> dict[str, str]:
    times = {"now": now, "settled": now - settle, "days": now + DAILY, "daily": hour}
    return {name: stamp(moment) for name, moment in times.items()} | {"looked": LOOKED}


def polled(place: Place, began: datetime) -> None:
    """The mailbox was read to its end by a poll that began then."""
    _ask(place, *poll_entry(began))


def poll_entry(began: datetime) -> tuple[str, dict[str, str]]:
    """The statement that notes a poll, for those who have a transaction open. The time of polling never goes back."""
    entry = (
        "INSERT INTO keyvalue (key, value) VALUES (:polled, :began), (:steady, :mark)"
        f" ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE :began >= {_LAST_POLL}"
    )
    values = {"polled": POLLED, "began": began.astimezone(UTC).isoformat(), "steady": _CLOCK_MARK}
    return entry, values | {"mark": clock_mark(began)}


def noted(place: Place, key: str) -> str:
    """A value; "" if there is none."""
    found = _ask(place, "SELECT value FROM keyvalue WHERE key = :key", {"key": key})
    return str(found[0]) if found else ""


def note(place: Place, key: str, value: str) -> None:
    """Write a value."""
    entry = (
        "INSERT INTO keyvalue (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    _ask(place, entry, {"key": key, "value": value})


def mark_silent(place: Place, since: datetime) -> None:
    """Since then the mailbox has not been read. What was marked before holds until the next poll."""
    _ask(place, *silent_entry(since))


def silent_entry(since: datetime) -> tuple[str, dict[str, str]]:
    """The statement that marks it, for those who have a transaction open."""
    entry = (
        "INSERT INTO keyvalue (key, value) VALUES (:key, :since) ON CONFLICT (key) DO UPDATE"
        f" SET value = excluded.value WHERE keyvalue.value < {_LAST_POLL}"
    )
    return entry, {"key": SILENT, "since": since.astimezone(UTC).isoformat(), "polled": POLLED}


def bring_forward(place: Place, now: datetime) -> None:
    """Mails that were put off are due at once: the time at which they would be does not come as long as it stands."""
    moments = {"now": stamp(now), "soon": stamp(now + PUT_OFF)}
    _ask(place, "UPDATE outbox SET next_at = :now WHERE state = 'queued' AND next_at <= :soon", moments)


def put_forward(place: Place, last_poll: datetime, began: datetime) -> timedelta:
    """By how much the machine's clock was put forward since the last poll; 0 where nothing tells."""
    found = noted(place, _CLOCK_MARK)
    passed = clock_passed(found, clock_mark(began)) if found else None
    return timedelta() if passed is None else began - last_poll - passed


def _ask(place: Place, query: str, params: dict[str, str] | None = None) -> tuple[Any, ...]:
    """The first row; () if there is none. Raises StoreError, which tells the version where that is what is wrong."""
    try:
        return _first_row(place, query, params or {})
    except StoreError:
        refuse_other(version(place), "The database")
        raise


def _first_row(place: Place, query: str, params: dict[str, str]) -> tuple[Any, ...]:
    if not isinstance(place, Path):
        return postgres.ask(place, query, params)
    if not place.exists():
        raise StoreError(f"There is no database at {place}.", "Run `moderator init`.")
    try:
        with _connected(place) as connection:
            row: tuple[Any, ...] | None = connection.execute(query, params).fetchone()
    except sqlite.ERRORS as error:
        raise sqlite.explained(error, place) or error from error
    return row or ()


_AT_HAND: ContextVar[dict[Path, sqlite3.Connection] | None] = ContextVar("at_hand", default=None)


@contextmanager
def at_hand() -> Iterator[None]:
    """Within it all questions about a file go over one connection: opening one, which reads the whole schema, takes
    longer than fifty questions."""
    connections: dict[Path, sqlite3.Connection] = {}
    before = _AT_HAND.set(connections)
    try:
        yield
    finally:
        _AT_HAND.reset(before)
        for connection in connections.values():
            connection.close()


@contextmanager
def _connected(place: Path) -> Iterator[sqlite3.Connection]:
    kept = _AT_HAND.get()
    connection = kept.get(place) if kept else None
    if connection is None:
        file, patience = f"file:{place}?mode=rw", sqlite.BUSY_SECONDS
        connection = sqlite3.connect(file, uri=True, timeout=patience, isolation_level=None)
        if kept is not None:
            kept[place] = connection
    try:
        yield connection
    finally:
        if kept is None:
            connection.close()


# ---- how much time has passed ----
#
# How much time has really passed: the machine's own count since it was started, which no setting of the clock changes.
#
# Known on Linux only, and only of the machine's own time: a rehearsal or a test thinks of another.


_BOOT = Path("/proc/sys/kernel/random/boot_id")
SAME = 60
"""A time that is so many seconds off the machine's is not the machine's."""


def clock_mark(moment: datetime) -> str:
    """Start of the machine and seconds since then at ``moment``, which is now; "" where that is not known."""
    if abs(_wall() - moment.timestamp()) > SAME:
        return ""
    try:
        return f"{_BOOT.read_text().strip()} {_seconds():.0f}"
    except OSError:
        return ""


def clock_passed(earlier: str, later: str) -> timedelta | None:
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
