"""Commands about one's own turn: try an order, take it back, wait for others, leave the match."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    LoggedPart,
    done_with,
)
from moderator.common.enums import LogEntryKind, MatchStatus, SeatLeftReason
from moderator.common.errors import Impossible, Misused
from moderator.common.mails import Line
from moderator.common.message_files import load_word_pattern
from moderator.common.tokens import CODE
from moderator.language.messages import render_code
from moderator.language.spelling import YES
from moderator.notifications.pages import LineOffer
from moderator.rules import replay, table
from moderator.rules.game import Note
from moderator.rules.outcomes import NothingToWithdraw, OrderWithdrawn
from moderator.rules.replay import LogEntry
from moderator.rules.table import Flag, UndoRequest
from moderator.service import orders
from moderator.service.match.match import Match
from moderator.service.notifications import notify_seat
from moderator.store.tables import SeatRow

HERE = Path(__file__).parent
_declare = partial(Command, scope=CommandScope.MATCH, group=CommandGroup.TURN)


@_declare("undo", rank=50)
def ask_undo_by_command(call: CommandContext) -> CommandOutcome:
    """Take back what the player has sent last, ``Zug zurück``: a stored order at once, a move that has been played if
    the others agree."""
    match, seat = call.required_match
    if match.live.table.asked is None and match.live.get_stored_order_state(seat.number) != "none":
        return withdraw_order_by_command(call)
    _check_undo_possible(match, seat.number)
    if match.live.table.asked is not None:
        return (
            done_with("undo-asked-already")
            if seat.number in match.live.table.asked.agreed
            else accept_undo_by_command(call)
        )
    entry = _get_undo_entry(match, seat.number)
    match.apply_entry(LogEntry(LogEntryKind.ASK_UNDO, seat.number, str(entry)))
    if _undo_if_agreed(match):
        return done_with("undo-done")
    waiting = _list_undecided_seats(match)
    note = Note("undo-asked", {"name": call.player.name})
    for number in waiting:
        notify_seat(call.work, match.row, match.live, match.seated[number][0], note)
    return done_with("undo-asks", names=[match.players[n].name for n in waiting])


def may_ask_undo(call: CommandContext) -> bool:
    """Return whether the player could ask for the last move to be taken back."""
    match, seat = call.required_match
    try:
        _check_undo_possible(match, seat.number)
        _get_undo_entry(match, seat.number)
    except Misused:
        return False
    return match.live.table.asked is None


@_declare("agree", rank=60, whole=True)
def accept_undo_by_command(call: CommandContext) -> CommandOutcome:
    """Agree that the move that somebody has asked about is taken back: ``einverstanden``."""
    match, seat, asked = _get_asked_undo(call)
    if seat.number in asked.agreed:
        return done_with("undo-agreed-already")
    match.apply_entry(LogEntry(LogEntryKind.ASK_UNDO, seat.number, str(asked.entry)))
    if _undo_if_agreed(match):
        return done_with("undo-done")
    return done_with("undo-agreed", names=[match.players[n].name for n in _list_undecided_seats(match)])


@_declare("refuse", rank=70)
def refuse_undo_by_command(call: CommandContext) -> CommandOutcome:
    """Let the move stay: ``ablehnen``. A player who has asked takes the wish back by the same word."""
    match, seat, asked = _get_asked_undo(call)
    match.apply_entry(LogEntry(LogEntryKind.REFUSE_UNDO, seat.number))
    own = asked.agreed[0] == seat.number
    note = Note("undo-taken-back" if own else "undo-refused", {"name": call.player.name})
    for number in _list_persons(match):
        if number != seat.number:
            notify_seat(call.work, match.row, match.live, match.seated[number][0], note)
    return done_with("undo-wish-ended" if own else "undo-refused-by-you")


def _get_asked_undo(call: CommandContext) -> tuple[Match, SeatRow, UndoRequest]:
    """Return the match, the seat and what is asked there. Raises Misused where nothing is, or nothing is possible."""
    match, seat = call.required_match
    if match.live.table.asked is None:
        raise Impossible("undo-nothing-asked")
    _check_undo_possible(match, seat.number)
    return match, seat, match.live.table.asked


def _check_undo_possible(match: Match, seat: int) -> None:
    """Check that something can be taken back by consent here. Raises Misused."""
    if match.row.status != MatchStatus.RUNNING or match.live.table.state.over:
        raise Impossible("game-over")
    if seat in match.live.table.out:
        raise Impossible("seat-is-out", match=match.row.code)
    if match.live.table.is_simultaneous:
        raise Impossible("undo-change-instead")
    if match.live.table.pace != "sequential":
        raise Impossible("undo-not-in-a-race")
    if match.row.held:
        raise Impossible("undo-held")


def _get_undo_entry(match: Match, seat: int) -> int:
    """Return the number of the log entry before the seat's last move, which must be the last turn of a person. Raises
    Misused."""
    players = match.players
    match.session.flush()
    for number, entry in reversed(replay.drop_undone(match.load_log())):
        if entry.kind in (LogEntryKind.RETIRE, LogEntryKind.HAND_OVER, LogEntryKind.STOP):
            raise Impossible("undo-not-your-move")
        if entry.kind not in (LogEntryKind.MOVE, LogEntryKind.MISS) or entry.seat is None:
            continue
        if players[entry.seat].robot or (entry.kind == LogEntryKind.MISS and entry.seat in match.live.table.out):
            continue
        if entry.seat != seat or entry.kind == LogEntryKind.MISS:
            raise Impossible("undo-not-your-move")
        return number - 1
    raise Impossible("undo-no-move")


def _list_persons(match: Match) -> list[int]:
    """Return the seats of people who still play; robots always agree."""
    players = match.players
    return [number for number in table.list_active_seats(match.live.table) if not players[number].robot]


def _list_undecided_seats(match: Match) -> list[int]:
    agreed = match.live.table.asked.agreed if match.live.table.asked else ()
    return [number for number in _list_persons(match) if number not in agreed]


def _undo_if_agreed(match: Match) -> bool:
    """Take the move back if everybody has agreed; returns whether it was. A stored order that it came from is dropped,
    too: the player has thought of something else."""
    asked = match.live.table.asked
    if asked is None or _list_undecided_seats(match):
        return False
    seat = asked.agreed[0]
    name = match.players[seat].name
    match.undo_to_entry(asked.entry, Note("undone-by-consent", {"name": name}))
    if match.live.table.orders.get(seat):
        match.store_order(seat, "")
    return True


def _build_example_values(call: CommandContext) -> dict[str, str]:
    """Return a move that is possible where the line stands, for the example of a right line."""
    if call.seat is None or call.live is None:
        return {}
    return {"move": orders.find_example_line(call.live, call.seat.number, call.player.language)}


@_declare("preview", rank=10, pattern=r".+", logged=LoggedPart.NOTHING, fills=_build_example_values)
def preview_order_by_command(call: CommandContext) -> CommandOutcome:
    """Tell what an order would score now: ``Probe E5 w HAUS; sonst C3 s MOND``. Nothing is submitted."""
    match, seat = call.required_match
    if match.live.table.state.over:
        raise Impossible("game-over")
    line = Line(call.request.line.number, call.request.argument)
    found = orders.preview_lines(match, call.player, seat, [line])
    if not any(one.status in ("move", "fallback", "error") for one in found):
        raise Misused("no-order-to-try")
    return CommandOutcome(done_with("only-tried").notes, found)


@_declare("withdraw", rank=20, whole=True)
def withdraw_order_by_command(call: CommandContext) -> CommandOutcome:
    match, seat = call.required_match
    if match.live.get_stored_order_state(seat.number) == "none":
        return CommandOutcome(_explain_nothing_stored(call), decided=NothingToWithdraw())
    match.store_order(seat.number, "")
    return CommandOutcome(decided=OrderWithdrawn())


def _explain_nothing_stored(call: CommandContext) -> tuple[Note, ...]:
    """Return that there was nothing to take back, and what there is: a move that has been played is final."""
    match, seat = call.required_match
    last, _ = match.live.last.get(seat.number, ("", 0))
    if not last or match.live.table.pace != "sequential":
        return (Note("nothing-to-withdraw"),)
    code = "nothing-to-withdraw-undo" if may_ask_undo(call) else "nothing-to-withdraw-played"
    return (Note(code, {"line": last}),)


@_declare("wait", rank=30, after_orders=True)
def set_wait_flag(call: CommandContext) -> CommandOutcome:
    """Let nothing be evaluated before the deadline; what is stored stays so until ``fertig``."""
    return _set_flag(call, "wait")


@_declare("ready", rank=40, after_orders=True)
def set_ready_flag(call: CommandContext) -> CommandOutcome:
    """Make the stored order final: the round may be evaluated as soon as all say so."""
    match, seat = call.required_match
    if match.live.table.pace == "race" and not match.live.table.state.over:
        return _answer_race_claim(call)
    if match.live.table.is_simultaneous and not match.live.has_submitted(seat.number):
        raise Impossible(
            "ready-without-order" if match.live.get_stored_order_state(seat.number) == "none" else "ready-in-vain"
        )
    return _set_flag(call, "ready")


def _answer_race_claim(call: CommandContext) -> CommandOutcome:
    """Return the outcome of ``Fertig!`` in a race: the solution itself says so; beside one, or after it, the word
    changes nothing."""
    match, seat = call.required_match
    kept = match.live.table.orders.get(seat.number, "")
    if kept and kept != match.live.game.pass_text:
        return done_with("done-already")
    if seat.number not in match.live.table.state.to_move or kept:
        return done_with("out-of-the-round")
    raise Impossible("done-without-solution")


def _set_flag(call: CommandContext, flag: Flag) -> CommandOutcome:
    match, seat = call.required_match
    if match.live.table.state.over:
        raise Impossible("game-over")
    if match.live.table.pace == "race":
        raise Impossible("no-waiting-in-a-race")
    match.apply_entry(LogEntry(LogEntryKind.FLAG, seat.number, flag))
    match.advance_match()
    kind = "round" if match.live.table.is_simultaneous else "ahead"
    return done_with(f"{flag}-{kind}")


_FOR_GOOD = rf"(?:{load_word_pattern(HERE, 'for-good')}|{YES})"


@_declare("resign", rank=80, pattern=rf"(?:{CODE.pattern}\s+)?{_FOR_GOOD}?", whole=True)
def leave_match_by_command(call: CommandContext) -> CommandOutcome:
    """Leave the match for good. The line must name it and say that this is meant; else such a line is asked back."""
    match, seat = call.required_match
    if match.live.table.state.over:
        raise Impossible("game-over")
    if seat.number in match.live.table.out:
        raise Impossible("seat-is-out", match=match.row.code)
    said = call.request.line.text
    if match.row.code not in said.upper() or not re.search(rf"(?<!\w){_FOR_GOOD}(?!\w)", said, re.IGNORECASE):
        line = render_code("resign-line", call.player.language, match=match.row.code)
        return CommandOutcome(offer=LineOffer(Note("resign-confirm"), line))
    match.leave_seat(seat.number, SeatLeftReason.RESIGNED)
    return done_with("resigned", match=match.row.code)
