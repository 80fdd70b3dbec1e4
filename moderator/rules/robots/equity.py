"""What turns are worth in points with what may follow them (their *equity*), as far as the strong robot of a game
thinks: by the same reckoning by which it chooses, with an effort that a review can afford.

Nothing here is given a ``State``: all that is known comes from the seat's ``View``, and ``ctx.shuffle`` deals the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from moderator.common.errors import PlayerError
from moderator.rules.game import Equities, Game
from moderator.rules.robots import playouts
from moderator.rules.state import Context, View

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
