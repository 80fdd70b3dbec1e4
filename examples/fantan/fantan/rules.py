"""Fan Tan. A card goes beside the end of its row; a seven begins one. Who can lay must, who cannot draws a card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from fantan import table
from fantan.table import CARDS, HIGHEST, ROWS, SEVEN, Table
from moderator.common.errors import Illegal, Unreadable
from moderator.rules.game import Context, Game, Note, State, Step, Style, View, check_turn, read_starter
from moderator.rules.position import Diagram, written
from moderator.rules.scenes import Cell, Grid

MOVE = re.compile(r"\s*(?:lege?|spiele?|lay|play)\s+([A-D])\s*(1[0-3]|[1-9])\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    pace: Literal["sequential"] = "sequential"
    cards: int = 8
    """How many each seat is dealt, 1 to 13."""


@dataclass(frozen=True)
class Lay:
    card: str


class FanTan(Game[Table, Lay]):
    key = "fantan"
    min_seats = 2
    max_seats = 4
    options = Options
    contract = 2
    version = "1"
    opener = "tile"
    style = Style(attempt=re.compile(r"(?:lege?|spiele?|lay|play)\s+[A-Z]\s*\d", re.IGNORECASE))

    # ---- the deal, a move, a turn without one ----

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Table]:
        """``cards`` for each seat, the rest is the stock; the first seat begins."""
        self.check_seats(seats)
        given = fixed or {}
        pile = ctx.shuffle("round1", CARDS)
        size = min(max(options.cards, 1), HIGHEST)
        dealt = tuple(pile[size * seat : size * (seat + 1)] for seat in range(seats))
        hands = tuple(tuple(rack) for rack in given.get("racks", dealt))
        stock = tuple(given.get("stock", () if "racks" in given else pile[size * seats :]))
        first = read_starter(given, seats, 0)
        state = State(Table(), hands, stock, (0,) * seats, (first or 0,))
        return Step(*_next(state, first or 0))

    def list_moves(self, view: View[Table], ctx: Context) -> Iterator[tuple[Lay, int]]:
        if view.seat in view.to_move:
            yield from ((Lay(card), _worth(view.hand, view.hand_counts)) for card in _fitting(view.public, view.hand))

    def apply_move(self, state: State[Table], seat: int, move: Lay, ctx: Context) -> Step[Table]:
        """A card laid is a point; who lays the last one gets a point for each card of the others."""
        check_turn(state, seat)
        if move.card not in state.hands[seat]:
            raise Illegal("not-your-card", card=move.card)
        if not state.public.fits(move.card):
            raise Illegal("does-not-fit", card=move.card, seven=f"{move.card[0]}{SEVEN}")
        won = _worth(state.hands[seat], tuple(map(len, state.hands)))
        laid = _laid(state, seat, move.card, won)
        notes = (Note("out", {"count": won - 1}, seat=seat, points=won - 1),) if not laid.hands[seat] else ()
        after, forced = _next(laid, (seat + 1) % state.seats)
        return Step(after, notes, won, move, {"card": move.card}, forced)

    def pass_turn(self, state: State[Table], seat: int, ctx: Context) -> Step[Table]:
        """The lowest card that fits is laid without a point, so that a match ends though a seat has left."""
        check_turn(state, seat)
        card = next(_fitting(state.public, state.hands[seat]))
        after, forced = _next(_laid(state, seat, card, 0), (seat + 1) % state.seats)
        return Step(after, (Note("missed", {"card": card}, seat=seat),), after=forced)

    # ---- how a move is written ----

    def parse_move(self, line: str, view: View[Table]) -> Lay:
        found = MOVE.fullmatch(line)
        if found is None:
            raise Unreadable("no-move", line=line)
        return Lay(f"{found[1].upper()}{found[2]}")

    def format_move(self, move: Lay) -> str:
        return f"lege {move.card}"

    # ---- how a position is shown and written down ----

    def build_scene(self, view: View[Table]) -> Grid:
        """Four rows of thirteen squares; the seven's column is tinted."""
        places = [(card, *table.place(card)) for card in view.public.cards()]
        cells = [Cell(number - 1, row, str(number), fresh=card == view.public.fresh) for card, row, number in places]
        columns = tuple(str(number) for number in range(1, HIGHEST + 1))
        tinted = frozenset((SEVEN - 1, row) for row in range(len(ROWS)))
        return Grid(columns, tuple(ROWS), tuple(cells), tinted, row_first=True)

    def export(self, public: Table) -> dict[str, Any]:
        return {"round": public.round, **table.written(public)}

    def table(self, public: Table) -> dict[str, Any]:
        return table.written(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round_number: int) -> Table:
        return table.read(values)

    def list_table_tiles(self, public: Table) -> Iterator[str]:
        return public.cards()

    def find_rack_value(self, state: State[Table], seat: int) -> int:
        """Nothing: who is not out pays nothing, the one who is gets more."""
        return 0

    def diagram(self, state: State[Table]) -> dict[str, Any]:
        return written(state, turn=state.to_move[0], board=list(state.public.cards()))

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Table]:
        seat, listed = diagram.turn(), diagram.lines("board")
        lying = Table()
        for n, card in sorted(enumerate(listed), key=lambda one: _outwards(one[1])):
            if card in CARDS and lying.fits(card):
                lying = lying.with_card(card)
            else:
                diagram.wrong(("board", n), f"{card!r} does not fit there: rows lie without gaps from their sevens.")
        hands = diagram.racks(_card)
        stock = diagram.stock(CARDS, tuple(lying.cards()), hands, _card, ctx, diagram.round())
        state = State(replace(lying, fresh=""), hands, stock, diagram.scores(), (seat,))
        return Step(state) if diagram.faults else Step(*_next(state, seat))


