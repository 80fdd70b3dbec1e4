"""``Zurück``: what a round or some moves have led to is taken back, and everybody reads which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moderator.commands.declaration import Command, CommandGiver, CommandReach, CommandScope, ShellCommand
from moderator.commands.moderator.turns import get_current_round
from moderator.commands.moderator_call import (
    ENTRY,
    MATCH,
    ROUND,
    WHY,
    Outcome,
    build_force_argument,
    build_staff_outcome,
    require_running_match,
)
from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.rules.result import EngineResult
from moderator.rules.table import MatchState
from moderator.service import advance, match_clock, seat_changes, turns
from moderator.service.desk import Desk
from moderator.service.notify import build_notifications
from moderator.service.tournaments import results
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, load_log_entries

MOST_TOLD = 30
"""Moves taken back that a correction names one by one."""
_PLAYS = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE)
_TURNS = (*_PLAYS, LogEntryKind.RETIRE, LogEntryKind.HAND_OVER, LogEntryKind.STOP, LogEntryKind.UNDO)
"""Entries before which one may go back."""


@Command(
    "rollback",
    scope=CommandScope.MATCH,
    rank=60,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, ROUND, ENTRY, build_force_argument("Also where a tournament has gone on with the result."), WHY),
    shell=ShellCommand(
        "rollback", "Back to just before a round was evaluated; everybody gets a correction. Also after the end."
    ),
)
def rollback_match_by_staff(
    desk: Desk, match: MatchRow, round_number: int | None, entry: int | None = None, why: str = "", force: bool = False
) -> Outcome:
    """Go back to just before ``round_number`` was evaluated (where one seat acts at a time: before its first move), or
    to just before log entry number ``entry``; also in a match that is over (in a tournament: to a new deal), and with
    ``build_force_argument`` in one that a tournament has built on. Raises Misused."""
    if match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        require_running_match(desk, match)
    live = desk.cache.load_match(desk.session, match)
    log = load_log_entries(desk.session, match)
    if entry is not None and round_number is not None:
        raise Misused("boss-round-or-entry", match=match.code, round=round_number, entry=entry)
    anew = seat_changes.must_redeal(match, log)
    if anew and (entry or round_number) is not None:
        entry = 1
    if entry is None:
        if round_number is None:
            raise Misused("boss-needs-round", match=match.code, round=0, now=get_current_round(live))
        entry = find_round_start(live, len(desk.list_seated(match)), log, round_number)
        if entry is None:
            raise Impossible("boss-round-untouched", match=match.code, round=round_number, now=get_current_round(live))
    gone = _list_undone_entries(log, entry, match, anew)
    finished, reached = match.status == MatchStatus.FINISHED, get_current_round(live)
    hung = results.find_consequences(desk, match) if finished else None
    where = "-anew" if anew else "-to" if round_number is None else ""
    note = Note(f"rolled-back{where}{'' if why else '-plain'}", {"round": round_number or 0, "line": why})
    now = seat_changes.undo_to_entry(desk, match, live, entry - 1, note, force)
    _let_robots_act(desk, match, now)
    told = _build_undone_notes(desk, match, live, gone)
    progress = desk.events_of(match)
    progress.opening_notes[1:1] = told
    build_notifications(desk)
    code = "boss-dealt-anew" if anew else "boss-rolled-back"
    done = build_staff_outcome(
        code, match=match.code, now=get_current_round(now), deadline=match.deadline, entry=match.entries
    )
    # The seed of a round, or of the whole match, is mailed when it is over.
    known = finished or (now.game.seeded_rounds and get_current_round(now) < reached)
    shown = (Note("dealt-anew"),) if anew else (Note("boss-seed-known"),) if known else ()
    return (*done, *((hung.built, hung.worth) if hung else ()), *told, *shown)


def find_round_start(live: LiveMatch, seats: int, log: Sequence[LogEntry], round_number: int) -> int | None:
    """Return the number of the entry that first moved or evaluated in this round as things stand (nothing that was
    undone); None if there is none."""
    for number, entry, table in list_replayed_entries(live, seats, log):
        if entry.kind in _PLAYS and table.state.public.round == round_number and not table.state.over:
            return number
    return None


def list_replayed_entries(
    live: LiveMatch, seats: int, log: Sequence[LogEntry]
) -> list[tuple[int, LogEntry, MatchState[Any]]]:
    """Return (number, entry, the state before it) of all entries that were not undone."""
    past, _, _ = replay.walk_log(live.game, seats, live.options, live.context, None, log, check=False)
    return [(number, entry, past[number - 1]) for number, entry in replay.drop_undone(log)]


def _list_undone_entries(log: Sequence[LogEntry], entry: int, match: MatchRow, anew: bool) -> list[LogEntry]:
    """Return the entries that a return to before ``entry`` takes back. Raises Misused for an entry that one cannot go
    back to."""
    holds = dict(replay.drop_undone(log))
    if not anew and (not 1 <= entry <= len(log) or log[entry - 1].kind not in _TURNS):
        raise Impossible("boss-no-entry", match=match.code, entry=entry)
    if not anew and entry not in holds and log[entry - 1].kind != LogEntryKind.UNDO:
        raise Impossible("boss-entry-undone", match=match.code, entry=entry)
    return [one for number, one in holds.items() if number >= entry and one.kind in _PLAYS]


def _build_undone_notes(desk: Desk, match: MatchRow, live: LiveMatch, gone: Sequence[LogEntry]) -> tuple[Note, ...]:
    """Return notes for the correction: every move that does not count any more."""
    players = desk.list_players(match)
    moves = [move for entry in gone for move in EngineResult.from_json(entry.outcome).moves]
    told = [
        Note("taken-back", {"name": players[move.seat].name, "move": move.played, "points": move.points})
        if move.played
        else Note("taken-back-miss", {"name": players[move.seat].name})
        for move in moves
    ]
    if len(told) > MOST_TOLD:
        return (*told[:MOST_TOLD], Note("taken-back-more", {"count": len(told) - MOST_TOLD}))
    return tuple(told)


def _let_robots_act(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Let robots act, and seats that play no more: nobody waits for them. What people had stored waits for the
    moderator or the deadline."""
    moved = False
    if live.table.pace == "sequential":
        while not live.table.state.over and not match.held and advance.play_unmanned_seat(desk, match, live):
            moved = True
    if live.table.is_simultaneous:
        turns.store_robot_orders(desk, match, live)
    if moved:
        match_clock.begin_turn(desk, match, live)
