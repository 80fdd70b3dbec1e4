"""`moderator watch`: the same pipeline as tick, woken by new mail (IMAP IDLE) instead of by cron."""

from __future__ import annotations

import time
from collections.abc import Iterator

from moderator.config import Config
from moderator.errors import TransientError
from moderator.mail.open import open_mailbox
from moderator.summary import Summary
from moderator.tick import tick

LONGEST_WAIT = 60
"""Seconds between two runs when no mail comes: deadlines and retries want to be looked at, too."""


def watch(config: Config, seconds: int = 0) -> Iterator[Summary]:
    """Yield the summary of each run in which something happened. Stops after ``seconds`` (0 = never)."""
    end = time.monotonic() + seconds if seconds else None
    while True:
        try:
            summary = tick(config)
        except TransientError as error:
            summary = Summary(away=[str(error)])
        if not summary.quiet:
            yield summary
        left = LONGEST_WAIT if end is None else min(LONGEST_WAIT, end - time.monotonic())
        if left <= 0:
            return
        _wait(config, left, bool(summary.troubles or summary.away))


def _wait(config: Config, seconds: float, troubled: bool) -> None:
    """Until mail comes or the time is over. After trouble simply sleep, so that a dead server is not hammered."""
    if troubled:
        time.sleep(seconds)
        return
    try:
        box = open_mailbox(config)
        try:
            box.idle(seconds)
        finally:
            box.close()
    except TransientError:
        time.sleep(min(seconds, 5))
