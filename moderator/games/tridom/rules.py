"""The game objects: Tridom and SuperTridom as the engine sees them. What they decide stands in the modules beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moderator.engine import conditions
from moderator.engine.conditions import AfterDraw
from moderator.engine.contract import Context, Note, State, Step, View, check_turn
from moderator.engine.scenes import Triangle, Triangles
from moderator.engine.sequential import Sequential
from moderator.errors import Illegal, OperatorError
from moderator.games.tridom import notation
from moderator.games.tridom.board import BRIDGE, Board, Cell, points_up
from moderator.games.tridom.state import Lay, Move, Options, Public, lay_down, leaders, next_turn
from moderator.games.tridom.tiles import Corners, rotations, value, ways, worth
from moderator.games.tridom.turns import begin, onward


class Tridom(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.engine.contract.Game``."""

    min_seats = 2
    max_seats = 6
    options = Options
    version = "1"
    style = notation.STYLE

    def __init__(self, key: str, *, mirrored: bool) -> None:
        self.key = key
        self.mirrored = mirrored

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal and open, up to the first choice. Raises OperatorError, RecordError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(
                f"{self.key} is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play."
            )
        return Step(*begin(seats, options, self.mirrored, ctx, fixed))

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every placement of the seat's tiles with its points; none while the seat is not to move."""
        return placements(view.public, view.hand) if view.seat in view.to_move else []

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable."""
        return notation.read(line, view.public)

    def format(self, move: Move) -> str:
        """Canonical notation: ``225@8``, ``225@8 ab 10``, ``nach Ziehen: bester``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Lay a tile. Raises Illegal."""
        check_turn(state, seat)
        public, board = state.public, state.public.board
        lay = _best(state, seat) if isinstance(move, AfterDraw) else move
        lying = check_place(public, state.hands[seat], lay)
        cell = board.cells[lay.place - 1]
        notes = bonuses(board, cell, public.options, seat)
        extra = sum(note.points for note in notes)
        points = value(lay.tile) + extra
        conditions.check(lay.at_least, points)
        laid = lay_down(state, seat, lay.tile, board.lay(cell, lying), lay.place, points)
        after, happened = onward(laid, ctx, laid_by=seat)
        detail = {"sum": value(lay.tile), "bonus": extra, "corners": list(lying)}
        return Step(after, notes, points, Lay(lay.tile, lay.place), detail, happened)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The ZAT passed: nothing is laid, drawn or lost. With an empty stock it is a pass towards a blocked round if
        the seat plays no more, else it breaks the circle."""
        check_turn(state, seat)
        passes = state.public.passes + 1 if seat in ctx.out and not state.stock else 0
        after, happened = onward(next_turn(state, seat, passes), ctx)
        return Step(after, (Note("missed", seat=seat),), after=happened)

    def scene(self, view: View[Public]) -> Triangles:
        """The tiles and the numbered free cells beside them."""
        return draw(view.public)

    def export(self, public: Public) -> dict[str, Any]:
        """{"places": tiles and free cells by number, "round", "mover", "drawn", "last"}; see RULES.md."""
        board = public.board
        places = [
            {
                "place": place,
                "x": cell[0],
                "y": cell[1],
                "corners": list(board.tiles.get(cell) or board.free[cell]),
                "tile": cell in board.tiles,
            }
            for place, cell in enumerate(board.cells, start=1)
        ]
        facts = {"round": public.round, "mover": public.mover, "drawn": public.drawn, "last": public.last}
        return {"places": places, **facts}

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The sum of the tiles, as in a blocked round."""
        return worth(state.hands[seat])

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [min(rotations("".join(map(str, corners)))) for corners in public.board.tiles.values()]

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The one seat that is ahead at the end of the last round."""
        return leaders(state) if state.over else ()


def placements(public: Public, hand: Iterable[str]) -> list[tuple[Lay, int]]:
    """Every way to lay a tile of ``hand`` with its points, by place number, then by tile."""
    board, options = public.board, public.options
    return [
        (Lay(tile, board.places[cell]), value(tile) + bonus(board, cell, options))
        for tile, cell, _ in board.placements(hand)
    ]


def check_place(public: Public, hand: tuple[str, ...], lay: Lay) -> Corners:
    """How the tile then lies. Raises Illegal: not-your-tile, no-such-place, taken, does-not-fit-up,
    does-not-fit-down; none tells more than the board and the seat's own rack."""
    board = public.board
    if lay.tile not in hand:
        raise Illegal("not-your-tile", tile=lay.tile)
    cell = board.cell(lay.place)
    if cell is None:
        raise Illegal("no-such-place", place=lay.place, free=notation.near(public, lay.place))
    if cell in board.tiles:
        raise Illegal("taken", place=lay.place, free=notation.near(public, lay.place))
    known = board.free[cell]
    lying = ways().get(known, {}).get(lay.tile)
    if lying is None:
        code = "does-not-fit-up" if points_up(cell) else "does-not-fit-down"
        raise Illegal(code, tile=lay.tile, place=lay.place, corners=notation.signs(known))
    return lying


def _best(state: State[Public], seat: int) -> Lay:
    """After a forced draw, the placement with the most points; of equal ones the lowest place. Only the tile that was
    drawn last can fit."""
    public = state.public
    if not public.drawn or public.mover != seat:
        raise Illegal("no-draw")
    found = [(-points, move.place, move) for move, points in placements(public, state.hands[seat][-1:])]
    return min(found)[2]


GAME = Tridom("tridom", mirrored=False)
SUPER = Tridom("supertridom", mirrored=True)


# ---- the table as a neutral drawing ----


def draw(public: Public) -> Triangles:
    """The lying tiles and the free cells, each by place number; the last tile is fresh."""
    board = public.board
    cells = list(enumerate(board.cells, start=1))
    return Triangles(
        tiles=tuple(
            Triangle(*cell, place, board.tiles[cell], place == public.last)
            for place, cell in cells
            if cell in board.tiles
        ),
        free=tuple(Triangle(*cell, place, board.free[cell]) for place, cell in cells if cell in board.free),
    )


# ---- what a laid tile scores: its numbers and a bonus for the form that it completes ----


def bonuses(board: Board, cell: Cell, options: Options, seat: int | None = None) -> tuple[Note, ...]:
    """The bonuses that count for a tile in ``cell``, each with its points: only the highest, or all of them."""
    if None in board.free[cell]:
        return ()
    code = "bonus-bridge" if board.sides(cell) == 1 else "bonus-sides"
    bridge = Note(code, {"points": BRIDGE}, seat=seat, points=BRIDGE)
    count = board.hexagons(cell)
    if not count:
        return (bridge,)
    extra = options.hexagons(count)
    hexagon = Note("bonus-hexagon", {"count": count, "points": extra}, seat=seat, points=extra)
    return (hexagon,) if options.bonus == "highest" else (hexagon, bridge)


def bonus(board: Board, cell: Cell, options: Options) -> int:
    """Their sum."""
    return sum(note.points for note in bonuses(board, cell, options))
