"""What the moderator decides about the course of a match: end a turn now, take one back, move for somebody, move a
deadline, stop the clock, cancel the match."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandGiver,
    CommandReach,
    CommandScope,
    ShellCommand,
    ShellParameter,
)
from moderator.commands.moderator_call import (
    ABOUT_A_MATCH,
    DAYS,
    ENTRY,
    EXTENDED,
    HERE,
    MATCH,
    ORDER,
    PLAYER,
    ROUND,
    WHY,
    Outcome,
    build_force_argument,
    build_staff_outcome,
    get_seat_by_name,
    require_running_match,
)
from moderator.common.enums import ClockCause, ClockStop, LogEntryKind, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.common.mails import Line
from moderator.common.message_files import load_word_pattern
from moderator.language.messages import render_note
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.log import EngineResult, PlayedMove
from moderator.rules.replay import LogEntry
from moderator.rules.time.calendar import to_local_day
from moderator.service import orders
from moderator.service.match import halt, turns
from moderator.service.match.halt import resume_suspended_match
from moderator.service.match.match import Match, must_redeal
from moderator.service.notify import notify_match_events, notify_status
from moderator.store import questions
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.views.people import get_commander
from moderator.views.tournament_rows import find_consequences
from moderator.views.unit_of_work import UnitOfWork

_declare = partial(
    Command, scope=CommandScope.MATCH, who=CommandGiver.MODERATOR, reach=CommandReach.MATCHES, pattern=".*"
)


@_declare(
    "evaluate",
    rank=50,
    arguments=(MATCH, ROUND, build_force_argument("Even if moves are missing and the deadline has not passed."), WHY),
    shell=ShellCommand("evaluate", "End the turn or round now."),
)
def end_turn_by_staff(
    work: UnitOfWork, match: MatchRow, round_number: int | None, force: bool = False, why: str = ""
) -> Outcome:
    """End the turn or round now. ``round`` must be the one that is being played; ``build_force_argument`` also where
    orders are missing before the ZAT. Raises Misused."""
    playing = require_running_match(work, match)
    now = playing.live.table.state.public.round
    if not round_number:
        raise Misused("boss-needs-round", match=match.code, round=0, now=now)
    if round_number != now:
        raise Impossible("boss-round", match=match.code, round=round_number, now=now)
    if match.held:
        raise Impossible("boss-held", match=match.code, words=questions.list_open_words(work.session, match.number))
    missing = [
        work.list_players(match)[seat].name
        for seat in playing.live.seats_awaited
        if not work.list_players(match)[seat].robot
    ]
    early = match.deadline is not None and work.now < match.deadline
    if missing and early and not force:
        raise Impossible("boss-missing", match=match.code, round=now, names=missing, deadline=match.deadline)
    playing.settle_turn()
    progress = work.events_of(match)
    if early and not match.held:
        progress.opening_notes.insert(0, Note("evaluated-early"))
    told = build_move_notes(playing, progress.results)
    if why:
        progress.notes.append(Note("boss-why", {"line": why}))
    notify_match_events(work)
    if match.held:
        return build_staff_outcome(
            "boss-now-held", match=match.code, words=questions.list_open_words(work.session, match.number)
        )
    if match.status == MatchStatus.FINISHED:
        return (*build_staff_outcome("boss-evaluated-end", match=match.code, round=now), *told)
    values = {"match": match.code, "round": now, "now": get_current_round(playing.live), "deadline": match.deadline}
    if not playing.live.table.is_simultaneous and now == get_current_round(playing.live):
        names = [work.list_players(match)[seat].name for seat in playing.live.seats_to_act]
        return (*build_staff_outcome("boss-turn-over", **values, names=names), *told)
    return (*build_staff_outcome("boss-evaluated", **values), *told)


def get_current_round(live: LiveMatch) -> int:
    return int(live.table.state.public.round)


def build_move_notes(match: Match, results: Sequence[EngineResult]) -> Outcome:
    """Return one sentence for each move; nothing that only one seat may know."""
    players = match.players
    return tuple(
        _build_move_note(players[move.seat].name, move)
        for result in results
        for move in result.moves
        if move.alternative or match.live.table.is_simultaneous or not move.refused
    )


def _build_move_note(name: str, move: PlayedMove) -> Note:
    if move.played:
        return Note("boss-moved", {"name": name, "move": move.played, "points": move.points})
    return Note("boss-nothing", {"name": name, "points": move.points})


@_declare(
    "move",
    rank=160,
    arguments=(MATCH, PLAYER, ORDER),
    shell=ShellCommand("move", "Move for a player; the report says that you did."),
)
def move_for_player(work: UnitOfWork, match: MatchRow, name: str, text: str) -> Outcome:
    """Submit an order in a player's name, marked as such. Raises Misused if it cannot be read or played."""
    playing = require_running_match(work, match)
    if not text:
        raise Misused("boss-no-order")
    seat, player = get_seat_by_name(work, match, name)
    if seat.number in playing.live.table.out:
        raise Impossible("boss-seat-out", name=player.name, match=match.code)
    sheet = orders.parse_seat_lines(playing.live, seat.number, [Line(1, text)])
    language = get_commander(work).language if work.inbox_id else "en"  # what the command line speaks
    if sheet.errors or not sheet.text:
        error = next((line.error for line in sheet.errors if line.error), None)
        why = Note(error.code, error.params) if error else Note("boss-no-order")
        raise Misused("boss-unread-order", line=text, text=_format_game_note(playing, why, language))
    note = Note("ordered-for", {"name": player.name})
    before = playing.live.table.orders.get(seat.number)
    result = playing.submit_order(seat.number, sheet.text)
    if result is not None and result.moves and not turns.was_played(result):
        refused = result.moves[0].refused[-1]
        why = Note(refused.code, refused.params)
        raise Impossible("boss-refused-order", move=sheet.text, text=_format_game_note(playing, why, language))
    playing.apply_entry(LogEntry(LogEntryKind.NOTICE, seat.number, "by the moderator"))
    played = bool(work.events_of(match).moved)
    if played:
        work.events_of(match).notes.insert(0, note)
        notify_match_events(work)
    elif player.address and not match.held and playing.live.table.orders.get(seat.number) != before:
        notify_status(work, match, seat, MailKind.REFEREE, [Note("ordered-for-you")])
    code = "boss-order-held" if match.held else "boss-order-played" if played else "boss-order-stored"
    return build_staff_outcome(code, name=player.name, match=match.code, move=sheet.text)


