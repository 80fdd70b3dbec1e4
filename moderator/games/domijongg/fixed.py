"""A deal that a record fixes: racks, stock, single, starter, board (RULES.md, "Records")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moderator.engine.contract import Context, State, View
from moderator.errors import OperatorError, PlayerError, RecordError
from moderator.games.domijongg import notation
from moderator.games.domijongg.snake import begin, lay
from moderator.games.domijongg.state import Options, Public
from moderator.games.domijongg.tiles import RANK, WALL, is_special
from moderator.games.domijongg.turns import Notes, opening, turn_up

_TILES = "Expected: a list of tiles such as K3, E, DR, F2."


def read(seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]) -> tuple[State[Public], Notes]:
    """The opening state and what everybody learns of it; ``to_move`` is the starter, whether it can lay or not.
    Raises RecordError, OperatorError if the tiles do not suffice."""
    starter = fixed.get("starter", 1 % seats)
    if not isinstance(starter, int) or isinstance(starter, bool) or not 0 <= starter < seats:
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    hands, wall = _hands(seats, options, ctx, fixed)
    board = fixed.get("board") or []
    if not isinstance(board, list | tuple) or not all(isinstance(entry, str) for entry in board):
        raise RecordError("board has the wrong shape.", 'Expected: ["K3", "2: B3", "1: J3"], the singlestone first.')
    single, stock, returned = _single(board, wall, ctx, fixed)
    public = _played(begin(options, seats, single, leader=(starter - 1) % seats), board[1:])
    state = State(public, hands, stock, (0,) * seats, (starter,))
    return state, opening(state, returned)


def _hands(
    seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The hands and the wall behind them."""
    if "racks" in fixed:
        racks = fixed["racks"]
        if not isinstance(racks, list | tuple) or len(racks) != seats:
            raise RecordError(f"racks needs {seats} lists of tiles.", _TILES)
        return tuple(_tiles(rack, "racks") for rack in racks), _tiles(fixed.get("stock", ()), "stock")
    wall = _tiles(fixed["stock"], "stock") if "stock" in fixed else ctx.shuffle("round1", WALL)
    size = options.full_hand(seats)
    if len(wall) < seats * size:
        raise OperatorError(f"{seats} hands of {size} need {seats * size} tiles, there are {len(wall)}.")
    return tuple(wall[seat * size : (seat + 1) * size] for seat in range(seats)), wall[seats * size :]


def _single(
    board: list[str] | tuple[str, ...], wall: tuple[str, ...], ctx: Context, fixed: Mapping[str, Any]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The singlestone, the wall without it, and the specials that were shuffled back. A named one comes from nowhere:
    the wall is taken as it is."""
    named = [*board[:1], *([fixed["single"]] if fixed.get("single") is not None else [])]
    if not named:
        if all(map(is_special, wall)):
            raise RecordError("The stock holds no tile that could be the singlestone.", 'Name one as "single".')
        return turn_up(wall, ctx, 1)
    if len(set(_tiles(named, "single"))) > 1 or is_special(named[0]):
        raise RecordError(f"single = {named[-1]!r} is wrong.", "One suit tile, wind or dragon, the first of board.")
    return named[0], wall, ()


def _tiles(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) and v in RANK for v in values):
        raise RecordError(f"{where} = {values!r} is wrong.", _TILES)
    return tuple(values)


def _played(public: Public, turns: list[str] | tuple[str, ...]) -> Public:
    """The table after turns in notation, whoever laid them."""
    view = View(None, public, (), (), 0, (), ())
    for text in turns:
        try:
            public = lay(public, notation.read(text, view)).public
        except PlayerError as error:
            raise RecordError(f"board: {text!r} cannot be laid ({error.code}).", "A turn as in a mail.") from error
    return public
