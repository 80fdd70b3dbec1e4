"""What all games have in common in which one seat acts at a time, in rounds that are dealt anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic

from moderator.errors import OperatorError
from moderator.match.conditions import AfterDraw
from moderator.match.contract import Context, M, Note, P, State, Step, View
from moderator.match.style import PLAIN, Style


class Sequential(Generic[P, M]):
    """The parts of ``contract.Game`` that such a game need not write again."""

    paces: tuple[str, ...] = ("sequential",)
    seeded_rounds = True
    uses_words = False
    style: Style = PLAIN

    def situation(self, view: View[P]) -> tuple[Note, ...]:
        """Nothing: the drawing says it all."""
        return ()

    def lasting(self, move: M) -> bool:
        """Only ``nach Ziehen: bester`` is."""
        return isinstance(move, AfterDraw)

    def close_round(self, state: State[P], ctx: Context) -> Step[P]:
        """Nothing: there are no rounds that are evaluated together."""
        return Step(state)

    def settle(self, state: State[P], choices: Mapping[int, M | None], ctx: Context) -> Step[P]:
        """Raises OperatorError: there is no common rack."""
        raise OperatorError("This game is not evaluated together.", "Its pace is sequential.")
