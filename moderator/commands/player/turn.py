"""Commands about one's own turn: try an order, take it back, wait for others, leave the match."""

from __future__ import annotations

from moderator.commands.call import CommandContext, CommandOutcome, done_with
from moderator.commands.declaration import Command, CommandGroup, CommandScope, LoggedPart
from moderator.commands.player import together
from moderator.common.enums import LogEntryKind, SeatLeftReason
from moderator.common.errors import Impossible, Misused
from moderator.mail.model import Line
from moderator.notifications.pages import LineOffer
from moderator.rules.game import Note
from moderator.rules.outcomes import NothingToWithdraw, OrderWithdrawn
from moderator.rules.replay import LogEntry
from moderator.rules.seats import Flag
from moderator.service import advance, orders, stand_ins, turns
from moderator.service.desk import apply_event


def _build_example_values(call: CommandContext) -> dict[str, str]:
    """Return a move that is possible where the line stands, for the example of a right line."""
    if call.seat is None or call.live is None:
        return {}
    return {"move": orders.example_line(call.desk, call.live, call.seat.number, call.player.language)}


@Command(
    "preview",
    scope=CommandScope.MATCH,
    group=CommandGroup.TURN,
    rank=10,
    pattern=r".+",
    logged=LoggedPart.NOTHING,
    fills=_build_example_values,
)
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


@Command(
    "withdraw",
    scope=CommandScope.MATCH,
    group=CommandGroup.TURN,
    rank=20,
    whole=True,
)
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
    code = "nothing-to-withdraw-undo" if together.may_ask_undo(call) else "nothing-to-withdraw-played"
    return (Note(code, {"line": last}),)


@Command(
    "wait",
    scope=CommandScope.MATCH,
    group=CommandGroup.TURN,
    rank=30,
    after_orders=True,
)
def set_wait_flag(call: CommandContext) -> CommandOutcome:
    """Let nothing be evaluated before the deadline; what is stored stays so until ``fertig``."""
    return _set_flag(call, "wait")


@Command(
    "ready",
    scope=CommandScope.MATCH,
    group=CommandGroup.TURN,
    rank=40,
    after_orders=True,
)
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


@Command(
    "resign",
    scope=CommandScope.MATCH,
    group=CommandGroup.TURN,
    rank=80,
    whole=True,
)
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
    stand_ins.vacate_seat(call.desk, match, live, seat.number, SeatLeftReason.RESIGNED)
    return done_with("resigned", match=match.code)
