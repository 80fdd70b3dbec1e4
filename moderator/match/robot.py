"""A player without a face: takes the move with the most points. For demos, tests and empty seats."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from moderator.match.contract import Context, Game, State, View, view_for


@runtime_checkable
class Greedy(Protocol):
    """A game whose turns are too many to list them all finds a best one by itself."""

    def greedy(self, view: View[Any], ctx: Context) -> Any:
        """The move to take; None without a legal one."""
        ...


def choose(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> str:
    """The best move in canonical notation; of several the first by its text, or as the game's own ``greedy`` has it.
    Without a legal move the game's ``pass_text`` ("" where it has none)."""
    if isinstance(game, Greedy):
        move = game.greedy(view_for(state, seat), ctx)
        return str(getattr(game, "pass_text", "")) if move is None else game.format(move)
    found = ranked(game, state, seat, ctx)
    return found[0][0] if found else str(getattr(game, "pass_text", ""))


def ranked(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> list[tuple[str, int]]:
    """All legal moves of a seat as (notation, points), best first, ties by notation."""
    moves = ((game.format(move), points) for move, points in game.moves(view_for(state, seat), ctx))
    return sorted(moves, key=lambda found: (-found[1], found[0]))
