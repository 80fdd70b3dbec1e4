"""What a robot of another package is: all that the rest of the program asks of one. docs/bots.md has one that plays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from moderator.match.contract import Context, Game, View
from moderator.match.robot import THOUGHT_OF

CONTRACT = 1
"""Version of what is promised to robots of other packages, and asked of them. docs/contract.md says what it promises,
and what makes a new one."""


@dataclass(frozen=True)
class RobotTurn:
    """A turn as a robot is asked to play it: what its seat sees, and nothing else. Equal for two states that differ in
    what the seat does not see."""

    match: str
    """Code of the match."""
    game: Game[Any, Any]
    options: Mapping[str, Any]
    """What was agreed, every option of the game."""
    view: View[Any]
    """A copy: what is changed in it changes nothing. ``view.seat`` is the robot's."""
    ctx: Context
    """Asks the dictionary, in which only words are listed that a robot may lay. Its ``shuffle`` is not that of the
    match: it hangs on what is seen here alone."""
    seconds: int
    """So long the robot may think."""

    def legal(self) -> list[tuple[str, int]]:
        """Legal moves with their points, the most points first, of equal ones the first by its text. Of a game with
        very many, those that it finds first; what it does not list (``Partly``) can be played all the same."""
        return legal(self.game, self.view, self.ctx)


def legal(game: Game[Any, Any], view: View[Any], ctx: Context) -> list[tuple[str, int]]:
    """See ``RobotTurn.legal``."""
    found = islice(game.moves(view, ctx), THOUGHT_OF)
    return sorted(((game.format(move), points) for move, points in found), key=lambda one: (-one[1], one[0]))


class Robot(Protocol):
    """One way to play. The same object is asked for all its matches, in one run after the other."""

    @property
    def contract(self) -> int:
        """``CONTRACT`` as it was when the robot was written: a number in its own source, not what is imported."""
        ...

    @property
    def games(self) -> Collection[str]:
        """Keys of the games that it plays; empty = all."""
        ...

    def choose(self, turn: RobotTurn) -> str:
        """The order, in one line, as a player writes it in a mail: its first legal move is played. "" = none."""
        ...
