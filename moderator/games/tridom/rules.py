"""Tridom and SuperTridom as the engine sees them, and what happens by itself: forced draws and passes, the end of a
round, the next deal, until somebody has a choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.errors import Illegal, RecordError
from moderator.games.tridom import notation, position, simulate
from moderator.games.tridom.board import (
    BRIDGE,
    START,
    Board,
    Cell,
    Corners,
    Hands,
    all_tiles,
    cut,
    is_triple,
    points_up,
    read_board,
    read_deal,
    rotations,
    value,
    ways,
    worth,
)
from moderator.games.tridom.state import (
    DRAW_COST,
    DRAWS,
    NOTHING_LAID,
    Lay,
    Move,
    Options,
    Public,
    closing_sums,
    gain,
    lay_down,
    leaders,
    next_turn,
)
from moderator.match import conditions
from moderator.match.conditions import AfterDraw
from moderator.match.contract import Context, Note, State, Step, View, check_turn
from moderator.match.diagram import Diagram
from moderator.match.outcome import lead
from moderator.match.playouts import Effort
from moderator.match.scenes import Triangle, Triangles
from moderator.match.sequential import Sequential, read_starter


class Tridom(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    min_seats = 2
    max_seats = 6
    options = Options
    contract = 1
    version = "1"
    opener = "tile"
    style = notation.STYLE
    effort = Effort(moves=8, worlds=(32, 32, 64), turns=80, reviewed=280)

    def __init__(self, key: str, *, mirrored: bool) -> None:
        self.key = key
        self.mirrored = mirrored

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal and open, up to the first choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
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

    def table(self, public: Public) -> dict[str, Any]:
        """See ``contract.Portable``."""
        return position.write(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round: int) -> Public:
        """See ``contract.Portable``."""
        return position.read(values, options, self.mirrored, seats, round)

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        """See ``contract.Resumable``."""
        return position.write_diagram(state)

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        """See ``contract.Resumable``."""
        state = position.read_diagram(diagram, options, self.mirrored, ctx)
        return Step(state) if diagram.faults else Step(*onward(state, ctx))

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [min(rotations("".join(map(str, corners)))) for corners in public.board.tiles.values()]

    def unseen(self, view: View[Public]) -> list[str]:
        """See ``playouts.Redealable``."""
        seen = {*self.on_table(view.public), *view.hand}
        return [tile for tile in all_tiles(self.mirrored) if tile not in seen]

    def reply(self, view: View[Public], ctx: Context) -> Lay | None:
        """The placement with the most points, of equal ones the first by place."""
        return max(placements(view.public, view.hand), key=lambda found: found[1], default=(None, 0))[0]

    def standing(self, state: State[Public], seat: int) -> float:
        """The lead."""
        return lead(state.scores, seat)

    def simulated(self, world: State[Public], move: Lay) -> float | None:
        """See ``playouts.Simulated``."""
        held = [*world.stock, *(tile for hand in world.hands for tile in hand)]
        if len(set(held)) < len(held):  # only a record can deal a tile twice
            return None
        return float(lead(simulate.scores_after(world, move), world.to_move[0]))

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


# ---- what happens by itself ----


Happened = tuple[State[Public], tuple[Note, ...]]


def begin(
    seats: int, options: Options, mirrored: bool, ctx: Context, fixed: Mapping[str, Any] | None = None
) -> Happened:
    """The first round up to its first choice. ``fixed`` as in RULES.md; raises RecordError where it is wrong."""
    fixed = fixed or {}
    starter = read_starter(fixed, seats)
    if "racks" in fixed or "stock" in fixed:
        hands, stock = read_deal(fixed, seats, mirrored)
    else:
        hands, stock = deal(1, seats, mirrored, ctx)
    state = new_round(1, (0,) * seats, hands, stock, options, mirrored)
    if fixed.get("board") is None:
        seat, tile = opener(hands, options, starter)
        state, note = opened(state, seat, tile)
        return _with(onward(state, ctx, seat), note)
    seat = starter or 0
    state = replace(state, public=replace(state.public, board=read_board(fixed["board"], mirrored), mover=seat))
    return onward(replace(state, to_move=(seat,)), ctx)


def onward(state: State[Public], ctx: Context, laid_by: int | None = None) -> Happened:
    """Everything that needs no mail, up to the next choice or the end of the match. ``laid_by``: the seat that has
    just laid a tile, and may have gone out with it."""
    notes: list[Note] = []
    while not state.over:
        public = state.public
        if laid_by is not None and not state.hands[laid_by]:
            state, more, laid_by = _end_round(state, laid_by, ctx)
        elif public.passes >= state.seats:
            state, more, laid_by = _end_round(state, None, ctx)
        elif public.board.fits(state.hands[public.mover]):
            break
        else:
            state, more = _forced(state)
        notes += more
    return state, tuple(notes)


def _forced(state: State[Public]) -> Happened:
    """The turn of a seat without a fitting tile: it draws until one fits and then has a choice, or lays nothing."""
    public = state.public
    seat, stock = public.mover, state.stock
    count, found = 0, False
    while stock[count:] and count < DRAWS and not found:
        found = public.board.fits((stock[count],))
        count += 1
    notes: list[Note] = []
    if count:
        drawn = stock[:count]
        cost = DRAW_COST * count
        hands = (*state.hands[:seat], state.hands[seat] + drawn, *state.hands[seat + 1 :])
        state = gain(replace(state, hands=hands, stock=stock[count:]), seat, -cost)
        notes.append(Note("drew", {"count": count, "cost": cost}, seat=seat, points=-cost))
        notes.append(Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat))
    if found:
        return replace(state, public=replace(state.public, drawn=count)), tuple(notes)
    state = gain(state, seat, -NOTHING_LAID)
    notes.append(Note("cannot-lay" if count else "passed", {"cost": NOTHING_LAID}, seat=seat, points=-NOTHING_LAID))
    passes = 0 if state.stock else public.passes + 1
    return next_turn(state, seat, passes), tuple(notes)


def _end_round(
    state: State[Public], out: int | None, ctx: Context
) -> tuple[State[Public], tuple[Note, ...], int | None]:
    """The sums of a round that ``out`` has won, or that is blocked; then the end of the match, or the next round with
    its opening. The third value is the seat that opened it."""
    state, notes = closing_sums(state, out)
    best = leaders(state)
    number = state.public.round + 1
    if len(best) == 1:
        won = Note("match-won", {"points": state.scores[best[0]]}, seat=best[0])
        return replace(state, to_move=()), (*notes, won), None
    if best:
        notes += (Note("tied", {"seats": list(best), "points": state.scores[best[0]]}),)
    hands, stock = deal(number, state.seats, state.public.mirrored, ctx)
    fresh = new_round(number, state.scores, hands, stock, state.public.options, state.public.mirrored)
    seat, tile = opener(hands, state.public.options)
    fresh, note = opened(replace(fresh, past=state.ended), seat, tile)
    return fresh, (*notes, Note("next-round", {"round": number}), note), seat


def _with(happened: Happened, first: Note) -> Happened:
    return happened[0], (first, *happened[1])


# ---- the deal and the opening of a round ----


TRIPLE, TRIPLE_ZERO, NO_TRIPLE = 20, 40, 10
"""Points for opening, beside the tile's own."""


