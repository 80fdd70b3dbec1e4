"""What turns are worth in points with what may follow them (their *equity*), as far as the strong robot of a game
thinks: by the same reckoning by which it chooses, with an effort that a review can afford.

Nothing here is given a ``State``: all that is known comes from the seat's ``View``, and ``ctx.shuffle`` deals the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Protocol, runtime_checkable

from moderator.common.errors import PlayerError
from moderator.rules.game import Context, Game, View
from moderator.rules.robots import playouts
from moderator.rules.robots.playouts import Redealable

SURE = 2.0
"""A turn counts as better where the mean difference is more than so many times its standard error."""

Equities = Sequence[tuple[Any, Sequence[float]]]
"""(a move, None = nothing played; its equity in each of some worlds, in points, on a scale of the position's own).
The worlds are the same for all moves; a game that deals none has a single one."""


@runtime_checkable
class Assessing(Protocol):
    """Optional: a game whose strong robot thinks in a way of its own says what turns are worth with what may follow
    them. A ``Redealable`` game need not: its turns are played out."""

    def equities(self, view: View[Any], played: Any, points: int, ctx: Context) -> Equities:
        """Return the equities, ``played`` first, a legal turn that brought ``points`` (None = nothing was played), then
        those turns that the strong robot would compare. ``ctx.shuffle`` deals what the seat cannot see, each world by a
        label of its own. () where the strong robot goes by points alone."""
        ...


@runtime_checkable
class Counting(Protocol):
    """Optional: a ``Redealable`` game whose ``standing`` has more in it than points, as a robot needs it: that a match
    is won, say."""

    def by_points(self) -> Redealable:
        """The same game with the lead in points as ``standing``; nothing beyond the end of a match counts."""
        ...


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
    game: Game[Any, Any], view: View[Any], played: Any, points: int, best: Sequence[str], ctx: Context
) -> TurnEquity | None:
    """Compare a turn of the seat of ``view`` (None = nothing was played) with its best ones. ``best``: the turns with
    the most points, best first, in notation. None where the game knows nothing but points, or there is nothing to
    compare."""
    try:
        found = _estimate_equities(game, view, played, points, best, ctx)
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


def _estimate_equities(
    game: Any, view: View[Any], played: Any, points: int, best: Sequence[str], ctx: Context
) -> Equities:
    if isinstance(game, Assessing):
        return game.equities(view, played, points, ctx)
    if not isinstance(game, Redealable) or view.to_move != (view.seat,) or not playouts.can_redeal(game, view):
        return ()
    moves = [played, *_iter_other_moves(game, view, played, best)]
    if len(moves) == 1:
        return ()
    worlds = range(max(playouts.FEWEST, game.effort.reviewed // len(moves)))
    counting = game.by_points() if isinstance(game, Counting) else game
    found = playouts.estimate_playout_equities(counting, view, moves, ctx, worlds, game.effort.ahead)
    return list(zip(moves, found, strict=True))


def _iter_other_moves(game: Any, view: View[Any], played: Any, best: Sequence[str]) -> Iterator[Any]:
    own = "" if played is None else game.format(played)
    yield from (game.parse(text, view) for text in best[: game.effort.moves] if text != own)
