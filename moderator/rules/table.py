"""A match being played: orders in, results out, without clock or database.

Every function takes a ``MatchState`` and gives a new one. Who stores and mails the results is the caller's business;
``replay`` runs the same functions over the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, cast

from moderator.common.errors import Illegal, OperatorError, PlayerError, Undecided
from moderator.rules.game import Game, P, Pace, State, Step, begins_by_lot, is_evaluated
from moderator.rules.log import EngineResult, PlayedMove, Refusal, build_refusal, to_plain_notes, to_plain_value
from moderator.rules.orders.parse import FirstLegal, find_first_legal, keep_standing, list_alternatives, merge_stored
from moderator.rules.position import PLAYERS, Diagram
from moderator.rules.state import Context, M, Note, view_for
from moderator.rules.words import RecordingWords

__all__ = [
    "POSITION",
    "AlternativePreview",
    "EngineResult",
    "MatchState",
    "PlayedMove",
    "Refusal",
    "evaluate_in_state",
    "list_alternative_previews",
    "list_evaluation_order",
    "miss_seat",
    "open_match_state",
    "preview_order",
    "to_diagram",
    "try_order",
    "withdraw_from_state",
]  # fmt: skip

POSITION = "position"
"""Key of a fixed deal under which a whole position stands instead."""
Force = Literal["reject"] | None
"""What to do with words that still wait for a ruling: None = hold everything, "reject" = they do not count."""


@dataclass(frozen=True)
class UndoRequest:
    """A wish that waits for the others' consent."""

    entry: int
    """Everything after this entry of the log is to be undone; 0 = back to the deal."""
    agreed: tuple[int, ...]
    """Seats that want it, the one that asked first."""


@dataclass(frozen=True)
class MatchState(Generic[P]):
    """A match at one moment."""

    state: State[P]
    pace: Pace
    starter: int
    """Seat that began; in pace ``rounds`` the seat evaluated first in round 1."""
    round: int = 1
    """Of the paces ``rounds`` and ``common``."""
    orders: Mapping[int, str] = field(default_factory=dict)
    """Seat -> stored order. In pace ``sequential``: what is tried when its turn comes, kept until it is played,
    replaced or withdrawn (standing orders: until they are withdrawn), and the order held for a ruling. In pace
    ``race``: what has been handed in and not been played yet, for this round only."""
    out: tuple[int, ...] = ()
    """Seats that play no more; their turns are missed as soon as they come."""
    flags: Mapping[int, str] = field(default_factory=dict)
    """Seat -> "wait" or "ready", until the next turn or round."""
    tried: Mapping[int, str] = field(default_factory=dict)
    """Awaited seat -> the last thing it has sent of which nothing was possible and nothing is kept, until its turn or
    the round is over."""
    asked: UndoRequest | None = None
    entries: int = field(default=0, compare=False)
    """Log entries that led here."""

    @property
    def is_simultaneous(self) -> bool:
        """True if all seats are evaluated together, at the ZAT."""
        return self.pace in ("rounds", "common")


@dataclass(frozen=True)
class AlternativePreview:
    """One alternative on the board as it stands now."""

    alternative: int
    """1 = the main move."""
    text: str
    canonical: str = ""
    """"" if it cannot be read."""
    points: int | None = None
    """None = not legal now, or undecided."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    """The public ones and the seat's own; but nothing of the tiles that would be drawn."""
    refused: Refusal | None = None
    undecided: tuple[str, ...] = ()


def open_match_state(
    game: Game[P, M], seats: int, options: Any, ctx: Context, fixed: Mapping[str, Any] | None = None
) -> tuple[MatchState[P], Step[P]]:
    """Deal, or take up the position that ``fixed`` has. The step holds the notes of the opening (forced tiles, who
    starts). Raises DiagramError for a position that cannot be."""
    if options.pace not in game.paces:
        raise OperatorError(f"{game.key} has no pace {options.pace!r}.", f"Possible: {', '.join(game.paces)}.")
    if fixed and POSITION in fixed:
        return _resume_state(game, seats, options, ctx, fixed[POSITION])
    if begins_by_lot(options) and (fixed or {}).get("starter") is None:
        fixed = {**(fixed or {}), "starter": int(ctx.shuffle("round1/first", [str(n) for n in range(seats)])[0])}
    step = game.setup(seats, options, ctx, fixed)
    alone = options.pace not in ("rounds", "common") and step.state.to_move
    starter = step.state.to_move[0] if alone else (fixed or {}).get("starter", 0)
    return MatchState(step.state, options.pace, starter), step


