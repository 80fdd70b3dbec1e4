"""A robot that thinks: it deals the tiles that it cannot see anew, plays each of its best moves to the end of the round
in all of these worlds, and takes the one that brings most on average.

Nothing here is given a ``State``: all that is known comes from the seat's ``View``, the shuffle of the worlds too, so
that equal views lead to equal moves and no hidden tile can leave a trace. How many worlds are looked at is counted, not
timed: the same move comes out on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from moderator.rules import shuffling
from moderator.rules.game import Game, State
from moderator.rules.state import Context, Shuffle, View, view_for

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
