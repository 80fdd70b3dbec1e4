"""Whether anything may wait for the moderator: one question in plain SQL, which spares a look at every match by the
rules where nothing does.

It may say yes where nothing waits, never the other way round: each task of inbox/agenda/tasks.py begins with rows
that are looked for here."""

from __future__ import annotations

from datetime import datetime, timedelta

from moderator.common.enums import (
    ClockStop,
    HeldFor,
    InboxState,
    LogEntryKind,
    MatchStatus,
    SeatLeftReason,
    TournamentStatus,
)
from moderator.store.due_work import UNREAD, Place, fetch_rows, format_database_time, parse_moment

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
