"""What games have in common: those in which one seat acts at a time, and those in which all act at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from moderator.common.errors import OperatorError, RecordError
from moderator.rules.game import PLAIN, Context, Game, M, Note, P, State, Step, Style, View
from moderator.rules.orders.conditions import AfterDraw


class _Usual(Generic[P, M]):
    """The parts of ``contract.Game`` that hardly any game writes itself."""

    key: str
    min_seats: int
    max_seats: int
    paces: tuple[str, ...]
    uses_words = False
    style: Style = PLAIN

    def check_seats(self, seats: int) -> None:
        """Raises OperatorError for a number that cannot play."""
        if not self.min_seats <= seats <= self.max_seats:
            can = str(self.min_seats) if self.min_seats == self.max_seats else f"{self.min_seats} to {self.max_seats}"
            raise OperatorError(f"{self.key} is not played by {seats}.", f"{can} can play.")

    def winners(self, state: State[P]) -> tuple[int, ...]:
        """The seats with the highest score once the match is over."""
        return best_seats(state) if state.over else ()

    def situation(self, view: View[P]) -> tuple[Note, ...]:
        """Nothing: the drawing says it all."""
        return ()

    def lasting(self, move: M) -> bool:
        """Only ``nach Ziehen: bester`` is."""
        return isinstance(move, AfterDraw)

    def settle(self, state: State[P], choices: Mapping[int, M | None], ctx: Context) -> Step[P]:
        """Raises OperatorError: there is no common rack."""
        raise OperatorError("This game has no common rack.", f"Its paces: {', '.join(self.paces)}.")


class Sequential(_Usual[P, M]):
    """The parts of ``contract.Game`` that a game need not write again in which one seat acts at a time, in rounds that
    are dealt anew."""

    paces: tuple[str, ...] = ("sequential",)
    seeded_rounds = True

    def close_round(self, state: State[P], ctx: Context) -> Step[P]:
        """Return the state as it is: there are no rounds that are evaluated together."""
        return Step(state)


class Simultaneous(_Usual[P, M]):
    """The same of a game in which all act at once. ``apply`` and ``miss`` take a seat out of ``to_move``; that nobody
    is left in it does not end the match. Then ``close_round`` (not here: each game has its own) evaluates, and whoever
    it leaves in ``to_move`` acts in the next round. The match is over where it leaves nobody."""

    paces: tuple[str, ...] = ("rounds",)
    seeded_rounds = False


def is_evaluated(game: Game[P, M], state: State[P]) -> bool:
    """Return whether ``close_round`` follows, in pace ``rounds``, when each seat has had its turn. In a game that is
    not ``Simultaneous`` a turn may have ended the match."""
    return isinstance(game, Simultaneous) or not state.over


def best_seats(state: State[Any]) -> tuple[int, ...]:
    """Return the seats with the highest score."""
    best = max(state.scores)
    return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def read_starter(fixed: Mapping[str, Any], seats: int, default: int | None = None) -> int | None:
    """Return the seat that a record lets begin. Raises RecordError."""
    starter = fixed.get("starter", default)
    if starter is not None and (isinstance(starter, bool) or starter not in range(seats)):
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    return starter
