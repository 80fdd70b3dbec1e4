"""Lots that fall the same in each run.

Codes of matches, tokens and seeds of shuffles are drawn from the system's randomness, and what a match plays depends on
them: a test that is right for nearly every draw fails once in a hundred runs, on another machine, at night. So each
test, and each fixture that several tests share, draws from a stream of its own that begins with its name.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

_name = ""
_drawn = 0


def _draw(count: int) -> bytes:
    global _drawn
    _drawn += 1
    return hashlib.shake_256(f"{_name} {_drawn}".encode()).digest(count)


def begin() -> None:
    """Put the stream in the place of the system's randomness, for this process and those that it forks."""
    os.urandom = _draw
    random._urandom = _draw  # type: ignore[attr-defined]  # what `secrets` draws from


@contextmanager
def of(name: str) -> Iterator[None]:
    """Draw from the stream of this name, and then go on where the one before was."""
    global _name, _drawn
    before = _name, _drawn
    _name, _drawn = name, 0
    try:
        yield
    finally:
        _name, _drawn = before
