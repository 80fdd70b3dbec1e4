"""Moves that no person chose: a player without a face takes the one with the most points (for demos, tests and empty
seats), an example is the one with the fewest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from moderator.match import lots, playouts
from moderator.match.contract import Context, Game, State, View, view_for
from moderator.match.playouts import Redealable
from moderator.match.verdict import EVERYDAY, TWICE
from moderator.match.words import for_robots
from moderator.states import Level


@runtime_checkable
class Greedy(Protocol):
    """A game whose turns are too many to list them all finds a best one by itself."""

    def greedy(self, view: View[Any], ctx: Context) -> Any:
        """The move to take; None without a legal one."""
        ...


@runtime_checkable
class Levelled(Protocol):
    """A game that plays some levels in a way of its own."""

    own_levels: frozenset[Level]

    def at_level(self, level: Level, view: View[Any], ctx: Context) -> Any:
        """The move of a robot of one of these levels; None without a legal one."""
        ...


@runtime_checkable
class Idling(Protocol):
    """A game in which there is something better to do without a legal move than its ``pass_text``."""

    def without_move(self, view: View[Any]) -> Any:
        """The move that is no laying."""
        ...


def choose(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context, level: Level = Level.CLUB) -> str:
    """The move of a robot of that level in canonical notation, made of what the seat sees. Without a legal move the
    game's ``pass_text`` ("" where it has none), see ``Idling``. It lays no word that one source alone knows; a beginner
    lays everyday words, as long as there is one to lay."""
    view = view_for(state, seat)
    known = for_robots(ctx.words, TWICE)
    everyday = for_robots(ctx.words, EVERYDAY) if level is Level.BEGINNER and game.uses_words else known
    for words in (known,) if everyday is known else (everyday, known):
        move = _found(game, view, replace(ctx, words=words), level)
        if move:
            return move
    return game.format(game.without_move(view)) if isinstance(game, Idling) else str(getattr(game, "pass_text", ""))


def _found(game: Game[Any, Any], view: View[Any], ctx: Context, level: Level) -> str:
    """The move of that level, as the game itself finds it or as all do; "" where there is none."""
    if isinstance(game, Levelled) and level in game.own_levels:
        move = game.at_level(level, view, replace(ctx, shuffle=playouts.worlds(game, view)))
        return "" if move is None else game.format(move)
    return {Level.BEGINNER: _learnt, Level.CLUB: _most, Level.STRONG: _thought}[level](game, view, ctx)


def _most(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """The move with the most points; of several one by lot, or as the game's own ``greedy`` has it."""
    if isinstance(game, Greedy):
        move = game.greedy(view, ctx)
        return "" if move is None else game.format(move)
    found = _ranked(game, view, ctx)
    return game.format(lots.choose_best(found, playouts.worlds(game, view))) if found else ""


THOUGHT_OF = 2500
"""Moves among which a beginner takes one, the first that the game finds: a crossword can have tens of thousands."""


def _learnt(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """The best of the moves that it sees, or one of the better half."""
    found = [(move, _worth(game, view, move, points)) for move, points in islice(game.moves(view, ctx), THOUGHT_OF)]
    return game.format(lots.choose_as_learner(found, playouts.worlds(game, view))) if found else ""


def _worth(game: Game[Any, Any], view: View[Any], move: Any, points: int) -> int:
    """The points of a move; where it brings none by itself, the tiles of which it rids (``survey.Weighing``)."""
    weigh = getattr(game, "weigh", None)
    return points if weigh is None else weigh(view, move) or 0


def _thought(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """What looking ahead finds; where a game cannot, or there is nothing to choose, as at ``CLUB``."""
    if not isinstance(game, Redealable):
        return _most(game, view, ctx)
    found = _ranked(game, view, ctx)
    if len(found) < 2 or not playouts.dealable(game, view):
        return _most(game, view, ctx)
    return game.format(playouts.best(game, view, ctx, found))


def _ranked(game: Game[Any, Any], view: View[Any], ctx: Context) -> list[tuple[Any, int]]:
    """All legal moves with their points, best first, ties by notation."""
    return _sorted(game, game.moves(view, ctx))


def _sorted(game: Game[Any, Any], moves: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    return sorted(moves, key=lambda found: (-found[1], game.format(found[0])))


def ranked(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> list[tuple[str, int]]:
    """All legal moves of a seat as (notation, points), best first, ties by notation."""
    return [(game.format(move), points) for move, points in _ranked(game, view_for(state, seat), ctx)]


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
        """Placeholder of ``how-to-…`` -> what stands there for this reader now. A sentence with a placeholder that is
        missing is left out. ``pattern`` names the code of the pattern that suits the position, where that is not
        ``example.place``."""
        ...


def shown(game: Game[Any, Any], view: View[Any], ctx: Context) -> dict[str, str]:
    """All that examples for the seat of this view are made of: what the game gives, and as ``move``, in canonical
    notation, a move that it could play now if it were its turn; without one, no ``move``."""
    found = dict(game.examples(view)) if isinstance(game, Exemplary) else {}
    if view.seat is not None and not game.uses_words and (move := _lowest(game, view, view.seat, ctx)):
        found["move"] = move
    return found


def _lowest(game: Game[Any, Any], view: View[Any], seat: int, ctx: Context) -> str:
    """The move with the fewest points, of equal ones the first by its text; "" without any."""
    at_turn = replace(view, to_move=(seat,))
    moves = ((points, game.format(move)) for move, points in islice(game.moves(at_turn, ctx), LOOKED_AT))
    return min(moves, default=(0, ""))[1]
