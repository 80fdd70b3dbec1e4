"""A match that was begun elsewhere: taken up as it stands, confirmed by its players, and taken back if it was wrong.

The first entry of its log has the position; it waits, without a deadline, until all have said that board, rack and
points are right. Each word is an entry of the log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moderator.common.enums import ClockStop, LogEntryKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.rules.table import POSITION
from moderator.rules.time.clock import to_local_day
from moderator.service import advance, create, match_clock
from moderator.service.notifications import notify_staff
from moderator.service.notify import notify_match_removed
from moderator.store import matches
from moderator.store.tables import MatchRow
from moderator.views.desk import Desk, apply_event
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.views.match_state import list_unconfirmed_seats

DEADLINE = "deadline"
MOST = 1000
"""Letters that are kept of what somebody says is wrong."""


def import_match(desk: Desk, match: MatchRow, position: Mapping[str, Any], deadline: datetime | None) -> None:
    """Let an open match go on from ``position``, as soon as all have confirmed. The mails are the caller's.
    ``deadline``: that which was agreed elsewhere."""
    outcome = {POSITION: dict(position), DEADLINE: deadline.isoformat() if deadline else None}
    create.prepare_match(desk, match)
    live = advance.open_imported_match(desk, match, LogEntry(LogEntryKind.MOVE_IN, outcome=outcome))
    resume_if_confirmed(desk, match, live)


def confirm_position(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> None:
    """Record that all is right, by the word of whoever has the seat; the last one lets the match go on."""
    apply_event(desk, match, live, LogEntry(LogEntryKind.CONFIRM, seat))
    resume_if_confirmed(desk, match, live)


def reject_position(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str) -> None:
    """Record that something is wrong: the moderator is notified, and the match waits."""
    said = text.strip()[:MOST] or "–"
    apply_event(desk, match, live, LogEntry(LogEntryKind.CONFIRM, seat, said))
    name = desk.list_players(match)[seat].name
    note = Note("move-in-wrong", {"match": match.code, "title": match.name, "name": name, "text": said})
    notify_staff(desk, match, note)


def resume_if_confirmed(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Let the match go on if nobody has to confirm it any more."""
    if (
        match.stopped == ClockStop.CONFIRM
        and not live.table.state.over
        and not list_unconfirmed_seats(desk, match, live)
    ):
        resume_imported_match(desk, match, live)


def resume_imported_match(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Let the match go on; its turn begins now. A later day that was agreed elsewhere for this turn holds: for none
    that comes after it, where a stored order or a robot has played at once."""
    position = live.table.state
    match.stopped, match.stopped_at = ClockStop.NO, None
    progress = desk.events_of(match)
    progress.record_start_round(live.table.state.public.round)
    progress.moved = True
    if not progress.started:
        progress.notes.append(Note("move-in-goes-on"))
    advance.advance_match(desk, match, live)
    agreed = load_log_entries(desk.session, match)[0].outcome.get(DEADLINE)
    if agreed and match.deadline and live.table.state == position:
        zone = desk.config.club.zone
        days = (to_local_day(datetime.fromisoformat(agreed), zone) - to_local_day(match.deadline, zone)).days
        if days > 0:
            match_clock.move_deadline(desk, match, live, days, "extend")


def take_back_import(desk: Desk, match: MatchRow) -> bool:
    """Delete a match that was moved in; whoever was mailed of it is notified, and what was not mailed yet is withdrawn.
    Returns whether anybody was. Raises OperatorError where something was played."""
    log = load_log_entries(desk.session, match)
    if replay.find_import_entry(log) is None:
        raise OperatorError(f"Match {match.code} was not moved in.", "`moderator match rollback` takes back moves.")
    if match.status != MatchStatus.RUNNING or any(entry.kind not in replay.ASIDE for entry in log):
        raise OperatorError(
            f"In match {match.code} something was played already.", "`moderator match rollback` takes back moves."
        )
    told = notify_match_removed(desk, match, Note("move-in-taken-back", {"match": match.code, "title": match.name}))
    matches.delete_match(desk.session, match)
    return bool(told)
