"""Commands about one's own turn: try an order, take it back, wait for others, leave the match."""

from __future__ import annotations

from functools import partial

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    LoggedPart,
    done_with,
)
from moderator.common.enums import LogEntryKind, MailKind, MatchStatus, SeatLeftReason
from moderator.common.errors import Impossible, Misused
from moderator.common.mails import Line
from moderator.notifications.pages import LineOffer
from moderator.rules import replay, seats
from moderator.rules.game import Note
from moderator.rules.outcomes import NothingToWithdraw, OrderWithdrawn
from moderator.rules.replay import LogEntry
from moderator.rules.seats import Flag
from moderator.service import advance, orders, seat_changes, turns
from moderator.service.notifications import notify_reader
from moderator.store.tables import MatchRow
from moderator.views.desk import Desk, apply_event
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.views.match_view import build_seated_page
from moderator.views.notification import Recipient

_declare = partial(Command, scope=CommandScope.MATCH, group=CommandGroup.TURN)


@_declare("undo", rank=50)
def ask_undo_by_command(call: CommandContext) -> CommandOutcome:
    """Ask the others whether the player's own last move may be taken back: ``Rücknahme``."""
    match, seat, live = call.required_match
    _check_undo_possible(match, live, seat.number)
    if live.table.asked is not None:
        return (
            done_with("undo-asked-already") if seat.number in live.table.asked.agreed else accept_undo_by_command(call)
        )
    entry = _get_undo_entry(call.desk, match, live, seat.number)
    apply_event(call.desk, match, live, LogEntry(LogEntryKind.ASK_UNDO, seat.number, str(entry)))
    if _undo_if_agreed(call.desk, match, live):
        return done_with("undo-done")
    waiting = _list_undecided_seats(call.desk, match, live)
    for number in waiting:
        _notify_seat(call.desk, match, live, number, Note("undo-asked", {"name": call.player.name}))
    return done_with("undo-asks", names=[call.desk.list_players(match)[n].name for n in waiting])


def may_ask_undo(call: CommandContext) -> bool:
    """Return whether the player could ask for the last move to be taken back."""
    match, seat, live = call.required_match
    try:
        _check_undo_possible(match, live, seat.number)
        _get_undo_entry(call.desk, match, live, seat.number)
    except Misused:
        return False
    return live.table.asked is None


@_declare("agree", rank=60, whole=True)
def accept_undo_by_command(call: CommandContext) -> CommandOutcome:
    """Agree that the move that somebody has asked about is taken back: ``einverstanden``."""
    match, seat, live = call.required_match
    asked = live.table.asked
    if asked is None:
        raise Impossible("undo-nothing-asked")
    _check_undo_possible(match, live, seat.number)
    if seat.number in asked.agreed:
        return done_with("undo-agreed-already")
    apply_event(call.desk, match, live, LogEntry(LogEntryKind.ASK_UNDO, seat.number, str(asked.entry)))
    if _undo_if_agreed(call.desk, match, live):
        return done_with("undo-done")
    return done_with(
        "undo-agreed",
        names=[call.desk.list_players(match)[n].name for n in _list_undecided_seats(call.desk, match, live)],
    )


@_declare("refuse", rank=70)
def refuse_undo_by_command(call: CommandContext) -> CommandOutcome:
    """Let the move stay: ``ablehnen``. A player who has asked takes the wish back by the same word."""
    match, seat, live = call.required_match
    asked = live.table.asked
    if asked is None:
        raise Impossible("undo-nothing-asked")
    _check_undo_possible(match, live, seat.number)
    apply_event(call.desk, match, live, LogEntry(LogEntryKind.REFUSE_UNDO, seat.number))
    own = asked.agreed[0] == seat.number
    note = Note("undo-taken-back" if own else "undo-refused", {"name": call.player.name})
    for number in _list_persons(call.desk, match, live):
        if number != seat.number:
            _notify_seat(call.desk, match, live, number, note)
    return done_with("undo-wish-ended" if own else "undo-refused-by-you")


def _check_undo_possible(match: MatchRow, live: LiveMatch, seat: int) -> None:
    """Check that something can be taken back by consent here. Raises Misused."""
    if match.status != MatchStatus.RUNNING or live.table.state.over:
        raise Impossible("game-over")
    if seat in live.table.out:
        raise Impossible("seat-is-out", match=match.code)
    if live.table.is_simultaneous:
        raise Impossible("undo-change-instead")
    if live.table.pace != "sequential":
        raise Impossible("undo-not-in-a-race")
    if match.held:
        raise Impossible("undo-held")


