"""Commands about one's own turn: try an order, take it back, wait for others, leave the match."""

from __future__ import annotations

from moderator.desk import course, orders, play
from moderator.desk.commands import together
from moderator.desk.commands.call import Answer, Call, said
from moderator.desk.log import enter
from moderator.engine.contract import Note
from moderator.engine.replay import Entry
from moderator.engine.seats import Flag
from moderator.errors import Misused
from moderator.mail.model import Line


def preview(call: Call) -> Answer:
    """``Probe E5 w HAUS; sonst C3 s MOND``: what it would score now. Nothing is given."""
    _, seat, live = call.at
    if live.table.state.over:
        raise Misused("game-over")
    line = Line(call.command.line.number, call.command.argument)
    found = orders.probe(call.desk, call.player, live, seat, [line])
    if not any(one.status in ("move", "fallback", "error") for one in found):
        raise Misused("no-order-to-try")
    return Answer(said("only-tried").notes, found)


def withdraw(call: Call) -> Answer:
    """Take the stored order back."""
    match, seat, live = call.at
    if live.order(seat.number) == "none":
        return Answer(_nothing_stored(call), nothing_stored=True)
    play.store(call.desk, match, live, seat.number, "")
    return Answer()


def _nothing_stored(call: Call) -> tuple[Note, ...]:
    """That there was nothing to take back, and what there is: a move that has been played is final."""
    _, seat, live = call.at
    last, _ = live.last.get(seat.number, ("", 0))
    if not last or live.table.pace != "sequential":
        return (Note("nothing-to-withdraw"),)
    code = "nothing-to-withdraw-undo" if together.may_ask(call) else "nothing-to-withdraw-played"
    return (Note(code, {"line": last}),)


def wait(call: Call) -> Answer:
    """Evaluate nothing before the ZAT; keep what is stored until ``fertig``."""
    return _flag(call, "wait")


def ready(call: Call) -> Answer:
    """The stored order is final: the round may be evaluated as soon as all say so."""
    _, seat, live = call.at
    if live.table.pace == "race" and not live.table.state.over:
        return _done_in_a_race(call)
    if live.table.together and not live.is_in(seat.number):
        raise Misused("ready-without-order" if live.order(seat.number) == "none" else "ready-in-vain")
    return _flag(call, "ready")


def _done_in_a_race(call: Call) -> Answer:
    """``Fertig!`` is said by the solution itself; beside one, or after it, it changes nothing."""
    _, seat, live = call.at
    kept = live.table.orders.get(seat.number, "")
    if kept and kept != getattr(live.game, "pass_text", ""):
        return said("done-already")
    if seat.number not in live.table.state.to_move or kept:
        return said("out-of-the-round")
    raise Misused("done-without-solution")


def _flag(call: Call, flag: Flag) -> Answer:
    match, seat, live = call.at
    if live.table.state.over:
        raise Misused("game-over")
    if live.table.pace == "race":
        raise Misused("no-waiting-in-a-race")
    enter(call.desk, match, live, Entry("flag", seat.number, flag))
    play.carry_on(call.desk, match, live)
    kind = "round" if live.table.together else "ahead"
    return said(f"{flag}-{kind}")


def resign(call: Call) -> Answer:
    """Leave the match for good; the match must be named, so that nobody leaves by mistake."""
    match, seat, live = call.at
    if live.table.state.over:
        raise Misused("game-over")
    if seat.number in live.table.out:
        raise Misused("seat-is-out", match=match.code)
    if match.code not in call.command.line.text.upper():
        return said("resign-confirm", match=match.code)
    course.retire(call.desk, match, live, seat.number, "resigned")
    return said("resigned", match=match.code)
