"""The game object: Domi Jongg as the engine sees it. What it decides stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.engine import conditions
from moderator.engine.contract import Context, Note, Scene, State, Step, View, check_turn
from moderator.engine.sequential import Sequential
from moderator.errors import OperatorError
from moderator.games.domijongg import fixed as fixed_deal
from moderator.games.domijongg import generate, notation, scene, turns
from moderator.games.domijongg.snake import chain, lay, score, take
from moderator.games.domijongg.state import Move, Options, Public


class DomiJongg(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.engine.contract.Game``."""

    key = "domijongg"
    min_seats = 2
    max_seats = 8
    options = Options
    version = "1"
    style = notation.STYLE

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first game and go on to the first seat that has a choice. Raises OperatorError, RecordError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(
                f"Domi Jongg is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play."
            )
        if fixed:
            state, notes = fixed_deal.read(seats, options, ctx, fixed)
        else:
            state, notes = turns.deal(options, seats, ctx, 1, 0, (0,) * seats)
        state, more = turns.go_on(state, state.to_move[0] - 1, ctx)
        return Step(state, (*notes, *more))

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Legal turns with their points, shortest first; of very many the first 2,000 and the best one."""
        return generate.turns(view)

    def greedy(self, view: View[Public], ctx: Context) -> Move | None:
        """The turn with the most points, then the most tiles; None if the seat cannot lay or is not to move."""
        return generate.best(view) if view.seat in view.to_move else None

    def parse(self, line: str, view: View[Public]) -> Move:
        """One turn. Raises Unreadable or Ambiguous."""
        return notation.read(line, view)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``1: T3+E, T2; 3: N, DR ab 2``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Lay a turn and go on to the next seat that has a choice. Raises Illegal."""
        check_turn(state, seat)
        hand = take(state.hands[seat], move.tiles)
        turn = lay(state.public, move)
        points, notes = score(turn, state.hands[seat], len(state.stock), seat)
        conditions.check(move.at_least, points)
        gains = state.public.gains
        if points:
            gains = (*gains[:seat], (*gains[seat], points), *gains[seat + 1 :])
        after = replace(
            state,
            public=replace(turn.public, gains=gains, idle=0),
            hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
            scores=tuple(old + points * (s == seat) for s, old in enumerate(state.scores)),
        )
        after, drew = turns.refill(after, seat)
        after, more = turns.go_on(after, seat, ctx)
        detail = {"tiles": list(move.tiles)}
        return Step(after, notes, points, replace(move, at_least=None), detail, (*drew, *more))

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat could not lay."""
        check_turn(state, seat)
        after, penalty = turns.no_tile(state, seat, missed=True)
        after, more = turns.go_on(after, seat, ctx)
        return Step(after, (Note("missed", seat=seat),), after=(*penalty, *more))

    def scene(self, view: View[Public]) -> Scene:
        """The snake, with the last turn's tiles fresh."""
        return scene.draw(view.public)

    def export(self, public: Public) -> dict[str, Any]:
        """{"heads": {"1": tiles from the last fork to the head}, "snake": all tiles as laid, "round", "leader"}."""
        heads = {
            str(head): [public.laid[place].tile for place in chain(public, head)]
            for head in range(1, len(public.tips) + 1)
        }
        snake = [
            {"tile": laid.tile, "at": None if laid.at < 0 else laid.at, "head": laid.head, "cell": list(laid.cell)}
            for laid in public.laid
        ]
        return {"heads": heads, "snake": snake, "round": public.round, "leader": public.leader}

    def rack_value(self, state: State[Public], seat: int) -> int:
        """Nothing: rest tiles cost nothing at the end of a game either."""
        return 0

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [laid.tile for laid in public.laid]

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest total once the series is over."""
        if not state.over:
            return ()
        best = max(state.scores)
        return tuple(seat for seat, total in enumerate(state.scores) if total == best)


GAME = DomiJongg()
