"""Is there anything to do, and what time is it for the club? Asked by the standard library alone, so that an idle tick
never loads the ORM.

The machine's clock may be wrong: behind, as that of a machine that has just started, or ahead. So it is held against
what is known to have happened: the last poll, the newest entry of a log, the newest mail. The club's time never goes
back. Where the clock shows less than what is known, or so much more that deadlines would move by more than ``MOST``,
the club stays at the newest thing that is known, until the clock is set or the moderator has said that it is right
(`moderator clock right`).

Whether anything may wait for the moderator is one question, which spares a look at every match by the rules. It may say
yes where nothing waits, never the other way round: each task of inbox/agenda/tasks.py begins with rows that are looked
for here."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from moderator.common.enums import (
    REVIEWER,
    ClockStop,
    HeldFor,
    InboxState,
    LogEntryKind,
    MatchStatus,
    SeatLeftReason,
    TournamentStatus,
)
from moderator.common.errors import StoreError
from moderator.rules.time.calendar import format_local_time
from moderator.store import engines
from moderator.store.schema import refuse_other_version

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
_DEFERRED_NEWS = "EXISTS(SELECT 1 FROM deferrednews WHERE fault = '')"
_FAILED_NEWS = "EXISTS(SELECT 1 FROM deferrednews WHERE fault <> '')"
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
    (SELECT value FROM keyvalue WHERE key = '{UNREAD}'), {_FAILED_NEWS}
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
"""Begins the keys of the rows that hold rulings for the house list, see views/match_cache.py; a number follows."""
CHECKED_BY = "senders-checked-by"
"""Key of the first server that said of a sender what it had found out, while no setting names such a server."""
LOOKED = "look-told"
"""Key of the row that says when it was last looked what waits for the moderator."""


class ClockEvidence(NamedTuple):
    """The times that the clock is compared with, see ``club_time``; None = there is none."""

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


class IdleCheck(NamedTuple):
    known: ClockEvidence
    due: bool
    """Whether a mail waits to be sent, handled, made or told of, or a deadline, a reminder, the hour of a daily mail or
    a step of a tournament has come."""
    version: str
    """Migration that the database is at."""
    noted: str
    """The value that was asked for, too; "" if there is none."""
    reviews: bool
    """Whether the review of a finished match is to be worked on; that is no hurry."""


class PendingWork(NamedTuple):
    """The work that earlier runs, and this one's look into the mailbox, have left."""

    last_poll: datetime | None
    """See ``ClockEvidence``."""
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
    failed_news: bool
    """Whether something is kept that no mail could be made of."""


class DueWork(NamedTuple):
    """The work that has become due while a run handled its mails."""

    by_time: bool
    """A deadline, a reminder, the hour of a daily mail or a step of a tournament."""
    outgoing: bool
    """A mail is due to be sent."""


def format_database_time(now: datetime) -> str:
    """Format a time as the database writes it."""
    return now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def load_schema_version(place: Place) -> str:
    """Load the migration that the database is at. Raises StoreError when there is no database."""
    found = _fetch_first_row(place, "SELECT version_num FROM alembic_version", {})
    return str(found[0]) if found else "none"


def check_idle(
    place: Place, now: datetime, settle: timedelta, hour: datetime, key: str = "", reviews: bool = False
) -> IdleCheck:
    """Load what a tick has to know before it does anything.

    Deadlines are due when they have been over for ``settle``; ``hour``: the time when the club's daily mails were last
    due; ``key``: of a value that is wanted, too; ``reviews``: whether the club has reviews made."""
    asked = _KEYS | {"noted": key} | _build_time_params(now, settle, hour) | _build_outgoing_params(now)
    *found, version, value, due, review = _query_row(place, _LOOK, asked | {"reviews": "yes" if reviews else "no"})
    return IdleCheck(_build_clock_evidence(*found), bool(due), version or "none", value or "", bool(review))


