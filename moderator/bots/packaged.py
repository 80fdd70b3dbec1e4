"""A robot that another package brings, asked in this process.

It is code that the organiser has installed: it can do whatever moderator can. What is kept from it is what it could do
by mistake. It is given a view and never a state; what it raises, or its taking too long (see limit.py), costs its turn.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from moderator import bots
from moderator.bots.failures import LONGEST, MOST_FAILURES, Failed, Unstarted
from moderator.bots.limit import TooLong, limited
from moderator.errors import OperatorError, place_of

if TYPE_CHECKING:
    from moderator.bots.contract import Robot, RobotTurn


class Packaged:
    """The robot of the package, by its key; ``seconds`` for each answer."""

    def __init__(self, key: str, seconds: int) -> None:
        self.key, self.seconds = key, seconds
        self._failures = 0

    def ask(self, turn: RobotTurn) -> str:
        """Its order. Raises Failed, Unstarted."""
        robot = self._robot()
        if robot.games and turn.game.key not in robot.games:
            raise Unstarted(f"the robot {self.key!r} does not play {turn.game.key}")
        if self._failures >= MOST_FAILURES:
            raise Failed("it is not asked again in this run")
        try:
            return self._answer(robot, turn)
        except Failed:
            self._failures += 1
            raise

    def _answer(self, robot: Robot, turn: RobotTurn) -> str:
        try:
            # What it prints must not get into what a command prints for programs.
            with redirect_stdout(sys.stderr):
                answer: object = limited(self.seconds, lambda: robot.choose(turn))
        except TooLong:
            raise Failed("it took too long") from None
        except (Exception, SystemExit, GeneratorExit) as error:
            raise Failed(f"it raised {place_of(error)}") from error
        if not isinstance(answer, str):
            raise Failed(f"its answer is no text but {type(answer).__name__}")
        if len(answer.encode("utf-8", "replace")) > LONGEST:
            raise Failed(f"its answer is longer than {LONGEST} bytes")
        return answer.strip().partition("\n")[0]

    def _robot(self) -> Robot:
        try:
            robot = bots.load(self.key)
        except OperatorError as error:
            raise Unstarted(str(error)) from error
        if not callable(getattr(robot, "choose", None)) or not hasattr(robot, "games"):
            raise Unstarted(f"the robot {self.key!r} lacks `games` or `choose`: see docs/contract.md")
        return robot

    def trouble(self) -> str:
        """Why it cannot be asked on this machine, and what to do; "" if it can."""
        try:
            self._robot()
        except Unstarted as unstarted:
            return str(unstarted)
        return ""
