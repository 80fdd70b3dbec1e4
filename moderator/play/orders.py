"""The orders in one match's lines of a mail: read, given, and every line answered for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moderator.club import clock
from moderator.club.confirmations import unconfirmed
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.mail.model import Line
from moderator.match import decision, robot, table
from moderator.match.contract import Note, view_for
from moderator.match.decision import (
    Accepted,
    Done,
    GaveUp,
    Held,
    NoOrder,
    NotPossible,
    NotPossibleYet,
    OrderDecision,
    Played,
    RoundPlayed,
    StandingStored,
    Stored,
    TooLate,
    Waiting,
)
from moderator.match.orders import OrderLine, OrderSheet, read_lines
from moderator.match.table import Preview, Result
from moderator.outbox import questions
from moderator.outbox.match_pages import word_sums
from moderator.pages.messages import round_noun, sentence
from moderator.pages.pages import LineRead, Receipt
from moderator.play import paces, turns
from moderator.store.models import Match, Player, Seat


def order(
    desk: Desk, player: Player, match: Match, live: LiveMatch, seat: Seat, lines: Sequence[Line], answered: int = 0
) -> Receipt:
    """Give the order that the lines make, and say of each line what became of it. ``answered``: the round that our mail
    was about which they answer; 0 = none, or nobody knows."""
    sheet = read_sheet(live, seat.number, lines)
    right = right_line(desk, live, seat.number, player.language) if sheet.errors else ""
    if not sheet.text:
        if wrong := [line.text for line in sheet.errors]:
            turns.tried(desk, match, live, seat.number, "; ".join(wrong))
        return Receipt(NoOrder(), tuple(line_read(line, None, live, right) for line in sheet.lines))
    why = (
        _not_taken(desk, match, live, seat)
        or _stands_already(live, seat.number, sheet)
        or _from_a_board_that_is_gone(sheet, answered, live, player)
    )
    if why is not None:
        return Receipt(TooLate() if why.code == "too-late" else NotPossible(), _refused(sheet, why, live, right))
    before = live.table.orders.get(seat.number, "")
    previews, result = _give(desk, match, live, seat.number, sheet)
    undecided = tuple(dict.fromkeys(word for preview in previews if preview for word in preview.undecided))
    if undecided and result is None:
        questions.ask(desk, match, undecided)
    decided = _decided(result, undecided) if result else _accepted(live, seat.number, sheet, previews, undecided)
    read = lines_read(sheet, previews, live, right)
    if before and _in_the_table(decided):
        same = live.table.orders.get(seat.number, "") == before
        read = _beside_the_first(read, Note("same-order") if same else Note("replaces-order", {"order": before}))
    return Receipt(decided, read)


def _in_the_table(decided: OrderDecision) -> bool:
    return isinstance(decided, Accepted | StandingStored | GaveUp)


def _accepted(
    live: LiveMatch, seat: int, sheet: OrderSheet, previews: Sequence[Preview | None], words: tuple[str, ...]
) -> OrderDecision:
    """What an order that is kept is worth as things stand. ``words`` of it wait for a ruling."""
    if live.table.pace == "race":
        passed = getattr(live.game, "pass_text", "")
        return GaveUp() if live.table.orders.get(seat) == passed else Stored(words)
    if all(live.game.lasting(line.move) for line in sheet.orders):
        return StandingStored()
    tried = [preview for preview in previews if preview and (preview.points is not None or preview.undecided)]
    if not tried:
        return NotPossibleYet(words)
    return Waiting(words) if tried[0].undecided else Stored(words)


def after_all(
    desk: Desk, match: Match, live: LiveMatch, seat: int, decided: OrderDecision, results: Sequence[Result]
) -> OrderDecision:
    """The same after all that the mail has led to (``results``): it may have completed the round."""
    plays = live.table.together and seat not in live.table.out
    own = [move for result in results for move in result.moves if move.seat == seat] if plays else []
    if own and (_in_the_table(decided) or isinstance(decided, Done | NoOrder)):
        return RoundPlayed(possible=own[0].alternative > 0)
    if live.table.together and match.held and _in_the_table(decided):
        return Held(decision.words(decided))
    return decided


def _beside_the_first(read: Sequence[LineRead], note: Note) -> tuple[LineRead, ...]:
    """The first move says what it takes the place of, or that it was here already."""
    at = next(
        (n for n, line in enumerate(read) if line.status == "move" and (line.notes or line.points is not None)), -1
    )
    return tuple(replace(line, notes=(*line.notes, note)) if n == at else line for n, line in enumerate(read))


def probe(desk: Desk, player: Player, live: LiveMatch, seat: Seat, lines: Sequence[Line]) -> tuple[LineRead, ...]:
    """What the lines would be worth on the board as it stands, as if it were the seat's turn. Nothing is kept."""
    sheet = read_sheet(live, seat.number, lines)
    previews: Sequence[Preview] = ()
    if sheet.text:
        previews = table.preview(live.game, live.table, seat.number, sheet.text, desk.cache.context(live))
    right = right_line(desk, live, seat.number, player.language) if sheet.errors else ""
    return lines_read(sheet, previews, live, right)