def _format_game_note(match: Match, note: Note, language: str) -> str:
    """Return a note of the match's game as a sentence, for mails that belong to no game."""
    return render_note(note, language, match.live.game.key, [player.name for player in match.players])


# ---- ``Zurück``: what a round or some moves have led to is taken back, and everybody reads which.


MOST_TOLD = 30
"""Moves taken back that a correction names one by one."""
_PLAYS = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE)
_TURNS = (*_PLAYS, LogEntryKind.RETIRE, LogEntryKind.HAND_OVER, LogEntryKind.STOP, LogEntryKind.UNDO)
"""Entries before which one may go back."""


@_declare(
    "rollback",
    rank=60,
    arguments=(MATCH, ROUND, ENTRY, build_force_argument("Even if a tournament has gone on with the result."), WHY),
    shell=ShellCommand(
        "rollback",
        "Take a match back to before a round was evaluated, even after its end. All players get a correction.",
    ),
)
def rollback_match_by_staff(
    work: UnitOfWork,
    match: MatchRow,
    round_number: int | None,
    entry: int | None = None,
    why: str = "",
    force: bool = False,
) -> Outcome:
    """Go back to just before ``round_number`` was evaluated (where one seat acts at a time: before its first move), or
    to just before log entry number ``entry``; also in a match that is over (in a tournament: to a new deal), and with
    ``build_force_argument`` in one that a tournament has built on. Raises Misused."""
    if match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        require_running_match(work, match)
    playing = Match.load(work, match)
    log = load_log_entries(work.session, match)
    if entry is not None and round_number is not None:
        raise Misused("boss-round-or-entry", match=match.code, round=round_number, entry=entry)
    anew = must_redeal(match, log)
    if anew and (entry or round_number) is not None:
        entry = 1
    if entry is None:
        if round_number is None:
            raise Misused("boss-needs-round", match=match.code, round=0, now=get_current_round(playing.live))
        entry = find_round_start(playing.live, len(work.list_seated(match)), log, round_number)
        if entry is None:
            raise Impossible(
                "boss-round-untouched", match=match.code, round=round_number, now=get_current_round(playing.live)
            )
    gone = _list_undone_entries(log, entry, match, anew)
    finished, reached = match.status == MatchStatus.FINISHED, get_current_round(playing.live)
    hung = find_consequences(work.session, match) if finished else None
    where = "-anew" if anew else "-to" if round_number is None else ""
    note = Note(f"rolled-back{where}{'' if why else '-plain'}", {"round": round_number or 0, "line": why})
    playing.undo_to_entry(entry - 1, note, force)
    _let_robots_act(playing)
    told = _build_undone_notes(playing, gone)
    progress = work.events_of(match)
    progress.opening_notes[1:1] = told
    notify_match_events(work)
    code = "boss-dealt-anew" if anew else "boss-rolled-back"
    done = build_staff_outcome(
        code, match=match.code, now=get_current_round(playing.live), deadline=match.deadline, entry=match.entries
    )
    # The seed of a round, or of the whole match, is mailed when it is over.
    known = finished or (playing.live.game.seeded_rounds and get_current_round(playing.live) < reached)
    shown = (Note("dealt-anew"),) if anew else (Note("boss-seed-known"),) if known else ()
    return (*done, *((hung.built, hung.worth) if hung else ()), *told, *shown)


