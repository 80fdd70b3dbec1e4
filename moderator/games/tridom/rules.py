"""Tridom and SuperTridom as the engine sees them, and what happens by itself: forced draws and passes, the end of a
round, the next deal, until somebody has a choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.common.errors import Illegal, RecordError
from moderator.games.tridom import notation, simulate
from moderator.games.tridom.board import (
    BRIDGE,
    START,
    Cell,
    Corners,
    Hands,
    TridomBoard,
    find_tridom_tile,
    get_fit_table,
    get_tile_value,
    is_pointing_up,
    is_triple_tile,
    list_tridom_tiles,
    parse_tridom_board,
    split_into_racks,
    sum_tile_values,
)
from moderator.games.tridom.state import (
    DRAW_COST,
    DRAWS,
    NOTHING_LAID,
    OUT,
    Move,
    TridomCodec,
    TridomOptions,
    TridomPlacement,
    TridomPublic,
    add_tridom_gain,
    begin_tridom_turn,
    lay_tridom_tile,
    list_leading_seats,
    list_lying_tiles,
    settle_tridom_round,
)
from moderator.rules.codec import CodecGame
from moderator.rules.ending import lead
from moderator.rules.game import Effort, State, Step, TouchMove
from moderator.rules.orders import conditions
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.position import read_fixed_deal
from moderator.rules.scenes import Triangle, Triangles
from moderator.rules.state import Context, Note, View, check_turn, read_starter


class Tridom(CodecGame[TridomPublic, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    min_seats = 2
    max_seats = 6
    options = TridomOptions
    contract = 2
    version = "1"
    opener = "tile"
    style = notation.STYLE
    pictured = Triangles
    effort = Effort(moves=8, worlds=(32, 32, 64), turns=80, reviewed=280)

    def __init__(self, key: str, *, mirrored: bool) -> None:
        self.key = key
        self.mirrored = mirrored
        self.position = TridomCodec(mirrored)

    def setup(
        self, seats: int, options: TridomOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[TridomPublic]:
        """Deal and open, up to the first choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        return Step(*begin_tridom_match(seats, options, self.mirrored, ctx, fixed))

    def list_moves(self, view: View[TridomPublic], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every placement of the seat's tiles with its points; none while the seat is not to move."""
        return list_tridom_placements(view.public, view.hand) if view.seat in view.to_move else []

    def parse_move(self, line: str, view: View[TridomPublic]) -> Move:
        """One move. Raises Unreadable."""
        return notation.parse_tridom_move(line, view.public)

    def format_move(self, move: Move) -> str:
        """Canonical notation: ``225@8``, ``225@8 ab 10``, ``nach Ziehen: bester``."""
        return notation.format_tridom_move(move)

    def apply_move(self, state: State[TridomPublic], seat: int, move: Move, ctx: Context) -> Step[TridomPublic]:
        """Lay a tile. Raises Illegal."""
        check_turn(state, seat)
        public, board = state.public, state.public.board
        lay = _choose_drawn_placement(state, seat) if isinstance(move, AfterDraw) else move
        lying = check_tridom_placement(public, state.hands[seat], lay)
        cell = board.cells[lay.place - 1]
        notes = list_tridom_bonuses(board, cell, public.options, seat)
        extra = sum(note.points for note in notes)
        points = get_tile_value(lay.tile) + extra
        conditions.check(lay.at_least, points)
        laid = lay_tridom_tile(state, seat, lay.tile, board.with_tile(cell, lying), lay.place, points)
        after, happened = advance_tridom_round(laid, ctx, laid_by=seat)
        detail = {"sum": get_tile_value(lay.tile), "bonus": extra, "corners": list(lying)}
        return Step(after, notes, points, TridomPlacement(lay.tile, lay.place), detail, happened)

    def pass_turn(self, state: State[TridomPublic], seat: int, ctx: Context) -> Step[TridomPublic]:
        """The ZAT passed: nothing is laid, drawn or lost. With an empty stock it is a pass towards a blocked round if
        the seat plays no more, else it breaks the circle."""
        check_turn(state, seat)
        passes = state.public.passes + 1 if seat in ctx.out and not state.stock else 0
        after, happened = advance_tridom_round(begin_tridom_turn(state, seat, passes), ctx)
        return Step(after, (Note("missed", seat=seat),), after=happened)

    def build_scene(self, view: View[TridomPublic]) -> Triangles:
        """The tiles and the numbered free cells beside them."""
        scene = build_triangles_scene(view.public)
        return scene if view.to_move else scene.close()

    def show_move(self, view: View[TridomPublic], move: Move) -> TouchMove:
        """See ``Game.show_move``: the tile as it turns in its place, its bonuses."""
        assert isinstance(move, TridomPlacement)
        cell = view.public.board.cells[move.place - 1]
        lying = check_tridom_placement(view.public, view.hand, move)
        notes = list_tridom_bonuses(view.public.board, cell, view.public.options)
        last = (Note("would-go-out", {"extra": OUT}),) if len(view.hand) == 1 else ()
        return TouchMove(move.tile, move.place, Triangle(*cell, move.place, lying), (*notes, *last))

    def find_rack_value(self, state: State[TridomPublic], seat: int) -> int:
        """The sum of the tiles, as in a blocked round."""
        return sum_tile_values(state.hands[seat])

    def advance_resumed(self, state: State[TridomPublic], ctx: Context) -> Step[TridomPublic]:
        return Step(*advance_tridom_round(state, ctx))

    def list_table_tiles(self, public: TridomPublic) -> list[str]:
        return list_lying_tiles(public.board)

    def list_unseen_tiles(self, view: View[TridomPublic]) -> list[str]:
        seen = {*self.list_table_tiles(view.public), *view.hand}
        return [tile for tile in list_tridom_tiles(self.mirrored) if tile not in seen]

    def choose_reply(self, view: View[TridomPublic], ctx: Context) -> TridomPlacement | None:
        """The placement with the most points, of equal ones the first by place."""
        return max(list_tridom_placements(view.public, view.hand), key=lambda found: found[1], default=(None, 0))[0]

    def estimate_standing(self, state: State[TridomPublic], seat: int) -> float:
        """The lead."""
        return lead(state.scores, seat)

    def simulate_playout(self, world: State[TridomPublic], move: TridomPlacement) -> float | None:
        held = [*world.stock, *(tile for hand in world.hands for tile in hand)]
        if len(set(held)) < len(held):  # only a record can deal a tile twice
            return None
        return float(lead(simulate.simulate_tridom_round(world, move), world.to_move[0]))

    def find_winners(self, state: State[TridomPublic]) -> tuple[int, ...]:
        """The one seat that is ahead at the end of the last round."""
        return list_leading_seats(state) if state.over else ()


def list_tridom_placements(public: TridomPublic, hand: Iterable[str]) -> list[tuple[TridomPlacement, int]]:
    """Return every way to lay a tile of ``hand`` with its points, by place number, then by tile."""
    board, options = public.board, public.options
    return [
        (TridomPlacement(tile, board.places[cell]), get_tile_value(tile) + sum_tridom_bonuses(board, cell, options))
        for tile, cell, _ in board.iter_placements(hand)
    ]


def check_tridom_placement(public: TridomPublic, hand: tuple[str, ...], lay: TridomPlacement) -> Corners:
    """Check a placement and return how the tile then lies. Raises Illegal: not-your-tile, no-such-place, taken,
    does-not-fit-up, does-not-fit-down; none tells more than the board and the seat's own rack."""
    board = public.board
    if lay.tile not in hand:
        raise Illegal("not-your-tile", tile=lay.tile)
    cell = board.find_cell(lay.place)
    if cell is None:
        raise Illegal("no-such-place", place=lay.place, free=notation.list_near_places(public, lay.place))
    if cell in board.tiles:
        raise Illegal("taken", place=lay.place, free=notation.list_near_places(public, lay.place))
    known = board.free[cell]
    lying = get_fit_table().get(known, {}).get(lay.tile)
    if lying is None:
        code = "does-not-fit-up" if is_pointing_up(cell) else "does-not-fit-down"
        raise Illegal(code, tile=lay.tile, place=lay.place, corners=notation.format_known_corners(known))
    return lying


def _choose_drawn_placement(state: State[TridomPublic], seat: int) -> TridomPlacement:
    """Return the placement with the most points after a forced draw; of equal ones the lowest place. Only the tile that
    was drawn last can fit. Raises Illegal("no-draw")."""
    public = state.public
    if not public.drawn or public.mover != seat:
        raise Illegal("no-draw")
    found = [(-points, move.place, move) for move, points in list_tridom_placements(public, state.hands[seat][-1:])]
    return min(found)[2]


GAME = Tridom("tridom", mirrored=False)
SUPER = Tridom("supertridom", mirrored=True)


# ---- the table as a neutral drawing ----


def build_triangles_scene(public: TridomPublic) -> Triangles:
    """Build the drawing of the lying tiles and the free cells, each by place number; the last tile is fresh."""
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


def list_tridom_bonuses(
    board: TridomBoard, cell: Cell, options: TridomOptions, seat: int | None = None
) -> tuple[Note, ...]:
    """Return the bonuses that count for a tile in ``cell``, each with its points: only the highest, or all of them."""
    if None in board.free[cell]:
        return ()
    code = "bonus-bridge" if board.count_touching_sides(cell) == 1 else "bonus-sides"
    bridge = Note(code, {"points": BRIDGE}, seat=seat, points=BRIDGE)
    count = board.count_hexagons(cell)
    if not count:
        return (bridge,)
    extra = options.score_hexagons(count)
    hexagon = Note("bonus-hexagon", {"count": count, "points": extra}, seat=seat, points=extra)
    return (hexagon,) if options.bonus == "highest" else (hexagon, bridge)


def sum_tridom_bonuses(board: TridomBoard, cell: Cell, options: TridomOptions) -> int:
    """Return the sum of the bonuses that count for a tile in ``cell``."""
    return sum(note.points for note in list_tridom_bonuses(board, cell, options))


# ---- what happens by itself ----


Happened = tuple[State[TridomPublic], tuple[Note, ...]]


def begin_tridom_match(
    seats: int, options: TridomOptions, mirrored: bool, ctx: Context, fixed: Mapping[str, Any] | None = None
) -> Happened:
    """Return the first round up to its first choice. ``fixed`` as in RULES.md; raises RecordError where it is wrong."""
    fixed = fixed or {}
    starter = read_starter(fixed, seats)
    racks, rest = read_fixed_deal(fixed, seats, lambda text: find_tridom_tile(text, mirrored))
    if racks is not None:
        hands, stock = racks, rest or ()
    elif rest is not None:
        hands, stock = split_into_racks(rest, seats, mirrored)
    else:
        hands, stock = deal_tridom_round(1, seats, mirrored, ctx)
    state = build_unopened_round(1, (0,) * seats, hands, stock, options, mirrored)
    if fixed.get("board") is None:
        seat, tile = choose_tridom_opener(hands, options, starter)
        state, note = open_tridom_round(state, seat, tile)
        happened = advance_tridom_round(state, ctx, seat)
        return happened[0], (note, *happened[1])
    seat = starter or 0
    state = replace(state, public=replace(state.public, board=parse_tridom_board(fixed["board"], mirrored), mover=seat))
    return advance_tridom_round(replace(state, to_move=(seat,)), ctx)


def advance_tridom_round(state: State[TridomPublic], ctx: Context, laid_by: int | None = None) -> Happened:
    """Do everything that needs no mail, up to the next choice or the end of the match. ``laid_by``: the seat that has
    just laid a tile, and may have gone out with it."""
    notes: list[Note] = []
    while not state.over:
        public = state.public
        if laid_by is not None and not state.hands[laid_by]:
            state, more, laid_by = _end_round(state, laid_by, ctx)
        elif public.passes >= state.seats:
            state, more, laid_by = _end_round(state, None, ctx)
        elif public.board.has_fit_for(state.hands[public.mover]):
            break
        else:
            state, more = _play_forced_turn(state)
        notes += more
    return state, tuple(notes)


def _play_forced_turn(state: State[TridomPublic]) -> Happened:
    """Play the turn of a seat without a fitting tile: it draws until one fits and then has a choice, or lays
    nothing."""
    public = state.public
    seat, stock = public.mover, state.stock
    count, found = 0, False
    while stock[count:] and count < DRAWS and not found:
        found = public.board.has_fit_for((stock[count],))
        count += 1
    notes: list[Note] = []
    if count:
        drawn = stock[:count]
        cost = DRAW_COST * count
        hands = (*state.hands[:seat], state.hands[seat] + drawn, *state.hands[seat + 1 :])
        state = add_tridom_gain(replace(state, hands=hands, stock=stock[count:]), seat, -cost)
        notes.append(Note("drew", {"count": count, "cost": cost}, seat=seat, points=-cost))
        notes.append(Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat))
    if found:
        return replace(state, public=replace(state.public, drawn=count)), tuple(notes)
    state = add_tridom_gain(state, seat, -NOTHING_LAID)
    notes.append(Note("cannot-lay" if count else "passed", {"cost": NOTHING_LAID}, seat=seat, points=-NOTHING_LAID))
    passes = 0 if state.stock else public.passes + 1
    return begin_tridom_turn(state, seat, passes), tuple(notes)


