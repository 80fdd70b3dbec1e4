"""A limit of time for a call of somebody else's code in this process.

It is an alarm of the system's (SIGALRM), which Python raises as an exception between two of its own steps. What it does
not reach: a step that does not come back by itself (a library in C that computes for minutes), and whatever is not in
the main thread, where there are no alarms. It is raised again and again, for code that goes on after any exception.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
AGAIN = 0.2
"""Seconds between two alarms."""


class TooLong(BaseException):
    """The time is over. No ``Exception``, so that ``except Exception`` does not end it."""


def limited(seconds: float, call: Callable[[], T]) -> T:
    """What ``call`` gives. Raises TooLong, also for what was not reached and came late."""
    began = time.monotonic()
    alarmed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    made = _alarmed(seconds, call) if alarmed else call()
    if time.monotonic() - began > seconds:
        raise TooLong
    return made


def _alarmed(seconds: float, call: Callable[[], T]) -> T:
    """An alarm that somebody else has set goes on afterwards."""
    began, inside = time.monotonic(), True

    def late(number: int, frame: Any) -> None:
        if inside:
            raise TooLong

    handler = signal.signal(signal.SIGALRM, late)
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        try:
            return call()
        finally:
            inside = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - began)), every)
