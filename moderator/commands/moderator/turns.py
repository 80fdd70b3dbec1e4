"""What the moderator decides about moves: end a turn now, take one back, rule on a word, move for somebody."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.commands.declaration import Command, CommandGiver, CommandReach, CommandScope, ShellCommand
from moderator.commands.moderator_call import (
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
from moderator.common.enums import LogEntryKind, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.language.messages import render_note
from moderator.mail.model import Line
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.rules.result import EngineResult, PlayedMove
from moderator.service import deadlines, orders, paces, turns
from moderator.service.desk import Desk, apply_event
from moderator.service.notify import build_notifications, notify_status
from moderator.store import questions
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.staff import get_commander


@Command(
    "evaluate",
    scope=CommandScope.MATCH,
    rank=50,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, ROUND, build_force_argument("Also where orders are missing before the ZAT."), WHY),
    shell=ShellCommand("evaluate", "End the turn or round now."),
)
def end_turn_by_staff(
    desk: Desk, match: MatchRow, round_number: int | None, force: bool = False, why: str = ""
) -> Outcome:
    """End the turn or round now. ``round`` must be the one that is being played; ``build_force_argument`` also where
    orders are missing before the ZAT. Raises Misused."""
    live = require_running_match(desk, match)
    now = live.table.state.public.round
    if not round_number:
        raise Misused("boss-needs-round", match=match.code, round=0, now=now)
    if round_number != now:
        raise Impossible("boss-round", match=match.code, round=round_number, now=now)
    if match.held:
        raise Impossible("boss-held", match=match.code, words=questions.list_open_words(desk.session, match.number))
    missing = [
        desk.list_players(match)[seat].name for seat in live.seats_wanted if not desk.list_players(match)[seat].robot
    ]
    early = match.deadline is not None and desk.now < match.deadline
    if missing and early and not force:
        raise Impossible("boss-missing", match=match.code, round=now, names=missing, deadline=match.deadline)
    deadlines.settle_turn(desk, match, live)
    progress = desk.events_of(match)
    if early and not match.held:
        progress.opening_notes.insert(0, Note("evaluated-early"))
    told = build_move_notes(desk, match, live, progress.results)
    if why:
        progress.notes.append(Note("boss-why", {"line": why}))
    build_notifications(desk)
    if match.held:
        return build_staff_outcome(
            "boss-now-held", match=match.code, words=questions.list_open_words(desk.session, match.number)
        )
    if match.status == MatchStatus.FINISHED:
        return (*build_staff_outcome("boss-evaluated-end", match=match.code, round=now), *told)
    values = {"match": match.code, "round": now, "now": get_current_round(live), "deadline": match.deadline}
    if not live.table.is_simultaneous and now == get_current_round(live):
        names = [desk.list_players(match)[seat].name for seat in live.seats_to_act]
        return (*build_staff_outcome("boss-turn-over", **values, names=names), *told)
    return (*build_staff_outcome("boss-evaluated", **values), *told)


def get_current_round(live: LiveMatch) -> int:
    return int(live.table.state.public.round)


def build_move_notes(desk: Desk, match: MatchRow, live: LiveMatch, results: Sequence[EngineResult]) -> Outcome:
    """Return one sentence for each move; nothing that only one seat may know."""
    players = desk.list_players(match)
    return tuple(
        _build_move_note(players[move.seat].name, move)
        for result in results
        for move in result.moves
        if move.alternative or live.table.is_simultaneous or not move.refused
    )


def _build_move_note(name: str, move: PlayedMove) -> Note:
    if move.played:
        return Note("boss-moved", {"name": name, "move": move.played, "points": move.points})
    return Note("boss-nothing", {"name": name, "points": move.points})


@Command(
    "move",
    scope=CommandScope.MATCH,
    rank=160,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER, ORDER),
    shell=ShellCommand("move", "Give ORDER in the name of PLAYER; the report says that it comes from the moderator."),
)
def move_for_player(desk: Desk, match: MatchRow, name: str, text: str) -> Outcome:
    """Submit an order in a player's name, marked as such. Raises Misused if it cannot be read or played."""
    live = require_running_match(desk, match)
    if not text:
        raise Misused("boss-no-order")
    seat, player = get_seat_by_name(desk, match, name)
    if seat.number in live.table.out:
        raise Impossible("boss-seat-out", name=player.name, match=match.code)
    sheet = orders.parse_seat_lines(live, seat.number, [Line(1, text)])
    language = get_commander(desk).language if desk.inbox_id else "en"  # what the command line speaks
    if sheet.errors or not sheet.text:
        error = next((line.error for line in sheet.errors if line.error), None)
        why = Note(error.code, error.params) if error else Note("boss-no-order")
        raise Misused("boss-unread-order", line=text, text=_format_game_note(desk, live, match, why, language))
    note = Note("ordered-for", {"name": player.name})
    before = live.table.orders.get(seat.number)
    result = paces.submit_order(desk, match, live, seat.number, sheet.text)
    if result is not None and result.moves and not turns.was_played(result):
        refused = result.moves[0].refused[-1]
        why = Note(refused.code, refused.params)
        raise Impossible(
            "boss-refused-order", move=sheet.text, text=_format_game_note(desk, live, match, why, language)
        )
    apply_event(desk, match, live, LogEntry(LogEntryKind.NOTICE, seat.number, "by the moderator"))
    played = bool(desk.events_of(match).moved)
    if played:
        desk.events_of(match).notes.insert(0, note)
        build_notifications(desk)
    elif player.address and not match.held and live.table.orders.get(seat.number) != before:
        notify_status(desk, match, seat, MailKind.REFEREE, [Note("ordered-for-you")])
    code = "boss-order-held" if match.held else "boss-order-played" if played else "boss-order-stored"
    return build_staff_outcome(code, name=player.name, match=match.code, move=sheet.text)


def _format_game_note(desk: Desk, live: LiveMatch, match: MatchRow, note: Note, language: str) -> str:
    """Return a note of the match's game as a sentence, for mails that belong to no game."""
    return render_note(note, language, live.game.key, [player.name for player in desk.list_players(match)])
