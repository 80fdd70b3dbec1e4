"""Positions of Domi Jongg as plain values, for each who reads them, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from moderator.common.errors import PlayerError, RecordError
from moderator.games.domijongg import notation
from moderator.games.domijongg.snake import add_snake_item, begin_snake, lay_jongg_turn, list_chain_places
from moderator.games.domijongg.state import RANK, WALL, DomiJonggOptions, DomiJonggPublic, Item, is_special_tile
from moderator.rules.game import State
from moderator.rules.position import Audience, Diagram, PositionCodec
from moderator.rules.state import Context, View


class DomiJonggCodec(PositionCodec[DomiJonggPublic]):
    """``snake``: the tiles as they were laid, each with the number of the tile it was laid at (from 0, the
    singlestone), the head that it became, and its cell; in a diagram ``board``: the singlestone, then ``1: T3`` or
    ``1: T3+E``. ``heads``, by number: the tile at its end, or all from the last fork on; ``labels``: cells of their
    numbers; ``fresh``: how many tiles the last turn laid; ``gains`` and ``penalties`` of this game; ``leader``;
    ``idle``: turns in a row without a tile since the wall is used up."""

    def write(self, state: State[DomiJonggPublic], audience: Audience) -> dict[str, Any]:
        public, laid = state.public, state.public.laid
        if audience is Audience.DIAGRAM:
            items = _iter_snake_items([(one.tile, one.head) for one in laid])
            facts = {"gains": public.gains, "penalties": public.penalties, "leader": public.leader, "idle": public.idle}
            board = [laid[0].tile, *(f"{head}: {'+'.join(item)}" for head, item in items)]
            return {"turn": state.to_move[0], "board": board, **facts}
        if audience is Audience.SEAT:
            snake = [[one.tile, one.at, one.head, *one.cell] for one in laid]
            labels = [list(cell) for cell in public.plan.labels]
            return {"snake": snake, "heads": list(public.heads), "labels": labels, "fresh": public.fresh}
        chains = {
            str(head): [laid[place].tile for place in list_chain_places(public, head)]
            for head in range(1, len(public.tips) + 1)
        }
        tiles = [
            {"tile": one.tile, "at": None if one.at < 0 else one.at, "head": one.head, "cell": list(one.cell)}
            for one in laid
        ]
        return {"heads": chains, "snake": tiles, "round": public.round, "leader": public.leader}

    def read(
        self, values: Diagram, options: DomiJonggOptions, audience: Audience, ctx: Context | None
    ) -> State[DomiJonggPublic]:
        round, seat, leader = values.round(), 0, 0
        if audience is Audience.DIAGRAM:
            seat, leader = values.turn(), (round - 1) % values.seats
            public = self._read_board(values, options, round)
        else:
            public = self._read_snake(values, options, round)
        public = replace(
            public,
            leader=values.seat("leader", leader),
            gains=values.gains(),
            penalties=values.per_seat(lambda one: values.whole("penalties", seat=one)),
            idle=values.whole("idle"),
        )
        return State(public, (), (), (), (seat,))

    def find_tile(self, text: str) -> str | None:
        return find_jongg_tile(text)

    def list_box(self, state: State[DomiJonggPublic]) -> tuple[str, ...]:
        return WALL

    def list_lying(self, state: State[DomiJonggPublic]) -> list[str]:
        return [laid.tile for laid in state.public.laid]

    def _read_snake(self, values: Diagram, options: DomiJonggOptions, round_number: int) -> DomiJonggPublic:
        """Return the table with every tile laid again: where it lies follows from what was laid before it."""
        rows = values.get("snake")
        laid = [(one["tile"], one["head"]) if isinstance(one, dict) else (one[0], int(one[2])) for one in rows]
        if any(tile not in RANK for tile, _ in laid):
            raise RecordError("The snake holds a tile that there is not.")
        public = begin_snake(options, values.seats, laid[0][0], round_number)
        for head, item in _iter_snake_items(laid):
            if not 1 <= head <= len(public.tips):
                raise RecordError(f"The snake has no head {head}.")
            public = add_snake_item(public, head, item)
        return replace(public, fresh=values.whole("fresh", most=len(laid) - 1))

    def _read_board(self, values: Diagram, options: DomiJonggOptions, round_number: int) -> DomiJonggPublic:
        entries = values.lines("board")
        single = find_jongg_tile(entries[0]) if entries else None
        if single is not None and not is_special_tile(single):
            public = lay_written_turns(values, begin_snake(options, values.seats, single, round_number))
            return replace(public, fresh=0)
        where = ("board", 0) if entries else ("board",)
        values.wrong(where, "the board begins with the singlestone: a suit tile, a wind or a dragon.")
        return begin_snake(options, values.seats, "E", round_number)


def find_jongg_tile(text: str) -> str | None:
    """Return the tile of a text, None for none."""
    return text.upper() if text.upper() in RANK else None


def lay_written_turns(values: Diagram, public: DomiJonggPublic) -> DomiJonggPublic:
    """Return the table after the turns behind the singlestone in ``board``, whoever laid them."""
    for n, entry in enumerate(values.lines("board")[1:], start=1):
        try:
            turn = notation.parse_jongg_turn(entry, View(None, public, (), (), 0, (), ()))
            public = lay_jongg_turn(public, turn).public
        except PlayerError as error:
            values.wrong(("board", n), f"{entry!r} cannot be laid there ({error.code}).")
            break
    return public


def _iter_snake_items(laid: Sequence[tuple[str, int]]) -> Iterator[tuple[int, Item]]:
    """Yield (head, one tile or the two of a fork) of all tiles behind the singlestone with the heads that they became:
    the second one of a fork opened the next."""
    at, heads = 1, 2
    while at < len(laid):
        tile, head = laid[at]
        forks = at + 1 < len(laid) and laid[at + 1][1] == heads + 1
        yield head, (tile, laid[at + 1][0]) if forks else (tile,)
        at, heads = at + 1 + forks, heads + forks