_KEYS = {"polled": POLLED, "silent": SILENT, "right": RIGHT, "entries": ENTRIES, "mails": MAILS}


def _build_clock_evidence(*found: Any) -> ClockEvidence:
    polled, entry, mail, silent, right = map(parse_moment, found[:5])
    return ClockEvidence(polled, entry, mail, silent, right, bool(found[5]))


def find_pending_work(place: Place, now: datetime) -> PendingWork:
    """Load the work that is pending when a run has looked into the mailbox, in one query."""
    polled, mails, *left, unread, failed = _query_row(place, _LEFT, {"polled": POLLED} | _build_outgoing_params(now))
    return PendingWork(parse_moment(polled), mails, unread or "", *map(bool, (*left, failed)))


def find_due_work(place: Place, began: datetime, settle: timedelta, hour: datetime, now: datetime) -> DueWork:
    """Find whether work was due by time when the run began (see ``check_idle``), and whether mails are due now."""
    found = _query_row(
        place, f"SELECT {_BY_TIME}, {_OUTGOING}", _build_time_params(began, settle, hour) | _build_outgoing_params(now)
    )
    return DueWork(*map(bool, found))


def parse_moment(value: str | datetime | None) -> datetime | None:
    """Parse a time as a database returns it."""
    found = datetime.fromisoformat(value) if isinstance(value, str) and value else value or None
    return found.replace(tzinfo=found.tzinfo or UTC) if isinstance(found, datetime) else None


def _build_outgoing_params(now: datetime) -> dict[str, str]:
    return {"at": format_database_time(now), "soon": format_database_time(now + PUT_OFF)}


def _build_time_params(now: datetime, settle: timedelta, hour: datetime) -> dict[str, str]:
    times = {"now": now, "settled": now - settle, "days": now + DAILY, "daily": hour}
    return {name: format_database_time(moment) for name, moment in times.items()} | {"looked": LOOKED}


def record_poll_at(place: Place, began: datetime) -> None:
    """Record that the mailbox was read to its end by a poll that began then."""
    _query_row(place, *build_poll_statement(began))


def build_poll_statement(began: datetime) -> tuple[str, dict[str, str]]:
    """Build the statement that records a poll, for callers that have a transaction open. The time of polling never goes
    back."""
    entry = (
        "INSERT INTO keyvalue (key, value) VALUES (:polled, :began), (:steady, :mark)"
        f" ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE :began >= {_LAST_POLL}"
    )
    values = {"polled": POLLED, "began": began.astimezone(UTC).isoformat(), "steady": _CLOCK_MARK}
    return entry, values | {"mark": read_clock_mark(began)}


def load_value_at(place: Place, key: str) -> str:
    """Load the value of a key; "" if there is none."""
    found = _query_row(place, "SELECT value FROM keyvalue WHERE key = :key", {"key": key})
    return str(found[0]) if found else ""


