"""Commands about one's own turn: try an order, take it back, wait for others, leave the match."""

from __future__ import annotations

from moderator.desk import course, orders, play
from moderator.desk.commands.call import Answer, Call, Misused, said
from moderator.desk.log import enter
from moderator.engine.replay import Entry
from moderator.engine.seats import Flag
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
    if not live.table.orders.get(seat.number):
        return said("nothing-to-withdraw")
    play.store(call.desk, match, live, seat.number, "")
    return Answer()


def wait(call: Call) -> Answer:
    """Evaluate nothing before the ZAT; keep what is stored until ``fertig``."""
    return _flag(call, "wait")


def ready(call: Call) -> Answer:
    """The stored order is final: the round may be evaluated as soon as all say so."""
    _, seat, live = call.at
    if live.table.together and not live.table.orders.get(seat.number):
        raise Misused("ready-without-order")
    return _flag(call, "ready")


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
