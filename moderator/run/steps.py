"""The steps of a run that has something to do. Nothing of it is loaded by one that has not, see ``tick.py``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import monotonic

from moderator.common.errors import OperatorError, StoreError, TransientError
from moderator.common.mails import Mailbox, Sender
from moderator.delivery import backlog
from moderator.mail.transports import open_sender
from moderator.run.deadlines import Transactions, run_deadlines
from moderator.run.fetch import (
    ask_about_clock,
    detect_outage,
    fetch_mails,
    move_handled_mails,
    record_unread_mails,
    weigh_clock,
)
from moderator.run.handle import MailHandler
from moderator.run.log import LOG, RunSummary
from moderator.run.review_work import continue_reviews
from moderator.run.send import send_due_mails
from moderator.settings import Config
from moderator.site.tree import is_site_unfinished
from moderator.store import due_work
from moderator.store.club_time import ClockDoubt, ClubTime, RunningClock
from moderator.store.database import Store, open_store
from moderator.store.due_work import PendingWork
from moderator.store.tables import PlayerRow
from moderator.views.match_cache import MatchCache


def use_spare_time(config: Config, version: str, now: Callable[[], datetime], summary: RunSummary) -> None:
    """Use the time of a run that has nothing else to do for reviews of finished matches, and for a site that was left
    unfinished."""
    began, store = monotonic(), open_store(config.database, version)
    try:
        continue_reviews(config, store, MatchCache(config), now, summary)
        if summary.reviews:
            _run_sender(lambda: send_due_mails(config, store, open_sender(config), now, summary), summary)
        if summary.reviews or is_site_unfinished(config.site_folder):
            _update_site(config, store, now, summary)
    finally:
        store.close()
        summary.log_end(monotonic() - began)


def _update_site(config: Config, store: Store, now: Callable[[], datetime], summary: RunSummary) -> None:
    if config.site.folder:
        from moderator.site.build import update_site_after_run  # it takes long, and most clubs have no site

        if trouble := update_site_after_run(config, store, now()):
            summary.add_trouble(trouble)


def run_with_store(
    config: Config,
    box: Mailbox | None,
    version: str,
    waiting: int,
    now: Callable[[], datetime],
    summary: RunSummary,
    time: ClubTime,
) -> None:
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
        if not summary.is_quiet or is_site_unfinished(config.site_folder):
            _update_site(config, store, now, summary)
    finally:
        store.close()
        summary.log_end(monotonic() - began)


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
        begin_backlog(config, store, cache, left, summary)
        handling = MailHandler(config, store, cache, now, summary, left.begun)
        # Mails are handled while earlier ones travel: the mail server's answers cost no waiting then.
        go_on = _run_sender(
            lambda: send_due_mails(config, store, sender, now, summary, handling.handle_next, left.outgoing), summary
        )
        handling.handle_rest()
        settled = polled and handling.wait_until_settled()
        if box is not None and read:
            _run_mailbox_step(lambda: move_handled_mails(store, box, summary.trials), summary)
        if mine and left.failed_news:
            Transactions(config, store, cache, now(), summary).run_action(backlog.retry_failed_mails)
        # A clock that was ahead for a moment makes nobody late.
        then = min(began, now())
        come = due_work.find_due_work(
            store.place, then, config.guard.settling_time, config.club.compute_last_daily_time(then), now()
        )
        more = come.outgoing or come.by_time or cache.catching_up
        if settled and come.by_time and time.doubt is ClockDoubt.NONE:
            run_deadlines(config, store, cache, then, summary)
        if mine:
            send_backlog_mails(config, store, cache, now(), summary)
        if go_on and more:
            _run_sender(lambda: send_due_mails(config, store, sender, now, summary), summary)


def begin_backlog(config: Config, store: Store, cache: MatchCache, left: PendingWork, summary: RunSummary) -> None:
    """Prepare the run before the mails are handled: decide whether everybody gets one mail, and write pending rulings.

    Everybody gets one mail if much mail waits, or an earlier such run was not brought to its end; after an outage
    ``cache.catching_up`` is set already. Rulings that the house list lacks, since the run that took them could not
    write it, are written now."""
    store.trouble = summary.add_trouble
    if left.rulings:
        store.run_callback(cache.write_rulings)
    summary.waiting = left.mails
    cache.catching_up = cache.catching_up or left.deferred_news or left.mails > config.guard.backlog


def send_backlog_mails(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Build one mail for each player after everything that this run does, each in a transaction of its own. A mail that
    our own code cannot make stays to be made; the others are sent."""
    if not cache.catching_up:
        return
    cache.catching_up = False
    work = Transactions(config, store, cache, now, summary)
    with work.begin_transaction() as desk:
        readers = backlog.list_backlog_readers(desk)
    for number in readers:
        with work.guard_step(f"the mail to player {number} about the backlog"):
            for _, made in work.run_for_each([number], backlog.notify_after_backlog, PlayerRow):
                summary.digests += made


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
