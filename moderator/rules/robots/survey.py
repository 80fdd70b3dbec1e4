"""What a seat could do in a position: every legal turn with its worth, as far as it was searched, and how far that was.

What turns are worth in points with what may follow them (their *equity*) is told as far as the strong robot of a game
thinks: by the same reckoning by which it chooses, with an effort that a review can afford. Pure, and by the contract
alone; a game may know better (``survey_moves``, ``weigh_move``). Nothing here is given a ``State``: all that is known
comes from the seat's ``View``, and ``ctx.shuffle`` deals the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from moderator.common.errors import PlayerError
from moderator.rules.game import Equities, Game, Scope, State
from moderator.rules.robots import playouts
from moderator.rules.state import Context, View, view_for

Found = tuple[str, int]
"""(turn in canonical notation, its worth)."""


@dataclass(frozen=True)
class Survey:
    """The turns that a seat could take."""

    found: tuple[Found, ...]
    """Best first, ties by notation; each turn once. What may be done at any time (pass, exchange, buy) is not in it."""
    scope: Scope

    @property
    def best_worth(self) -> int:
        """The worth of the best of them; 0 where there is none."""
        return self.found[0][1] if self.found else 0


def survey_position(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> Survey:
    """Return the turns that an awaited seat could take. ``ctx.words`` is the dictionary itself: games keep what they
    made of it."""
    view = view_for(state, seat)
    moves, scope = _list_turns(game, state, view, ctx)
    known: dict[str, int] = {}
    for move, points in moves:
        worth = game.weigh_move(view, move, points)
        if worth is not None:
            known[game.format_move(move)] = worth
    return Survey(tuple(sorted(known.items(), key=lambda one: (-one[1], one[0]))), scope)


def _list_turns(
    game: Game[Any, Any], state: State[Any], view: View[Any], ctx: Context
) -> tuple[Iterable[tuple[Any, int]], Scope]:
    if (known := game.survey_moves(view, ctx)) is not None:
        return known
    moves = list(game.list_moves(view, ctx))
    if not game.finds_best:
        return moves, "all" if game.can_list_moves(view) else "some"
    # Its turns are too many to list them all, and nobody but the game knows when they were.
    best = game.choose_greedy(view, ctx)
    if best is not None and view.seat is not None and all(best != move for move, _ in moves):
        moves.append((best, game.apply_move(state, view.seat, best, ctx).points))
    return moves, "some"


SURE = 2.0
"""A turn counts as better where the mean difference is more than so many times its standard error."""


@dataclass(frozen=True)
class TurnEquity:
    """A turn beside the others that were compared."""

    equity: float
    """What it is worth."""
    top: float
    """What the best of those is worth that are surely worth more; of the turn itself where none is."""
    better: Any
    """That one; None where none is."""


def find_turn_equity(
    game: Game[Any, Any], view: View[Any], played: Any, points: int, best: Sequence[str], ctx: Context, in_turns: bool
) -> TurnEquity | None:
    """Compare a turn of the seat of ``view`` (None = nothing was played) with its best ones. ``best``: the turns with
    the most points, best first, in notation. Where not ``in_turns`` nobody knows who plays next, but a game that says
    so itself. None where the game knows nothing but points, or there is nothing to compare."""
    try:
        found = game.estimate_equities(view, played, points, ctx)
        if found is None:
            found = _play_out_turns(game, view, played, best, ctx) if in_turns else ()
    except PlayerError:
        return None  # a word that counted by a ruling is in no dictionary: it cannot be played on
    if len(found) < 2:
        return None
    (_, own), others = found[0], found[1:]
    better_ones = ((fmean(other), move) for move, other in others if _is_surely_better(other, own))
    top, better = max(better_ones, key=lambda one: one[0], default=(fmean(own), None))
    return TurnEquity(fmean(own), top, better)


def _is_surely_better(other: Sequence[float], own: Sequence[float]) -> bool:
    """Return whether ``other`` is worth more, and not only in the worlds that happened to be dealt."""
    more = [a - b for a, b in zip(other, own, strict=True)]
    error = stdev(more) / len(more) ** 0.5 if len(more) > 1 else 0.0
    return fmean(more) > SURE * error


def _play_out_turns(game: Any, view: View[Any], played: Any, best: Sequence[str], ctx: Context) -> Equities:
    if game.effort is None or view.to_move != (view.seat,) or not playouts.can_redeal(game, view):
        return ()
    moves = [played, *_iter_other_moves(game, view, played, best)]
    if len(moves) == 1:
        return ()
    worlds = range(max(playouts.FEWEST, game.effort.reviewed // len(moves)))
    found = playouts.estimate_playout_equities(game.count_by_points(), view, moves, ctx, worlds, game.effort.ahead)
    return list(zip(moves, found, strict=True))


def _iter_other_moves(game: Any, view: View[Any], played: Any, best: Sequence[str]) -> Iterator[Any]:
    own = "" if played is None else game.format_move(played)
    yield from (game.parse_move(text, view) for text in best[: game.effort.moves] if text != own)
