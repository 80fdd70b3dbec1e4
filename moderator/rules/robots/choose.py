"""Moves that no person chose: a player without a face takes the one with the most points (for demos, tests and empty
seats), an example is the one with the fewest; and what each turn is worth, with what may follow it (its *equity*).

A strong robot deals the tiles that it cannot see anew, plays each of its best moves to the end of the round in all of
these worlds, and takes the one that brings most on average. A review asks the same with an effort that it can afford.
Nothing here is given a ``State``: all that is known comes from the seat's ``View``, the shuffle of the worlds too, so
that equal views lead to equal moves and no hidden tile can leave a trace. How many worlds are looked at is counted, not
timed: the same move comes out on every machine.

Among moves of which each is worth something the choice is never made by their spelling; equal ones are chosen by lot.
The lot hangs on the shuffle that is handed in, so that the same move comes out each time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import fmean, stdev
from typing import Any, TypeVar

from moderator.common.enums import Level
from moderator.common.errors import PlayerError
from moderator.rules import shuffling
from moderator.rules.game import Equities, Game, Scope, State
from moderator.rules.state import Context, Shuffle, View, view_for
from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.rules.words import filter_robot_words

FEWEST = 4
"""Worlds in which a review plays moves on, at least."""


def redeal_unseen(game: Game[Any, Any], view: View[Any], shuffle: Shuffle, label: str) -> State[Any]:
    """Return a state that looks to the seat of ``view`` like the true one; ``shuffle`` decides what it cannot see. Of a
    position that was begun with fewer tiles than the game has, the rest stays away. Raises ValueError where there are
    too few."""
    tiles, hands = shuffle(label, tuple(game.list_unseen_tiles(view))), list[tuple[str, ...]]()
    for seat, count in enumerate(view.hand_counts):
        if seat == view.seat:
            hands.append(view.hand)
        else:
            hands.append(tiles[:count])
            tiles = tiles[count:]
    if len(tiles) < view.stock_count:
        raise ValueError(f"{len(tiles)} tiles are left for a stock of {view.stock_count}")
    return State(view.public, tuple(hands), tiles[: view.stock_count], view.scores, view.to_move)


def choose_by_playouts(game: Any, view: View[Any], ctx: Context, ranked: Sequence[tuple[Any, int]]) -> Any:
    """Return the strongest of ``ranked`` (move, points), best by points first; equal ones by that order. ``ranked``
    must not be empty; ``game`` has an ``effort``."""
    moves = [move for move, _ in ranked[: game.effort.moves]]
    own = Context(ctx.words, build_world_shuffle(game, view), ctx.out)
    sums, first = dict.fromkeys(range(len(moves)), 0.0), 0
    for count in game.effort.worlds:
        if len(sums) == 1:
            break
        numbers = range(first, first + count)
        found = estimate_playout_equities(game, view, [moves[place] for place in sums], own, numbers, game.effort.turns)
        sums = {place: sums[place] + sum(values) for place, values in zip(sums, found, strict=True)}
        first += count
        order = sorted(sums, key=lambda place: (-sums[place], place))
        sums = {place: sums[place] for place in sorted(order[: (len(order) + 1) // 2])}
    return moves[min(sums, key=lambda place: (-sums[place], place))]


def estimate_playout_equities(
    game: Any, view: View[Any], moves: Sequence[Any], ctx: Context, numbers: Sequence[int], turns: int
) -> list[tuple[float, ...]]:
    """Estimate what each of the moves (None = the turn is missed) is worth to the seat of ``view``, in points, in each
    of the worlds of these numbers, in which at most so many turns are played on. ``ctx.shuffle`` deals them, the same
    for all moves; ``game`` has an ``effort``."""
    play, found = _build_playout(game, ctx, turns), [list[float]() for _ in moves]
    for number in numbers:
        world = redeal_unseen(game, view, ctx.shuffle, f"world{number}")
        for own, move in zip(found, moves, strict=True):
            own.append(play(world, move))
    return [tuple(own) for own in found]


def can_redeal(game: Game[Any, Any], view: View[Any]) -> bool:
    """Return whether what the seat cannot see can be dealt anew: not where more lies hidden than the game has tiles."""
    return len(game.list_unseen_tiles(view)) >= sum(view.hand_counts) - len(view.hand) + view.stock_count


def _build_playout(game: Any, ctx: Context, turns: int) -> Callable[[State[Any], Any], float]:
    """Return the function that plays a move on in a world: by the game's own short cut where it has one."""
    whole = turns >= game.effort.turns and not ctx.out

    def play_out_move(world: State[Any], move: Any) -> float:
        known = game.simulate_playout(world, move) if whole and move is not None else None
        return evaluate_playout(game, world, move, ctx, turns) if known is None else float(known)

    return play_out_move


