"""The table as plain JSON, for programs that show it and compose a turn; and back. The whole position as a diagram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.common.errors import PlayerError, RecordError
from moderator.games.domijongg import notation
from moderator.games.domijongg.snake import add_snake_item, begin_snake, lay_jongg_turn
from moderator.games.domijongg.state import RANK, WALL, DomiJonggOptions, DomiJonggPublic, is_special_tile
from moderator.rules.game import Context, State, View
from moderator.rules.position import Diagram, written


def encode_jongg_table(public: DomiJonggPublic) -> dict[str, Any]:
    """{"snake": [[tile, number of the tile it was laid at, head that it became, x, y], …], "heads": the tile at the
    end of head 1, 2, …, "labels": [[x, y], …] of their numbers, "fresh": how many tiles the last turn laid}. Tiles are
    numbered from 0, the singlestone, which was laid at -1."""
    return {
        "snake": [[laid.tile, laid.at, laid.head, *laid.cell] for laid in public.laid],
        "heads": list(public.heads),
        "labels": [list(cell) for cell in public.plan.labels],
        "fresh": public.fresh,
    }


def decode_jongg_table(
    values: Mapping[str, Any], options: DomiJonggOptions, seats: int, round_number: int
) -> DomiJonggPublic:
    """Return the table with every tile laid again: where it lies follows from what was laid before it. Raises
    RecordError."""
    laid = [(tile, int(head)) for tile, _, head, _, _ in values["snake"]]
    if any(tile not in RANK for tile, _ in laid):
        raise RecordError("The snake holds a tile that there is not.")
    public = begin_snake(options, seats, laid[0][0], round_number)
    at = 1
    while at < len(laid):
        tile, head = laid[at]
        forks = at + 1 < len(laid) and laid[at + 1][1] == len(public.tips) + 1
        if not 1 <= head <= len(public.tips):
            raise RecordError(f"The snake has no head {head}.")
        public = add_snake_item(public, head, (tile, laid[at + 1][0]) if forks else (tile,))
        at += 1 + forks
    fresh = int(values["fresh"])
    if not 0 <= fresh < len(laid):
        raise RecordError("A turn cannot have laid so many tiles.")
    return replace(public, fresh=fresh)


# ---- the whole position, as somebody writes it down ----


def encode_jongg_diagram(state: State[DomiJonggPublic]) -> dict[str, Any]:
    """``board``: the singlestone, then ``1: T3`` or ``1: T3+E``, as they were laid; per seat ``gains`` and
    ``penalties`` of this game; ``leader``; ``idle``: turns in a row without a tile since the wall is used up."""
    public = state.public
    laid = [(one.tile, one.head) for one in public.laid]
    board, at, heads = [laid[0][0]], 1, 2
    while at < len(laid):
        tile, head = laid[at]
        forks = at + 1 < len(laid) and laid[at + 1][1] == heads + 1
        board.append(f"{head}: {tile}+{laid[at + 1][0]}" if forks else f"{head}: {tile}")
        at, heads = at + 1 + forks, heads + forks
    return written(
        state,
        turn=state.to_move[0],
        board=board,
        gains=public.gains,
        penalties=public.penalties,
        leader=public.leader,
        idle=public.idle,
    )


def decode_jongg_diagram(diagram: Diagram, options: DomiJonggOptions, ctx: Context) -> State[DomiJonggPublic]:
    """Return the state of a diagram, as the opposite of ``encode_jongg_diagram``; what is forced then has not happened
    yet."""
    round, seat = diagram.round(), diagram.turn()
    public = _decode_snake(diagram, options, round)
    hands = diagram.racks(_find_tile)
    stock = diagram.stock(WALL, [laid.tile for laid in public.laid], hands, _find_tile, ctx, round)
    public = replace(
        public,
        leader=diagram.who("leader", (round - 1) % diagram.seats) or 0,
        gains=diagram.per_seat(lambda one: diagram.numbers("gains", one)),
        penalties=diagram.per_seat(lambda one: diagram.whole("penalties", seat=one)),
        idle=diagram.whole("idle"),
        fresh=0,
    )
    return State(public, hands, stock, diagram.scores(), (seat,))


def _find_tile(text: str) -> str | None:
    return text.upper() if text.upper() in RANK else None


def _decode_snake(diagram: Diagram, options: DomiJonggOptions, round_number: int) -> DomiJonggPublic:
    entries = diagram.lines("board")
    single = _find_tile(entries[0]) if entries else None
    if single is None or is_special_tile(single):
        where = ("board", 0) if entries else ("board",)
        diagram.wrong(where, "the board begins with the singlestone: a suit tile, a wind or a dragon.")
        return begin_snake(options, diagram.seats, "E", round_number)
    public = begin_snake(options, diagram.seats, single, round_number)
    for n, entry in enumerate(entries[1:], start=1):
        try:
            public = lay_jongg_turn(
                public, notation.parse_jongg_turn(entry, View(None, public, (), (), 0, (), ()))
            ).public
        except PlayerError as error:
            diagram.wrong(("board", n), f"{entry!r} cannot be laid there ({error.code}).")
            break
    return public
