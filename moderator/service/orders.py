"""The orders in one match's lines of a mail: read, given, and every line answered for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moderator.common.mails import Line
from moderator.language.messages import render_note, render_round_noun
from moderator.notifications.pages import LineOutcome, Receipt
from moderator.rules import outcomes, table
from moderator.rules.log import EngineResult, PlayedMove
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.orders.parse import OrderLine, ParsedOrders, list_alternatives, parse_order_lines
from moderator.rules.outcomes import (
    Accepted,
    CommandDone,
    MatchOnHold,
    OrderDecision,
    OrderEvaluated,
    OrderIllegal,
    OrderLate,
    OrderMissing,
    OrderPlayed,
    OrderStored,
    OrderStoredIllegal,
    OrderUndecided,
    RoundPassed,
    StandingOrderStored,
)
from moderator.rules.robots import choose
from moderator.rules.state import Note, view_for
from moderator.rules.table import AlternativePreview
from moderator.service import questions
from moderator.service.match.match import Match
from moderator.store.tables import PlayerRow, SeatRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_view import list_word_scores


def answer_order_lines(
    match: Match, player: PlayerRow, seat: SeatRow, lines: Sequence[Line], answered: int = 0
) -> Receipt:
    """Submit the order that the lines make, and say of each line what became of it. ``answered``: the round that our
    mail was about which they answer; 0 = none, or nobody knows."""
    sheet = parse_seat_lines(match.live, seat.number, lines)
    right = find_example_line(match.live, seat.number, player.language) if sheet.errors else ""
    if not sheet.text:
        if wrong := [line.text for line in sheet.errors]:
            match.record_refused(seat.number, "; ".join(wrong))
        return Receipt(OrderMissing(), tuple(build_line_outcome(line, None, match.live, right) for line in sheet.lines))
    why = (
        _find_seat_refusal(match, seat)
        or _find_race_refusal(match.live, seat.number, sheet)
        or _find_outdated_moves(sheet, answered, match.live, player)
    )
    if why is not None:
        return Receipt(
            OrderLate() if why.code == "too-late" else OrderIllegal(),
            _build_refused_lines(sheet, why, match.live, right),
        )
    before = match.live.table.orders.get(seat.number, "")
    previews, result = _submit_and_preview(match, seat.number, sheet)
    undecided = tuple(dict.fromkeys(word for preview in previews if preview for word in preview.undecided))
    if undecided and result is None:
        questions.ask_word_ruling(match.work, match.row, undecided)
    decided = (
        _classify_result(result, undecided)
        if result
        else _classify_stored_order(match.live, seat.number, sheet, previews, undecided)
    )
    read = build_line_outcomes(sheet, previews, match.live, right)
    if before and _is_stored_decision(decided):
        same = match.live.table.orders.get(seat.number, "") == before
        read = _with_first_move_note(read, Note("same-order") if same else Note("replaces-order", {"order": before}))
    return Receipt(decided, read)


def _is_stored_decision(decided: OrderDecision) -> bool:
    return isinstance(decided, Accepted | StandingOrderStored | RoundPassed)


def _classify_stored_order(
    live: LiveMatch,
    seat: int,
    parsed: ParsedOrders,
    previews: Sequence[AlternativePreview | None],
    words: tuple[str, ...],
) -> OrderDecision:
    """Classify an order that is stored by what it is worth as things stand. ``words`` of it wait for a ruling."""
    if live.table.pace == "race":
        passed = live.game.pass_text
        return RoundPassed() if live.table.orders.get(seat) == passed else OrderStored(words)
    if all(live.game.is_standing_order(line.move) for line in parsed.orders):
        return StandingOrderStored()
    tried = [preview for preview in previews if preview and (preview.points is not None or preview.undecided)]
    if not tried:
        return OrderStoredIllegal(words)
    return OrderUndecided(words) if tried[0].undecided else OrderStored(words)


def revise_decision(
    match: Match, seat: int, decided: OrderDecision, read: list[LineOutcome], results: Sequence[EngineResult]
) -> tuple[OrderDecision, list[LineOutcome]]:
    """Decide again after all that the mail has led to (``results``): it may have completed the round. Then what came of
    each line is what the evaluation made of it."""
    live = match.live
    plays = live.table.is_simultaneous and seat not in live.table.out
    own = [move for result in results for move in result.moves if move.seat == seat] if plays else []
    if own and (_is_stored_decision(decided) or isinstance(decided, CommandDone | OrderMissing)):
        evaluated = [_revise_line_outcome(line, own[0], live) for line in read]
        return OrderEvaluated(possible=own[0].alternative > 0), evaluated
    if live.table.is_simultaneous and match.row.held and _is_stored_decision(decided):
        return MatchOnHold(outcomes.list_undecided_words(decided)), read
    return decided, read


def _revise_line_outcome(line: LineOutcome, move: PlayedMove, live: LiveMatch) -> LineOutcome:
    """Replace what a move was worth on the board before the evaluation by what the evaluation made of it."""
    tried = [alternative.text for alternative in list_alternatives(move.text, live.game.style)]
    if line.status not in ("move", "fallback") or line.canonical not in tried or line.canonical == AFTER_DRAW_TEXT:
        return line
    preview = table.list_alternative_previews(move, len(tried))[tried.index(line.canonical)]
    if preview is None:
        return replace(line, points=None, words=(), notes=(), reached=False)
    if (refused := preview.refused) is not None:
        return replace(line, points=None, words=(), notes=(Note(refused.code, refused.params),))
    return replace(line, points=preview.points, words=list_word_scores(preview.detail))


def _with_first_move_note(read: Sequence[LineOutcome], note: Note) -> tuple[LineOutcome, ...]:
    """Add a note to the first move, which says what the move takes the place of, or that it was here already."""
    at = next(
        (n for n, line in enumerate(read) if line.status == "move" and (line.notes or line.points is not None)), -1
    )
    return tuple(replace(line, notes=(*line.notes, note)) if n == at else line for n, line in enumerate(read))


def preview_lines(match: Match, player: PlayerRow, seat: SeatRow, lines: Sequence[Line]) -> tuple[LineOutcome, ...]:
    """Preview what the lines would be worth on the board as it stands, as if it were the seat's turn. Nothing is
    stored."""
    sheet = parse_seat_lines(match.live, seat.number, lines)
    previews: Sequence[AlternativePreview] = ()
    if sheet.text:
        previews = table.preview_order(
            match.live.game, match.live.table, seat.number, sheet.text, match.build_context()
        )
    right = find_example_line(match.live, seat.number, player.language) if sheet.errors else ""
    return build_line_outcomes(sheet, previews, match.live, right)


def find_example_line(live: LiveMatch, seat: int, language: str) -> str:
    """Find a move that the seat could play now, or the game's pattern of one."""
    found = choose.example_moves(live.game, view_for(live.table.state, seat), live.context)
    return found.get("move") or render_note(Note(found.get("pattern", "example.place"), found), language, live.game.key)


