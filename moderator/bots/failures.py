"""Why a robot of somebody else has no answer."""

from __future__ import annotations

MOST_FAILURES = 3
"""In one run; then it is not asked again before the next one."""
LONGEST = 4096
"""Bytes of an answer."""


class Failed(Exception):
    """Why there is no answer, for the log. It costs the turn. ``said``: the last line that a program has written to
    standard error, which the log alone tells."""

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(why)
        self.said = said


class Unstarted(Exception):
    """Why it cannot be asked at all on this machine, and what to do. Until then the robot plays by itself."""
