"""Moves that no person chose: a player without a face takes the one with the most points (for demos, tests and empty
seats), an example is the one with the fewest.

Among moves of which each is worth something the choice is never made by their spelling; equal ones are chosen by lot.
The lot hangs on the shuffle that is handed in, so that the same move comes out each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from moderator.common.enums import Level
from moderator.rules.game import Game, Shuffle, State
from moderator.rules.robots import playouts
from moderator.rules.state import Context, View, view_for
from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.rules.words import filter_robot_words

T = TypeVar("T")
Worth = float

CHANCES = 10
"""Lots that a beginner draws from ..."""
HITS = 4
"""... of which so many let it find the best move."""


def choose_best(found: Sequence[tuple[T, Worth]], shuffle: Shuffle) -> T:
    """Choose one of the moves that are worth most. ``found`` must not be empty."""
    most = max(worth for _, worth in found)
    return _draw_one([move for move, worth in found if worth == most], shuffle, "best")


def choose_as_learner(found: Sequence[tuple[T, Worth]], shuffle: Shuffle) -> T:
    """Choose the best move with a probability of ``HITS`` in ``CHANCES``, else one of the better half, whichever.
    ``found`` must not be empty."""
    if _draw_one(range(CHANCES), shuffle, "hit") < HITS:
        return choose_best(found, shuffle)
    order = shuffle("half", [str(number) for number in range(len(found))])
    by_worth = sorted(map(int, order), key=lambda number: -found[number][1])
    return found[_draw_one(by_worth[: (len(found) + 1) // 2], shuffle, "one")][0]


def _draw_one(items: Sequence[T], shuffle: Shuffle, label: str) -> T:
    return items[int(shuffle(label, [str(number) for number in range(len(items))])[0])] if len(items) > 1 else items[0]


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
    idle = game.choose_idle_move(view)
    return game.pass_text if idle is None else game.format_move(idle)


def _find_level_move(game: Game[Any, Any], view: View[Any], ctx: Context, level: Level) -> str:
    """Return the move of that level, as the game itself finds it or as all do; "" where there is none."""
    if level in game.own_levels:
        move = game.choose_for_level(level, view, replace(ctx, shuffle=playouts.build_world_shuffle(game, view)))
        return "" if move is None else game.format_move(move)
    return {Level.BEGINNER: _choose_like_learner, Level.CLUB: _choose_best, Level.STRONG: _choose_by_playouts}[level](
        game, view, ctx
    )


def _choose_best(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the move with the most points; of several the first by its text, or as the game itself finds
    it."""
    if game.finds_best:
        move = game.choose_greedy(view, ctx)
        return "" if move is None else game.format_move(move)
    found = _rank_view_moves(game, view, ctx)
    return game.format_move(choose_best(found, playouts.build_world_shuffle(game, view))) if found else ""


THOUGHT_OF = 2500
"""Moves among which a beginner takes one, the first that the game finds: a crossword can have tens of thousands."""


def _choose_like_learner(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Choose the best of the moves that it sees, or one of the better half."""
    # Where a move brings no points by itself, it is as good as the tiles of which it rids.
    listed = islice(game.list_moves(view, ctx), THOUGHT_OF)
    found = [(move, game.weigh_move(view, move, points) or 0) for move, points in listed]
    return game.format_move(choose_as_learner(found, playouts.build_world_shuffle(game, view))) if found else ""


def _choose_by_playouts(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the move that looking ahead finds; where a game cannot, or there is nothing to choose, as at ``CLUB``."""
    if game.effort is None:
        return _choose_best(game, view, ctx)
    found = _rank_view_moves(game, view, ctx)
    if len(found) < 2 or not playouts.can_redeal(game, view):
        return _choose_best(game, view, ctx)
    return game.format_move(playouts.choose_by_playouts(game, view, ctx, found))


def _rank_view_moves(game: Game[Any, Any], view: View[Any], ctx: Context) -> list[tuple[Any, int]]:
    """Return all legal moves with their points, best first, ties by notation."""
    return _sort_moves(game, game.list_moves(view, ctx))


def _sort_moves(game: Game[Any, Any], moves: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    return sorted(moves, key=lambda found: (-found[1], game.format_move(found[0])))


def rank_moves(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> list[tuple[str, int]]:
    """Return all legal moves of a seat as (notation, points), best first, ties by notation."""
    return [(game.format_move(move), points) for move, points in _rank_view_moves(game, view_for(state, seat), ctx)]


# ---- moves that mails show as examples ----
#
# They come from here and nowhere else, and can be played where they are shown.
#
# An example must not play for its reader: of the legal moves it is the one with the fewest points. It is worked out
# from what the reader sees, so it tells nothing hidden. Where finding a move costs time (words), or there is none, the
# mail shows the pattern that the game's sentences have (``example.place``), and says that it is one.


LOOKED_AT = 60
"""Of so many moves, the first that the game finds, the lowest is shown: a mail must not wait for more."""


def example_moves(game: Game[Any, Any], view: View[Any], ctx: Context) -> dict[str, str]:
    """Return all that examples for the seat of this view are made of: what the game gives, and as ``move``, in
    canonical notation, a move that it could play now if it were its turn; without one, no ``move``."""
    found = dict(game.build_examples(view))
    if view.seat is not None and not game.uses_words and (move := _find_lowest_move(game, view, ctx)):
        found["move"] = move
    return found


def _find_lowest_move(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the move with the fewest points, of equal ones the first by its text; "" without any."""
    return min(_iter_first_moves(game, view, ctx), default=(0, ""))[1]


def find_plain_move(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the same in a game of words, but one with as few signs as can be: no jolly where it can do without."""
    found = _iter_first_moves(game, view, ctx)
    return min(((sum(map(_is_sign, text)), points, text) for points, text in found), default=(0, 0, ""))[2]


def _is_sign(character: str) -> bool:
    return not character.isalnum() and not character.isspace()


def _iter_first_moves(game: Game[Any, Any], view: View[Any], ctx: Context) -> Iterator[tuple[int, str]]:
    """Yield points and notation of the first moves that the view's seat could play if it were its turn."""
    at_turn = view if view.seat is None else replace(view, to_move=(view.seat,))
    return ((points, game.format_move(move)) for move, points in islice(game.list_moves(at_turn, ctx), LOOKED_AT))