def right_line(desk: Desk, live: LiveMatch, seat: int, language: str) -> str:
    """A move that the seat could play now, or the game's pattern of one."""
    found = robot.shown(live.game, view_for(live.table.state, seat), live.context)
    return found.get("move") or sentence(Note(found.get("pattern", "example.place"), found), language, live.game.key)


def read_sheet(live: LiveMatch, seat: int, lines: Sequence[Line]) -> OrderSheet:
    view = view_for(live.table.state, seat)
    return read_lines(lines, lambda text: live.game.parse(text, view), live.game.format, live.game.style)


def _not_taken(desk: Desk, match: Match, live: LiveMatch, seat: Seat) -> Note | None:
    """Why no order of this seat is taken now, whatever it says."""
    if seat.number in live.table.out:
        return Note("seat-is-out", {"match": match.code})
    if names := [desk.players(match)[one].name for one in unconfirmed(desk, match, live)]:
        return Note("move-in-first", {"names": names})
    if clock.too_late(desk, match, live, seat.number):
        return Note("too-late", {"deadline": match.deadline, "arrived": desk.arrived})
    return None


def _stands_already(live: LiveMatch, seat: int, sheet: OrderSheet) -> Note | None:
    """In a race what was handed in first stands until it is withdrawn; nothing else is looked at until then."""
    stands = live.table.orders.get(seat, "") if live.table.pace == "race" else ""
    if not stands or " ".join(stands.split()) == " ".join(sheet.text.split()):
        return None
    return Note("race-given-up" if stands == getattr(live.game, "pass_text", "") else "race-stands")


def _from_a_board_that_is_gone(sheet: OrderSheet, answered: int, live: LiveMatch, player: Player) -> Note | None:
    """Whether the moves name places of a round that is over: where each round is dealt anew, these are other places
    now. Standing orders name none."""
    now = live.table.state.public.round
    if not live.game.seeded_rounds or not 0 < answered < now:
        return None
    moves = [line.canonical for line in sheet.orders if not live.game.lasting(line.move)]
    noun = round_noun(player.language, live.game.key)
    return Note("older-round", {"noun": noun, "answered": answered, "round": now, "order": moves[0]}) if moves else None


def _refused(sheet: OrderSheet, why: Note, live: LiveMatch, right: str) -> tuple[LineRead, ...]:
    lines = []
    for line in sheet.lines:
        if line.status in ("move", "fallback"):
            lines.append(LineRead(line.number, line.text, line.status, line.canonical, notes=(why,)))
        else:
            lines.append(line_read(line, None, live, right))
    return tuple(lines)


def _give(
    desk: Desk, match: Match, live: LiveMatch, seat: int, sheet: OrderSheet
) -> tuple[Sequence[Preview | None], Result | None]:
    """Give the order. Of one that was tried at once the outcome tells about its lines; of one that is kept, how
    things stand on the board now."""
    at_once = live.table.pace == "sequential" and seat in live.table.state.to_move
    result = paces.give(desk, match, live, seat, sheet.text) if at_once else None
    if result is not None and result.moves:
        return table.found(result.moves[0], len(sheet.orders)), result
    previews = table.preview(live.game, live.table, seat, sheet.text, desk.cache.context(live))
    return previews, result if at_once else paces.give(desk, match, live, seat, sheet.text)


def _decided(result: Result, words: tuple[str, ...]) -> OrderDecision:
    if result.undecided:
        return Held(words)
    return Played() if result.moves and result.moves[0].alternative else NotPossible()


def lines_read(
    sheet: OrderSheet, previews: Sequence[Preview | None], live: LiveMatch, right: str
) -> tuple[LineRead, ...]:
    by_order = {id(line): preview for line, preview in zip(sheet.orders, previews, strict=True)}
    return tuple(line_read(line, by_order.get(id(line)), live, right) for line in sheet.lines)


def line_read(line: OrderLine, preview: Preview | None, live: LiveMatch, right: str) -> LineRead:
    """What became of one line; an error comes with a right one."""
    if line.error is not None:
        why = Note(line.error.code, line.error.params)
        return LineRead(line.number, line.text, "error", notes=(why,), example=right)
    if line.move is not None and live.game.lasting(line.move) and (preview is None or preview.points is None):
        return LineRead(line.number, line.text, line.status, line.canonical)
    if preview is None:
        order = line.status in ("move", "fallback")
        return LineRead(line.number, line.text, line.status, line.canonical, reached=not order)
    refused = (Note(preview.refused.code, preview.refused.params),) if preview.refused else ()
    # Which place a solution has, nobody knows before the round is over; this one was tried as if it were the first.
    placed = live.table.pace == "race" and bool(preview.points)
    return LineRead(
        line.number,
        line.text,
        line.status,
        line.canonical,
        points=None if refused or preview.undecided else preview.points,
        words=word_sums(preview.detail),
        notes=(*refused, *(note for note in preview.notes if not placed or note.only is not None)),
    )