def find_round_start(live: LiveMatch, seats: int, log: Sequence[LogEntry], round_number: int) -> int | None:
    """Return the number of the entry that first moved or evaluated in this round as things stand (nothing that was
    undone); None if there is none."""
    past, _, _ = replay.walk_log(live.game, seats, live.options, live.context, None, log, check=False)
    for number, entry in replay.drop_undone(log):
        state = past[number - 1].state
        if entry.kind in _PLAYS and state.public.round == round_number and not state.over:
            return number
    return None


def _list_undone_entries(log: Sequence[LogEntry], entry: int, match: MatchRow, anew: bool) -> list[LogEntry]:
    """Return the entries that a return to before ``entry`` takes back. Raises Misused for an entry that one cannot go
    back to."""
    holds = dict(replay.drop_undone(log))
    if not anew and (not 1 <= entry <= len(log) or log[entry - 1].kind not in _TURNS):
        raise Impossible("boss-no-entry", match=match.code, entry=entry)
    if not anew and entry not in holds and log[entry - 1].kind != LogEntryKind.UNDO:
        raise Impossible("boss-entry-undone", match=match.code, entry=entry)
    return [one for number, one in holds.items() if number >= entry and one.kind in _PLAYS]


def _build_undone_notes(match: Match, gone: Sequence[LogEntry]) -> tuple[Note, ...]:
    """Return notes for the correction: every move that does not count any more."""
    players = match.players
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


def _let_robots_act(match: Match) -> None:
    """Let robots act, and seats that play no more: nobody waits for them. What people had stored waits for the
    moderator or the deadline."""
    moved = False
    if match.live.table.pace == "sequential":
        while not match.live.table.state.over and not match.row.held and match.play_unmanned_seat():
            moved = True
    if match.live.table.is_simultaneous:
        match.store_robot_orders()
    if moved:
        match.begin_turn()


# ---- The moderator cancels a match that was set up by mistake.


@_declare(
    "cancel",
    rank=145,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*!|\s+{load_word_pattern(HERE, 'boss-force')})?(?:\s*:.*)?",
    whole=True,
    arguments=(MATCH, build_force_argument("Even if moves were made or the match is over."), WHY),
    shell=ShellCommand(
        "cancel",
        "Cancel a match that was set up by mistake. It counts nowhere, and all who knew of it are told. If it has not "
        "begun, it is deleted.",
    ),
)
def cancel_match_by_staff(work: UnitOfWork, match: MatchRow, force: bool = False, why: str = "") -> Outcome:
    """Cancel a match, so that it never counts, whether it has begun, or is over. ``build_force_argument``: also where
    somebody has moved, or it had a result. Raises Misused."""
    if not force and match.status == MatchStatus.FINISHED:
        raise Impossible("boss-cancel-over", match=match.code)
    moves = 0 if force or match.status == MatchStatus.CANCELLED else halt.count_people_moves(work, match)
    if moves:
        raise Impossible("boss-cancel-moves", match=match.code, count=moves)
    code, name = match.code, match.name
    told = halt.cancel_match(work, match, why)
    return build_staff_outcome(
        "boss-cancelled" if told else "boss-cancelled-quietly", match=code, name=name, names=told
    )


# ---- the clock of a match


LONGEST_EXTENSION = 60
"""Days by which a deadline is put off at once."""


