"""A match that was begun elsewhere: taken up as it stands, confirmed by its players, and taken back if it was wrong.

The first entry of its log has the position; it waits, without a deadline, until all have said that board, rack and
points are right. Each word is an entry of the log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moderator.club import clock
from moderator.club.confirmations import unconfirmed
from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch, log_of
from moderator.errors import OperatorError
from moderator.match import replay
from moderator.match.contract import Note
from moderator.match.replay import Entry
from moderator.match.table import POSITION
from moderator.match.time.clock import local_day
from moderator.outbox.tell import tell_in_charge
from moderator.play import create, play
from moderator.play.announce import tell_gone
from moderator.states import EntryKind, MatchStatus, Stopped
from moderator.store import matches
from moderator.store.models import Match

DEADLINE = "deadline"
MOST = 1000
"""Letters that are kept of what somebody says is wrong."""


def take_up(desk: Desk, match: Match, position: Mapping[str, Any], deadline: datetime | None) -> None:
    """An open match goes on from ``position``, as soon as all have confirmed. The mails are the caller's. ``deadline``:
    that which was agreed elsewhere."""
    outcome = {POSITION: dict(position), DEADLINE: deadline.isoformat() if deadline else None}
    create.prepare(desk, match)
    live = play.take_up(desk, match, Entry(EntryKind.MOVE_IN, outcome=outcome))
    go_on_if_all(desk, match, live)


def confirm(desk: Desk, match: Match, live: LiveMatch, seat: int) -> None:
    """All is right, says who sits there; the last one lets the match go on."""
    enter(desk, match, live, Entry(EntryKind.CONFIRM, seat))
    go_on_if_all(desk, match, live)


def contradict(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str) -> None:
    """Something is wrong: the moderator is told, and the match waits."""
    said = text.strip()[:MOST] or "–"
    enter(desk, match, live, Entry(EntryKind.CONFIRM, seat, said))
    name = desk.players(match)[seat].name
    note = Note("move-in-wrong", {"match": match.code, "title": match.name, "name": name, "text": said})
    tell_in_charge(desk, match, note)


def go_on_if_all(desk: Desk, match: Match, live: LiveMatch) -> None:
    """Let the match go on if nobody has to confirm it any more."""
    if match.stopped == Stopped.CONFIRM and not live.table.state.over and not unconfirmed(desk, match, live):
        go_on(desk, match, live)


def go_on(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The match goes on; its turn begins now. A later day that was agreed elsewhere for this turn holds: for none that
    comes after it, where an order of the sheet or a robot has played at once."""
    position = live.table.state
    match.stopped, match.stopped_at = Stopped.NO, None
    progress = desk.of(match)
    progress.begin(live.table.state.public.round)
    progress.moved = True
    if not progress.started:
        progress.notes.append(Note("move-in-goes-on"))
    play.carry_on(desk, match, live)
    agreed = log_of(desk.session, match)[0].outcome.get(DEADLINE)
    if agreed and match.deadline and live.table.state == position:
        zone = desk.config.club.zone
        days = (local_day(datetime.fromisoformat(agreed), zone) - local_day(match.deadline, zone)).days
        if days > 0:
            clock.move(desk, match, live, days, "extend")


def take_back(desk: Desk, match: Match) -> bool:
    """The match was never moved in; whoever was mailed of it is told, and what was not mailed yet is not. Returns
    whether anybody was. Raises OperatorError where something was played."""
    log = log_of(desk.session, match)
    if replay.moved_in(log) is None:
        raise OperatorError(f"Match {match.code} was not moved in.", "`moderator match rollback` takes back moves.")
    if match.status != MatchStatus.RUNNING or any(entry.kind not in replay.ASIDE for entry in log):
        raise OperatorError(
            f"In match {match.code} something was played already.", "`moderator match rollback` takes back moves."
        )
    told = tell_gone(desk, match, Note("move-in-taken-back", {"match": match.code, "title": match.name}))
    matches.remove(desk.session, match)
    return bool(told)