def deal(number: int, seats: int, mirrored: bool, ctx: Context) -> tuple[Hands, tuple[str, ...]]:
    """Racks and stock of round ``number``. The tiles are mixed from the
    order of their names, under the label ``round<n>``."""
    return cut(ctx.shuffle(f"round{number}", all_tiles(mirrored)), seats, mirrored)


def rank(tile: str, options: Options) -> tuple[int, ...]:
    """The higher, the rather it opens: triples by value, then the others by sum, highest and second number."""
    if is_triple(tile):
        top = tile == "000" and options.triple_zero == "highest"
        return 1, 99 if top else value(tile)
    return 0, value(tile), *sorted(map(int, tile), reverse=True)


def opener(hands: Hands, options: Options, starter: int | None = None) -> tuple[int, str]:
    """Seat and tile that open: the best of all racks, or of the rack of ``starter``; of equals the first seat's, and
    in a rack the first by name. Raises RecordError if there is no tile."""
    held = [
        (rank(tile, options), -seat, tile)
        for seat, hand in enumerate(hands)
        for tile in sorted(hand, reverse=True)
        if starter in (None, seat)
    ]
    if not held:
        raise RecordError("Nobody holds a tile to open with.", 'Give the opening seat a tile in "racks".')
    best = max(one[:2] for one in held)
    return -best[1], min(tile for *key, tile in held if tuple(key) == best)


def opened(state: State[Public], seat: int, tile: str) -> tuple[State[Public], Note]:
    """The first tile, its tip up, its first number at the tip; the next seat's turn begins."""
    a, b, c = (int(digit) for digit in tile)
    extra = (TRIPLE_ZERO if tile == "000" else TRIPLE) if is_triple(tile) else NO_TRIPLE
    points = value(tile) + extra
    laid = lay_down(state, seat, tile, Board().lay(START, (a, b, c)), 1, points)
    params = {"tile": tile, "value": value(tile), "extra": extra, "points": points}
    return laid, Note("opened", params, seat=seat, points=points)


def new_round(
    number: int, scores: tuple[int, ...], hands: Hands, stock: tuple[str, ...], options: Options, mirrored: bool
) -> State[Public]:
    """A round before its opening."""
    public = Public(options, mirrored, Board(), ((),) * len(scores), number)
    return State(public, hands, stock, scores, (0,))
