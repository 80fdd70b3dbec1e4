"""THE list: what one run does, from the mailbox to the mail server. A run that has nothing to do loads nothing of it,
see ``tick.py``.

One mail is one transaction. Mails are taken in by batches before any is handled, and moved in the mailbox only after
what they led to is committed, so a run that dies anywhere is simply continued by the next one."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic, process_time

from moderator.common.errors import OperatorError, StoreError, TransientError, format_error_place
from moderator.common.mails import Mailbox, Sender
from moderator.mail.transports import open_sender
from moderator.run import backlog
from moderator.run.context import RunContext
from moderator.run.deadlines import run_deadlines
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
from moderator.run.send import send_mails
from moderator.service.puzzles import ReviewSender
from moderator.settings import Config
from moderator.site.tree import is_site_unfinished
from moderator.store import due_work
from moderator.store.database import open_store
from moderator.store.due_work import ClockDoubt, ClubTime, PendingWork, RunningClock
from moderator.store.reviews import defer_review, find_next_due_review
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.puzzles import ReviewDraft, prepare_review_draft, save_review_draft


def run_steps(run: RunContext, box: Mailbox | None, sender: Sender, time: ClubTime | None = None) -> None:
    """Run the steps of a run.

    Without a mailbox nobody can be late, so deadlines wait for the next good poll; of several workers one has the
    mailbox, and the deadlines with it. ``time``: what the clock is worth; None = as it runs, in a rehearsal."""
    began = run.now
    with run.store.advisory_lock("mailbox") as mine:
        box = box if mine else None
        # 1 Mailbox -> rows of the inbox. An outage moves the deadlines before any mail is handled.
        read = box is not None and _run_mailbox_step(run, lambda: fetch_mails(run, box))
        left = due_work.find_pending_work(run.store.place, run.now)
        time = time or ClubTime(began, began, left.last_poll, left.last_poll, left.last_poll)
        sure = time.doubt is ClockDoubt.NONE
        polled = read and record_unread_mails(run, left.unread)
        if sure:
            polled = polled and _run_mailbox_step(run, lambda: detect_outage(run, time, began))
        # 2 Each mail -> what it leads to, by the steps of ``inbox.pipeline``, in one commit with the mails about it.
        # Those leave while the next mail is handled: the mail server's answers cost no waiting then.
        begin_backlog(run, left)
        handled = MailHandler(run, left.begun)
        can_send = _run_sender(run, lambda: send_mails(run, sender, handled, left.outgoing))
        handled.handle_rest()
        settled = polled and handled.wait_until_settled()
        # 3 What is handled leaves the mailbox's inbox.
        if box is not None and read:
            _run_mailbox_step(run, lambda: move_handled_mails(run, box))
        if mine and left.failed_news:
            run.run_action(backlog.retry_failed_mails)
        # 4 What time alone brings, see ``DEADLINE_STEPS``. A clock that was ahead for a moment makes nobody late.
        then = min(began, run.now)
        guard, hour = run.config.guard, run.config.club.compute_last_daily_time(then)
        due = due_work.find_due_work(run.store.place, then, guard.settling_time, hour, run.now)
        more = due.outgoing or due.by_time or run.cache.catching_up
        if settled and due.by_time and sure:
            run_deadlines(run, then)
        # 5 One mail for each reader of what this run did for a backlog, and all that was made since 2 leaves.
        if mine:
            send_backlog_mails(run)
        if can_send and more:
            _run_sender(run, lambda: send_mails(run, sender))


@contextmanager
def open_run(config: Config, version: str, now: Callable[[], datetime], summary: RunSummary) -> Iterator[RunContext]:
    """Open the club's database for a run, and log at its end what was done. ``version``: see ``open_store``."""
    began, store = monotonic(), open_store(config.database, version)
    try:
        yield RunContext(config, store, MatchCache(config), now, summary)
    finally:
        store.close()
        summary.log_end(monotonic() - began)


def run_on_club(run: RunContext, box: Mailbox | None, time: ClubTime) -> None:
    """Run the steps on the club's database, unless the clock is so doubtful that only mails leave; then update the
    site."""
    time = weigh_clock(run, time) if box else time
    run = replace(run, clock=RunningClock(run.clock, time))
    if time.doubt is not ClockDoubt.NONE:
        run.summary.add_trouble(time.format_doubt(run.config.club.zone))
        due_work.bring_mails_forward(run.store.place, time.now)
    if time.doubt is ClockDoubt.AHEAD:
        ask_about_clock(run, time)
        _run_sender(run, lambda: send_mails(run, open_sender(run.config)))
    else:
        run_steps(run, box, open_sender(run.config), time)
    if not run.summary.is_quiet or is_site_unfinished(run.config.site_folder):
        _update_site(run)


