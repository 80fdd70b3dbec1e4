"""Lots that fall the same in each run.

Codes of matches, tokens and seeds of shuffles are drawn from the system's randomness, and what a match plays depends on
them: a test that is right for nearly every draw fails once in a hundred runs, on another machine, at night. So each
test, and each fixture that several tests share, draws from streams that begin with its name: each place that draws has
one of its own, so that what is drawn once in a process, by whichever test comes first, shifts nothing for the others.

MODERATOR_LOTS=3 in the environment draws others: what passes by luck may fail then.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_DRAWS_FOR_OTHERS = frozenset({"random", "secrets", "tempfile", "uuid", __name__})
_others = os.environ.get("MODERATOR_LOTS", "")
_name = ""
_drawn: Counter[str] = Counter()
"""How often each place has drawn under this name."""


def _draw(count: int) -> bytes:
    place = _place()
    _drawn[place] += 1
    return hashlib.shake_256(f"{_others}{_name} {place} {_drawn[place]}".encode()).digest(count)


def _place() -> str:
    """The module and function that draws."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__") in _DRAWS_FOR_OTHERS:
        frame = frame.f_back
    return f"{frame.f_globals.get('__name__')} {frame.f_code.co_name}"


def begin() -> None:
    """Put the stream in the place of the system's randomness, for this process and those that it forks."""
    os.urandom = _draw
    random._urandom = _draw  # type: ignore[attr-defined]  # what `secrets` draws from


@contextmanager
def of(name: str) -> Iterator[None]:
    """Draw from the streams of this name, and then go on where those before were."""
    global _name, _drawn
    before = _name, _drawn
    _name, _drawn = name, Counter()
    try:
        yield
    finally:
        _name, _drawn = before