def parse_seat_lines(live: LiveMatch, seat: int, lines: Sequence[Line]) -> ParsedOrders:
    view = view_for(live.table.state, seat)
    return parse_order_lines(
        lines, lambda text: live.game.parse_move(text, view), live.game.format_move, live.game.style
    )


def _find_seat_refusal(match: Match, seat: SeatRow) -> Note | None:
    """Find the reason for which no order of this seat is taken now, whatever it says."""
    if seat.number in match.live.table.out:
        return Note("seat-is-out", {"match": match.row.code})
    if names := [match.players[one].name for one in match.awaited.list_unconfirmed()]:
        return Note("move-in-first", {"names": names})
    if match.is_mail_too_late(seat.number):
        return Note("too-late", {"deadline": match.row.deadline, "arrived": match.work.received_at})
    return None


def _find_race_refusal(live: LiveMatch, seat: int, parsed: ParsedOrders) -> Note | None:
    """Find the note on a race order that is stored already: in a race what was handed in first stands until it is
    withdrawn; nothing else is looked at until then."""
    stands = live.table.orders.get(seat, "") if live.table.pace == "race" else ""
    if not stands or " ".join(stands.split()) == " ".join(parsed.text.split()):
        return None
    return Note("race-given-up" if stands == live.game.pass_text else "race-stands")


