"""The game object: Topwords as the engine sees it. What it decides stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Grid, Note, State, Step, View, check_turn
from moderator.engine.style import PLAIN
from moderator.errors import Illegal, OperatorError
from moderator.games.topwords import common, notation, scene, turns
from moderator.games.topwords.generate import placements
from moderator.games.topwords.referee import rule
from moderator.games.topwords.state import SIZE, Exchange, Move, Options, Pass, Place, Public


class Topwords:
    """See RULES.md; every method keeps the contract of ``moderator.engine.contract.Game``."""

    key = "topwords"
    min_seats = 2
    max_seats = 99
    options = Options
    paces: tuple[str, ...] = ("sequential", "rounds", "common")
    version = "1"
    seeded_rounds = False
    uses_words = True
    style = PLAIN
    pass_text = "passe"

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal 7 (``rack_size``) tiles to each seat, or one common rack. Raises OperatorError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(
                f"Topwords is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play."
            )
        return turns.deal(seats, options, ctx, fixed)

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every legal placement with its points; none while the seat is not to move. Pass and exchange left out."""
        return placements(view, ctx)

    def examples(self, view: View[Public]) -> Mapping[str, str]:
        """``letters`` to exchange, the first on the rack, where the reader may exchange at all."""
        options = view.public.options
        count = min(2, len(view.hand), view.stock_count)
        if view.seat is None or options.pace == "common" or not options.exchange or not count:
            return {}
        return {"letters": " ".join(view.hand[:count])}

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return notation.read(line, view)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``E5 w HAUS (AH, US) 14``, ``passe``, ``tausche A E N``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Play a move. In pace ``common`` it is checked and scored only: the state stays, ``settle`` lays it."""
        check_turn(state, seat)
        if isinstance(move, Place):
            return _place(state, seat, move, ctx)
        if isinstance(move, Exchange):
            return _exchange(state, seat, move, ctx)
        return _no_move(state, seat, "passed", move)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat had passed."""
        check_turn(state, seat)
        return _no_move(state, seat, "missed", None)

    def close_round(self, state: State[Public], ctx: Context) -> Step[Public]:
        """Pace ``rounds``: the next seat starts, or the game is over. Nothing in the other paces."""
        public = state.public
        if public.options.pace != "rounds" or state.over:
            return Step(state)
        ending = turns.out_of_tiles(state) or turns.all_passed(state)
        if ending is None and public.round == public.options.rounds:
            ending = Note("rounds-reached", {"rounds": public.round})
        if ending:
            return Step(*turns.finish(state, ending))
        public = replace(public, round=public.round + 1, starter=(public.starter + 1) % state.seats)
        return Step(replace(state, public=public))

    def settle(self, state: State[Public], choices: Mapping[int, Move | None], ctx: Context) -> Step[Public]:
        """Pace ``common``: score every seat's placement, lay the best. Raises Illegal("game-over")."""
        if state.over:
            raise Illegal("game-over")
        return common.settle(state, choices, ctx)

    def scene(self, view: View[Public]) -> Grid:
        """The board, with the last move's tiles fresh and its words framed."""
        return scene.draw(view.public)

    def export(self, public: Public) -> dict[str, Any]:
        """{"rows": 10 lists of 10 stacks from bottom to top, "round", "starter"}."""
        rows = [list(public.board[y * SIZE : (y + 1) * SIZE]) for y in range(SIZE)]
        return {"rows": rows, "round": public.round, "starter": public.starter}

    def situation(self, view: View[Public]) -> tuple[Note, ...]:
        """Nothing: the drawing says it all."""
        return ()

    def lasting(self, move: Move) -> bool:
        """No move of this game is a standing order."""
        return False

    def rack_value(self, state: State[Public], seat: int) -> int:
        """``leftover_penalty`` for each tile, as at the end of the game."""
        return turns.leftover_cost(state, seat)

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return list("".join(public.board))

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the game is over."""
        if not state.over:
            return ()
        best = max(state.scores)
        return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def _place(state: State[Public], seat: int, move: Place, ctx: Context) -> Step[Public]:
    ruling = rule(state, seat, move, ctx)
    detail = {"words": list(ruling.words)}
    public = state.public
    if public.options.pace == "common":
        return Step(state, ruling.notes, ruling.points, ruling.played, detail)
    laid = ruling.laying.laid
    kept = turns.take(state.hands[seat], [letter for _, letter in laid])
    hand, stock, drawn = turns.refill(kept, state.stock, public.options.rack_size)
    after = State(
        public=replace(
            public, board=ruling.laying.board, passes=0, fresh=tuple(s for s, _ in laid), runs=ruling.laying.runs
        ),
        hands=turns.with_hand(state, seat, hand),
        stock=stock,
        scores=tuple(old + (ruling.points if s == seat else 0) for s, old in enumerate(state.scores)),
        to_move=state.to_move,
    )
    after, ending = turns.advance(after, seat)
    notes = (*ruling.notes, *turns.drew(seat, drawn), *ending)
    return Step(after, notes, ruling.points, ruling.played, detail)


def _exchange(state: State[Public], seat: int, move: Exchange, ctx: Context) -> Step[Public]:
    public = state.public
    if not public.options.exchange or public.options.pace == "common":
        raise Illegal("exchange-off")
    if not move.letters:
        raise Illegal("exchange-no-letters")
    kept = turns.take(state.hands[seat], move.letters)
    count = len(move.letters)
    if count > len(state.stock):
        raise Illegal("exchange-too-many", count=count, stock=len(state.stock))
    drawn = state.stock[:count]
    number = public.exchanges + 1
    stock = ctx.shuffle(f"exchange{number}", (*state.stock[count:], *move.letters))
    after = replace(
        state,
        public=replace(public, passes=0, exchanges=number),
        hands=turns.with_hand(state, seat, kept + drawn),
        stock=tuple(stock),
    )
    after, ending = turns.advance(after, seat)
    notes = (Note("exchanged", {"count": count}, seat=seat), *turns.drew(seat, drawn)[1:], *ending)
    return Step(after, notes, 0, move, {"words": []})


def _no_move(state: State[Public], seat: int, code: str, played: Pass | None) -> Step[Public]:
    after = state
    if state.public.options.pace != "common":
        after = replace(state, public=replace(state.public, passes=state.public.passes + 1))
    after, ending = turns.advance(after, seat)
    return Step(after, (Note(code, seat=seat), *ending), 0, played, {"words": []})


GAME = Topwords()
