"""Press and protests: texts of a player's, in the command's line or in the lines below it."""

from __future__ import annotations

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGroup,
    CommandLine,
    CommandOutcome,
    CommandScope,
    LoggedPart,
    NestedRefusal,
    done_with,
    find_command,
)
from moderator.common.enums import MatchStatus
from moderator.common.errors import Misused, PlayerError
from moderator.notifications.pages import LineOutcome
from moderator.rules.game import Note
from moderator.service import orders, round_letters, word_rulings
from moderator.service.round_letters import MatchLetters
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.unit_of_work import UnitOfWork


@Command(
    "press",
    scope=CommandScope.MATCH,
    group=CommandGroup.TALK,
    rank=10,
    pattern=rf"(?:{round_letters.NOW} )?(?:{round_letters.TO} .+|[^:]{{1,60}}:.*|{round_letters.ALL}|)",
    body="letter",
    whole=True,
    logged=LoggedPart.HEAD,
)
def write_letter_by_command(call: CommandContext) -> CommandOutcome:
    """Write a letter to other players: ``Presse an Bert: Text``, or lines below it up to ``ENDE PRESSE``; ``sofort``
    before the names: at once."""
    match, seat = call.required_match
    request, players = call.request, match.players
    head, _, inline = request.argument.partition(":")
    _check_text_end(request)
    _check_no_orders(request, match.live, seat.number)
    try:
        to = round_letters.parse_addressees(head, players, seat.number)
        text = round_letters.sanitize_letter(request.body or (inline,))
        gone = MatchLetters(call.work, match.row).write_letter(match.live, seat.number, call.player, to, text)
    except PlayerError as error:
        raise _build_refusal(request, error) from None
    count = len(text.splitlines())
    notes: list[Note] = []
    if to.everybody:
        notes.append(Note("press-sent-all" if gone else "press-next-all", {"count": count}))
    elif to.seats:
        names = [players[n].name for n in to.seats]
        notes.append(Note("press-sent" if gone else "press-next", {"names": names, "count": count}))
    if to.moderator:
        notes.append(Note("press-sent-moderator", {"count": count}))
    return CommandOutcome(tuple(notes))


@Command(
    "protest",
    scope=CommandScope.MATCH,
    group=CommandGroup.TALK,
    rank=20,
    pattern=r".*",
    body="line",
    logged=LoggedPart.NOTHING,
)
def submit_protest_by_command(call: CommandContext) -> CommandOutcome:
    """Lodge a protest, ``Einspruch: Text``: against what was reported last, until the next deadline."""
    match, seat = call.required_match
    request = call.request
    _check_text_end(request)
    try:
        text = round_letters.sanitize_letter(request.body or (request.argument,))
        word_rulings.lodge_protest(match, seat.number, call.player, text)
    except PlayerError as error:
        raise _build_refusal(request, error) from None
    return done_with("protest-lodged-over" if match.row.status == MatchStatus.FINISHED else "protest-lodged")


@Command(
    "question",
    scope=CommandScope.EITHER,
    group=CommandGroup.TALK,
    rank=15,
    pattern=r".*",
    body="line",
    colon=True,
    logged=LoggedPart.NOTHING,
)
def ask_by_command(call: CommandContext) -> CommandOutcome:
    """Pass on a question, ``Frage: Text``: to whoever is in charge of the match, or of the club."""
    request = call.request
    if call.live is not None and call.seat is not None:
        _check_no_orders(request, call.live, call.seat.number)
    try:
        forward_to_staff(call.work, call.player, call.match, "\n".join(request.body or (request.argument,)))
    except PlayerError as error:
        raise _build_refusal(request, error) from None
    return done_with("question-passed-on")


def forward_to_staff(work: UnitOfWork, player: PlayerRow, match: MatchRow | None, text: str) -> None:
    """Pass a player's words on to whoever is in charge. Raises PlayerError as ``round_letters.sanitize_letter``, and
    Impossible("press-too-many")."""
    round_letters.forward_question_to_staff(work, match, player, round_letters.sanitize_letter(text.splitlines()))


def _check_text_end(request: CommandLine) -> None:
    """Check that the text has an end: without one nobody knows what belongs to it. Raises Misused."""
    if not request.closed and request.body:
        raise _build_refusal(request, Misused("press-open", count=len(request.body)))


def _check_no_orders(request: CommandLine, live: LiveMatch, seat: int) -> None:
    """Check that no line of the text would be an order. Such a line stands there because the end of the text was
    forgotten, most likely; what is private in it must not go out. Raises Misused."""
    meant = next((line.text for line in request.below if find_command(line.text) is not None), "")
    if not meant:
        read = orders.parse_seat_lines(live, seat, request.below)
        meant = next((line.text for line in read.orders), "")
    if meant:
        raise _build_refusal(request, Misused("press-holds-orders", line=meant))


def _build_refusal(request: CommandLine, error: PlayerError) -> NestedRefusal:
    why = (Note("press-unsent"),)
    return NestedRefusal(error, tuple(LineOutcome(one.number, one.text, "text", notes=why) for one in request.below))
