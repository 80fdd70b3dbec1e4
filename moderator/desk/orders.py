"""The orders in one match's lines of a mail: read, given, and every line answered for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moderator.desk import clock, paces, questions
from moderator.desk.announce import word_sums
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.engine import table
from moderator.engine.contract import Note, view_for
from moderator.engine.orders import OrderLine, Sheet, read_lines
from moderator.engine.table import Preview, Result
from moderator.mail.model import Line
from moderator.render.messages import sentence
from moderator.render.pages import Counts, LineRead, Receipt
from moderator.store.models import Match, Player, Seat


def order(desk: Desk, player: Player, match: Match, live: Live, seat: Seat, lines: Sequence[Line]) -> Receipt:
    """Give the order that the lines make, and say of each line what became of it."""
    sheet = read_sheet(live, seat.number, lines)
    if not sheet.text:
        return Receipt("nothing", tuple(line_read(line, None, live, player) for line in sheet.lines))
    if (why := _not_taken(desk, match, live, seat)) is not None:
        return Receipt("late" if why.code == "too-late" else "refused", _refused(sheet, why, live, player))
    before = live.table.orders.get(seat.number, "")
    previews, result = _give(desk, match, live, seat.number, sheet)
    undecided = tuple(dict.fromkeys(word for preview in previews if preview for word in preview.undecided))
    if undecided and result is None:
        questions.ask(desk, match, undecided)
    counts = _counts(result)
    read = lines_read(sheet, previews, live, player)
    if before and counts == "stored" and live.table.orders.get(seat.number, "") != before:
        read = _replacing(read, before)
    return Receipt(counts, read, undecided=undecided if counts in ("held", "stored") else ())


def _replacing(read: Sequence[LineRead], before: str) -> tuple[LineRead, ...]:
    """The first move says what it takes the place of."""
    at = next(
        (n for n, line in enumerate(read) if line.status == "move" and (line.notes or line.points is not None)), -1
    )
    note = Note("replaces-order", {"line": before})
    return tuple(replace(line, notes=(*line.notes, note)) if n == at else line for n, line in enumerate(read))


def probe(desk: Desk, player: Player, live: Live, seat: Seat, lines: Sequence[Line]) -> tuple[LineRead, ...]:
    """What the lines would be worth on the board as it stands, as if it were the seat's turn. Nothing is kept."""
    sheet = read_sheet(live, seat.number, lines)
    previews: Sequence[Preview] = ()
    if sheet.text:
        previews = table.preview(live.game, live.table, seat.number, sheet.text, desk.shelf.context(live))
    return lines_read(sheet, previews, live, player)


def read_sheet(live: Live, seat: int, lines: Sequence[Line]) -> Sheet:
    view = view_for(live.table.state, seat)
    return read_lines(lines, lambda text: live.game.parse(text, view), live.game.format, live.game.style)


def _not_taken(desk: Desk, match: Match, live: Live, seat: Seat) -> Note | None:
    """Why no order of this seat is taken now, whatever it says."""
    if seat.number in live.table.out:
        return Note("seat-is-out", {"match": match.code})
    if clock.too_late(desk, match, live, seat.number):
        return Note("too-late", {"deadline": match.deadline, "arrived": desk.arrived})
    return None


def _refused(sheet: Sheet, why: Note, live: Live, player: Player) -> tuple[LineRead, ...]:
    lines = []
    for line in sheet.lines:
        if line.status in ("move", "fallback"):
            lines.append(LineRead(line.number, line.text, line.status, line.canonical, notes=(why,)))
        else:
            lines.append(line_read(line, None, live, player))
    return tuple(lines)


def _give(
    desk: Desk, match: Match, live: Live, seat: int, sheet: Sheet
) -> tuple[Sequence[Preview | None], Result | None]:
    """Give the order. Of one that was tried at once the outcome tells about its lines; of one that is kept, how
    things stand on the board now."""
    at_once = live.table.pace == "sequential" and seat in live.table.state.to_move
    result = paces.give(desk, match, live, seat, sheet.text) if at_once else None
    if result is not None and result.moves:
        return table.found(result.moves[0], len(sheet.orders)), result
    previews = table.preview(live.game, live.table, seat, sheet.text, desk.shelf.context(live))
    return previews, result if at_once else paces.give(desk, match, live, seat, sheet.text)


def _counts(result: Result | None) -> Counts:
    if result is None:
        return "stored"
    if result.undecided:
        return "held"
    return "played" if result.moves and result.moves[0].alternative else "refused"


def lines_read(sheet: Sheet, previews: Sequence[Preview | None], live: Live, player: Player) -> tuple[LineRead, ...]:
    by_order = {id(line): preview for line, preview in zip(sheet.orders, previews, strict=True)}
    return tuple(line_read(line, by_order.get(id(line)), live, player) for line in sheet.lines)


def line_read(line: OrderLine, preview: Preview | None, live: Live, player: Player) -> LineRead:
    """What became of one line; an error comes with a right example."""
    if line.error is not None:
        example = sentence(Note("example.place"), player.language, live.game.key)
        return LineRead(
            line.number, line.text, "error", notes=(Note(line.error.code, line.error.params),), example=example
        )
    if line.move is not None and live.game.lasting(line.move) and (preview is None or preview.points is None):
        return LineRead(line.number, line.text, line.status, line.canonical)
    if preview is None:
        order = line.status in ("move", "fallback")
        return LineRead(line.number, line.text, line.status, line.canonical, reached=not order)
    refused = (Note(preview.refused.code, preview.refused.params),) if preview.refused else ()
    return LineRead(
        line.number,
        line.text,
        line.status,
        line.canonical,
        points=None if refused or preview.undecided else preview.points,
        words=word_sums(preview.detail),
        notes=(*refused, *preview.notes),
    )
