"""Moves that no person chose: a player without a face takes the one with the most points (for demos, tests and empty
seats), an example is the one with the fewest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from moderator.common.enums import Level
from moderator.rules.game import Context, Game, State, View, view_for
from moderator.rules.robots import lots, playouts
from moderator.rules.robots.playouts import Redealable
from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.rules.words import filter_robot_words


@runtime_checkable
class Greedy(Protocol):
    """A game whose turns are too many to list them all finds a best one by itself."""

    def greedy(self, view: View[Any], ctx: Context) -> Any:
        """Return the move to take; None without a legal one."""
        ...


@runtime_checkable
class Levelled(Protocol):
    """A game that plays some levels in a way of its own."""

    own_levels: frozenset[Level]

    def at_level(self, level: Level, view: View[Any], ctx: Context) -> Any:
        """Return the move of a robot of one of these levels; None without a legal one."""
        ...


@runtime_checkable
class Idling(Protocol):
    """A game in which there is something better to do without a legal move than its ``pass_text``."""

    def without_move(self, view: View[Any]) -> Any:
        """The move that is no laying."""
        ...


def choose_robot_move(
    game: Game[Any, Any], state: State[Any], seat: int, ctx: Context, level: Level = Level.CLUB
) -> str:
    """Return the move of a robot of that level in canonical notation, made of what the seat sees. Without a legal move
    the game's ``pass_text`` ("" where it has none). It lays no word that one source alone knows; a beginner lays
    everyday words, as long as there is one to lay."""
    view = view_for(state, seat)
    known = filter_robot_words(ctx.words, TWICE)
    everyday = filter_robot_words(ctx.words, EVERYDAY) if level is Level.BEGINNER and game.uses_words else known
    for words in (known,) if everyday is known else (everyday, known):
        move = _find_level_move(game, view, replace(ctx, words=words), level)
        if move:
            return move
    return game.format(game.without_move(view)) if isinstance(game, Idling) else str(getattr(game, "pass_text", ""))


def _find_level_move(game: Game[Any, Any], view: View[Any], ctx: Context, level: Level) -> str:
    """Return the move of that level, as the game itself finds it or as all do; "" where there is none."""
    if isinstance(game, Levelled) and level in game.own_levels:
        move = game.at_level(level, view, replace(ctx, shuffle=playouts.build_world_shuffle(game, view)))
        return "" if move is None else game.format(move)
    return {Level.BEGINNER: _choose_like_learner, Level.CLUB: _choose_best, Level.STRONG: _choose_by_playouts}[level](
        game, view, ctx
    )


def _choose_best(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the move with the most points; of several the first by its text, or as the game's own ``greedy`` has
    it."""
    if isinstance(game, Greedy):
        move = game.greedy(view, ctx)
        return "" if move is None else game.format(move)
    found = _rank_view_moves(game, view, ctx)
    return game.format(lots.choose_best(found, playouts.build_world_shuffle(game, view))) if found else ""


THOUGHT_OF = 2500
"""Moves among which a beginner takes one, the first that the game finds: a crossword can have tens of thousands."""


def _choose_like_learner(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Choose the best of the moves that it sees, or one of the better half."""
    found = [
        (move, _get_move_worth(game, view, move, points)) for move, points in islice(game.moves(view, ctx), THOUGHT_OF)
    ]
    return game.format(lots.choose_as_learner(found, playouts.build_world_shuffle(game, view))) if found else ""


def _get_move_worth(game: Game[Any, Any], view: View[Any], move: Any, points: int) -> int:
    """Return the points of a move; where it brings none by itself, the tiles of which it rids (``survey.Weighing``)."""
    weigh = getattr(game, "weigh", None)
    return points if weigh is None else weigh(view, move) or 0


def _choose_by_playouts(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the move that looking ahead finds; where a game cannot, or there is nothing to choose, as at ``CLUB``."""
    if not isinstance(game, Redealable):
        return _choose_best(game, view, ctx)
    found = _rank_view_moves(game, view, ctx)
    if len(found) < 2 or not playouts.can_redeal(game, view):
        return _choose_best(game, view, ctx)
    return game.format(playouts.choose_by_playouts(game, view, ctx, found))


def _rank_view_moves(game: Game[Any, Any], view: View[Any], ctx: Context) -> list[tuple[Any, int]]:
    """Return all legal moves with their points, best first, ties by notation."""
    return _sort_moves(game, game.moves(view, ctx))


def _sort_moves(game: Game[Any, Any], moves: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    return sorted(moves, key=lambda found: (-found[1], game.format(found[0])))


def rank_moves(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> list[tuple[str, int]]:
    """Return all legal moves of a seat as (notation, points), best first, ties by notation."""
    return [(game.format(move), points) for move, points in _rank_view_moves(game, view_for(state, seat), ctx)]


# ---- moves that mails show as examples ----
#
# They come from here and nowhere else, and can be played where they are shown.
#
# An example must not play for its reader: of the legal moves it is the one with the fewest points. It is worked out
# from what the reader sees, so it tells nothing hidden. Where finding a move costs time (words), or there is none, the
# mail shows the pattern that the game's sentences have (``example.place``), and says that it is one.


LOOKED_AT = 60
"""Of so many moves, the first that the game finds, the lowest is shown: a mail must not wait for more."""


@runtime_checkable
class Exemplary(Protocol):
    """Optional: a game that knows what its own sentences show, besides a move."""

    def examples(self, view: View[Any]) -> Mapping[str, str]:
        """Return a mapping, placeholder of ``how-to-…`` -> what stands there for this reader now. A sentence with a
        placeholder that is missing is left out. ``pattern`` names the code of the pattern that suits the position,
        where that is not ``example.place``."""
        ...


def example_moves(game: Game[Any, Any], view: View[Any], ctx: Context) -> dict[str, str]:
    """Return all that examples for the seat of this view are made of: what the game gives, and as ``move``, in
    canonical notation, a move that it could play now if it were its turn; without one, no ``move``."""
    found = dict(game.examples(view)) if isinstance(game, Exemplary) else {}
    if view.seat is not None and not game.uses_words and (move := _find_lowest_move(game, view, view.seat, ctx)):
        found["move"] = move
    return found


def _find_lowest_move(game: Game[Any, Any], view: View[Any], seat: int, ctx: Context) -> str:
    """Return the move with the fewest points, of equal ones the first by its text; "" without any."""
    at_turn = replace(view, to_move=(seat,))
    moves = ((points, game.format(move)) for move, points in islice(game.moves(at_turn, ctx), LOOKED_AT))
    return min(moves, default=(0, ""))[1]
