"""What happens by itself: forced draws and passes, the end of a round, the next deal, until somebody has a choice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Note, State
from moderator.errors import RecordError
from moderator.games.tridom.board import START, Board, Cell, from_tiles
from moderator.games.tridom.state import Options, Public, closing_sums, gain, lay_down, leaders, next_turn
from moderator.games.tridom.tiles import Corners, Hands, all_tiles, cut, is_triple, named, rotations, value

DRAWS = 3
"""Tiles that may be drawn in a turn."""
DRAW_COST, NOTHING_LAID = 5, 10
"""Points lost for each drawn tile, and for a turn in which nothing could be laid."""

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
    fresh, note = opened(fresh, seat, tile)
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


# ---- the fixed deals of records: racks, stock, a starting board ----


_CELL = re.compile(r"\(?\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*\)?")


def read_deal(fixed: Mapping[str, Any], seats: int, mirrored: bool) -> tuple[Hands, tuple[str, ...]]:
    """Racks and stock. Without racks they are cut from the stock. Raises RecordError."""
    stock = read_tiles(fixed.get("stock", ()), "stock", mirrored)
    if "racks" not in fixed:
        return cut(stock, seats, mirrored)
    racks = fixed["racks"]
    if not isinstance(racks, list | tuple) or len(racks) != seats:
        raise RecordError(f"racks needs {seats} lists of tiles.", 'Like [["225", "345"], ["001"]].')
    return tuple(read_tiles(rack, "racks", mirrored) for rack in racks), stock


def read_starter(fixed: Mapping[str, Any], seats: int) -> int | None:
    """The seat that begins, if it is fixed. Raises RecordError."""
    starter = fixed.get("starter")
    if starter is not None and (isinstance(starter, bool) or starter not in range(seats)):
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    return starter


def read_tiles(values: Any, where: str, mirrored: bool) -> tuple[str, ...]:
    """Tiles of a record by name, in any rotation. Raises RecordError."""
    if not isinstance(values, list | tuple):
        raise RecordError(f"{where} = {values!r} is wrong.", 'Expected: a list of tiles such as "225".')
    found = [named(tile, mirrored) if isinstance(tile, str) else None for tile in values]
    for tile, name in zip(values, found, strict=True):
        if name is None:
            raise RecordError(f"{where}: there is no tile {tile!r}.", "A tile is three digits from 0 to 5.")
    return tuple(name for name in found if name is not None)


def read_board(values: Any, mirrored: bool) -> Board:
    """``{"(0,0)": "211", …}``: cell -> digits clockwise from its tip. Raises RecordError."""
    hint = 'Expected: {"(0,0)": "211", …}, cells and the numbers clockwise from the tip.'
    if not isinstance(values, Mapping) or not values:
        raise RecordError("board is no table of cells.", hint)
    tiles: dict[Cell, Corners] = {}
    for where, digits in values.items():
        found = _CELL.fullmatch(str(where))
        name = named(digits, mirrored) if isinstance(digits, str) else None
        if found is None or name is None:
            raise RecordError(f"board: {where!r}: {digits!r} is no tile on a cell.", hint)
        if min(rotations(digits)) != name:
            raise RecordError(f"board: {digits!r} is a mirror image.", "It exists in SuperTridom only.")
        tiles[int(found[1]), int(found[2])] = (int(digits[0]), int(digits[1]), int(digits[2]))
    try:
        return from_tiles(tiles)
    except ValueError as error:
        raise RecordError(f"board: the numbers at corner {error.args[0]} differ.", hint) from error
