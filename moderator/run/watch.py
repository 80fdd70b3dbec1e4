"""The other ways to start a run than cron. `moderator watch`: the same pipeline as tick, woken by new mail (IMAP IDLE);
`moderator receive`: one mail from a pipe, e.g. from a delivery agent's "|moderator receive"."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator

from moderator.config import Config
from moderator.errors import TransientError
from moderator.mail.model import RawMail
from moderator.mail.open import open_mailbox, open_sender
from moderator.run import old_mails
from moderator.run.intake import Summary, store_mails, without_trials
from moderator.run.log import LOG, ended
from moderator.run.tick import tick
from moderator.store import club_time, probe
from moderator.store.club_time import Doubt, Running
from moderator.store.installation import only_one

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
            waiting = box.waiting()
            if waiting and waiting > old_mails.left(config):
                time.sleep(0 if hot else min(seconds, PAUSE))
            else:
                box.idle(seconds)
        finally:
            box.close()
    except TransientError:
        time.sleep(min(seconds, PAUSE))


HEAD = 64 * 1024


def receive(config: Config, data: bytes) -> Summary:
    """Keep the mail, handle it and send the answers. If a tick is at work, the mail is kept and that tick's
    successor handles it; the delivery agent is only told to try again when it could not be kept."""
    from moderator.club.run_cache import RunCache
    from moderator.run import backlog
    from moderator.run.dispatch import send_due
    from moderator.run.handling import Handling
    from moderator.store.db import open_store

    summary, began = Summary(), time.monotonic()
    LOG.info("run begun: a mail from a pipe")
    key = "pipe:" + hashlib.sha256(data).hexdigest()
    kept = data if len(data) <= config.mail.max_bytes else data[:HEAD]
    store = open_store(config.database)
    clock = club_time.tell(config.database, config.now())
    now = Running(config.now, clock)
    try:
        if clock.since and clock.lost(config.guard.outage_hours):
            probe.mark_silent(store.place, clock.since)
        if clock.doubt is not Doubt.NONE:
            summary.trouble(clock.said(config.club.zone))
        mails, _ = without_trials(store, [RawMail(key, kept, now(), len(data))])
        summary.taken = store_mails(store, mails, now())
        with only_one(config) as alone:
            if alone and clock.doubt is not Doubt.AHEAD:
                cache = RunCache(config)
                left = probe.left_over(store.place, now())
                backlog.begin(config, store, cache, left, summary)
                Handling(config, store, cache, now, summary, left.begun).rest()
                with store.turn("mailbox") as mine:
                    if mine:
                        backlog.end(config, store, cache, now(), summary)
                try:
                    send_due(config, store, open_sender(config), now, summary)
                except TransientError as error:
                    summary.away.append(str(error))
                summary.reached.add("")
    finally:
        store.close()
        ended(summary, time.monotonic() - began)
    return summary