def use_spare_time(run: RunContext) -> None:
    """Use the time of a run that has nothing else to do for reviews of finished matches, and for a site that was left
    unfinished."""
    continue_reviews(run)
    if run.summary.reviews:
        _run_sender(run, lambda: send_mails(run, open_sender(run.config)))
    if run.summary.reviews or is_site_unfinished(run.config.site_folder):
        _update_site(run)


def _update_site(run: RunContext) -> None:
    if run.config.site.folder:
        from moderator.site.build import update_site_after_run  # it takes long, and most clubs have no site

        if trouble := update_site_after_run(run.config, run.store, run.clock()):
            run.summary.add_trouble(trouble)


def begin_backlog(run: RunContext, left: PendingWork) -> None:
    """Prepare the run before the mails are handled: decide whether everybody gets one mail, and write pending rulings.

    Everybody gets one mail if much mail waits, or an earlier such run was not brought to its end; after an outage
    ``cache.catching_up`` is set already. Rulings that the house list lacks, since the run that took them could not
    write it, are written now."""
    run.store.trouble = run.summary.add_trouble
    if left.rulings:
        run.store.run_callback(run.cache.write_rulings)
    run.summary.waiting = left.mails
    run.cache.catching_up = run.cache.catching_up or left.deferred_news or left.mails > run.config.guard.backlog


def send_backlog_mails(run: RunContext) -> None:
    """Build one mail for each player after everything that this run does, each in a transaction of its own. A mail that
    our own code cannot make stays to be made; the others are sent."""
    if not run.cache.catching_up:
        return
    run.cache.catching_up = False
    run = run.stop_clock(run.now)
    with run.begin_transaction() as work:
        readers = backlog.list_backlog_readers(work.session)
    for number in readers:
        with run.guard_step(f"the mail to player {number} about the backlog"):
            for _, made in run.run_for_each([number], backlog.notify_after_backlog, PlayerRow):
                run.summary.digests += made


def _run_mailbox_step(run: RunContext, step: Callable[[], None]) -> bool:
    """Run a step that needs the mailbox's server; returns whether it was done. A refusal of the server holds nothing
    else up."""
    try:
        step()
    except StoreError:
        raise
    except TransientError as error:
        run.summary.away.append(str(error))
        return False
    except OperatorError as error:
        run.summary.add_trouble(str(error))
        return False
    return True


def _run_sender(run: RunContext, send: Callable[[], bool]) -> bool:
    """Run the sender; returns whether mails can leave. A wrong setting of the sender's must not prevent the incoming
    mails from being read."""
    try:
        return send()
    except StoreError:
        raise
    except OperatorError as error:
        run.summary.add_trouble(str(error))
        return False


# ---- the reviews of finished matches: a turn at a time, each kept before the next, so that a dying run loses one


PUT_OFF = timedelta(days=1)
"""Until a review is tried again that could not be made."""


def continue_reviews(run: RunContext) -> None:
    """Review matches while this run has seconds left for it. On PostgreSQL one worker does."""
    with run.store.advisory_lock("reviews") as mine:
        while mine and run.cache.review_seconds > 0:
            moment = run.stop_clock(run.now)
            with run.store.begin_transaction() as session:
                number = find_next_due_review(session, moment.now)
            if number is None:
                return
            try:
                made = _begin_draft(moment, number)
                while _review_turn(moment, made) and moment.cache.review_seconds > 0:
                    pass
            except (StoreError, TransientError):
                raise
            except Exception as error:
                _defer_review(moment, number, error)


def _begin_draft(run: RunContext, number: int) -> ReviewDraft:
    began = process_time()
    try:
        with run.begin_transaction() as work:
            return prepare_review_draft(work.session, run.cache, work.session.get_one(MatchRow, number), work.now)
    finally:
        run.cache.review_spent += process_time() - began


def _review_turn(run: RunContext, made: ReviewDraft) -> bool:
    """Review one more turn; returns False when there is nothing more to do for this match."""
    run.cache.review_spent += made.review_next_turns(0)
    with run.begin_transaction() as work:
        match = work.session.get_one(MatchRow, made.match_id)
        found = save_review_draft(work.session, match, made)
        if found is not None:
            ReviewSender(work, match).notify_requesters(found)
            run.summary.reviews += 1
            LOG.info("match %s: review made", match.code)
    return found is None and made.kept == len(made.turns)


def _defer_review(run: RunContext, number: int, error: Exception) -> None:
    """Defer the review that failed; the operator hears of a failure that is new."""
    ours = not isinstance(error, MatchSuspended | OperatorError)
    reason = error.reason if isinstance(error, MatchSuspended) else repr(error) if ours else str(error)
    with run.store.begin_transaction() as session:
        is_new = defer_review(session, number, reason[:500], run.now + PUT_OFF)
        what = f"the review of match {session.get_one(MatchRow, number).code}"
    if is_new and ours:
        run.summary.add_trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {format_error_place(error)}")
    elif is_new:
        run.summary.add_trouble(reason, about=what)