def _resume_state(
    game: Game[P, M], seats: int, options: Any, ctx: Context, values: Mapping[str, Any] | Diagram
) -> tuple[MatchState[P], Step[P]]:
    diagram = values if isinstance(values, Diagram) else Diagram(values, seats)
    step = game.resume(diagram, options, ctx)
    orders = {seat: text for seat in range(seats) if (text := diagram.text("order", seat))}
    out = tuple(seat for seat in range(seats) if diagram.flag("out", seat))
    if len(out) > seats - 2:
        diagram.wrong((PLAYERS, out[-1], "out"), "so nobody is left to play against.")
    together = options.pace in ("rounds", "common")
    round, first = (diagram.round(), diagram.who("starter", 0) or 0) if together else (1, 0)
    if step.state.over and not diagram.faults:
        diagram.wrong(("turn",), "so the match is over, and there is nothing to go on with.")
    diagram.finish()
    table = MatchState(step.state, options.pace, (first - round + 1) % seats, round, orders, out)
    return table, step


def to_diagram(game: Game[Any, Any], table: MatchState[Any]) -> dict[str, Any]:
    """Return the position of a table as a diagram, which ``open_match_state`` takes up. Raises OperatorError for a game
    that has none."""
    found = game.diagram(table.state)
    if found is None:
        raise OperatorError(f"No match of {game.key} can be moved in.", "Its package does not read positions.")
    for seat, player in enumerate(found[PLAYERS]):
        player.update({"order": table.orders[seat]} if seat in table.orders else {})
        player.update({"out": True} if seat in table.out else {})
    return found | ({"starter": list_evaluation_order(table)[0]} if table.is_simultaneous else {})


def preview_order(
    game: Game[P, M], table: MatchState[P], seat: int, text: str, ctx: Context
) -> tuple[AlternativePreview, ...]:
    """Return what each alternative of ``text`` would be worth now, as if it were this seat's turn. Changes nothing and
    draws nothing; the numbers hold only until somebody else moves."""
    state = table.state
    if not state.over and seat not in state.to_move:
        state = replace(state, to_move=(seat,))
    return tuple(
        _preview_alternative(game, state, seat, number, alternative.text, ctx)
        for number, alternative in enumerate(list_alternatives(text, game.style), start=1)
    )


def list_alternative_previews(played: PlayedMove, alternatives: int) -> tuple[AlternativePreview | None, ...]:
    """Return a preview for each alternative of an order that was tried for good: why those before the played one
    failed, what that one was worth; None = not reached."""
    failed = {refused.alternative: refused for refused in played.refused}
    previews: list[AlternativePreview | None] = []
    for number in range(1, alternatives + 1):
        if number == played.alternative:
            name = played.played or ""
            notes = _filter_undrawn_notes(played.notes, played.seat)
            previews.append(AlternativePreview(number, name, name, played.points, played.detail, notes))
        elif number in failed:
            previews.append(AlternativePreview(number, failed[number].text, refused=failed[number]))
        else:
            previews.append(None)
    return tuple(previews)


def try_order(
    game: Game[P, M], table: MatchState[P], seat: int, text: str, ctx: Context, force: Force = None
) -> tuple[MatchState[P], EngineResult]:
    """Take in an order.

    ``rounds`` and ``common``: it replaces the seat's stored one; empty text withdraws it. ``sequential``: the first
    legal alternative is played at once, and what the seat had stored is forgotten but for standing orders. If none is
    legal the seat stays to move, and only a new standing order is kept. If an alternative with an undecided word comes
    first, nothing is played, the order is held in ``table.orders`` and ``result.undecided`` names the words; submit it
    again after the ruling. ``race``: as ``sequential``, but that all seats awaited may act; the caller hands in the
    orders as they arrived.
    """
    if not text.strip():
        return withdraw_from_state(table, seat)
    if table.is_simultaneous:
        if table.state.over:
            raise Illegal("game-over")
        return _advance_state(table, orders={**table.orders, seat: text}), EngineResult()
    recording = RecordingWords(ctx.words)
    blocked = _find_turn_error(table, seat)
    if blocked is not None:
        refused = tuple(
            build_refusal(n, a.text, blocked) for n, a in enumerate(list_alternatives(text, game.style), start=1)
        )
        return _advance_state(table), EngineResult((PlayedMove(seat, text, refused=refused),))
    mode: Literal["hold", "reject"] = force or "hold"
    found = find_first_legal(game, table.state, seat, text, replace(ctx, words=recording, out=table.out), mode)
    rest = {other: order for other, order in table.orders.items() if other != seat}
    if found.undecided and not force:
        held = table.orders if table.orders.get(seat) == text else {**rest, seat: text}
        return _advance_state(table, orders=held), EngineResult(undecided=found.undecided, verdicts=recording.verdicts)
    result = EngineResult(
        (_build_played_move(game, seat, text, found),),
        to_plain_notes(found.step.after if found.step else ()),
        verdicts=recording.verdicts,
        forced=force is not None,
    )
    state = found.step.state if found.step else table.state
    left = _compute_stored_order(game, table, seat, text, found)
    orders = _filter_round_orders(table, state, {**rest, seat: left} if left else rest)
    return _advance_state(
        table, state=state, orders=orders, tried=_filter_refused_orders(table, state, seat, found.step is not None)
    ), result


