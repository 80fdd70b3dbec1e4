"""A tiny tile game for tests of what tile games need: forced draws, standing orders, rounds with seeds of their own.

Twenty tiles 10 … 29, three each. A tile is laid on the last one if they share a digit; it scores its last digit. Who
has none that fits draws until one does. Out, or nobody can: the next of two rounds. Notation ``17@T``, ``17@T ab 5``,
``nach Ziehen: bester``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from moderator.errors import Illegal, Unreadable
from moderator.match import conditions
from moderator.match.conditions import AFTER_DRAW_TEXT, AfterDraw
from moderator.match.contract import Context, Grid, Note, State, Step, View
from moderator.match.sequential import Sequential

ALL = tuple(str(number) for number in range(10, 30))
HAND = 3


@dataclass(frozen=True)
class Options:
    pace: Literal["sequential"] = "sequential"
    rounds_played: int = 2


@dataclass(frozen=True)
class Public:
    options: Options
    round: int = 1
    top: str = ""
    drawn: str = ""
    passes: int = 0


@dataclass(frozen=True)
class Lay:
    tile: str
    at_least: int | None = None


Move = Lay | AfterDraw


def fits(tile: str, top: str) -> bool:
    return tile[0] == top[0] or tile[1] == top[1]


class Tiles(Sequential[Public, Move]):
    key = "tiles"
    min_seats = 2
    max_seats = 4
    options = Options
    contract = 1
    version = "1"

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        empty = State(Public(options), ((),) * seats, (), (0,) * seats, (0,))
        state, notes = self._deal(empty, 1, ctx)
        state, after = self._until_choice(replace(state, to_move=(0,)), ctx)
        return Step(state, notes, after=after)

    def _deal(self, state: State[Public], number: int, ctx: Context) -> tuple[State[Public], tuple[Note, ...]]:
        tiles = ctx.shuffle(f"round{number}", ALL)
        n = state.seats
        hands = tuple(tiles[seat * HAND : (seat + 1) * HAND] for seat in range(n))
        public = Public(state.public.options, number, tiles[n * HAND])
        dealt = replace(state, public=public, hands=hands, stock=tiles[n * HAND + 1 :])
        return dealt, (Note("opened", {"tile": public.top}),)

    def parse(self, line: str, view: View[Public]) -> Move:
        if standing := conditions.read_after_draw(line):
            return standing
        text, at_least = conditions.take(line)
        found = re.fullmatch(r"(\d\d)\s*@\s*T", text.strip(), re.IGNORECASE)
        if found is None:
            raise Unreadable("no-tile", line=line)
        return Lay(found[1], at_least)

    def format(self, move: Move) -> str:
        if isinstance(move, AfterDraw):
            return AFTER_DRAW_TEXT
        return f"{move.tile}@T{conditions.write(move.at_least)}"

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        return ((Lay(tile), int(tile[1])) for tile in sorted(view.hand) if fits(tile, view.public.top))

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        if seat not in state.to_move:
            raise Illegal("not-your-turn", seats=list(state.to_move))
        if isinstance(move, AfterDraw):
            if not state.public.drawn:
                raise Illegal("no-draw")
            move = Lay(state.public.drawn)
        if move.tile not in state.hands[seat]:
            raise Illegal("not-your-tile", tile=move.tile)
        if not fits(move.tile, state.public.top):
            raise Illegal("does-not-fit", tile=move.tile, top=state.public.top)
        points = int(move.tile[1])
        conditions.check(move.at_least, points)
        hands = tuple(
            tuple(t for t in hand if t != move.tile) if s == seat else hand for s, hand in enumerate(state.hands)
        )
        scores = tuple(score + points * (s == seat) for s, score in enumerate(state.scores))
        public = replace(state.public, top=move.tile, drawn="", passes=0)
        laid = State(public, hands, state.stock, scores, ((seat + 1) % state.seats,))
        after, notes = self._until_choice(laid, ctx)
        return Step(after, points=points, played=Lay(move.tile), after=notes)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        if seat not in state.to_move:
            raise Illegal("not-your-turn", seats=list(state.to_move))
        turned = replace(state, public=replace(state.public, drawn="", passes=0), to_move=((seat + 1) % state.seats,))
        after, notes = self._until_choice(turned, ctx)
        return Step(after, (Note("missed", seat=seat),), after=notes)

    def _until_choice(self, state: State[Public], ctx: Context) -> tuple[State[Public], tuple[Note, ...]]:
        notes: list[Note] = []
        while True:
            seat, top = state.to_move[0], state.public.top
            if not all(state.hands) or state.public.passes == state.seats:
                winner = next((s for s, hand in enumerate(state.hands) if not hand), None)
                notes.append(Note("went-out" if winner is not None else "blocked", seat=winner))
                if state.public.round == state.public.options.rounds_played:
                    return replace(state, to_move=()), tuple(notes)
                state, opening = self._deal(state, state.public.round + 1, ctx)
                notes += [Note("next-round", {"round": state.public.round}), *opening]
                continue
            if any(fits(tile, top) for tile in state.hands[seat]):
                return state, tuple(notes)
            if not state.stock:
                notes.append(Note("passed", seat=seat))
                public = replace(state.public, passes=state.public.passes + 1)
                state = replace(state, public=public, to_move=((seat + 1) % state.seats,))
                continue
            tile = state.stock[0]
            hands = tuple((*hand, tile) if s == seat else hand for s, hand in enumerate(state.hands))
            state = replace(state, public=replace(state.public, drawn=tile), hands=hands, stock=state.stock[1:])
            notes += [Note("drew", {"count": 1}, seat), Note("drew-tiles", {"tiles": (tile,)}, seat, only=seat)]

    def scene(self, view: View[Public]) -> Grid:
        return Grid(("T",), ("1",), ())

    def export(self, public: Public) -> dict[str, Any]:
        return {"top": public.top, "round": public.round}

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        best = max(state.scores)
        return tuple(s for s, score in enumerate(state.scores) if score == best) if state.over else ()


TILES = Tiles()
