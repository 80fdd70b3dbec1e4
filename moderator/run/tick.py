"""THE pipeline: fetch, read, apply, record, render, queue, file away, deadlines, send.

One mail is one transaction. Mails are taken in by batches before any is handled, and moved in the mailbox only
after what they led to is committed, so a run that dies anywhere is simply continued by the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from moderator.common.errors import OperatorError, StoreError, TransientError
from moderator.mail.model import Mailbox, Sender
from moderator.mail.transports import get_server_names, open_mailbox, open_sender
from moderator.run.deadlines import run_deadlines
from moderator.run.fetch import (
    RunSummary,
    ask_about_clock,
    detect_outage,
    fetch_mails,
    move_handled_mails,
    outage_reason,
    record_unread_mails,
    weigh_clock,
)
from moderator.run.log import LOG, log_run_end
from moderator.settings import Config
from moderator.store import club_time, due_work, installation
from moderator.store.club_time import ClockDoubt, ClubTime, RunningClock
from moderator.store.installation import hold_tick_lock

if TYPE_CHECKING:
    from moderator.store.database import Store
    from moderator.views.match_cache import MatchCache


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
    with hold_tick_lock(config) as mine, due_work.shared_connection():
        if not mine:
            LOG.info("another run is at work")
            return RunSummary()
        place = config.database
        began, summary = (
            min(now(), now()),
            RunSummary(show=show),
        )  # a clock that is ahead for a moment makes nobody late
        key = installation.get_last_look_key(config)
        reviews = config.review.seconds_per_tick > 0

        def check_idle_at(moment: datetime) -> due_work.IdleCheck:
            return due_work.check_idle(
                place, moment, config.guard.settling_time, config.club.compute_last_daily_time(moment), key, reviews
            )

        known = check_idle_at(began)
        time = club_time.compute_club_time(known.known, began)
        if time.now != began:
            began, known = time.now, check_idle_at(time.now)
        box, waiting = _look_into_mailbox(config, summary)
        try:
            ours = _claim_mailbox(config, box, began, waiting, take_over, (key, known.noted), summary)
            if time.doubt is not ClockDoubt.NONE or _has_work(config, ours, waiting, known, time):
                _run_with_store(config, ours, known.version, waiting, now, summary, time)
            elif ours:
                due_work.record_poll_at(place, began)
                if known.reviews or _is_site_unfinished(config):
                    _use_spare_time(config, known.version, now, summary)
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
            installation.claim_mailbox(config, box, began, waiting, take_over, known)
        return box
    except TransientError as error:
        summary.away.append(str(error))
        return None


def _has_work(config: Config, box: Mailbox | None, waiting: int, known: due_work.IdleCheck, time: ClubTime) -> bool:
    """Return whether there is mail in the mailbox or in the database, a time that has come, or a time that was lost, so
    that deadlines move."""
    return waiting > 0 or known.due or (box is not None and bool(outage_reason(config, time)))


def _use_spare_time(config: Config, version: str, now: Callable[[], datetime], summary: RunSummary) -> None:
    """Use the time of a run that has nothing else to do for reviews of finished matches, and for a site that was left
    unfinished."""
    from moderator.run import review_work
    from moderator.run.send import send_due_mails
    from moderator.store.database import open_store
    from moderator.views.match_cache import MatchCache

    began, store = monotonic(), open_store(config.database, version)
    try:
        review_work.continue_reviews(config, store, MatchCache(config), now, summary)
        if summary.reviews:
            _run_sender(lambda: send_due_mails(config, store, open_sender(config), now, summary), summary)
        if summary.reviews or _is_site_unfinished(config):
            _update_site(config, store, now, summary)
    finally:
        store.close()
        log_run_end(summary, monotonic() - began)


def _is_site_unfinished(config: Config) -> bool:
    if not config.site.folder:
        return False
    from moderator.site.tree import is_site_unfinished

    return is_site_unfinished(config.resolve_path(Path(config.site.folder)))


def _update_site(config: Config, store: Store, now: Callable[[], datetime], summary: RunSummary) -> None:
    if config.site.folder:
        from moderator.site.build import update_site_after_run

        if trouble := update_site_after_run(config, store, now()):
            summary.add_trouble(trouble)


def _run_with_store(
    config: Config,
    box: Mailbox | None,
    version: str,
    waiting: int,
    now: Callable[[], datetime],
    summary: RunSummary,
    time: ClubTime,
) -> None:
    from moderator.run.send import send_due_mails
    from moderator.store.database import open_store
    from moderator.views.match_cache import MatchCache

    LOG.info("run begun: %d mails in the mailbox", waiting)
    began = monotonic()
    store, cache = open_store(config.database, version), MatchCache(config)
    try:
        time = weigh_clock(config, store, cache, time) if box else time
        if time.doubt is not ClockDoubt.NONE:
            summary.add_trouble(time.format_doubt(config.club.zone))
            due_work.bring_mails_forward(store.place, time.now)
        if time.doubt is ClockDoubt.AHEAD:
            ask_about_clock(config, store, cache, time)
            _run_sender(
                lambda: send_due_mails(config, store, open_sender(config), RunningClock(now, time), summary), summary
            )
        else:
            run_steps(config, store, cache, box, open_sender(config), RunningClock(now, time), summary, time)
        if not summary.is_quiet or _is_site_unfinished(config):
            _update_site(config, store, now, summary)
    finally:
        store.close()
        log_run_end(summary, monotonic() - began)


def run_steps(
    config: Config,
    store: Store,
    cache: MatchCache,
    box: Mailbox | None,
    sender: Sender,
    now: Callable[[], datetime],
    summary: RunSummary,
    time: ClubTime | None = None,
) -> None:
    """Run the steps of a run.

    Without a mailbox nobody can be late, so deadlines wait for the next good poll; of several workers one has the
    mailbox, and the deadlines with it. ``time``: what the clock is worth; None = as it runs, in a rehearsal."""
    from moderator.run import backlog
    from moderator.run.handle import MailHandler
    from moderator.run.send import send_due_mails

    began = now()
    with store.advisory_lock("mailbox") as mine:
        box = box if mine else None
        read = box is not None and _run_mailbox_step(lambda: fetch_mails(config, store, box, now, summary), summary)
        left = due_work.find_pending_work(store.place, now())
        last = left.last_poll
        time = time or ClubTime(began, began, last, last, last)
        polled = read and record_unread_mails(store, left.unread, now(), summary)
        if time.doubt is ClockDoubt.NONE:
            polled = polled and _run_mailbox_step(
                lambda: detect_outage(config, store, cache, time, began, summary), summary
            )
        backlog.begin_backlog(config, store, cache, left, summary)
        handling = MailHandler(config, store, cache, now, summary, left.begun)
        # Mails are handled while earlier ones travel: the mail server's answers cost no waiting then.
        go_on = _run_sender(
            lambda: send_due_mails(config, store, sender, now, summary, handling.handle_next, left.outgoing), summary
        )
        handling.handle_rest()
        settled = polled and handling.wait_until_settled()
        if box is not None and read:
            _run_mailbox_step(lambda: move_handled_mails(store, box, summary.trials), summary)
        # A clock that was ahead for a moment makes nobody late.
        then = min(began, now())
        come = due_work.find_due_work(
            store.place, then, config.guard.settling_time, config.club.compute_last_daily_time(then), now()
        )
        more = come.outgoing or come.by_time or cache.catching_up
        if settled and come.by_time and time.doubt is ClockDoubt.NONE:
            run_deadlines(config, store, cache, then, summary)
        if mine:
            backlog.send_backlog_mails(config, store, cache, now(), summary)
        if go_on and more:
            _run_sender(lambda: send_due_mails(config, store, sender, now, summary), summary)


def _run_mailbox_step(step: Callable[[], None], summary: RunSummary) -> bool:
    """Run a step that needs the mailbox's server; returns whether it was done. A refusal of the server holds nothing
    else up."""
    try:
        step()
    except StoreError:
        raise
    except TransientError as error:
        summary.away.append(str(error))
        return False
    except OperatorError as error:
        summary.add_trouble(str(error))
        return False
    return True


def _run_sender(send: Callable[[], bool], summary: RunSummary) -> bool:
    """Run the sender; returns whether mails can leave. A wrong setting of the sender's must not prevent the incoming
    mails from being read."""
    try:
        return send()
    except StoreError:
        raise
    except OperatorError as error:
        summary.add_trouble(str(error))
        return False
