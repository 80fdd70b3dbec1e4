"""``Zurück``: what a round or some moves have led to is taken back, and everybody reads which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moderator.club import clock
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, log_of
from moderator.club.tournaments import results
from moderator.commands.declaration import Command, Reach, Scope, Shell, Who
from moderator.commands.moderator.judging import now_in
from moderator.commands.moderator_call import ENTRY, MATCH, ROUND, WHY, Outcome, force, outcome, running
from moderator.errors import Impossible, Misused
from moderator.match import replay
from moderator.match.contract import Note
from moderator.match.replay import Entry
from moderator.match.result import Result
from moderator.match.table import Table
from moderator.play import lifecycle, play, turns
from moderator.play.announce import announce
from moderator.states import EntryKind, MatchStatus
from moderator.store.models import Match

MOST_TOLD = 30
"""Moves taken back that a correction names one by one."""
_PLAYS = (EntryKind.MOVE, EntryKind.MISS, EntryKind.EVALUATE)
_TURNS = (*_PLAYS, EntryKind.RETIRE, EntryKind.HAND_OVER, EntryKind.STOP, EntryKind.UNDO)
"""Entries before which one may go back."""


@Command(
    "rollback",
    scope=Scope.MATCH,
    rank=60,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, ROUND, ENTRY, force("Also where a tournament has gone on with the result."), WHY),
    shell=Shell(
        "rollback", "Back to just before a round was evaluated; everybody gets a correction. Also after the end."
    ),
)
def rollback(
    desk: Desk, match: Match, round: int | None, entry: int | None = None, why: str = "", force: bool = False
) -> Outcome:
    """Back to just before ``round`` was evaluated (where one seat acts at a time: before its first move), or to just
    before log entry number ``entry``; also of a match that is over (in a tournament: to a new deal), and with ``force``
    of one that a tournament has built on. Raises Misused."""
    if match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        running(desk, match)
    live = desk.cache.live(desk.session, match)
    log = log_of(desk.session, match)
    if entry is not None and round is not None:
        raise Misused("boss-round-or-entry", match=match.code, round=round, entry=entry)
    anew = lifecycle.deals_anew(match, log)
    if anew and (entry or round) is not None:
        entry = 1
    if entry is None:
        if round is None:
            raise Misused("boss-needs-round", match=match.code, round=0, now=now_in(live))
        entry = first_of_round(live, len(desk.seated(match)), log, round)
        if entry is None:
            raise Impossible("boss-round-untouched", match=match.code, round=round, now=now_in(live))
    gone = _gone(log, entry, match, anew)
    finished, reached = match.status == MatchStatus.FINISHED, now_in(live)
    hung = results.hanging(desk, match) if finished else None
    where = "-anew" if anew else "-to" if round is None else ""
    note = Note(f"rolled-back{where}{'' if why else '-plain'}", {"round": round or 0, "line": why})
    now = lifecycle.undo(desk, match, live, entry - 1, note, force)
    _let_robots_act(desk, match, now)
    told = _taken_back(desk, match, live, gone)
    progress = desk.of(match)
    progress.opening[1:1] = told
    announce(desk)
    code = "boss-dealt-anew" if anew else "boss-rolled-back"
    done = outcome(code, match=match.code, now=now_in(now), deadline=match.deadline, entry=match.entries)
    # The seed of a round, or of the whole match, is mailed when it is over.
    known = finished or (now.game.seeded_rounds and now_in(now) < reached)
    shown = (Note("dealt-anew"),) if anew else (Note("boss-seed-known"),) if known else ()
    return (*done, *((hung.built, hung.worth) if hung else ()), *told, *shown)


def first_of_round(live: LiveMatch, seats: int, log: Sequence[Entry], round: int) -> int | None:
    """The entry that first moved or evaluated in ``round`` as things stand (nothing that was undone); None if there is
    none."""
    for number, entry, table in walked(live, seats, log):
        if entry.kind in _PLAYS and table.state.public.round == round and not table.state.over:
            return number
    return None


def walked(live: LiveMatch, seats: int, log: Sequence[Entry]) -> list[tuple[int, Entry, Table[Any]]]:
    """(number, entry, the table before it) of all that holds."""
    past, _, _ = replay.walk(live.game, seats, live.options, live.context, None, log, check=False)
    return [(number, entry, past[number - 1]) for number, entry in replay.effective(log)]


def _gone(log: Sequence[Entry], entry: int, match: Match, anew: bool) -> list[Entry]:
    """What a return to before ``entry`` takes back. Raises Misused for an entry that one cannot go back to."""
    holds = dict(replay.effective(log))
    if not anew and (not 1 <= entry <= len(log) or log[entry - 1].kind not in _TURNS):
        raise Impossible("boss-no-entry", match=match.code, entry=entry)
    if not anew and entry not in holds and log[entry - 1].kind != EntryKind.UNDO:
        raise Impossible("boss-entry-undone", match=match.code, entry=entry)
    return [one for number, one in holds.items() if number >= entry and one.kind in _PLAYS]


def _taken_back(desk: Desk, match: Match, live: LiveMatch, gone: Sequence[Entry]) -> tuple[Note, ...]:
    """For the correction: every move that does not count any more."""
    players = desk.players(match)
    moves = [move for entry in gone for move in Result.from_json(entry.outcome).moves]
    told = [
        Note("taken-back", {"name": players[move.seat].name, "move": move.played, "points": move.points})
        if move.played
        else Note("taken-back-miss", {"name": players[move.seat].name})
        for move in moves
    ]
    if len(told) > MOST_TOLD:
        return (*told[:MOST_TOLD], Note("taken-back-more", {"count": len(told) - MOST_TOLD}))
    return tuple(told)


def _let_robots_act(desk: Desk, match: Match, live: LiveMatch) -> None:
    """Nobody waits for a robot or for a seat that plays no more; what people had stored waits for the moderator or
    the ZAT."""
    moved = False
    if live.table.pace == "sequential":
        while not live.table.state.over and not match.held and play.unmanned(desk, match, live):
            moved = True
    if live.table.together:
        turns.robots_order(desk, match, live)
    if moved:
        clock.begin_turn(desk, match, live)