def _filter_refused_orders(table: MatchState[P], state: State[P], seat: int, over: bool = True) -> Mapping[int, str]:
    """Return the refused orders that are still to be reported when the seat's turn is ``over``, and perhaps the
    round."""
    if table.pace == "race" and state.public.round != table.state.public.round:
        return {}
    return {other: text for other, text in table.tried.items() if other != seat} if over else table.tried


def _compute_stored_order(game: Game[P, M], table: MatchState[P], seat: int, text: str, found: FirstLegal[P, M]) -> str:
    """Return what the seat has stored after ``text`` was tried."""
    view, before = view_for(table.state, seat), table.orders.get(seat, "")
    if found.step is None:
        return merge_stored(game, view, before, text, moves=False)
    if text == before and found.move is not None and game.is_standing_order(found.move):
        return before
    return keep_standing(game, view, text, before)


def _filter_round_orders(table: MatchState[Any], state: State[Any], orders: dict[int, str]) -> dict[int, str]:
    """Return the stored orders that still hold: in pace ``race`` they are for the racks of this round only."""
    ended = state.over or state.public.round != table.state.public.round
    return {} if table.pace == "race" and ended else orders


def withdraw_from_state(table: MatchState[P], seat: int) -> tuple[MatchState[P], EngineResult]:
    """Forget the seat's stored or held order."""
    return _advance_state(
        table, orders={other: text for other, text in table.orders.items() if other != seat}
    ), EngineResult()


def miss_seat(game: Game[P, M], table: MatchState[P], seat: int, ctx: Context) -> tuple[MatchState[P], EngineResult]:
    """Miss the turn of a seat (paces ``sequential`` and ``race``): the ZAT passed and nothing legal of it is here. What
    it has stored is kept, in ``race`` to the end of the round. Raises Illegal if the seat is not awaited, OperatorError
    in the other paces."""
    if table.is_simultaneous:
        raise OperatorError(f"Pace {table.pace} knows no single missed turn.", "Evaluate the round instead.")
    blocked = _find_turn_error(table, seat)
    if blocked is not None:
        raise blocked
    recording = RecordingWords(ctx.words)
    step = game.pass_turn(table.state, seat, replace(ctx, words=recording, out=table.out))
    missed = _build_missed_move(seat, table.tried.get(seat, ""), (), step)
    result = EngineResult((missed,), to_plain_notes(step.after), verdicts=recording.verdicts)
    orders = _filter_round_orders(table, step.state, dict(table.orders))
    return _advance_state(
        table, state=step.state, orders=orders, tried=_filter_refused_orders(table, step.state, seat)
    ), result


def evaluate_in_state(
    game: Game[P, M], table: MatchState[P], ctx: Context, force: Force = None
) -> tuple[MatchState[P], EngineResult]:
    """Evaluate a round at its ZAT. If an alternative that is reached hangs on an undecided word, nothing changes and
    ``result.undecided`` names such words of all seats; ``force="reject"`` takes them as refused. Raises
    Illegal("game-over"), OperatorError in pace ``sequential``."""
    if not table.is_simultaneous:
        raise OperatorError(f"Pace {table.pace} has no round to evaluate.", "Moves are played as they arrive.")
    if table.state.over:
        raise Illegal("game-over")
    recording = RecordingWords(ctx.words)
    run = _evaluate_common if table.pace == "common" else _evaluate_in_turn
    ctx = replace(ctx, words=recording, out=table.out)
    state, result, waiting = run(game, table, ctx, "reject")
    if waiting and force is None:
        # What later seats reach depends on the ruling: look both ways, so that one question does for all.
        waiting = list(dict.fromkeys([*waiting, *run(game, table, ctx, "accept")[2]]))
        return table, EngineResult(undecided=tuple(waiting), verdicts=recording.verdicts)
    result = replace(result, verdicts=recording.verdicts, forced=force is not None)
    return _advance_state(table, state=state, orders={}, tried={}, round=table.round + 1), result


