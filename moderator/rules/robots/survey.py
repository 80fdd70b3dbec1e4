"""What a seat could do in a position: every legal turn with its worth, as far as it was searched, and how far that was.

Pure, and by the contract alone; a game may know better (``survey_moves``, ``weigh_move``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from moderator.rules.game import Game, Scope, State
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
