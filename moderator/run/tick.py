"""One run, as cron starts it: nobody else may be at it, and there must be something to do. What it then does is the
list in ``steps.py``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from moderator.common.errors import OperatorError, TransientError
from moderator.common.mails import Mailbox
from moderator.mail.transports import get_server_names, open_mailbox
from moderator.run.log import LOG, RunSummary
from moderator.settings import Config
from moderator.site.tree import is_site_unfinished
from moderator.store import due_work, installation
from moderator.store.due_work import ClockDoubt, ClubTime
from moderator.store.installation import hold_tick_lock


def run_tick(
    config: Config,
    now: Callable[[], datetime] | None = None,
    show: Callable[[int, int], None] | None = None,
    take_over: bool = False,
) -> RunSummary:
    """Run once, as cron starts it.

    ``now``: another clock than the club's own; ``show``: see ``RunSummary``; ``take_over``: see
    ``installation.claim_mailbox``. Raises OperatorError and TransientError only when nothing could be done."""
    now = now or config.read_clock
    with hold_tick_lock(config.database) as mine, due_work.share_connection():
        if not mine:
            LOG.info("another run is at work")
            return RunSummary()
        place = config.database
        began, summary = min(now(), now()), RunSummary(show=show)  # ahead for a moment, a clock makes nobody late
        key = installation.get_last_look_key(config.database)
        reviews = config.review.seconds_per_tick > 0

        def check_idle_at(moment: datetime) -> due_work.IdleCheck:
            return due_work.check_idle(
                place, moment, config.guard.settling_time, config.club.compute_last_daily_time(moment), key, reviews
            )

        known = check_idle_at(began)
        time = due_work.compute_club_time(known.known, began)
        if time.now != began:
            began, known = time.now, check_idle_at(time.now)
        box, waiting = _look_into_mailbox(config, summary)
        try:
            ours = _claim_mailbox(config, box, began, waiting, take_over, (key, known.noted), summary)
            if time.doubt is not ClockDoubt.NONE or _has_work(config, ours, waiting, known, time):
                # Not at the top: a run that finds nothing to do is over in a moment.
                from moderator.run.steps import open_run, run_on_club

                LOG.info("run begun: %d mails in the mailbox", waiting)
                with open_run(config, known.version, now, summary) as run:
                    run_on_club(run, ours, time)
            elif ours:
                due_work.record_poll_at(place, began)
                if known.reviews or is_site_unfinished(config.site_folder):
                    from moderator.run.steps import open_run, use_spare_time

                    with open_run(config, known.version, now, summary) as run:
                        use_spare_time(run)
                else:
                    LOG.info("nothing to do")
        finally:
            if box:
                box.close()
        summary.reached.add("")
        return summary


def _look_into_mailbox(config: Config, summary: RunSummary) -> tuple[Mailbox | None, int]:
    """Return the mailbox, and how many mails lie in it; None if its server is away."""
    box = None
    try:
        box = open_mailbox(config)
        waiting = box.waiting()
        summary.reached.add(get_server_names(config)[0])
        return box, waiting
    except (OperatorError, TransientError) as error:
        if box:
            box.close()
        if isinstance(error, OperatorError):
            raise
        summary.away.append(str(error))
        return None, 0


def _claim_mailbox(
    config: Config,
    box: Mailbox | None,
    began: datetime,
    waiting: int,
    take_over: bool,
    known: tuple[str, str],
    summary: RunSummary,
) -> Mailbox | None:
    """Return the mailbox, if no other installation reads it; None if its server is no longer there."""
    try:
        if box:
            installation.claim_mailbox(
                config.database, box, began, waiting, take_over, known, name=config.club.name, zone=config.club.zone
            )
        return box
    except TransientError as error:
        summary.away.append(str(error))
        return None


def _has_work(config: Config, box: Mailbox | None, waiting: int, known: due_work.IdleCheck, time: ClubTime) -> bool:
    """Return whether there is mail in the mailbox or in the database, a time that has come, or a time that was lost, so
    that deadlines move."""
    if waiting > 0 or known.due or box is None:
        return waiting > 0 or known.due
    guard = config.guard
    return bool(time.find_outage_reason(config.database, guard.outage_hours, guard.settling_time, config.club.zone))
