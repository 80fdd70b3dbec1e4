"""The game object: »Wer behält recht?« as the engine sees it. What it decides stands in the modules recht_*.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Grid, Note, State, Step, View, check_turn
from moderator.engine.sequential import Sequential
from moderator.errors import Illegal, OperatorError
from moderator.games.typdom import flow, recht_notation, recht_turn, scene
from moderator.games.typdom.board import name
from moderator.games.typdom.recht_completing import completions, swapped
from moderator.games.typdom.recht_flow import awaited
from moderator.games.typdom.recht_record import export, first_state
from moderator.games.typdom.recht_search import lays
from moderator.games.typdom.recht_situation import situation
from moderator.games.typdom.recht_state import Buy, Complete, Lay, Move, Options, Pass, Public
from moderator.games.typdom.recht_style import STYLE
from moderator.games.typdom.tiles import STAR, as_held, nearest_to_z, rest_points


class Recht(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.engine.contract.Game``."""

    key = "recht"
    min_seats = 2
    max_seats = 5
    options = Options
    version = "1"
    uses_words = True
    style = STYLE
    pass_text = "kaufe schwarz, passe; sonst passe"
    """For robots: who only passed would never let the stock run out."""

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first game. Raises OperatorError, RecordError."""
        if not self.min_seats <= seats <= self.max_seats:
            raise OperatorError(f"recht is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play.")
        state, starter = first_state(seats, options, ctx, fixed or {})
        seat = nearest_to_z(state.hands) if starter is None else starter
        state = replace(state, public=replace(state.public, starter=seat), to_move=(seat,))
        running = state.public.running
        if running is None:
            return Step(state, (Note("starts", seat=seat),))
        if running.author == seat:
            return Step(*awaited(state, seat, ctx))
        return Step(state)

    def moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Move, int]]:
        """What can be laid and announced, lazily, see ``recht_search.lays``; none while the seat is not to move.
        Buying, passing and exchanges are left out."""
        if view.seat is None or view.seat not in view.to_move:
            return
        public = view.public
        if public.completing:
            for way in completions(public, view.hand):
                yield Complete(name(way.place[0], public.table.size)), 0
            return
        for move in lays(public, view.hand, ctx.words):
            yield move, 0

    def listable(self, view: View[Public]) -> bool:
        """Whether the moves can be listed wholly: not with a jolly, which can be laid in too many ways."""
        return not any(tile.startswith(STAR) for tile in view.hand)

    def examples(self, view: View[Public]) -> Mapping[str, str]:
        """Which pattern suits: who begins a word has nothing to add a tile to."""
        return {} if view.public.running is not None else {"pattern": "example.start"}

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return recht_notation.read(line, view.public)

    def format(self, move: Move) -> str:
        """Canonical notation, e.g. ``hinten T = NAHT``, ``E an T20 w = REISE``, ``weiter T``, ``kaufe rot``."""
        return recht_notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Play a move; what is forced then happens, too. Raises Illegal or Undecided."""
        check_turn(state, seat)
        if state.public.completing and not isinstance(move, Complete):
            raise Illegal("complete-first", word=state.public.running.word if state.public.running else "")
        state, notes = swapped(state, seat, move.exchanges)
        step = self._act(state, seat, move, ctx)
        return replace(step, notes=(*notes, *step.notes))

    def _act(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        if isinstance(move, Lay):
            return recht_turn.lay(state, seat, move, ctx)
        if isinstance(move, Buy):
            return recht_turn.buy(state, seat, move, ctx)
        if isinstance(move, Pass):
            return recht_turn.report_on(state, seat, move, ctx)
        return recht_turn.choose(state, seat, move, ctx)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: as if the seat had found nothing."""
        check_turn(state, seat)
        return recht_turn.missed(state, seat, ctx)

    def scene(self, view: View[Public]) -> Grid:
        """The used part of the table and one ring around it; the fragment is framed, or else the last words."""
        running = view.public.running
        return scene.draw(view.public.table, view.public.fresh, view.public.runs if running is None else [running.run])

    def situation(self, view: View[Public]) -> tuple[Note, ...]:
        """What stands besides the tiles: the announcement and its author, what the seat to move has to do."""
        return situation(view)

    def export(self, public: Public) -> dict[str, Any]:
        """Table, fragment, announcement; RULES.md lists the keys."""
        return export(public)

    def rack_value(self, state: State[Public], seat: int) -> int:
        """The rest, double in a game that counts double; nothing of a seat that is out of the game and has paid."""
        public = state.public
        return 0 if seat in public.gone else public.stake * rest_points(state.hands[seat])

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [as_held(tile) for tile in public.table.squares.values()]

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody won a game."""
        return flow.winning(state) if state.over else ()


GAME = Recht()
