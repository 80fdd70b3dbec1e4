"""Press and protests: texts of a player's, in the command's line or in the lines below it."""

from __future__ import annotations

from moderator.desk import orders
from moderator.desk import press as post_office
from moderator.desk import protest as objections
from moderator.desk.commands.call import Answer, Call, Command, Unsent, said
from moderator.desk.commands.vocabulary import find
from moderator.desk.live import Live
from moderator.engine.contract import Note
from moderator.errors import Misused, PlayerError
from moderator.mail.model import Line
from moderator.render.pages import LineRead


def press(call: Call) -> Answer:
    """``Presse an Bert: Text``, or lines below it up to ``ENDE PRESSE``; ``sofort`` before the names: at once."""
    match, seat, live = call.at
    command, players = call.command, call.desk.players(match)
    head, _, inline = command.argument.partition(":")
    _check_end(command)
    _check_orders(command, live, seat.number)
    try:
        to = post_office.read_addressees(head, players, seat.number)
        text = post_office.sanitised(command.body or (inline,))
        gone = post_office.send(call.desk, match, live, seat.number, call.player, to, text)
    except PlayerError as error:
        raise _unsent(command, Misused(error.code, **error.params)) from None
    count = len(text.splitlines())
    notes: list[Note] = []
    if to.everybody:
        notes.append(Note("press-sent-all" if gone else "press-next-all", {"count": count}))
    elif to.seats:
        names = [players[n].name for n in to.seats]
        notes.append(Note("press-sent" if gone else "press-next", {"names": names, "count": count}))
    if to.moderator:
        notes.append(Note("press-sent-moderator", {"count": count}))
    return Answer(tuple(notes))


def protest(call: Call) -> Answer:
    """``Einspruch: Text``: against what was reported last, until the next ZAT."""
    match, seat, live = call.at
    command = call.command
    _check_end(command)
    try:
        text = post_office.sanitised(command.body or (command.argument,))
        objections.lodge(call.desk, match, live, seat.number, call.player, text)
    except PlayerError as error:
        raise _unsent(command, Misused(error.code, **error.params)) from None
    return said("protest-lodged")


def _check_end(command: Command) -> None:
    """Without an end nobody knows what belongs to the text. Raises Misused."""
    if not command.closed and command.body:
        raise _unsent(command, Misused("press-open", count=len(command.body)))


def _check_orders(command: Command, live: Live, seat: int) -> None:
    """A line that would be an order stands there because the end of the text was forgotten, most likely; what is
    private in it must not go out. Raises Misused."""
    meant = next((line.text for line in command.below if find(line.text) is not None), "")
    if not meant:
        read = orders.read_sheet(live, seat, command.below)
        meant = next((line.text for line in read.orders), "")
    if meant:
        raise _unsent(command, Misused("press-holds-orders", line=meant))


def _unsent(command: Command, error: Misused) -> Unsent:
    return Unsent(error, tuple(_quoted(line) for line in command.below))


def _quoted(line: Line) -> LineRead:
    return LineRead(line.number, line.text, "text", notes=(Note("press-unsent"),))
