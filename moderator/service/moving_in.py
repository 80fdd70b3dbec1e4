"""A match that was begun elsewhere: taken up as it stands, and taken back if it was wrong.

The first entry of its log has the position; it waits, without a deadline, until all have said that board, rack and
points are right (match/seats.py). Each word is an entry of the log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.rules.table import POSITION
from moderator.service.match.seats import AGREED_DEADLINE
from moderator.service.match.start import MatchStart
from moderator.service.notify import notify_match_removed
from moderator.store import matches
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import load_log_entries
from moderator.views.unit_of_work import UnitOfWork


def import_match(work: UnitOfWork, match: MatchRow, position: Mapping[str, Any], deadline: datetime | None) -> None:
    """Let an open match go on from ``position``, as soon as all have confirmed. The mails are the caller's.
    ``deadline``: that which was agreed elsewhere."""
    outcome = {POSITION: dict(position), AGREED_DEADLINE: deadline.isoformat() if deadline else None}
    MatchStart(work, match).prepare_match()
    MatchStart(work, match).open_imported_match(LogEntry(LogEntryKind.MOVE_IN, outcome=outcome)).resume_if_confirmed()


def take_back_import(work: UnitOfWork, match: MatchRow) -> bool:
    """Delete a match that was moved in; whoever was mailed of it is notified, and what was not mailed yet is withdrawn.
    Returns whether anybody was. Raises OperatorError where something was played."""
    log = load_log_entries(work.session, match)
    if replay.find_import_entry(log) is None:
        raise OperatorError(f"Match {match.code} was not moved in.", "`moderator match rollback` takes back moves.")
    if match.status != MatchStatus.RUNNING or any(entry.kind not in replay.ASIDE for entry in log):
        raise OperatorError(
            f"In match {match.code} something was played already.", "`moderator match rollback` takes back moves."
        )
    told = notify_match_removed(work, match, Note("move-in-taken-back", {"match": match.code, "title": match.name}))
    matches.delete_match(work.session, match)
    return bool(told)
