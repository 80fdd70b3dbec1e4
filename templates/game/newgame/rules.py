"""New Game. A tile goes onto a free square: a point, and one more for each neighbour with the same letter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from moderator.common.errors import Illegal, Unreadable
from moderator.rules.game import Cell, Context, Game, Note, State, Step, Style, View, check_turn, read_starter
from moderator.rules.scenes import Grid

LETTERS = "ABCDE"
OF_EACH = 8
SIZE = 5
"""Squares in a row, and rows."""
SQUARES = tuple(f"{column}{row}" for row in range(1, SIZE + 1) for column in "ABCDE")
MOVE = re.compile(r"\s*(?:lege?|lay|place)\s+([A-E])\s+(?:auf|on)\s+([A-E][1-5])\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    """What can be agreed for a match. Each has a default, and stands in RULES.md and in the sentences."""

    pace: Literal["sequential"] = "sequential"
    tiles: int = 5
    """How many each seat holds, 1 to 8."""


@dataclass(frozen=True)
class Lay:
    """A move."""

    letter: str
    square: str


@dataclass(frozen=True)
class Public:
    """What all can see. Whatever one seat alone may know lies in the hands and the stock."""

    board: str = "." * len(SQUARES)
    """Row by row; . is a free square."""
    fresh: str = ""
    """The square of the last move."""
    round: int = 1


class NewGame(Game[Public, Lay]):
    """Pure: a state and a move in, a new state and what happened out. It keeps nothing on itself."""

    key = "newgame"
    min_seats = 2
    max_seats = 4
    options = Options
    contract = 2
    version = "1"
    style = Style(attempt=re.compile(r"(?:lege?|lay|place)\s+[A-Z]\b", re.IGNORECASE))

    # ---- the deal, a move, a turn without one ----

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        self.check_seats(seats)
        given = fixed or {}
        bag = ctx.shuffle("round1", [letter for letter in LETTERS for _ in range(OF_EACH)])
        size = min(max(options.tiles, 1), OF_EACH)
        dealt = tuple(bag[size * seat : size * (seat + 1)] for seat in range(seats))
        hands = tuple(tuple(rack) for rack in given.get("racks", dealt))
        stock = tuple(given.get("stock", () if "racks" in given else bag[size * seats :]))
        first = read_starter(given, seats, 0) or 0
        return Step(State(Public(), hands, stock, (0,) * seats, (first,)))

    def list_moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Lay, int]]:
        """What the seat may do, with the points of each: robots and examples are made of that."""
        if view.seat in view.to_move:
            for letter in sorted(set(view.hand)):
                for square in _free(view.public):
                    yield Lay(letter, square), _worth(view.public, letter, square)

    def apply_move(self, state: State[Public], seat: int, move: Lay, ctx: Context) -> Step[Public]:
        """What a rule forbids is a code; its sentence stands in messages.<language>.toml."""
        check_turn(state, seat)
        if move.letter not in state.hands[seat]:
            raise Illegal("not-your-tile", tile=move.letter)
        if move.square not in _free(state.public):
            raise Illegal("taken", square=move.square)
        won = _worth(state.public, move.letter, move.square)
        hand = list(state.hands[seat])
        hand.remove(move.letter)
        drawn, stock = state.stock[:1], state.stock[1:]
        at = SQUARES.index(move.square)
        board = f"{state.public.board[:at]}{move.letter}{state.public.board[at + 1 :]}"
        after = replace(
            state,
            public=replace(state.public, board=board, fresh=move.square),
            hands=(*state.hands[:seat], (*hand, *drawn), *state.hands[seat + 1 :]),
            stock=stock,
            scores=(*state.scores[:seat], state.scores[seat] + won, *state.scores[seat + 1 :]),
        )
        notes = (Note("drew-tile", {"tile": drawn[0]}, seat=seat, only=seat),) if drawn else ()
        return Step(_next(after, seat), notes, won, move, {"letter": move.letter, "square": move.square})

    def pass_turn(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """No mail came, or the seat has left. The others must come to their turns and the match to its end."""
        check_turn(state, seat)
        return Step(_next(state, seat), (Note("missed", seat=seat),))

    # ---- how a move is written ----

    def parse_move(self, line: str, view: View[Public]) -> Lay:
        found = MOVE.fullmatch(line)
        if found is None:
            raise Unreadable("no-move", line=line)
        return Lay(found[1].upper(), found[2].upper())

    def format_move(self, move: Lay) -> str:
        """In German and small letters; ``[move]`` in messages.en.toml has the words for English readers."""
        return f"lege {move.letter} auf {move.square}"

    # ---- how a position is shown and written down ----

    def build_scene(self, view: View[Public]) -> Grid:
        """Picture, text and alt text are all made of this."""
        cells = tuple(
            Cell(at % SIZE, at // SIZE, letter, fresh=SQUARES[at] == view.public.fresh)
            for at, letter in enumerate(view.public.board)
            if letter != "."
        )
        return Grid(tuple("ABCDE"), tuple("12345"), cells)

    def export(self, public: Public) -> dict[str, Any]:
        return {"round": public.round, **self.table(public)}

    def table(self, public: Public) -> dict[str, Any]:
        """For programs, and for the touch board."""
        return {"rows": [public.board[at : at + SIZE] for at in range(0, len(SQUARES), SIZE)], "fresh": public.fresh}

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round_number: int) -> Public:
        board = "".join(values["rows"])
        if len(board) != len(SQUARES) or set(board) - set(f"{LETTERS}.") or values["fresh"] not in ("", *SQUARES):
            raise ValueError("that is no table")
        return Public(board, values["fresh"])

    def list_table_tiles(self, public: Public) -> Iterator[str]:
        """So that it can be checked that no tile is lost."""
        return (letter for letter in public.board if letter != ".")

    def find_rack_value(self, state: State[Public], seat: int) -> int:
        """What is left in a rack costs nothing when a match is broken off."""
        return 0


def _free(public: Public) -> list[str]:
    return [square for square, letter in zip(SQUARES, public.board, strict=True) if letter == "."]


def _worth(public: Public, letter: str, square: str) -> int:
    """One for the tile, and one for each neighbour with the same letter."""
    at = SQUARES.index(square)
    x, y = at % SIZE, at // SIZE
    beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
    return 1 + sum(public.board[b * SIZE + a] == letter for a, b in beside if 0 <= a < SIZE and 0 <= b < SIZE)


def _next(state: State[Public], seat: int) -> State[Public]:
    """The next seat that has a tile; the match is over when the board is full or nobody has one."""
    order = [(seat + n) % state.seats for n in range(1, state.seats + 1)]
    waiting = [other for other in order if state.hands[other]]
    return replace(state, to_move=(waiting[0],) if waiting and _free(state.public) else ())


GAME = NewGame()