def _find_outdated_moves(parsed: ParsedOrders, answered: int, live: LiveMatch, player: PlayerRow) -> Note | None:
    """Find the note on moves that name places of a round that is over: where each round is dealt anew, these are other
    places now. Standing orders name none."""
    now = live.table.state.public.round
    if not live.game.seeded_rounds or not 0 < answered < now:
        return None
    moves = [line.canonical for line in parsed.orders if not live.game.is_standing_order(line.move)]
    noun = render_round_noun(player.language, live.game.key)
    return Note("older-round", {"noun": noun, "answered": answered, "round": now, "order": moves[0]}) if moves else None


def _build_refused_lines(parsed: ParsedOrders, why: Note, live: LiveMatch, right: str) -> tuple[LineOutcome, ...]:
    lines = []
    for line in parsed.lines:
        if line.status in ("move", "fallback"):
            lines.append(
                LineOutcome(line.number, line.text, line.status, line.canonical, notes=(why,), is_drawn=line.is_drawn)
            )
        else:
            lines.append(build_line_outcome(line, None, live, right))
    return tuple(lines)


def _submit_and_preview(
    match: Match, seat: int, parsed: ParsedOrders
) -> tuple[Sequence[AlternativePreview | None], EngineResult | None]:
    """Submit the order. Of one that was tried at once the outcome tells about its lines; of one that is stored, how
    things stand on the board now."""
    at_once = match.live.table.pace == "sequential" and seat in match.live.table.state.to_move
    result = match.submit_order(seat, parsed.text) if at_once else None
    if result is not None and result.moves:
        return table.list_alternative_previews(result.moves[0], len(parsed.orders)), result
    previews = table.preview_order(match.live.game, match.live.table, seat, parsed.text, match.build_context())
    return previews, result if at_once else match.submit_order(seat, parsed.text)


def _classify_result(result: EngineResult, words: tuple[str, ...]) -> OrderDecision:
    if result.undecided:
        return MatchOnHold(words)
    return OrderPlayed() if result.moves and result.moves[0].alternative else OrderIllegal()


def build_line_outcomes(
    parsed: ParsedOrders, previews: Sequence[AlternativePreview | None], live: LiveMatch, right: str
) -> tuple[LineOutcome, ...]:
    by_order = {id(line): preview for line, preview in zip(parsed.orders, previews, strict=True)}
    return tuple(build_line_outcome(line, by_order.get(id(line)), live, right) for line in parsed.lines)


def build_line_outcome(line: OrderLine, preview: AlternativePreview | None, live: LiveMatch, right: str) -> LineOutcome:
    """Build what became of one line; an error comes with a right one."""
    return replace(_build_line_outcome(line, preview, live, right), is_drawn=line.is_drawn)


def _build_line_outcome(
    line: OrderLine, preview: AlternativePreview | None, live: LiveMatch, right: str
) -> LineOutcome:
    if line.error is not None:
        why = Note(line.error.code, line.error.params)
        return LineOutcome(line.number, line.text, "error", notes=(why,), example=right)
    if line.move is not None and live.game.is_standing_order(line.move) and (preview is None or preview.points is None):
        return LineOutcome(line.number, line.text, line.status, line.canonical)
    if preview is None:
        order = line.status in ("move", "fallback")
        return LineOutcome(line.number, line.text, line.status, line.canonical, reached=not order)
    refused = (Note(preview.refused.code, preview.refused.params),) if preview.refused else ()
    # Which place a solution has, nobody knows before the round is over; this one was tried as if it were the first.
    placed = live.table.pace == "race" and bool(preview.points)
    return LineOutcome(
        line.number,
        line.text,
        line.status,
        line.canonical,
        points=None if refused or preview.undecided else preview.points,
        words=list_word_scores(preview.detail),
        notes=(*refused, *(note for note in preview.notes if not placed or note.only is not None)),
    )
