"""New Game. A prize lies open, all bid a card at once, and the highest that nobody else has bid takes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from moderator.common.errors import Illegal, Unreadable
from moderator.rules.game import Cell, Context, Game, Note, State, Step, Style, View, check_turn
from moderator.rules.scenes import Grid

MOST = 12
MOVE = re.compile(r"\s*(?:biete?|bid)\s+(\d{1,2})\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    """What can be agreed for a match. Each has a default, and stands in RULES.md and in the sentences."""

    pace: Literal["rounds"] = "rounds"
    cards: int = 7
    """Of each seat, 2 to 12; as many prizes."""


@dataclass(frozen=True)
class Bid:
    """A move."""

    card: str


@dataclass(frozen=True)
class Public:
    """What all can see. Whatever one seat alone may know lies in the hands, the stock and ``State.private``."""

    prizes: tuple[str, ...]
    """In the order in which they were turned up; the last one lies open. P3 is worth 3."""
    bids: tuple[tuple[str, ...], ...]
    """Of each seat, in the rounds that were evaluated."""
    columns: int
    round: int = 1


class NewGame(Game[Public, Bid]):
    """Pure: a state and a move in, a new state and what happened out. It keeps nothing on itself."""

    key = "newgame"
    min_seats = 2
    max_seats = 4
    options = Options
    paces = ("rounds",)
    at_once = True
    seeded_rounds = False
    contract = 2
    version = "1"
    style = Style(attempt=re.compile(r"(?:biete?|bid)\b", re.IGNORECASE))

    # ---- the deal, a bid, a turn without one, and what comes of all bids ----

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        self.check_seats(seats)
        given = fixed or {}
        count = min(max(options.cards, 2), MOST)
        pile = tuple(given.get("stock") or ctx.shuffle("prizes", [f"P{n}" for n in range(1, count + 1)]))
        hand = tuple(str(n) for n in range(1, count + 1))
        hands = tuple(tuple(rack) for rack in given.get("racks", (hand,) * seats))
        public = Public(pile[:1], ((),) * seats, count)
        return Step(State(public, hands, pile[1:], (0,) * seats, tuple(range(seats)), (None,) * seats))

    def list_moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Bid, int]]:
        """What the seat may do; no bid brings a point by itself."""
        if view.seat in view.to_move:
            yield from ((Bid(card), 0) for card in view.hand)

    def apply_move(self, state: State[Public], seat: int, move: Bid, ctx: Context) -> Step[Public]:
        """The card stays in the hand, and in ``private``, until all have bid."""
        check_turn(state, seat)
        if move.card not in state.hands[seat]:
            raise Illegal("not-your-card", card=move.card)
        return Step(_bid(state, seat, move.card), played=move, detail={"card": move.card})

    def pass_turn(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """No mail came, or the seat has left: its lowest card is bid, as ``mail.then-missing`` says."""
        check_turn(state, seat)
        card = min(state.hands[seat], key=int)
        return Step(_bid(state, seat, card), (Note("missed", {"card": card}, seat=seat),))

    def close_round(self, state: State[Public], ctx: Context) -> Step[Public]:
        """All have bid: the prize is taken, the next one turned up, and all bid again, or the match is over."""
        bids, prize = state.private, state.public.prizes[-1]
        alone = [seat for seat, card in enumerate(bids) if Counter(bids)[card] == 1]
        winner = max(alone, key=lambda seat: int(bids[seat]), default=None)
        worth = int(prize[1:])
        note = Note("nobody") if winner is None else Note("takes", {"count": worth}, seat=winner, points=worth)
        opened = state.stock[:1]
        after = replace(
            state,
            public=replace(
                state.public,
                prizes=(*state.public.prizes, *opened),
                bids=tuple((*before, card) for before, card in zip(state.public.bids, bids, strict=True)),
                round=state.public.round + len(opened),
            ),
            hands=tuple(tuple(c for c in hand if c != bid) for hand, bid in zip(state.hands, bids, strict=True)),
            stock=state.stock[1:],
            scores=tuple(score + worth * (seat == winner) for seat, score in enumerate(state.scores)),
            private=(None,) * state.seats,
            to_move=tuple(range(state.seats)) if opened else (),
        )
        return Step(after, (note,))

    # ---- how a move is written ----

    def parse_move(self, line: str, view: View[Public]) -> Bid:
        found = MOVE.fullmatch(line)
        if found is None:
            raise Unreadable("no-move", line=line)
        return Bid(str(int(found[1])))

    def format_move(self, move: Bid) -> str:
        """In German and small letters; ``[move]`` in messages.en.toml has the words for English readers."""
        return f"biete {move.card}"

    # ---- how a position is shown and written down ----

    def build_scene(self, view: View[Public]) -> Grid:
        """A column for each round: the prize above, and below it the bids."""
        public = view.public
        last = len(public.bids[0]) - 1
        cells = [Cell(x, 0, prize[1:], shape="square") for x, prize in enumerate(public.prizes)]
        for y, row in enumerate(public.bids, start=1):
            cells += [Cell(x, y, card, fresh=x == last) for x, card in enumerate(row)]
        rows = ("P", *(str(seat + 1) for seat in range(len(public.bids))))
        return Grid(tuple(str(n + 1) for n in range(public.columns)), rows, tuple(cells))

    def export(self, public: Public) -> dict[str, Any]:
        return {"round": public.round, "prizes": list(public.prizes), "bids": [list(row) for row in public.bids]}

    def describe_situation(self, view: View[Public]) -> tuple[Note, ...]:
        """What all bid for."""
        return (Note("lies-open", {"count": int(view.public.prizes[-1][1:])}),) if view.to_move else ()

    def list_table_tiles(self, public: Public) -> Iterator[str]:
        """So that it can be checked that no card is lost."""
        yield from public.prizes
        for row in public.bids:
            yield from row

    def find_rack_value(self, state: State[Public], seat: int) -> int:
        """What is left in a hand costs nothing when a match is broken off."""
        return 0


def _bid(state: State[Public], seat: int, card: str) -> State[Public]:
    """The seat has acted: it is not awaited any more. That nobody is ends the round, not the match."""
    private = (*state.private[:seat], card, *state.private[seat + 1 :])
    return replace(state, private=private, to_move=tuple(other for other in state.to_move if other != seat))


GAME = NewGame()