def evaluate_playout(game: Any, world: State[Any], move: Any, ctx: Context, turns: int) -> float:
    """Return what the position after ``move`` (None = nothing in time) and at most so many turns that follow it is
    worth to the seat to move now."""
    seat, round = world.to_move[0], world.public.round
    state = (game.pass_turn(world, seat, ctx) if move is None else game.apply_move(world, seat, move, ctx)).state
    for _ in range(turns):
        if state.over or state.public.round != round:
            break
        mover = state.to_move[0]
        reply = None if mover in ctx.out else game.choose_reply(view_for(state, mover), ctx)
        after = game.pass_turn(state, mover, ctx) if reply is None else game.apply_move(state, mover, reply, ctx)
        state = after.state
    # Of a round that has ended its sums count, not what the next deal begins with.
    return float(game.estimate_standing(state.past[-1] if state.public.round != round else state, seat))


def build_world_shuffle(game: Any, view: View[Any]) -> Shuffle:
    """Return the shuffle of the worlds that a robot thinks of: it hangs on all that the seat sees, and on nothing
    else."""
    seen = [game.key, view.seat, game.export(view.public), view.hand, view.hand_counts, view.stock_count, view.scores]
    return shuffling.build_shuffle(hashlib.sha256(json.dumps(seen, sort_keys=True, default=str).encode()).digest())


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
    if game.effort is None or view.to_move != (view.seat,) or not can_redeal(game, view):
        return ()
    moves = [played, *_iter_other_moves(game, view, played, best)]
    if len(moves) == 1:
        return ()
    worlds = range(max(FEWEST, game.effort.reviewed // len(moves)))
    found = estimate_playout_equities(game.count_by_points(), view, moves, ctx, worlds, game.effort.ahead)
    return list(zip(moves, found, strict=True))


def _iter_other_moves(game: Any, view: View[Any], played: Any, best: Sequence[str]) -> Iterator[Any]:
    own = "" if played is None else game.format_move(played)
    yield from (game.parse_move(text, view) for text in best[: game.effort.moves] if text != own)


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
        move = game.choose_for_level(level, view, replace(ctx, shuffle=build_world_shuffle(game, view)))
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
    return game.format_move(choose_best(found, build_world_shuffle(game, view))) if found else ""


THOUGHT_OF = 2500
"""Moves among which a beginner takes one, the first that the game finds: a crossword can have tens of thousands."""


def _choose_like_learner(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Choose the best of the moves that it sees, or one of the better half."""
    # Where a move brings no points by itself, it is as good as the tiles of which it rids.
    listed = islice(game.list_moves(view, ctx), THOUGHT_OF)
    found = [(move, game.weigh_move(view, move, points) or 0) for move, points in listed]
    return game.format_move(choose_as_learner(found, build_world_shuffle(game, view))) if found else ""


def _choose_by_playouts(game: Game[Any, Any], view: View[Any], ctx: Context) -> str:
    """Return the move that looking ahead finds; where a game cannot, or there is nothing to choose, as at ``CLUB``."""
    if game.effort is None:
        return _choose_best(game, view, ctx)
    found = _rank_view_moves(game, view, ctx)
    if len(found) < 2 or not can_redeal(game, view):
        return _choose_best(game, view, ctx)
    return game.format_move(choose_by_playouts(game, view, ctx, found))


def _rank_view_moves(game: Game[Any, Any], view: View[Any], ctx: Context) -> list[tuple[Any, int]]:
    """Return all legal moves with their points, best first, ties by notation."""
    return sorted(game.list_moves(view, ctx), key=lambda found: (-found[1], game.format_move(found[0])))


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
