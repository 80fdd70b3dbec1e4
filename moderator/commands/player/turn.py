"""Commands about one's own turn: try an order, take it back, wait for others, leave the match."""

from __future__ import annotations

from moderator.club.desk import enter
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Logged, Scope
from moderator.commands.player import together
from moderator.errors import Impossible, Misused
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.decision import NothingStored, Withdrawn
from moderator.match.replay import Entry
from moderator.match.seats import Flag
from moderator.pages.pages import Offer
from moderator.play import orders, play, stand_ins, turns
from moderator.states import EntryKind, SeatLoss


def _right_move(call: Call) -> dict[str, str]:
    """A move that is possible where the line stands."""
    if call.seat is None or call.live is None:
        return {}
    return {"move": orders.right_line(call.desk, call.live, call.seat.number, call.player.language)}


@Command(
    "preview",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=10,
    pattern=r".+",
    logged=Logged.NOTHING,
    fills=_right_move,
)
def preview(call: Call) -> Answer:
    """``Probe E5 w HAUS; sonst C3 s MOND``: what it would score now. Nothing is given."""
    _, seat, live = call.at
    if live.table.state.over:
        raise Impossible("game-over")
    line = Line(call.request.line.number, call.request.argument)
    found = orders.probe(call.desk, call.player, live, seat, [line])
    if not any(one.status in ("move", "fallback", "error") for one in found):
        raise Misused("no-order-to-try")
    return Answer(said("only-tried").notes, found)


@Command(
    "withdraw",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=20,
    whole=True,
)
def withdraw(call: Call) -> Answer:
    """Take the stored order back."""
    match, seat, live = call.at
    if live.order(seat.number) == "none":
        return Answer(_nothing_stored(call), decided=NothingStored())
    turns.store(call.desk, match, live, seat.number, "")
    return Answer(decided=Withdrawn())


def _nothing_stored(call: Call) -> tuple[Note, ...]:
    """That there was nothing to take back, and what there is: a move that has been played is final."""
    _, seat, live = call.at
    last, _ = live.last.get(seat.number, ("", 0))
    if not last or live.table.pace != "sequential":
        return (Note("nothing-to-withdraw"),)
    code = "nothing-to-withdraw-undo" if together.may_ask(call) else "nothing-to-withdraw-played"
    return (Note(code, {"line": last}),)


@Command(
    "wait",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=30,
    after_orders=True,
)
def wait(call: Call) -> Answer:
    """Evaluate nothing before the ZAT; keep what is stored until ``fertig``."""
    return _flag(call, "wait")


@Command(
    "ready",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=40,
    after_orders=True,
)
def ready(call: Call) -> Answer:
    """The stored order is final: the round may be evaluated as soon as all say so."""
    _, seat, live = call.at
    if live.table.pace == "race" and not live.table.state.over:
        return _done_in_a_race(call)
    if live.table.together and not live.is_in(seat.number):
        raise Impossible("ready-without-order" if live.order(seat.number) == "none" else "ready-in-vain")
    return _flag(call, "ready")


def _done_in_a_race(call: Call) -> Answer:
    """``Fertig!`` is said by the solution itself; beside one, or after it, it changes nothing."""
    _, seat, live = call.at
    kept = live.table.orders.get(seat.number, "")
    if kept and kept != getattr(live.game, "pass_text", ""):
        return said("done-already")
    if seat.number not in live.table.state.to_move or kept:
        return said("out-of-the-round")
    raise Impossible("done-without-solution")


def _flag(call: Call, flag: Flag) -> Answer:
    match, seat, live = call.at
    if live.table.state.over:
        raise Impossible("game-over")
    if live.table.pace == "race":
        raise Impossible("no-waiting-in-a-race")
    enter(call.desk, match, live, Entry(EntryKind.FLAG, seat.number, flag))
    play.carry_on(call.desk, match, live)
    kind = "round" if live.table.together else "ahead"
    return said(f"{flag}-{kind}")


@Command(
    "resign",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=80,
    whole=True,
)
def resign(call: Call) -> Answer:
    """Leave the match for good; the match must be named, so that nobody leaves by mistake."""
    match, seat, live = call.at
    if live.table.state.over:
        raise Impossible("game-over")
    if seat.number in live.table.out:
        raise Impossible("seat-is-out", match=match.code)
    if match.code not in call.request.line.text.upper():
        word = call.request.command.text(call.player.language).first.upper()
        return Answer(offer=Offer(Note("resign-confirm"), f"{word} {match.code}"))
    stand_ins.vacate(call.desk, match, live, seat.number, SeatLoss.RESIGNED)
    return said("resigned", match=match.code)