def _end_round(
    state: State[TridomPublic], out: int | None, ctx: Context
) -> tuple[State[TridomPublic], tuple[Note, ...], int | None]:
    """Return the sums of a round that ``out`` has won, or that is blocked; then the end of the match, or the next round
    with its opening. The third value is the seat that opened it."""
    state, notes = settle_tridom_round(state, out)
    best = list_leading_seats(state)
    number = state.public.round + 1
    if len(best) == 1:
        won = Note("match-won", {"points": state.scores[best[0]]}, seat=best[0])
        return replace(state, to_move=()), (*notes, won), None
    if best:
        notes += (Note("tied", {"seats": list(best), "points": state.scores[best[0]]}),)
    hands, stock = deal_tridom_round(number, state.seats, state.public.mirrored, ctx)
    fresh = build_unopened_round(number, state.scores, hands, stock, state.public.options, state.public.mirrored)
    seat, tile = choose_tridom_opener(hands, state.public.options)
    fresh, note = open_tridom_round(replace(fresh, past=state.ended), seat, tile)
    return fresh, (*notes, Note("next-round", {"round": number}), note), seat


# ---- the deal and the opening of a round ----


TRIPLE, TRIPLE_ZERO, NO_TRIPLE = 20, 40, 10
"""Points for opening, beside the tile's own."""