def save_value_at(place: Place, key: str, value: str) -> None:
    """Save the value of a key."""
    entry = (
        "INSERT INTO keyvalue (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    _query_row(place, entry, {"key": key, "value": value})


def mark_mailbox_silent_at(place: Place, since: datetime) -> None:
    """Mark that the mailbox has not been read since then. An earlier mark holds until the next poll."""
    _query_row(place, *build_silence_statement(since))


def build_silence_statement(since: datetime) -> tuple[str, dict[str, str]]:
    """Build the statement that marks the silence, for callers that have a transaction open."""
    entry = (
        "INSERT INTO keyvalue (key, value) VALUES (:key, :since) ON CONFLICT (key) DO UPDATE"
        f" SET value = excluded.value WHERE keyvalue.value < {_LAST_POLL}"
    )
    return entry, {"key": SILENT, "since": since.astimezone(UTC).isoformat(), "polled": POLLED}


def bring_mails_forward(place: Place, now: datetime) -> None:
    """Make mails that were put off due at once: the clock stands, so their time would not come."""
    moments = {"now": format_database_time(now), "soon": format_database_time(now + PUT_OFF)}
    _query_row(place, "UPDATE outbox SET next_at = :now WHERE state = 'queued' AND next_at <= :soon", moments)


def compute_clock_jump(place: Place, last_poll: datetime, began: datetime) -> timedelta:
    """Compute by how much the machine's clock was put forward since the last poll; 0 where nothing tells."""
    found = load_value_at(place, _CLOCK_MARK)
    passed = compute_elapsed_time(found, read_clock_mark(began)) if found else None
    return timedelta() if passed is None else began - last_poll - passed


def _query_row(place: Place, query: str, params: dict[str, str] | None = None) -> tuple[Any, ...]:
    """Return the first row; () if there is none. Raises StoreError, which names the version where that is what is
    wrong."""
    try:
        return _fetch_first_row(place, query, params or {})
    except StoreError:
        refuse_other_version(load_schema_version(place), "The database")
        raise


def _fetch_first_row(place: Place, query: str, params: dict[str, str]) -> tuple[Any, ...]:
    found = fetch_rows(place, query, params)
    return found[0] if found else ()


def fetch_rows(place: Place, query: str, params: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """Fetch the rows of one statement. Raises StoreError."""
    if not isinstance(place, Path):
        return engines.query_postgres(place, query, params)
    if not place.exists():
        raise StoreError(f"There is no database at {place}.", "Run `moderator init`.")
    try:
        with _open_connection(place) as connection:
            return connection.execute(query, params).fetchall()
    except engines.ERRORS as error:
        raise engines.explain_sqlite_error(error, place) or error from error


_AT_HAND: ContextVar[dict[Path, sqlite3.Connection] | None] = ContextVar("at_hand", default=None)


@contextmanager
def share_connection() -> Iterator[None]:
    """Send all queries about a file over one connection within the block: opening one, which reads the whole schema,
    takes longer than fifty queries."""
    connections: dict[Path, sqlite3.Connection] = {}
    before = _AT_HAND.set(connections)
    try:
        yield
    finally:
        _AT_HAND.reset(before)
        for connection in connections.values():
            connection.close()


@contextmanager
def _open_connection(place: Path) -> Iterator[sqlite3.Connection]:
    kept = _AT_HAND.get()
    connection = kept.get(place) if kept else None
    if connection is None:
        file, patience = f"file:{place}?mode=rw", engines.BUSY_SECONDS
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


def read_clock_mark(moment: datetime) -> str:
    """Read the machine's start and the seconds since then at ``moment``, which is now; "" where that is not known."""
    if abs(_get_wall_seconds() - moment.timestamp()) > SAME:
        return ""
    try:
        return f"{_BOOT.read_text().strip()} {_read_boot_seconds():.0f}"
    except OSError:
        return ""


def compute_elapsed_time(earlier: str, later: str) -> timedelta | None:
    """Compute the time between two marks; None where they cannot be compared."""
    boot, _, since = earlier.partition(" ")
    same, _, until = later.partition(" ")
    return timedelta(seconds=int(until) - int(since)) if boot and boot == same else None


def _get_wall_seconds() -> float:
    return time.time()


def _read_boot_seconds() -> float:
    """Read the seconds since the machine's start, the time that it slept included."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        raise OSError("no such clock on this system")
    return time.clock_gettime(time.CLOCK_BOOTTIME)


MOST = timedelta(days=14)
"""No deadline moves by more than that before the moderator has said that it should."""
SAME_TIME = timedelta(minutes=1)
"""A clock that is behind by less is put right without a word."""
STEP = timedelta(hours=1)
"""Within a run the clock does not get further ahead of the time that has passed."""
VALID = timedelta(days=1)
"""So long the moderator's word holds that the clock is right."""


class ClockDoubt(Enum):
    """The reason for which the clock is not followed."""

    NONE = ""
    BEHIND = "behind"
    """It shows less than what is known to have happened."""
    AHEAD = "ahead"
    """If it is right, deadlines move further than they may without being asked."""


@dataclass(frozen=True)
class ClubTime:
    """The club's time at one moment, with what it was derived from."""

    shown: datetime
    """By the machine's clock."""
    now: datetime
    """The club's."""
    newest: datetime | None = None
    """When the newest thing happened that is known."""
    polled: datetime | None = None
    """When the mailbox was last read to its end."""
    since: datetime | None = None
    """How long deadlines could have been missed for: since then; None = the mailbox was never read."""
    doubt: ClockDoubt = ClockDoubt.NONE
    confirmed: bool = False
    """The moderator has said that the clock is right."""

    def has_poll_gap(self, hours: int) -> bool:
        """Return whether the mailbox was not read for so many hours or longer."""
        return self.since is not None and self.shown - self.since >= timedelta(hours=hours)

    def find_outage_reason(self, place: Place, hours: int, settle: timedelta, zone: str) -> str:
        """Return why deadlines should move: so long without a poll, or a clock that was put forward by more than what
        is waited after each deadline anyway (``settle``); "" = they should not."""
        if self.since is None:
            return ""
        if self.has_poll_gap(hours):
            return f"no poll since {format_local_time(self.since, zone)}"
        if self.shown - self.since > settle:
            forward = compute_clock_jump(place, self.since, self.shown)
            if forward > settle:
                return f"the clock was put forward by {forward}"
        return ""

    def with_ahead_doubt(self) -> ClubTime:
        """Return a copy in doubt ("ahead"), where the moderator has to say whether the deadlines move."""
        return replace(self, doubt=ClockDoubt.AHEAD, now=self.newest or self.now)

    def format_doubt(self, zone: str) -> str:
        """Format the doubt as a line for the operator."""

        def format_moment(moment: datetime | None) -> str:
            return format_local_time(moment, zone) if moment else "never"

        if self.doubt is ClockDoubt.BEHIND:
            return (
                f"The clock shows {format_moment(self.shown)}, but something has happened at "
                f"{format_moment(self.newest)}: nobody is late and"
                " no deadline moves. Set the clock; or, if it is right, run `moderator clock right`."
            )
        return (
            f"The clock shows {format_moment(self.shown)}, and the mailbox was not read since "
            f"{format_moment(self.since)}: no mail is handled"
            " and nobody is late. Set the clock; or, if it is right, run `moderator clock right`: the deadlines move."
        )


def load_club_time(place: Place, shown: datetime) -> ClubTime:
    """Load the club's time, where the machine's clock shows ``shown``."""
    return compute_club_time(_build_clock_evidence(*_query_row(place, f"SELECT {_KNOWN}", _KEYS)), shown)


def compute_club_time(known: ClockEvidence, shown: datetime) -> ClubTime:
    """Compute the club's time from what is known already and what the machine's clock shows."""
    newest = max(filter(None, (known.polled, known.entry, known.mail)), default=None)
    if newest is None:
        return ClubTime(shown, shown)
    since = known.polled
    if since is not None and shown - since > MOST:  # noted under a wrong clock, perhaps
        since = newest
    if known.silent and since and known.polled and known.silent >= known.polled:
        since = known.silent
    confirmed = known.right is not None and abs(shown - known.right) < VALID
    found = ClubTime(shown, max(shown, newest), newest, known.polled, since, confirmed=confirmed)
    if shown < newest - SAME_TIME:
        return replace(found, doubt=ClockDoubt.BEHIND)
    asks = since is not None and shown - since > MOST and known.deadlines and not confirmed
    return found.with_ahead_doubt() if asks else found


class RunningClock:
    """The club's time while a run goes on. A clock that jumps meanwhile is not followed."""

    def __init__(self, ask: Callable[[], datetime], time: ClubTime) -> None:
        self.ask, self.time, self.began = ask, time, monotonic()

    def __call__(self) -> datetime:
        if self.time.doubt is not ClockDoubt.NONE:
            return self.time.now
        latest = self.time.now + timedelta(seconds=monotonic() - self.began) + STEP
        return min(max(self.ask(), self.time.now), latest)


_TASKS = f"""
    EXISTS(SELECT 1 FROM question WHERE answered_at IS NULL)
    OR EXISTS(SELECT 1 FROM protest WHERE answered_at IS NULL)
    OR EXISTS(SELECT 1 FROM "match" WHERE status = '{MatchStatus.SUSPENDED}')
    OR EXISTS(SELECT 1 FROM "match" WHERE status = '{MatchStatus.OPEN}' AND trouble <> '')
    OR EXISTS(SELECT 1 FROM "match" WHERE status = '{MatchStatus.RUNNING}' AND training = FALSE AND (
        (stopped = '' AND deadline <= :day_end) OR (stopped = '' AND deadline IS NULL AND turn_at <= :long)
        OR (stopped IN ('{ClockStop.PAUSE}', '{ClockStop.CONFIRM}') AND (stopped_at IS NULL OR stopped_at <= :stood))))
    OR EXISTS(SELECT 1 FROM event WHERE at >= :lately AND (kind = '{LogEntryKind.HAND_OVER}'
        OR (kind = '{LogEntryKind.RETIRE}' AND text = '{SeatLeftReason.ABANDONED}')))
    OR EXISTS(SELECT 1 FROM tournament WHERE trouble <> '')
    OR EXISTS(SELECT 1 FROM tournamentgame AS game JOIN tournament ON tournament.id = game.tournament_id
        WHERE tournament.status = '{TournamentStatus.RUNNING}' AND game.ends_at <= :now)
    OR EXISTS(SELECT 1 FROM player WHERE undeliverable <> '' AND address IS NOT NULL)
    OR EXISTS(SELECT 1 FROM inbox WHERE held_for <> '{HeldFor.REPEAT}'
        AND state IN ('{InboxState.QUARANTINE}', '{InboxState.CONFIRM}', '{InboxState.WAITING}'))
    OR EXISTS(SELECT 1 FROM inbox WHERE state = '{InboxState.UNKNOWN}' AND received_at >= :unknown)
    OR EXISTS(SELECT 1 FROM deferrednews WHERE fault <> '')
    OR EXISTS(SELECT 1 FROM keyvalue WHERE key = '{UNREAD}' AND value <> '{{}}')
    OR EXISTS(SELECT 1 FROM keyvalue WHERE substr(key, 1, 4) = 'bot-')
"""
LATELY = timedelta(days=7)
"""So long it is mentioned what went wrong once: a seat that was given up, a robot that had no answer."""
LONG = timedelta(days=14)
"""So long a clock may stand, or a match without a ZAT wait for one seat, before it is mentioned."""
UNCONFIRMED = timedelta(days=5)
"""So long the players of a match that was moved in may take to confirm it."""
UNKNOWN = timedelta(days=2)
"""So long mails of senders whom nobody knows are counted."""
_BACKUP = "SELECT max(at) FROM audit WHERE action = 'backup' AND outcome = ''"


def may_task_wait(place: Place, now: datetime, day_end: datetime) -> bool:
    """Return whether a task may wait that a row tells of. ``day_end``: of the club's day."""
    moments = {
        "now": now,
        "day_end": day_end,
        "long": now - LONG,
        "stood": now - UNCONFIRMED,
        "lately": now - LATELY,
        "unknown": now - UNKNOWN,
    }
    params = {name: format_database_time(moment) for name, moment in moments.items()}
    return bool(fetch_rows(place, f"SELECT {_TASKS}", params)[0][0])


def find_backup_gap(place: Place, now: datetime) -> timedelta:
    """Find for how long nothing was backed up; none in a club without players."""
    ((last, first),) = fetch_rows(place, f"SELECT ({_BACKUP}), (SELECT min(created_at) FROM player)", {})
    since = parse_moment(last) or parse_moment(first)
    return now - since if since else timedelta()
