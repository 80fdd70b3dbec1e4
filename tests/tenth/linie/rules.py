"""Linie: letters in a row. A letter goes to an end of the row if it is at most two from the letter there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from moderator.common.errors import Illegal, OperatorError, Unreadable
from moderator.rules.game import Context, Game, Note, State, Step, Style, View, check_turn
from moderator.rules.position import Diagram, written
from moderator.rules.scenes import Cell, Grid

LETTERS = "ABCDEFGHI"
ACROSS = 9
MOVE = re.compile(r"\s*([A-I])\s*@\s*([LR])\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    pace: Literal["sequential"] = "sequential"
    tiles: int = 5
    """How many each seat is dealt."""


@dataclass(frozen=True)
class Lay:
    tile: str
    end: str
    """L or R."""


@dataclass(frozen=True)
class Public:
    row: tuple[str, ...] = ()
    fresh: str = ""
    """The end at which the last tile was laid."""
    round: int = 1
    left: Mapping[str, int] = field(default_factory=dict)


class Linie(Game[Public, Lay]):
    key = "linie"
    min_seats = 2
    max_seats = 4
    options = Options
    contract = 2
    version = "1"
    opener = "tile"
    style = Style(attempt=re.compile(r"[A-I]\s*@", re.IGNORECASE))

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(f"Linie is not played by {seats}.", "2 to 4 can play.")
        given = fixed or {}
        pile = ctx.shuffle("round1", [letter for letter in LETTERS for _ in range(4)])
        size = options.tiles
        dealt = tuple(pile[size * seat : size * (seat + 1)] for seat in range(seats))
        hands = tuple(tuple(rack) for rack in given.get("racks", dealt))
        stock = tuple(given.get("stock", () if "racks" in given else pile[size * seats :]))
        state = State(Public(tuple(given.get("board", ()))), hands, stock, (0,) * seats, (given.get("starter") or 0,))
        state, notes = _next(state, state.to_move[0])
        return Step(state, notes)

    def list_moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Lay, int]]:
        if view.seat in view.to_move:
            yield from ((move, _worth(move)) for move in _fitting(view.public.row, view.hand))

    def parse_move(self, line: str, view: View[Public]) -> Lay:
        found = MOVE.fullmatch(line)
        if found is None:
            raise Unreadable("no-move", line=line)
        return Lay(found[1].upper(), found[2].upper())

    def format_move(self, move: Lay) -> str:
        return f"{move.tile}@{move.end}"

    def apply_move(self, state: State[Public], seat: int, move: Lay, ctx: Context) -> Step[Public]:
        check_turn(state, seat)
        hand = list(state.hands[seat])
        if move.tile not in hand:
            raise Illegal("not-your-tile", tile=move.tile)
        if not _fits(state.public.row, move):
            raise Illegal("does-not-fit", tile=move.tile)
        hand.remove(move.tile)
        drawn, stock = state.stock[:1], state.stock[1:]
        row = (move.tile, *state.public.row) if move.end == "L" else (*state.public.row, move.tile)
        won = _worth(move)
        after = replace(
            state,
            public=replace(state.public, row=row, fresh=move.end),
            hands=tuple((*hand, *drawn) if other == seat else held for other, held in enumerate(state.hands)),
            stock=stock,
            scores=tuple(score + won * (other == seat) for other, score in enumerate(state.scores)),
        )
        notes = (Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat),) if drawn else ()
        after, forced = _next(after, (seat + 1) % state.seats)
        return Step(after, notes, won, move, {"tile": move.tile, "end": move.end}, forced)

    def pass_turn(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        check_turn(state, seat)
        lost = min(state.hands[seat])  # so that a match ends though a seat has left
        hand = list(state.hands[seat])
        hand.remove(lost)
        hands = tuple(tuple(hand) if other == seat else held for other, held in enumerate(state.hands))
        after, forced = _next(replace(state, hands=hands, stock=(*state.stock, lost)), (seat + 1) % state.seats)
        return Step(after, (Note("missed", {"tile": lost}, seat=seat),), after=forced)

    def build_scene(self, view: View[Public]) -> Grid:
        row = view.public.row
        fresh = {"": None, "L": 0, "R": len(row) - 1}[view.public.fresh]
        cells = tuple(Cell(n % ACROSS, n // ACROSS, letter, fresh=n == fresh) for n, letter in enumerate(row))
        return Grid(tuple(map(str, range(1, ACROSS + 1))), ("1", "2", "3", "4"), cells)

    def export(self, public: Public) -> dict[str, Any]:
        return {"round": public.round, "row": list(public.row)}

    def find_rack_value(self, state: State[Public], seat: int) -> int:
        return 0

    def list_table_tiles(self, public: Public) -> tuple[str, ...]:
        return public.row

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        return written(state, turn=state.to_move[0], board=list(state.public.row))

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        seat, row = diagram.turn(), diagram.lines("board")
        hands = diagram.racks(_letter)
        box = [letter for letter in LETTERS for _ in range(4)]
        for n, tile in enumerate(row):
            if tile not in LETTERS or not _fits(row[:n], Lay(tile, "R")):
                diagram.wrong(("board", n), f"{tile!r} does not fit there.")
        stock = diagram.stock(box, row, hands, _letter, ctx, diagram.round())
        state = State(Public(row), hands, stock, diagram.scores(), (seat,))
        return Step(state) if diagram.faults else Step(*_next(state, seat))

    def find_winners(self, state: State[Public]) -> tuple[int, ...]:
        best = max(state.scores)
        return tuple(seat for seat, score in enumerate(state.scores) if score == best) if state.over else ()


def _letter(text: str) -> str | None:
    return text.upper() if len(text) == 1 and text.upper() in LETTERS else None


def _worth(move: Lay) -> int:
    return LETTERS.index(move.tile) + 1


def _fits(row: tuple[str, ...], move: Lay) -> bool:
    return not row or abs(ord(row[0 if move.end == "L" else -1]) - ord(move.tile)) <= 2


def _fitting(row: tuple[str, ...], hand: tuple[str, ...]) -> Iterator[Lay]:
    for tile in sorted(set(hand)):
        for end in "LR":
            if _fits(row, Lay(tile, end)):
                yield Lay(tile, end)


def _next(state: State[Public], first: int) -> tuple[State[Public], tuple[Note, ...]]:
    """The next seat that can lay; where none can, or one has no tile left, the match is over."""
    order = [(first + n) % state.seats for n in range(state.seats)]
    notes = []
    if all(state.hands):
        for seat in order:
            if any(_fitting(state.public.row, state.hands[seat])):
                return replace(state, to_move=(seat,)), tuple(notes)
            notes.append(Note("passed", seat=seat))
    over = replace(state, to_move=())
    return over, tuple(notes)


GAME = Linie()