ACCEPT_LEXICON = CommandArgument(
    "accept_lexicon",
    lambda call: False,
    ShellParameter("--accept-lexicon", bool, "Go on with the dictionary that is installed now.", default=False),
)


@_declare(
    "extend",
    rank=90,
    arguments=(EXTENDED, DAYS, WHY),
    shell=ShellCommand("extend", "Move the deadline by DAYS: `3`, `2 weeks`, or `until 2026-12-12`."),
)
def extend_deadlines_by_staff(
    work: UnitOfWork, matches: Sequence[MatchRow], days: int | date | None, why: str = ""
) -> Outcome:
    """Put the deadlines off by calendar days, or to a day; all players are told. Raises Misused."""
    return tuple(note for match in matches for note in _extend_deadline(work, match, days, why))


def _extend_deadline(work: UnitOfWork, match: MatchRow, days: int | date | None, why: str) -> Outcome:
    playing = require_running_match(work, match)
    if match.deadline is None:
        raise Impossible("boss-no-deadline", match=match.code)
    if isinstance(days, date):
        last, days = days, (days - to_local_day(match.deadline, work.config.club.zone)).days
        if days < 1:  # the place for moving a deadline to an earlier day
            raise Misused("boss-not-later", match=match.code, last=last, deadline=match.deadline)
    if days is None or not 1 <= days <= LONGEST_EXTENSION:
        raise Misused("boss-days", match=match.code, longest=LONGEST_EXTENSION)
    playing.move_deadline(days, ClockCause.STAFF)
    code = "extended" if why else "extended-plain"
    _notify_seats(playing, Note(code, {"days": days, "deadline": match.deadline, "line": why}))
    return build_staff_outcome("boss-extended", match=match.code, days=days, deadline=match.deadline)


@_declare(
    "pause",
    rank=100,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*:.*)?",
    arguments=(MATCH, WHY),
    shell=ShellCommand("pause", "Stop the clock. Moves are still taken; `match resume` starts it again."),
)
def pause_clock_by_staff(work: UnitOfWork, match: MatchRow, why: str = "") -> Outcome:
    """Stop the clock until ``resume_match_by_staff``; orders are still taken. Raises Misused."""
    playing = require_running_match(work, match)
    if match.stopped == ClockStop.CONFIRM:
        raise Impossible("boss-moving-in", match=match.code)
    if match.stopped == ClockStop.PAUSE:
        raise Impossible("boss-paused-already", match=match.code, since=match.stopped_at)
    playing.pause_clock()
    _notify_seats(playing, Note("paused" if why else "paused-plain", {"line": why}))
    return build_staff_outcome("boss-paused", match=match.code)


@_declare(
    "resume",
    rank=110,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*:.*)?",
    arguments=(MATCH, WHY, ACCEPT_LEXICON),
    shell=ShellCommand("resume", "Let a match go on that you paused, or that is suspended because of a fault."),
)
def resume_match_by_staff(work: UnitOfWork, match: MatchRow, why: str = "", accept_lexicon: bool = False) -> Outcome:
    """End a pause, or let a suspended match go on. Raises Misused, or OperatorError when the reason still holds."""
    if match.status == MatchStatus.SUSPENDED:
        resume_suspended_match(work, match, accept_lexicon)
        return build_staff_outcome("boss-unsuspended", match=match.code)
    playing = require_running_match(work, match)
    if match.stopped == ClockStop.CONFIRM:
        playing.resume_imported_match()
        notify_match_events(work)
        return build_staff_outcome("boss-goes-on", match=match.code, deadline=match.deadline)
    if match.stopped != ClockStop.PAUSE:
        raise Impossible("boss-not-paused", match=match.code)
    playing.resume_clock()
    if playing.awaited.list_unreachable() and playing.live.seats_awaited:
        playing.schedule_turn()
    note = Note("goes-on" if why else "goes-on-plain", {"deadline": match.deadline, "line": why})
    _notify_seats(playing, note)
    return build_staff_outcome("boss-goes-on", match=match.code, deadline=match.deadline)


def _notify_seats(match: Match, note: Note) -> None:
    """Send the board, the deadline and the news to all who play. It answers no mail of theirs."""
    for seat, _ in match.seated:
        if seat.number not in match.live.table.out:
            notify_status(match.work, match.row, seat, MailKind.REFEREE, [note])