def _get_undo_entry(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> int:
    """Return the number of the log entry before the seat's last move, which must be the last turn of a person. Raises
    Misused."""
    players = desk.list_players(match)
    desk.session.flush()
    for number, entry in reversed(replay.drop_undone(load_log_entries(desk.session, match))):
        if entry.kind in (LogEntryKind.RETIRE, LogEntryKind.HAND_OVER, LogEntryKind.STOP):
            raise Impossible("undo-not-your-move")
        if entry.kind not in (LogEntryKind.MOVE, LogEntryKind.MISS) or entry.seat is None:
            continue
        if players[entry.seat].robot or (entry.kind == LogEntryKind.MISS and entry.seat in live.table.out):
            continue
        if entry.seat != seat or entry.kind == LogEntryKind.MISS:
            raise Impossible("undo-not-your-move")
        return number - 1
    raise Impossible("undo-no-move")


def _list_persons(desk: Desk, match: MatchRow, live: LiveMatch) -> list[int]:
    """Return the seats of people who still play; robots always agree."""
    players = desk.list_players(match)
    return [number for number in seats.list_active_seats(live.table) if not players[number].robot]


def _list_undecided_seats(desk: Desk, match: MatchRow, live: LiveMatch) -> list[int]:
    agreed = live.table.asked.agreed if live.table.asked else ()
    return [number for number in _list_persons(desk, match, live) if number not in agreed]


def _undo_if_agreed(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Take the move back if everybody has agreed; returns whether it was. A stored order that it came from is dropped,
    too: the player has thought of something else."""
    asked = live.table.asked
    if asked is None or _list_undecided_seats(desk, match, live):
        return False
    seat = asked.agreed[0]
    name = desk.list_players(match)[seat].name
    now = seat_changes.undo_to_entry(desk, match, live, asked.entry, Note("undone-by-consent", {"name": name}))
    if now.table.orders.get(seat):
        turns.store_order(desk, match, now, seat, "")
    return True


def _notify_seat(desk: Desk, match: MatchRow, live: LiveMatch, number: int, note: Note) -> None:
    seat, player = desk.list_seated(match)[number]
    if player.address is None:
        return
    page = build_seated_page(
        desk,
        MailKind.NEWS,
        match,
        live,
        seat,
        player,
        notes=(note,),
    )
    notify_reader(desk, Recipient(player, match, seat), page)


def _build_example_values(call: CommandContext) -> dict[str, str]:
    """Return a move that is possible where the line stands, for the example of a right line."""
    if call.seat is None or call.live is None:
        return {}
    return {"move": orders.find_example_line(call.desk, call.live, call.seat.number, call.player.language)}


@_declare("preview", rank=10, pattern=r".+", logged=LoggedPart.NOTHING, fills=_build_example_values)
def preview_order_by_command(call: CommandContext) -> CommandOutcome:
    """Tell what an order would score now: ``Probe E5 w HAUS; sonst C3 s MOND``. Nothing is submitted."""
    _, seat, live = call.required_match
    if live.table.state.over:
        raise Impossible("game-over")
    line = Line(call.request.line.number, call.request.argument)
    found = orders.preview_lines(call.desk, call.player, live, seat, [line])
    if not any(one.status in ("move", "fallback", "error") for one in found):
        raise Misused("no-order-to-try")
    return CommandOutcome(done_with("only-tried").notes, found)


@_declare("withdraw", rank=20, whole=True)
def withdraw_order_by_command(call: CommandContext) -> CommandOutcome:
    """Take the stored order back."""
    match, seat, live = call.required_match
    if live.stored_order_state(seat.number) == "none":
        return CommandOutcome(_explain_nothing_stored(call), decided=NothingToWithdraw())
    turns.store_order(call.desk, match, live, seat.number, "")
    return CommandOutcome(decided=OrderWithdrawn())


def _explain_nothing_stored(call: CommandContext) -> tuple[Note, ...]:
    """Return that there was nothing to take back, and what there is: a move that has been played is final."""
    _, seat, live = call.required_match
    last, _ = live.last.get(seat.number, ("", 0))
    if not last or live.table.pace != "sequential":
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
    _, seat, live = call.required_match
    if live.table.pace == "race" and not live.table.state.over:
        return _answer_race_claim(call)
    if live.table.is_simultaneous and not live.has_submitted(seat.number):
        raise Impossible("ready-without-order" if live.stored_order_state(seat.number) == "none" else "ready-in-vain")
    return _set_flag(call, "ready")


def _answer_race_claim(call: CommandContext) -> CommandOutcome:
    """Return the outcome of ``Fertig!`` in a race: the solution itself says so; beside one, or after it, the word
    changes nothing."""
    _, seat, live = call.required_match
    kept = live.table.orders.get(seat.number, "")
    if kept and kept != getattr(live.game, "pass_text", ""):
        return done_with("done-already")
    if seat.number not in live.table.state.to_move or kept:
        return done_with("out-of-the-round")
    raise Impossible("done-without-solution")


def _set_flag(call: CommandContext, flag: Flag) -> CommandOutcome:
    match, seat, live = call.required_match
    if live.table.state.over:
        raise Impossible("game-over")
    if live.table.pace == "race":
        raise Impossible("no-waiting-in-a-race")
    apply_event(call.desk, match, live, LogEntry(LogEntryKind.FLAG, seat.number, flag))
    advance.advance_match(call.desk, match, live)
    kind = "round" if live.table.is_simultaneous else "ahead"
    return done_with(f"{flag}-{kind}")


@_declare("resign", rank=80, whole=True)
def leave_match_by_command(call: CommandContext) -> CommandOutcome:
    """Leave the match for good; the match must be named, so that nobody leaves by mistake."""
    match, seat, live = call.required_match
    if live.table.state.over:
        raise Impossible("game-over")
    if seat.number in live.table.out:
        raise Impossible("seat-is-out", match=match.code)
    if match.code not in call.request.line.text.upper():
        word = call.request.command.get_text(call.player.language).first_word.upper()
        return CommandOutcome(offer=LineOffer(Note("resign-confirm"), f"{word} {match.code}"))
    seat_changes.vacate_seat(call.desk, match, live, seat.number, SeatLeftReason.RESIGNED)
    return done_with("resigned", match=match.code)
