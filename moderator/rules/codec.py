"""The positions of a game as plain values, for each who reads them, and back; and a game that writes them so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Generic

from moderator.rules.game import Game
from moderator.rules.position import Diagram, written
from moderator.rules.state import Context, M, P, State, Step


class Audience(StrEnum):
    """For whom a position is written down."""

    RECORD = "record"
    """Whoever reads what everybody sees, see docs/build/record.md."""
    SEAT = "seat"
    """The seat to move: what its move hangs on, see docs/build/turn.md."""
    DIAGRAM = "diagram"
    """Whoever takes the match in: everything, see docs/run/moving-in.md."""


class PositionCodec(ABC, Generic[P]):
    """The positions of one game as plain values, for each audience, and back."""

    @abstractmethod
    def write(self, state: State[P], audience: Audience) -> dict[str, Any]:
        """Return what this audience reads, in its order; of a diagram what ``written`` has not anyway."""

    @abstractmethod
    def read(self, values: Diagram, options: Any, audience: Audience, ctx: Context | None) -> State[P]:
        """Return, as the opposite of ``write``, the state without hands, stock and scores. What is wrong is told to
        ``values``; of values that are not a diagram any error of Python may tell it, too."""

    @abstractmethod
    def find_tile(self, text: str) -> str | None:
        """Return the tile that somebody writes so; None for none."""

    @abstractmethod
    def list_box(self, state: State[P]) -> Iterable[str]:
        """Return all tiles of the game, in the order in which they are shuffled."""

    @abstractmethod
    def list_lying(self, state: State[P]) -> Iterable[str]:
        """Return the tiles that are neither in a hand nor in the stock, as these have them."""

    def read_hands(self, values: Diagram, state: State[P]) -> tuple[tuple[str, ...], ...]:
        """Return the hands of a diagram."""
        return values.racks(self.find_tile)

    def complete(self, state: State[P], values: Diagram) -> State[P]:
        """Return the whole state of a diagram; what is wrong with it is told to ``values``."""
        return state

    def encode(self, state: State[P], audience: Audience) -> dict[str, Any]:
        """Return the position as plain values. Only a diagram has more of it than the public part."""
        found = self.write(state, audience)
        return written(state, **found) if audience is Audience.DIAGRAM else found

    def decode(
        self,
        values: Mapping[str, Any] | Diagram,
        options: Any,
        seats: int,
        audience: Audience,
        ctx: Context | None = None,
    ) -> State[P]:
        """Return the state as far as the audience sees it. Only a diagram needs ``ctx``; its faults are told to it, and
        what is forced then has not happened yet. Others raise RecordError, or what Python raises for no such table."""
        given = values if isinstance(values, Diagram) else Diagram.wrap(values, seats)
        state = self.read(given, options, audience, ctx)
        if audience is not Audience.DIAGRAM or ctx is None:
            given.refuse()
            return state
        hands = self.read_hands(given, state)
        box, lying = self.list_box(state), self.list_lying(state)
        stock = given.stock(box, lying, hands, self.find_tile, ctx, state.public.round)
        return self.complete(replace(state, hands=hands, stock=stock, scores=given.scores()), given)


def wrap_public(public: P) -> State[P]:
    """Return a state of which only the public part is known."""
    return State(public, (), (), (), ())


class CodecGame(Game[P, M]):
    """A game of which one codec writes and reads all positions."""

    position: PositionCodec[P]

    def export(self, public: P) -> dict[str, Any]:
        return self.position.encode(wrap_public(public), Audience.RECORD)

    def table(self, public: P) -> dict[str, Any]:
        return self.position.encode(wrap_public(public), Audience.SEAT)

    def placed(self, values: Mapping[str, Any], options: Any, seats: int, round_number: int) -> P:
        return self.position.decode({**values, "round": round_number}, options, seats, Audience.SEAT).public

    def diagram(self, state: State[P]) -> dict[str, Any]:
        return self.position.encode(state, Audience.DIAGRAM)

    def resume(self, diagram: Diagram, options: Any, ctx: Context) -> Step[P]:
        state = self.position.decode(diagram, options, diagram.seats, Audience.DIAGRAM, ctx)
        return Step(state) if diagram.faults else self.advance_resumed(state, ctx)

    def advance_resumed(self, state: State[P], ctx: Context) -> Step[P]:
        """Return the state of a diagram after what is forced then."""
        return Step(state)
