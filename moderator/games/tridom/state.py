"""Values of Tridom: options, moves, the public state, how a turn and the end of a round change it; and positions as
plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from moderator.common.errors import ConfigError, RecordError
from moderator.games.tridom.board import (
    HEXAGON,
    START,
    Cell,
    Corners,
    Known,
    TridomBoard,
    find_tridom_tile,
    get_cell_corners,
    get_fit_table,
    list_tile_rotations,
    list_tridom_tiles,
    parse_tridom_board,
    sum_tile_values,
)
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import Note, State
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.position import Diagram
from moderator.rules.state import Context


@dataclass(frozen=True)
class TridomOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    target: int = 400
    triple_zero: Literal["lowest", "highest"] = "lowest"
    double_hexagon: int = 50
    bonus: Literal["highest", "sum"] = "highest"

    def __post_init__(self) -> None:
        if self.target < 1:
            raise ConfigError(f"target = {self.target} is too small.", "At least 1.")
        if not HEXAGON <= self.double_hexagon <= 2 * HEXAGON:
            raise ConfigError(
                f"double_hexagon = {self.double_hexagon} is out of range.", f"{HEXAGON} to {2 * HEXAGON}, e.g. 60."
            )

    def score_hexagons(self, count: int) -> int:
        """Return the bonus for closing ``count`` hexagons with one tile: 50, and what ``double_hexagon`` adds for each
        further."""
        return HEXAGON + (count - 1) * (self.double_hexagon - HEXAGON) if count else 0


@dataclass(frozen=True, slots=True)
class TridomPlacement:
    """The laying of a tile on a place. ``at_least``: only if it scores that many points."""

    tile: str
    place: int
    at_least: int | None = None


Move = TridomPlacement | AfterDraw


@dataclass(frozen=True)
class TridomPublic:
    """The state that everybody sees."""

    options: TridomOptions
    mirrored: bool
    """SuperTridom, where mirror images are tiles of their own."""
    board: TridomBoard
    gains: tuple[tuple[int, ...], ...]
    """Per seat what it won and lost in this round so far, in order: opening, tiles, draws, penalties."""
    round: int = 1
    mover: int = 0
    """Seat whose turn it is."""
    drawn: int = 0
    """Tiles that it has drawn in this turn."""
    passes: int = 0
    """Passes in a row after which the stock was empty: forced ones, and missed turns of seats that play no more."""
    last: int | None = None
    """Place of the tile that was laid last."""


# ---- the small changes of a state that a turn is made of ----


def lay_tridom_tile(
    state: State[TridomPublic], seat: int, tile: str, board: TridomBoard, place: int, points: int
) -> State[TridomPublic]:
    """Return the state with the tile off its rack, ``board`` with it at ``place``, the points on the account, the turn
    with the next seat."""
    hand = list(state.hands[seat])
    hand.remove(tile)
    following = (seat + 1) % state.seats
    gains = _append_gain(state.public.gains, seat, points)
    return replace(
        state,
        public=replace(state.public, board=board, gains=gains, mover=following, drawn=0, passes=0, last=place),
        hands=(*state.hands[:seat], tuple(hand), *state.hands[seat + 1 :]),
        scores=add_tridom_points(state.scores, seat, points),
        to_move=(following,),
    )


def add_tridom_gain(state: State[TridomPublic], seat: int, points: int) -> State[TridomPublic]:
    """Add ``points``, maybe negative, for a seat in this round."""
    public = replace(state.public, gains=_append_gain(state.public.gains, seat, points))
    return replace(state, scores=add_tridom_points(state.scores, seat, points), public=public)


def _append_gain(gains: tuple[tuple[int, ...], ...], seat: int, points: int) -> tuple[tuple[int, ...], ...]:
    return (*gains[:seat], (*gains[seat], points), *gains[seat + 1 :])


def add_tridom_points(scores: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    return (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])


def begin_tridom_turn(state: State[TridomPublic], seat: int, passes: int = 0) -> State[TridomPublic]:
    """Begin the turn after that of ``seat``. ``passes``: those in a row so far."""
    following = (seat + 1) % state.seats
    public = replace(state.public, mover=following, drawn=0, passes=passes)
    return replace(state, public=public, to_move=(following,))


# ---- what a turn without a fitting tile costs ----


DRAWS = 3
"""Tiles that may be drawn in a turn."""
DRAW_COST, NOTHING_LAID = 5, 10
"""Points lost for each drawn tile, and for a turn in which nothing could be laid."""


# ---- the end of a round: what each seat won and lost, line by line ----


OUT = 25
"""For the seat that got rid of its tiles first."""


def settle_tridom_round(state: State[TridomPublic], out: int | None) -> tuple[State[TridomPublic], tuple[Note, ...]]:
    """Settle the racks: ``out`` gets 25 and what the others still hold; where nobody could lay any more (None)
    everybody loses what they hold."""
    number = state.public.round
    rests = [(seat, sum_tile_values(hand)) for seat, hand in enumerate(state.hands) if hand]
    notes = [Note("blocked", {"round": number}) if out is None else Note("went-out", {"round": number}, seat=out)]
    notes += [Note("rest", {"tiles": list(state.hands[seat]), "points": rest}, seat=seat) for seat, rest in rests]
    scores = state.scores
    for seat, gains in enumerate(state.public.gains):
        lines = [Note("sum-laid", {"items": format_sum_terms(gains), "points": sum(gains)}, seat=seat)]
        if seat == out:
            items = [rest for _, rest in rests]
            lines.append(Note("sum-out", {"points": OUT}, seat=seat, points=OUT))
            lines.append(Note("sum-rests", {"items": format_sum_terms(items), "points": sum(items)}, seat, sum(items)))
        elif out is None and state.hands[seat]:
            rest = sum_tile_values(state.hands[seat])
            lines.append(Note("sum-own-rest", {"points": rest}, seat=seat, points=-rest))
        scores = add_tridom_points(scores, seat, sum(line.points for line in lines))
        points = sum(gains) + sum(line.points for line in lines)
        params = {"round": number, "points": points, "total": scores[seat]}
        notes += [*lines, Note("sum-total", params, seat=seat)]
    return replace(state, scores=scores), tuple(notes)


def list_leading_seats(state: State[TridomPublic]) -> tuple[int, ...]:
    """Return the seats that have the highest score, if it reaches the target."""
    best = max(state.scores)
    if best < state.public.options.target:
        return ()
    return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def format_sum_terms(items: Iterable[int]) -> str:
    """Return ``35 + 12 - 5``; ``0`` for nothing."""
    text = "".join(f" {'-' if item < 0 else '+'} {abs(item)}" for item in items)
    return f"-{text[3:]}" if text.startswith(" -") else text[3:] or "0"


UNKNOWN = "?"


@dataclass(frozen=True)
class TridomCodec(PositionCodec[TridomPublic]):
    """The cells that have a place: ``places``, or ``tiles`` and ``free``, each ``[place, x, y, "3?5"]``, clockwise from
    the tip; in a diagram ``board``, the tiles with their places as they were laid, or a table of cells, as in records.
    ``mover``, ``drawn``: who is to move, and tiles that it has drawn in this turn; ``last``: place of the tile laid
    last; ``gains``: points won and lost in this round; ``passes`` in a row with an empty stock."""

    mirrored: bool

    def write(self, state: State[TridomPublic], audience: Audience) -> dict[str, Any]:
        public, board = state.public, state.public.board
        if audience is Audience.DIAGRAM:
            first, *others = zip(board.tiles, list_lying_tiles(board), strict=True)
            laid = [
                "".join(map(str, board.tiles[first[0]])),
                *(f"{name}@{board.places[cell]}" for cell, name in others),
            ]
            facts = {"gains": public.gains, "drawn": public.drawn, "passes": public.passes}
            return {"turn": public.mover, "board": laid, **facts}
        cells = [
            (place, *cell, board.tiles.get(cell) or board.free[cell], cell in board.tiles)
            for place, cell in enumerate(board.cells, start=1)
        ]
        if audience is Audience.SEAT:
            found: dict[str, Any] = {"tiles": [], "free": []}
            for *where, known, lies in cells:
                signs = "".join(UNKNOWN if one is None else str(one) for one in known)
                found["tiles" if lies else "free"].append([*where, signs])
            return found | {"last": public.last, "mover": public.mover, "drawn": public.drawn}
        places = [
            {"place": place, "x": x, "y": y, "corners": list(known), "tile": lies} for place, x, y, known, lies in cells
        ]
        facts = {"round": public.round, "mover": public.mover, "drawn": public.drawn, "last": public.last}
        return {"places": places, **facts}

    def read(
        self, values: Diagram, options: TridomOptions, audience: Audience, ctx: Context | None
    ) -> State[TridomPublic]:
        if audience is Audience.DIAGRAM:
            seat = values.turn()
            board, last = self._read_board(values)
        else:
            seat, board = values.seat("mover"), self._read_cells(values, audience)
            last = values.whole("last") or None
        drawn, passes = values.whole("drawn", most=DRAWS), values.whole("passes", most=values.seats - 1)
        gains, round = values.gains(), values.round()
        public = TridomPublic(options, self.mirrored, board, gains, round, seat, drawn, passes, last)
        return State(public, (), (), (), (seat,))

    def find_tile(self, text: str) -> str | None:
        return find_tridom_tile(text, self.mirrored)

    def list_box(self, state: State[TridomPublic]) -> tuple[str, ...]:
        return list_tridom_tiles(self.mirrored)

    def list_lying(self, state: State[TridomPublic]) -> list[str]:
        return list_lying_tiles(state.public.board)

    def _read_cells(self, values: Diagram, audience: Audience) -> TridomBoard:
        """Return the board of all cells with their places. Raises RecordError."""
        if audience is Audience.RECORD:
            found = [[one[key] for key in ("place", "x", "y", "corners", "tile")] for one in values.get("places")]
        else:
            found = [
                [place, x, y, [None if sign == UNKNOWN else int(sign) for sign in signs], key == "tiles"]
                for key in ("tiles", "free")
                for place, x, y, signs in values.get(key)
            ]
        cells: list[Cell] = []
        tiles: dict[Cell, Corners] = {}
        free: dict[Cell, Known] = {}
        for _, x, y, (a, b, c), lies in sorted(found, key=lambda one: int(one[0])):
            cells.append((int(x), int(y)))
            if not lies:
                free[cells[-1]] = a, b, c
            elif self.find_tile(f"{a}{b}{c}"):
                tiles[cells[-1]] = a, b, c
            else:
                raise RecordError(f"There is no such tile as that on {cells[-1]}.")
        numbers = {p: n for at, lying in tiles.items() for p, n in zip(get_cell_corners(at), lying, strict=True)}
        return TridomBoard(tuple(cells), {cell: n for n, cell in enumerate(cells, start=1)}, tiles, numbers, free)

    def _read_board(self, values: Diagram) -> tuple[TridomBoard, int | None]:
        """Return the board of a diagram, and the place of the tile laid last."""
        if isinstance(given := values.get("board"), dict):
            try:
                return parse_tridom_board(given, self.mirrored), None
            except RecordError as error:
                values.wrong(("board",), str(error))
                return TridomBoard(), None
        board, last = TridomBoard(), None
        entries = values.lines("board")
        if not entries:
            values.wrong(("board",), "at least one tile lies.")
        for n, entry in enumerate(entries):
            digits, _, place = entry.replace(" ", "").partition("@")
            tile, number = self.find_tile(digits), int(place) if board.cells and place.isdecimal() else 1
            if tile is None:
                fault = f"{entry!r} is no tile; expected for example 225@8."
            elif tile in list_lying_tiles(board):
                fault = f"{tile} lies already."
            elif (found := _find_fit(board, tile, number, digits)) is None:
                fault = f"{entry!r} does not fit there: its numbers differ, or the place is not free."
            else:
                board, last = board.with_tile(*found), number
                continue
            values.wrong(("board", n), fault)
            break
        return board, last


def list_lying_tiles(board: TridomBoard) -> list[str]:
    """Return the tiles on the board by name, in the order in which they were laid."""
    return [min(list_tile_rotations("".join(map(str, corners)))) for corners in board.tiles.values()]


def _find_fit(board: TridomBoard, tile: str, place: int, digits: str) -> tuple[Cell, Corners] | None:
    """Return the cell of a place and how the tile lies there; None if it does not fit. The first one lies as ``digits``
    say, its tip up."""
    if not board.cells:
        a, b, c = map(int, digits)
        return (START, (a, b, c)) if min(list_tile_rotations(digits)) == tile else None
    cell = board.find_cell(place)
    if cell is None or cell not in board.free:
        return None
    lying = get_fit_table().get(board.free[cell], {}).get(tile)
    return None if lying is None else (cell, lying)
