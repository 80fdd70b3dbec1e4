"""The game object: Dominos as the engine sees it. What it decides stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.errors import Illegal
from moderator.games.dominos import layout, notation
from moderator.games.dominos.rounds import advance, deal, laid, missed
from moderator.games.dominos.state import Board, Lay, Move, Options, Public, ends, fitting, pips, placements, total
from moderator.match import conditions
from moderator.match.contract import Context, Note, State, Step, View, check_turn
from moderator.match.scenes import Layout
from moderator.match.sequential import Sequential


class Dominos(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    key = "dominos"
    min_seats = 2
    max_seats = 2
    options = Options
    version = "1"
    style = notation.STYLE

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal seven tiles each and open, up to the first choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        return deal(options, ctx, fixed or {})

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every placement of the seat's tiles with its points; none while the seat is not to move."""
        if view.seat not in view.to_move:
            return []
        return [(Lay(tile, place), won) for tile, place, won in placements(view.public.board, view.hand)]

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return notation.read(line, view)

    def format(self, move: Move) -> str:
        """Canonical notation: ``64@L``, ``64@L ab 10``, ``64`` on an empty table, ``nach Ziehen: bester``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Lay a tile; what is forced then happens, too. Raises Illegal."""
        check_turn(state, seat)
        played = _resolved(move, state, seat) if isinstance(move, Lay) else _best(state, seat)
        after, won = laid(state, seat, played.tile, played.place)
        conditions.check(played.at_least, won)
        board = after.public.board
        detail = {"tile": played.tile, "place": played.place, "sum": total(board)}
        notes = (_counted(board, seat, won),)
        after, forced = advance(after, ctx)
        return Step(after, notes, won, replace(played, at_least=None), detail, forced)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: the seat passes and draws nothing."""
        check_turn(state, seat)
        after, forced = missed(state, seat, ctx)
        return Step(after, (Note("missed", seat=seat),), after=forced)

    def scene(self, view: View[Public]) -> Layout:
        """The tiles where they lie, the last one fresh."""
        return layout.draw(view.public.board)

    def export(self, public: Public) -> dict[str, Any]:
        """What lies on the table and what it counts; RULES.md lists the keys."""
        board = public.board
        spinner = board.line[board.spinner] if board.spinner is not None else None
        return {
            "round": public.round,
            "leader": public.leader,
            "ends": {place: {"value": end.value, "counts": end.counts} for place, end in ends(board).items()},
            "sum": total(board),
            "line": list(board.line),
            "arms": {"N": list(board.north), "S": list(board.south)},
            "spinner": spinner,
            "laid": [f"{tile}@{place}" if place else tile for tile, place in board.laid],
            "gains": [list(row) for row in public.gains],
        }

    def rack_value(self, state: State[Public], seat: int) -> int:
        """All pips of the hand, as the winner of a blocked round pays them."""
        return pips(state.hands[seat])

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [tile for tile, _ in public.board.laid]


def _resolved(move: Lay, state: State[Public], seat: int) -> Lay:
    """The move with its place, if it named none and only one fits. Raises Illegal for a tile not held."""
    if move.tile not in state.hands[seat]:
        raise Illegal("not-your-tile", tile=move.tile)
    board = state.public.board
    if not board.line:
        return replace(move, place="")
    places = fitting(board, move.tile)
    return replace(move, place=places[0]) if not move.place and len(places) == 1 else move


def _best(state: State[Public], seat: int) -> Lay:
    """``nach Ziehen: bester``: only the tile just drawn fits; its best place, of equal ones the first of L R N S."""
    if state.public.drew != seat:
        raise Illegal("no-draw")
    tile, place, _ = max(placements(state.public.board, state.hands[seat]), key=lambda found: found[2])
    return Lay(tile, place)


def _counted(board: Board, seat: int, won: int) -> Note:
    """How the points of a move come about."""
    counts = {place: end.counts for place, end in ends(board).items() if end.counts or place in "LR"}
    return Note("scored" if won else "no-score", {"ends": counts, "sum": total(board)}, seat=seat)


GAME = Dominos()
