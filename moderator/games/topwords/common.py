"""Pace ``common``: everybody plays the same rack, everybody scores, the best move is laid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Note, State, Step
from moderator.games.topwords.notation import write
from moderator.games.topwords.referee import Ruling, rule
from moderator.games.topwords.state import LETTERS, Move, Place, Public
from moderator.games.topwords.turns import all_passed, finish, out_of_tiles, refill, take

_SORT_AS = str.maketrans("ÄÖÜ", "AOU")


def settle(state: State[Public], choices: Mapping[int, Move | None], ctx: Context) -> Step[Public]:
    """Score each seat's placement on the board as it stands, lay the best one, refill, perhaps end.

    A pass, None and a missing seat all mean: no move. Raises Illegal or Undecided if a placement is not
    admissible; the caller has chosen admissible ones.
    """
    rulings: dict[int, Ruling] = {}
    for seat in range(state.seats):
        move = choices.get(seat)
        if isinstance(move, Place):
            rulings[seat] = rule(state, seat, move, ctx)
    scores = tuple(old + (rulings[s].points if s in rulings else 0) for s, old in enumerate(state.scores))
    state = replace(state, scores=scores)
    detail: dict[str, Any] = {"seats": [_line(seat, rulings.get(seat)) for seat in range(state.seats)], "laid": None}
    notes = [note for seat in sorted(rulings) for note in rulings[seat].notes]
    notes += [Note("passed", seat=seat) for seat in range(state.seats) if seat not in rulings]
    best = min(rulings.values(), key=_rank, default=None)
    if best is not None:
        same = [seat for seat, ruling in rulings.items() if _key(ruling.played) == _key(best.played)]
        detail["laid"] = {"move": write(best.played), "seats": same, "words": list(best.words), "points": best.points}
    state, drawn = _lay(state, best)
    notes += drawn
    state, ending = _next_round(state, best is not None)
    return Step(
        state,
        (*notes, *ending),
        points=best.points if best else 0,
        played=best.played if best else None,
        detail=detail,
    )


def _line(seat: int, ruling: Ruling | None) -> dict[str, Any]:
    if ruling is None:
        return {"seat": seat, "points": 0, "words": [], "move": None}
    return {"seat": seat, "points": ruling.points, "words": list(ruling.words), "move": write(ruling.played)}


def _key(move: Place) -> tuple[str, str, str]:
    return move.square, move.direction, move.word


def _rank(ruling: Ruling) -> tuple[Any, ...]:
    """Best first: points, then the alphabet (Ä right after A), then the lower square, then w before s."""
    move = ruling.played
    square = LETTERS.index(move.square[0]), int(move.square[1:])
    return -ruling.points, move.word.translate(_SORT_AS), move.word, square, -ord(move.direction)


def _lay(state: State[Public], best: Ruling | None) -> tuple[State[Public], list[Note]]:
    public = state.public
    if best is None:
        return replace(state, public=replace(public, passes=public.passes + state.seats)), []
    laid = best.laying.laid
    hand, stock, tiles = refill(
        take(state.hands[0], [letter for _, letter in laid]), state.stock, public.options.common_rack
    )
    public = replace(public, board=best.laying.board, passes=0, fresh=tuple(s for s, _ in laid), runs=best.laying.runs)
    # The common rack is no secret, so its tiles are named to all.
    notes = [Note("common-drew", {"count": len(tiles), "tiles": list(tiles)})] if tiles else []
    return replace(state, public=public, hands=(hand,), stock=stock), notes


def _next_round(state: State[Public], laid: bool) -> tuple[State[Public], tuple[Note, ...]]:
    public = state.public
    options = public.options
    ending = out_of_tiles(state)
    if ending is None and options.common_end:
        if not laid:
            ending = Note("common-no-move")
        elif len(state.hands[0]) < options.common_rack:
            ending = Note("common-rack-short", {"count": len(state.hands[0]), "size": options.common_rack})
    if ending is None:
        ending = all_passed(state)
    if ending is None and public.round == options.rounds:
        ending = Note("rounds-reached", {"rounds": public.round})
    if ending:
        return finish(state, ending)
    return replace(state, public=replace(public, round=public.round + 1)), ()