def deal_tridom_round(number: int, seats: int, mirrored: bool, ctx: Context) -> tuple[Hands, tuple[str, ...]]:
    """Return racks and stock of round ``number``. The tiles are mixed from the order of their names, under the label
    ``round<n>``."""
    return split_into_racks(ctx.shuffle(f"round{number}", list_tridom_tiles(mirrored)), seats, mirrored)


def rank_opening_tile(tile: str, options: TridomOptions) -> tuple[int, ...]:
    """Return a key of a tile, the higher the rather it opens: triples by value, then the others by sum, highest and
    second number."""
    if is_triple_tile(tile):
        top = tile == "000" and options.triple_zero == "highest"
        return 1, 99 if top else get_tile_value(tile)
    return 0, get_tile_value(tile), *sorted(map(int, tile), reverse=True)


def choose_tridom_opener(hands: Hands, options: TridomOptions, starter: int | None = None) -> tuple[int, str]:
    """Return seat and tile that open: the best of all racks, or of the rack of ``starter``; of equals the first seat's,
    and in a rack the first by name. Raises RecordError if there is no tile."""
    held = [
        (rank_opening_tile(tile, options), -seat, tile)
        for seat, hand in enumerate(hands)
        for tile in sorted(hand, reverse=True)
        if starter in (None, seat)
    ]
    if not held:
        raise RecordError("Nobody holds a tile to open with.", 'Give the opening seat a tile in "racks".')
    best = max(one[:2] for one in held)
    return -best[1], min(tile for *key, tile in held if tuple(key) == best)


def open_tridom_round(state: State[TridomPublic], seat: int, tile: str) -> tuple[State[TridomPublic], Note]:
    """Lay the first tile, its tip up, its first number at the tip; the next seat's turn begins."""
    a, b, c = (int(digit) for digit in tile)
    extra = (TRIPLE_ZERO if tile == "000" else TRIPLE) if is_triple_tile(tile) else NO_TRIPLE
    points = get_tile_value(tile) + extra
    laid = lay_tridom_tile(state, seat, tile, TridomBoard().with_tile(START, (a, b, c)), 1, points)
    params = {"tile": tile, "value": get_tile_value(tile), "extra": extra, "points": points}
    return laid, Note("opened", params, seat=seat, points=points)


def build_unopened_round(
    number: int, scores: tuple[int, ...], hands: Hands, stock: tuple[str, ...], options: TridomOptions, mirrored: bool
) -> State[TridomPublic]:
    """Build a round before its opening."""
    public = TridomPublic(options, mirrored, TridomBoard(), ((),) * len(scores), number)
    return State(public, hands, stock, scores, (0,))