def list_evaluation_order(table: MatchState[Any]) -> tuple[int, ...]:
    """List the seats in the order in which this round evaluates them; the starting seat moves on by one each round."""
    seats = table.state.seats
    return tuple((table.starter + table.round - 1 + n) % seats for n in range(seats))


def _evaluate_in_turn(
    game: Game[P, M], table: MatchState[P], ctx: Context, mode: Literal["reject", "accept"]
) -> tuple[State[P], EngineResult, list[str]]:
    state, moves, waiting = table.state, [], list[str]()
    after: tuple[Note, ...] = ()
    for seat in list_evaluation_order(table):
        if seat not in state.to_move:
            continue
        text = table.orders.get(seat, "")
        found = find_first_legal(game, state, seat, text, ctx, mode)
        waiting += found.undecided
        if found.step is not None:
            moves.append(_build_played_move(game, seat, text, found))
            state = found.step.state
            after += found.step.after
        else:
            step = game.pass_turn(state, seat, ctx)
            moves.append(_build_missed_move(seat, text or table.tried.get(seat, ""), found.refused, step))
            state = step.state
            after += step.after
    closing = game.close_round(state, ctx) if is_evaluated(game, state) else Step(state)
    return closing.state, EngineResult(tuple(moves), to_plain_notes((*after, *closing.notes, *closing.after))), waiting


def _evaluate_common(
    game: Game[P, M], table: MatchState[P], ctx: Context, mode: Literal["reject", "accept"]
) -> tuple[State[P], EngineResult, list[str]]:
    seats = [seat for seat in list_evaluation_order(table) if seat in table.state.to_move]
    texts = {seat: table.orders.get(seat, "") for seat in seats}
    found = {seat: find_first_legal(game, table.state, seat, texts[seat], ctx, mode) for seat in seats}
    waiting = [word for one in found.values() for word in one.undecided]
    if mode == "accept":
        # Only asked for the words that it waits for; on one common board nothing depends on the outcome.
        return table.state, EngineResult(), waiting
    step = game.evaluate_round(table.state, {seat: one.move for seat, one in found.items()}, ctx)
    names = [_format_played(game, one) for one in found.values() if one.step is not None]
    lines = {line["seat"]: line for line in step.detail.get("seats", ())}
    laid = step.detail.get("laid") or {"seats": ()}
    moves = tuple(
        replace(
            _build_played_move(game, seat, texts[seat] or table.tried.get(seat, ""), one),
            points=lines.get(seat, {}).get("points", 0),
            notes=to_plain_notes(note for note in step.notes if note.seat == seat),
            laid=seat in laid["seats"],
            same=max(0, names.count(_format_played(game, one)) - 1) if one.step is not None else 0,
        )
        for seat, one in sorted(found.items())
    )
    return step.state, EngineResult(moves, to_plain_notes(note for note in step.notes if note.seat is None)), waiting


def _preview_alternative(
    game: Game[P, M], state: State[P], seat: int, number: int, text: str, ctx: Context
) -> AlternativePreview:
    canonical = ""
    try:
        move = game.parse_move(text, view_for(state, seat))
        canonical = game.format_move(move)
        if game.is_standing_order(move):
            return AlternativePreview(number, text, canonical)
        step = game.apply_move(state, seat, move, ctx)
    except Undecided as error:
        return AlternativePreview(number, text, canonical, undecided=error.words)
    except PlayerError as error:
        return AlternativePreview(number, text, canonical, refused=build_refusal(number, text, error))
    return AlternativePreview(
        number,
        text,
        canonical,
        step.points,
        to_plain_value(step.detail),
        to_plain_notes(_filter_undrawn_notes(step.notes, seat)),
    )


def _filter_undrawn_notes(notes: Iterable[Note], seat: int) -> tuple[Note, ...]:
    """Return a seat's notes but for its draw, which would tell the stock before the move is made."""
    return tuple(note for note in notes if note.seat == seat and not note.code.startswith("drew"))


def _find_turn_error(table: MatchState[Any], seat: int) -> Illegal | None:
    if table.state.over:
        return Illegal("game-over")
    if seat not in table.state.to_move:
        awaited = list(table.state.to_move)
        return (
            Illegal("not-awaited", seats=awaited) if table.pace == "race" else Illegal("not-your-turn", seats=awaited)
        )
    return None


