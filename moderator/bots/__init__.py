"""Robots of somebody else: a program that is given a line with a turn and answers by a line with an order, or an object
in Python that another package brings. Which of them plays for a robot of the club stands in ``[bots.NAME]``.

Another package registers such an object as an entry point of the group ``moderator.robots``, its name the robot's key:
``nines = "nines:ROBOT"``; contract.py says what it is. There are none of our own: those play by their level
(match/robot.py).
"""

from __future__ import annotations

from typing import cast

from moderator.bots.contract import CONTRACT, Robot
from moderator.registry import Registry

GROUP = "moderator.robots"
REGISTRY = Registry("robot", GROUP, {}, CONTRACT)


def load(key: str) -> Robot:
    """The robot of that key. Raises OperatorError naming the known ones, and for one of another contract."""
    return cast(Robot, REGISTRY.load(key))
