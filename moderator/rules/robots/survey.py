"""What a seat could do in a position: every legal turn with its worth, as far as it was searched, and how far that was.

Pure, and by the contract alone; a game may know better (``Surveying``, ``Weighing``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from moderator.rules.game import Context, Game, State, View, view_for
from moderator.rules.records.record import can_list_moves
from moderator.rules.robots.choose import Greedy

Scope = Literal["all", "single", "some"]
"""What was searched: every turn that brings points; every turn of a single word, where two may be laid; or only those
that a bounded search came across, so that nobody knows whether there is a better one."""
Found = tuple[str, int]
"""(turn in canonical notation, its worth)."""


@runtime_checkable
class Surveying(Protocol):
    """Optional: a game that says itself which turns are compared, and how completely they were searched."""

    def survey(self, view: View[Any], ctx: Context) -> tuple[Iterable[tuple[Any, int]], Scope]:
        """Return the turns of the seat with their points, in no order, and what was searched."""
        ...


@runtime_checkable
class Weighing(Protocol):
    """Optional: a game in which a turn brings no points by itself, so that turns are compared by something else."""

    def weigh(self, view: View[Any], move: Any) -> int | None:
        """Return what the tiles count that leave the rack by a legal move; None for one that does not end the turn."""
        ...


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
        worth = game.weigh(view, move) if isinstance(game, Weighing) else points
        if worth is not None:
            known[game.format(move)] = worth
    return Survey(tuple(sorted(known.items(), key=lambda one: (-one[1], one[0]))), scope)


def _list_turns(
    game: Game[Any, Any], state: State[Any], view: View[Any], ctx: Context
) -> tuple[Iterable[tuple[Any, int]], Scope]:
    if isinstance(game, Surveying):
        return game.survey(view, ctx)
    moves = list(game.moves(view, ctx))
    if not isinstance(game, Greedy):
        return moves, "all" if can_list_moves(game, view) else "some"
    # Its turns are too many to list them all, and nobody but the game knows when they were.
    best = game.greedy(view, ctx)
    if best is not None and view.seat is not None and all(best != move for move, _ in moves):
        moves.append((best, game.apply(state, view.seat, best, ctx).points))
    return moves, "some"
