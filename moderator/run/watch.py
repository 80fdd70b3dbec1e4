"""`moderator watch`: the same pipeline as tick, woken by new mail (IMAP IDLE) instead of by cron."""

from __future__ import annotations

import time
from collections.abc import Iterator

from moderator.config import Config
from moderator.errors import TransientError
from moderator.mail.open import open_mailbox
from moderator.run.summary import Summary
from moderator.run.tick import tick

PAUSE = 5
"""Seconds between runs that get nothing done."""
LONGEST_WAIT = 60
"""Seconds between two runs when no mail comes: deadlines and retries want to be looked at, too."""


def watch(config: Config, seconds: int = 0) -> Iterator[Summary]:
    """Yield the summary of each run in which something happened. Stops after ``seconds`` (0 = never)."""
    end = time.monotonic() + seconds if seconds else None
    away = False
    while True:
        try:
            summary = tick(config)
        except TransientError as error:
            summary = Summary(away=[str(error)])
        if away or not summary.quiet:  # that servers are back is worth a word, too
            yield summary
        away = bool(summary.away)
        left = LONGEST_WAIT if end is None else min(LONGEST_WAIT, end - time.monotonic())
        if left <= 0:
            return
        _wait(config, left, hot=not summary.quiet and not (summary.troubles or summary.away))


def _wait(config: Config, seconds: float, hot: bool) -> None:
    """Until mail comes or the time is over. Mail that came while the last run was at work counts at once if that
    run got something done (``hot``); else there is a pause, so that nothing is hammered."""
    try:
        box = open_mailbox(config)
        try:
            if box.waiting():
                time.sleep(0 if hot else min(seconds, PAUSE))
            else:
                box.idle(seconds)
        finally:
            box.close()
    except TransientError:
        time.sleep(min(seconds, PAUSE))
