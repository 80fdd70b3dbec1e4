"""Presto: all tiles are dealt, everybody builds a crossword of their own, the first two to finish score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Grid, Note, State, Step, View
from moderator.engine.sequential import Sequential
from moderator.errors import Illegal, OperatorError
from moderator.games.typdom import board, presto_notation, presto_rounds, scene
from moderator.games.typdom.board import columns
from moderator.games.typdom.presto_layout import Layout, with_jollies
from moderator.games.typdom.presto_notation import STYLE, Finished, Move, Pass, format_move
from moderator.games.typdom.presto_rounds import check, left_over, words_of
from moderator.games.typdom.presto_solve import solve
from moderator.games.typdom.presto_state import HANDS, POINTS, POINTS_ONE_LEFT, Options, Public

FINISHED = ("finished-1", "finished-2")
"""What is said of the first and of the second who has."""


class Presto(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.engine.contract.Game``."""

    key = "presto"
    min_seats, max_seats = min(HANDS), max(HANDS)
    options = Options
    paces = ("race",)
    version = "1"
    uses_words = True
    style = STYLE
    pass_text = presto_notation.PASS_TEXT

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal the first round; all seats are awaited. Raises OperatorError, RecordError."""
        if seats not in HANDS:
            raise OperatorError(
                f"{self.key} is not played by {seats}.", f"{self.min_seats} to {self.max_seats} can play."
            )
        return Step(*presto_rounds.first(seats, options, ctx, fixed or {}))

    def moves(self, view: View[Public], ctx: Context) -> Iterator[tuple[Move, int]]:
        """One crossword, if the robot finds any: nobody can list them all."""
        found = self.greedy(view, ctx)
        if found is not None:
            left = len(view.hand) - len(found.squares)
            yield found, _points(view.public, left)

    def greedy(self, view: View[Public], ctx: Context) -> Layout | None:
        """A crossword of the whole rack, or of all tiles but one where that may do; None if none was found."""
        if view.seat not in view.to_move:
            return None
        return solve(view.hand, int(view.public.options.finish_with_one_left), ctx.words)

    def listable(self, view: View[Public]) -> bool:
        """Never: see ``moves``."""
        return False

    def parse(self, line: str, view: View[Public]) -> Move:
        """One submission. Raises Unreadable or Ambiguous."""
        return presto_notation.read(line, view.hand)

    def format(self, move: Move | Finished) -> str:
        """Canonical notation, e.g. ``Gitter (EXAMEN / .B / .*AR)``, ``passe``; ``fertig`` in reports."""
        return format_move(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """A submission. Raises Illegal("not-right", …) with all that is wrong, or Undecided; see ``presto_rounds``."""
        _check_awaited(state, seat)
        if isinstance(move, Pass):
            gone = presto_rounds.without(state, seat)
            return _onward(gone, (Note("gave-up", seat=seat),), 0, move, ctx)
        hand = state.hands[seat]
        layout = with_jollies(move, hand)
        check(layout, hand, int(state.public.options.finish_with_one_left), ctx)
        left = left_over(layout, hand)
        points = _points(state.public, len(left))
        notes = [Note(FINISHED[len(state.public.finished)], seat=seat)]
        if left:
            notes.append(Note("one-left", seat=seat))
        notes.append(Note("own-words", {"words": words_of(layout)}, seat=seat, only=seat))
        return _onward(presto_rounds.finished(state, seat, layout, left, points), tuple(notes), points, Finished(), ctx)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: the seat is out of this round."""
        _check_awaited(state, seat)
        return _onward(presto_rounds.without(state, seat), (Note("missed", seat=seat),), 0, None, ctx)

    def scene(self, view: View[Public]) -> Grid:
        """The reader's own crossword of this round, or that of the winner of the last one."""
        last = view.public.last
        return draw(view.private or (last[0][1] if last else None))

    def export(self, public: Public) -> dict[str, Any]:
        """{"squares": those of the last round's winner, "layouts": [{"seat", "squares"}] of all who finished it,
        "round", "finished", "gave_up": seats}."""
        layouts = [{"seat": seat, "squares": board.export(layout.table)} for seat, layout in public.last]
        return {
            "squares": layouts[0]["squares"] if layouts else {},
            "layouts": layouts,
            "round": public.round,
            "finished": list(public.finished),
            "gave_up": list(public.gave_up),
        }

    def rack_value(self, state: State[Public], seat: int) -> int:
        """Nothing: whoever has not finished a round loses no points by it."""
        return 0

    def winners(self, state: State[Public]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over; () also where nobody has a point."""
        return presto_rounds.winning(state) if state.over else ()


def _points(public: Public, left: int) -> int:
    return (POINTS_ONE_LEFT if left else POINTS)[len(public.finished)]


def _check_awaited(state: State[Public], seat: int) -> None:
    if state.over:
        raise Illegal("game-over")
    if seat not in state.to_move:
        raise Illegal("not-awaited", seats=list(state.to_move))


def _onward(
    state: State[Public], notes: tuple[Note, ...], points: int, played: Pass | Finished | None, ctx: Context
) -> Step[Public]:
    after, happened = presto_rounds.onward(state, ctx)
    return Step(after, notes, points, played, {"words": []}, happened)


GAME = Presto()


# ---- the drawing of a finished crossword, its top left square A1 ----


BLANK = 5
"""Squares along a side where there is nothing to show yet."""


def draw(layout: Layout | None) -> Grid:
    """The crossword without any margin; an empty square field for None."""
    if layout is None:
        return Grid(columns=columns(BLANK), rows=tuple(str(n) for n in range(1, BLANK + 1)), cells=())
    whole = scene.draw(layout.table)
    return replace(whole, columns=whole.columns[: layout.width], rows=whole.rows[: len(layout.rows)])
