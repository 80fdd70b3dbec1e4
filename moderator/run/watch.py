"""The other ways to start a run than cron. `moderator watch`: the same pipeline as tick, woken by new mail (IMAP IDLE);
`moderator receive`: one mail from a pipe, e.g. from a delivery agent's "|moderator receive"."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator

from moderator.common.errors import TransientError
from moderator.common.mails import RawMail
from moderator.mail.transports import open_mailbox, open_sender
from moderator.run import fetch
from moderator.run.fetch import save_mails, split_off_trials
from moderator.run.log import LOG, RunSummary
from moderator.run.steps import open_run, run_steps
from moderator.run.tick import run_tick
from moderator.settings import Config
from moderator.store import due_work
from moderator.store.due_work import ClockDoubt, RunningClock
from moderator.store.installation import hold_tick_lock

PAUSE = 5
"""Seconds between runs that get nothing done."""
LONGEST_WAIT = 60
"""Seconds between two runs when no mail comes: deadlines and retries want to be looked at, too."""


def watch_mailbox(config: Config, seconds: int = 0) -> Iterator[RunSummary]:
    """Yield the summary of each run in which something happened. Stops after ``seconds`` (0 = never)."""
    end = time.monotonic() + seconds if seconds else None
    away = False
    while True:
        try:
            summary = run_tick(config)
        except TransientError as error:
            summary = RunSummary(away=[str(error)])
        if away or not summary.is_quiet:  # that servers are back is worth a word, too
            yield summary
        away = bool(summary.away)
        left = LONGEST_WAIT if end is None else min(LONGEST_WAIT, end - time.monotonic())
        if left <= 0:
            return
        _wait_for_mail(config, left, hot=not summary.is_quiet and not (summary.troubles or summary.away))


def _wait_for_mail(config: Config, seconds: float, hot: bool) -> None:
    """Wait until mail comes or the time is over.

    Mail that came while the last run was at work counts at once if that run got something done (``hot``); else there is
    a pause, so that nothing is hammered."""
    try:
        with open_mailbox(config) as box:
            waiting = box.waiting()
            if waiting and waiting > fetch.count_mails_left_unread(config):
                time.sleep(0 if hot else min(seconds, PAUSE))
            else:
                box.idle(seconds)
    except TransientError:
        time.sleep(min(seconds, PAUSE))


HEAD = 64 * 1024


def receive_mail(config: Config, data: bytes) -> RunSummary:
    """Store the mail, handle it and send the answers.

    If a tick is at work, the mail is stored and that tick's successor handles it; the delivery agent is only asked to
    try again when the mail could not be stored."""
    summary = RunSummary()
    LOG.info("run begun: a mail from a pipe")
    key = "pipe:" + hashlib.sha256(data).hexdigest()
    kept = data if len(data) <= config.mail.max_bytes else data[:HEAD]
    clock = due_work.load_club_time(config.database, config.read_clock())
    with open_run(config, "", RunningClock(config.read_clock, clock), summary) as run:
        if clock.since and clock.has_poll_gap(config.guard.outage_hours):
            due_work.mark_mailbox_silent_at(run.store.place, clock.since)
        if clock.doubt is not ClockDoubt.NONE:
            summary.add_trouble(clock.format_doubt(config.club.zone))
        mails, _ = split_off_trials(run.store, [RawMail(key, kept, run.now, len(data))])
        summary.taken = save_mails(run.store, mails, run.now)
        with hold_tick_lock(config.database) as alone:
            if alone and clock.doubt is not ClockDoubt.AHEAD:
                run_steps(run, None, open_sender(config), clock)
                summary.reached.add("")
    return summary