def _card(text: str) -> str | None:
    return text.upper() if text.upper() in CARDS else None


def _outwards(card: str) -> int:
    return abs(table.place(card)[1] - SEVEN) if card in CARDS else HIGHEST


def _fitting(lying: Table, hand: tuple[str, ...]) -> Iterator[str]:
    """The cards of a hand that fit, in the order of the pack."""
    return (card for card in CARDS if card in hand and lying.fits(card))


def _worth(hand: tuple[str, ...], counts: tuple[int, ...]) -> int:
    """A point for the card, and where it is the last one those for what the others hold."""
    return 1 if len(hand) > 1 else sum(counts)


def _laid(state: State[Table], seat: int, card: str, won: int) -> State[Table]:
    hand = tuple(other for other in state.hands[seat] if other != card)
    hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
    scores = (*state.scores[:seat], state.scores[seat] + won, *state.scores[seat + 1 :])
    return replace(state, public=state.public.with_card(card), hands=hands, scores=scores)


def _next(state: State[Table], seat: int) -> tuple[State[Table], tuple[Note, ...]]:
    """The next seat that can lay. Who cannot draws a card, and lays it the next time at the earliest. The match is over
    when a seat has no card left, or nobody can lay and nothing is left to draw: that comes about only where cards are
    missing from the start, because of all others one always fits."""
    notes: list[Note] = []
    while all(state.hands) and (state.stock or any(_fitting(state.public, sum(state.hands, ())))):
        if any(_fitting(state.public, state.hands[seat])):
            return replace(state, to_move=(seat,)), tuple(notes)
        if state.stock:
            card, stock = state.stock[0], state.stock[1:]
            hands = (*state.hands[:seat], (*state.hands[seat], card), *state.hands[seat + 1 :])
            state = replace(state, hands=hands, stock=stock)
            notes += [Note("drew", seat=seat), Note("drew-card", {"card": card}, seat=seat, only=seat)]
        else:
            notes.append(Note("passed", seat=seat))
        seat = (seat + 1) % state.seats
    return replace(state, to_move=()), tuple(notes)


GAME = FanTan()
