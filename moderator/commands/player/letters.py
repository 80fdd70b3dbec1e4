"""Press and protests: texts of a player's, in the command's line or in the lines below it."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.commands.call import Answer, Call, Request, Unsent, said
from moderator.commands.declaration import Command, Group, Logged, Scope, find
from moderator.errors import Misused, PlayerError
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.outbox import press as post_office
from moderator.pages.pages import LineRead
from moderator.play import orders
from moderator.play import rulings as objections
from moderator.states import MatchStatus
from moderator.store.models import Match, Player


@Command(
    "press",
    scope=Scope.MATCH,
    group=Group.TALK,
    rank=10,
    pattern=rf"(?:{post_office.NOW} )?(?:{post_office.TO} .+|[^:]{{1,60}}:.*|{post_office.ALL}|)",
    body="letter",
    whole=True,
    logged=Logged.HEAD,
)
def press(call: Call) -> Answer:
    """``Presse an Bert: Text``, or lines below it up to ``ENDE PRESSE``; ``sofort`` before the names: at once."""
    match, seat, live = call.at
    request, players = call.request, call.desk.players(match)
    head, _, inline = request.argument.partition(":")
    _check_end(request)
    _check_orders(request, live, seat.number)
    try:
        to = post_office.read_addressees(head, players, seat.number)
        text = post_office.sanitised(request.body or (inline,))
        gone = post_office.send(call.desk, match, live, seat.number, call.player, to, text)
    except PlayerError as error:
        raise _unsent(request, error) from None
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


@Command(
    "protest",
    scope=Scope.MATCH,
    group=Group.TALK,
    rank=20,
    pattern=r".*",
    body="line",
    logged=Logged.NOTHING,
)
def protest(call: Call) -> Answer:
    """``Einspruch: Text``: against what was reported last, until the next ZAT."""
    match, seat, live = call.at
    request = call.request
    _check_end(request)
    try:
        text = post_office.sanitised(request.body or (request.argument,))
        objections.lodge(call.desk, match, live, seat.number, call.player, text)
    except PlayerError as error:
        raise _unsent(request, error) from None
    return said("protest-lodged-over" if match.status == MatchStatus.FINISHED else "protest-lodged")


@Command(
    "question",
    scope=Scope.EITHER,
    group=Group.TALK,
    rank=15,
    pattern=r".*",
    body="line",
    colon=True,
    logged=Logged.NOTHING,
)
def question(call: Call) -> Answer:
    """``Frage: Text``: to whoever is in charge of the match, or of the club."""
    request = call.request
    if call.live is not None and call.seat is not None:
        _check_orders(request, call.live, call.seat.number)
    try:
        pass_on(call.desk, call.player, call.match, "\n".join(request.body or (request.argument,)))
    except PlayerError as error:
        raise _unsent(request, error) from None
    return said("question-passed-on")


def pass_on(desk: Desk, player: Player, match: Match | None, text: str) -> None:
    """Bring a player's words to whoever is in charge. Raises PlayerError as ``post_office.sanitised``, and
    Impossible("press-too-many")."""
    post_office.to_the_one_in_charge(desk, match, player, post_office.sanitised(text.splitlines()))


def _check_end(request: Request) -> None:
    """Without an end nobody knows what belongs to the text. Raises Misused."""
    if not request.closed and request.body:
        raise _unsent(request, Misused("press-open", count=len(request.body)))


def _check_orders(request: Request, live: LiveMatch, seat: int) -> None:
    """A line that would be an order stands there because the end of the text was forgotten, most likely; what is
    private in it must not go out. Raises Misused."""
    meant = next((line.text for line in request.below if find(line.text) is not None), "")
    if not meant:
        read = orders.read_sheet(live, seat, request.below)
        meant = next((line.text for line in read.orders), "")
    if meant:
        raise _unsent(request, Misused("press-holds-orders", line=meant))


def _unsent(request: Request, error: PlayerError) -> Unsent:
    return Unsent(error, tuple(_quoted(line) for line in request.below))


def _quoted(line: Line) -> LineRead:
    return LineRead(line.number, line.text, "text", notes=(Note("press-unsent"),))
