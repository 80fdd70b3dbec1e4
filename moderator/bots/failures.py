"""Why a robot of somebody else has no answer."""

from __future__ import annotations

MOST_FAILURES = 3
"""In one run; then it is not asked again before the next one."""
LONGEST = 4096
"""Bytes of an answer."""


class BotFailure(Exception):
    """Raised where there is no answer, with the reason for the log. It costs the turn. ``said``: the last line that a
    program has written to standard error, which only the log gives."""

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(why)
        self.said = said


class BotNotStarted(Exception):
    """Raised where a program cannot be asked at all on this machine, with the reason and what to do. Until then the
    robot plays by itself."""
