"""Tables of Tridom and SuperTridom for tests: fixed deals and random ones that depend on a number only."""

from collections.abc import Mapping
from typing import Any

from moderator.games.tridom.rules import GAME, SUPER, Tridom
from moderator.games.tridom.state import TridomOptions, TridomPublic
from moderator.rules.game import State, Step
from moderator.rules.state import Context, View, view_for
from tests.games.dominos_table import context

__all__ = ["GAME", "SUPER", "UNMIXED", "context", "fixed", "play", "view"]


UNMIXED = context()


def fixed(
    *racks: str,
    stock: str = "",
    board: Mapping[str, str] | None = None,
    starter: int | None = None,
    game: Tridom = GAME,
    **options: Any,
) -> Step[TridomPublic]:
    """A deal of tiles parted by blanks."""
    values: dict[str, Any] = {"racks": [rack.split() for rack in racks], "stock": stock.split()}
    if board is not None:
        values["board"] = board
    if starter is not None:
        values["starter"] = starter
    return game.setup(len(racks), TridomOptions(**options), UNMIXED, values)


def play(game: Tridom, state: State[TridomPublic], line: str, ctx: Context = UNMIXED) -> Step[TridomPublic]:
    seat = state.to_move[0]
    return game.apply_move(state, seat, game.parse_move(line, view_for(state, seat)), ctx)


def view(state: State[TridomPublic]) -> View[TridomPublic]:
    return view_for(state, state.to_move[0])


BOARD = {"(0,0)": "555", "(1,0)": "553", "(2,0)": "335", "(3,0)": "330", "(0,-1)": "155", "(-1,0)": "545"}
"""Tiles on the places 1 to 6, free cells 7 to 14; 8 is (1,1)."""