def _format_played(game: Game[P, M], found: FirstLegal[P, M]) -> str:
    """Return the canonical notation of the move as it was played; "" if none was."""
    if found.step is None:
        return ""
    return game.format_move(cast(M, found.move if found.step.played is None else found.step.played))


def _build_played_move(game: Game[P, M], seat: int, text: str, found: FirstLegal[P, M]) -> PlayedMove:
    if found.step is None:
        return PlayedMove(seat, text, refused=found.refused)
    step = found.step
    return PlayedMove(
        seat=seat,
        text=text,
        played=_format_played(game, found),
        alternative=found.alternative,
        points=step.points,
        detail=to_plain_value(step.detail),
        refused=found.refused,
        notes=to_plain_notes(step.notes),
    )


def _build_missed_move(seat: int, text: str, refused: tuple[Refusal, ...], step: Step[Any]) -> PlayedMove:
    notes = to_plain_notes(step.notes)
    return PlayedMove(seat, text, points=step.points, detail=to_plain_value(step.detail), refused=refused, notes=notes)


def _advance_state(table: MatchState[P], **changes: Any) -> MatchState[P]:
    """Return the table one entry later. A turn that is over takes along the signs of who had it, and any wish to
    undo."""
    if changes.get("state", table.state) is not table.state:
        awaited = table.state.to_move
        changes["flags"] = {seat: flag for seat, flag in table.flags.items() if seat not in awaited}
        changes["asked"] = None
    return replace(table, entries=table.entries + 1, **changes)


Flag = Literal["wait", "ready", ""]


def list_active_seats(table: MatchState[Any]) -> tuple[int, ...]:
    """List the seats that still play."""
    return tuple(seat for seat in range(table.state.seats) if seat not in table.out)


def retire_in_state(table: MatchState[P], seat: int) -> MatchState[P]:
    """Retire a seat, which plays no more: what it has stored is gone, each of its turns passes at once, and it cannot
    win. Raises Illegal("game-over") or Illegal("already-out")."""
    if table.state.over:
        raise Illegal("game-over")
    if seat in table.out:
        raise Illegal("already-out", seat=seat)
    orders, tried = _remove_seat(table.orders, seat), _remove_seat(table.tried, seat)
    return replace(table, out=tuple(sorted({*table.out, seat})), orders=orders, tried=tried, asked=None)


def replace_holder_in_state(table: MatchState[P], seat: int) -> MatchState[P]:
    """Give a seat to another player: it plays (again), and nothing of what was stored for it is left."""
    orders, flags, tried = (_remove_seat(kept, seat) for kept in (table.orders, table.flags, table.tried))
    return replace(table, out=tuple(s for s in table.out if s != seat), orders=orders, flags=flags, tried=tried)


def stop_in_state(table: MatchState[P]) -> MatchState[P]:
    """End the game as it stands. Raises Illegal("game-over") if it has ended already."""
    if table.state.over:
        raise Illegal("game-over")
    return replace(table, state=replace(table.state, to_move=()), orders={}, flags={}, asked=None)


def set_flag_in_state(table: MatchState[P], seat: int, sign: Flag) -> MatchState[P]:
    """Set the sign of a seat. "wait": evaluate nothing before the ZAT, try nothing stored of this seat; "ready": it is
    content as it is; "": neither. Holds until the next turn or round."""
    others = _remove_seat(table.flags, seat)
    return replace(table, flags={**others, seat: sign} if sign else others)


def record_refused_in_state(table: MatchState[P], seat: int, text: str) -> MatchState[P]:
    """Record that the awaited seat has sent something of which nothing was possible: nothing else of it is kept."""
    return replace(table, tried={**_remove_seat(table.tried, seat), seat: text})


def _remove_seat(kept: Mapping[int, str], seat: int) -> dict[int, str]:
    return {other: text for other, text in kept.items() if other != seat}


def ask_undo_in_state(table: MatchState[P], seat: int, entry: int) -> MatchState[P]:
    """Ask for ``seat`` that everything after log entry number ``entry`` be undone; or agree, if that is asked for
    already."""
    before = table.asked
    agreed = before.agreed if before is not None and before.entry == entry else ()
    return replace(table, asked=UndoRequest(entry, (*(s for s in agreed if s != seat), seat)))


def refuse_undo_in_state(table: MatchState[P]) -> MatchState[P]:
    return replace(table, asked=None)
