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

from moderator.config import Config
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.mail.model import Mailbox, Sender
from moderator.mail.open import open_mailbox, open_sender, servers
from moderator.run.falling_due import run_deadlines
from moderator.run.intake import Summary, are_long_unread, ask_for_word, file_away, look_back, lost, take_in, weigh
from moderator.run.log import LOG, ended
from moderator.store import club_time, installation, probe
from moderator.store.club_time import ClubTime, Doubt, Running
from moderator.store.installation import only_one

if TYPE_CHECKING:
    from moderator.club.run_cache import RunCache
    from moderator.store.db import Store


def tick(
    config: Config,
    now: Callable[[], datetime] | None = None,
    show: Callable[[int, int], None] | None = None,
    take_over: bool = False,
) -> Summary:
    """One run, as cron starts it. ``now``: another clock than the club's own; ``show``: see ``Summary``; ``take_over``:
    see ``installation.look``. Raises OperatorError and TransientError only when nothing could be done."""
    now = now or config.now
    with only_one(config) as mine, probe.at_hand():
        if not mine:
            LOG.info("another run is at work")
            return Summary()
        place = config.database
        began, summary = min(now(), now()), Summary(show=show)  # a clock that is ahead for a moment makes nobody late
        key = installation.key_of(config)
        reviews = config.review.seconds_per_tick > 0

        def look(moment: datetime) -> probe.Look:
            return probe.look(place, moment, config.guard.settle, config.club.daily_hour(moment), key, reviews)

        known = look(began)
        time = club_time.judge(known.known, began)
        if time.now != began:
            began, known = time.now, look(time.now)
        box, waiting = _look_in(config, summary)
        try:
            ours = _ours(config, box, began, waiting, take_over, (key, known.noted), summary)
            if time.doubt is not Doubt.NONE or _has_work(config, ours, waiting, known, time):
                _run(config, ours, known.version, waiting, now, summary, time)
            elif ours:
                probe.polled(place, began)
                if known.reviews or _is_site_unfinished(config):
                    _use_spare_time(config, known.version, now, summary)
                else:
                    LOG.info("nothing to do")
        finally:
            if box:
                box.close()
        summary.reached.add("")
        return summary


def _look_in(config: Config, summary: Summary) -> tuple[Mailbox | None, int]:
    """The mailbox, and how many mails lie in it; None if its server is away."""
    box = None
    try:
        box = open_mailbox(config)
        waiting = box.waiting()
        summary.reached.add(servers(config)[0])
        return box, waiting
    except (OperatorError, TransientError) as error:
        if box:
            box.close()
        if isinstance(error, OperatorError):
            raise
        summary.away.append(str(error))
        return None, 0


def _ours(
    config: Config,
    box: Mailbox | None,
    began: datetime,
    waiting: int,
    take_over: bool,
    known: tuple[str, str],
    summary: Summary,
) -> Mailbox | None:
    """The mailbox, if no other installation reads it; None if its server has gone away."""
    try:
        if box:
            installation.look(config, box, began, waiting, take_over, known)
        return box
    except TransientError as error:
        summary.away.append(str(error))
        return None


def _has_work(config: Config, box: Mailbox | None, waiting: int, known: probe.Look, time: ClubTime) -> bool:
    """Mail in the mailbox or in the database, a time that has come, or a time that was lost, so that deadlines move."""
    return waiting > 0 or known.due or (box is not None and bool(lost(config, time)))


def _use_spare_time(config: Config, version: str, now: Callable[[], datetime], summary: Summary) -> None:
    """Nothing else is to be done: time for the reviews of finished matches, and for a site that was left unfinished."""
    from moderator.club.run_cache import RunCache
    from moderator.run import reviewing
    from moderator.run.dispatch import send_due
    from moderator.store.db import open_store

    began, store = monotonic(), open_store(config.database, version)
    try:
        reviewing.go_on(config, store, RunCache(config), now, summary)
        if summary.reviews:
            _sent(lambda: send_due(config, store, open_sender(config), now, summary), summary)
        if summary.reviews or _is_site_unfinished(config):
            _bring_up_site(config, store, now, summary)
    finally:
        store.close()
        ended(summary, monotonic() - began)


def _is_site_unfinished(config: Config) -> bool:
    if not config.site.folder:
        return False
    from moderator.site.tree import is_unfinished

    return is_unfinished(config.path(Path(config.site.folder)))


def _bring_up_site(config: Config, store: Store, now: Callable[[], datetime], summary: Summary) -> None:
    if config.site.folder:
        from moderator.site.run import after_tick

        if trouble := after_tick(config, store, now()):
            summary.trouble(trouble)


def _run(
    config: Config,
    box: Mailbox | None,
    version: str,
    waiting: int,
    now: Callable[[], datetime],
    summary: Summary,
    time: ClubTime,
) -> None:
    from moderator.club.run_cache import RunCache
    from moderator.run.dispatch import send_due
    from moderator.store.db import open_store

    LOG.info("run begun: %d mails in the mailbox", waiting)
    began = monotonic()
    store, cache = open_store(config.database, version), RunCache(config)
    try:
        time = weigh(config, store, cache, time) if box else time
        if time.doubt is not Doubt.NONE:
            summary.trouble(time.said(config.club.zone))
            probe.bring_forward(store.place, time.now)
        if time.doubt is Doubt.AHEAD:
            ask_for_word(config, store, cache, time)
            _sent(lambda: send_due(config, store, open_sender(config), Running(now, time), summary), summary)
        else:
            once(config, store, cache, box, open_sender(config), Running(now, time), summary, time)
        if not summary.quiet or _is_site_unfinished(config):
            _bring_up_site(config, store, now, summary)
    finally:
        store.close()
        ended(summary, monotonic() - began)


def once(
    config: Config,
    store: Store,
    cache: RunCache,
    box: Mailbox | None,
    sender: Sender,
    now: Callable[[], datetime],
    summary: Summary,
    time: ClubTime | None = None,
) -> None:
    """The steps of a run. Without a mailbox nobody can be late, so deadlines wait for the next good poll; of several
    workers one has the mailbox, and the deadlines with it. ``time``: what the clock is worth; None = as it goes, in a
    rehearsal."""
    from moderator.run import backlog
    from moderator.run.dispatch import send_due
    from moderator.run.handling import Handling

    began = now()
    with store.turn("mailbox") as mine:
        box = box if mine else None
        read = box is not None and _done(lambda: take_in(config, store, box, now, summary), summary)
        left = probe.left_over(store.place, now())
        last = left.last_poll
        time = time or ClubTime(began, began, last, last, last)
        polled = read and are_long_unread(store, left.unread, now(), summary)
        if time.doubt is Doubt.NONE:
            polled = polled and _done(lambda: look_back(config, store, cache, time, began, summary), summary)
        backlog.begin(config, store, cache, left, summary)
        handling = Handling(config, store, cache, now, summary, left.begun)
        # Mails are handled while earlier ones travel: the mail server's answers cost no waiting then.
        go_on = _sent(lambda: send_due(config, store, sender, now, summary, handling.step, left.outgoing), summary)
        handling.rest()
        settled = polled and handling.settled()
        if box is not None and read:
            _done(lambda: file_away(store, box, summary.trials), summary)
        # A clock that was ahead for a moment makes nobody late.
        then = min(began, now())
        come = probe.come(store.place, then, config.guard.settle, config.club.daily_hour(then), now())
        more = come.outgoing or come.by_time or cache.catching_up
        if settled and come.by_time and time.doubt is Doubt.NONE:
            run_deadlines(config, store, cache, then, summary)
        if mine:
            backlog.end(config, store, cache, now(), summary)
        if go_on and more:
            _sent(lambda: send_due(config, store, sender, now, summary), summary)


def _done(step: Callable[[], None], summary: Summary) -> bool:
    """Whether a step was done that needs the mailbox's server. What the server refuses keeps nothing else from being
    done."""
    try:
        step()
    except StoreError:
        raise
    except TransientError as error:
        summary.away.append(str(error))
        return False
    except OperatorError as error:
        summary.trouble(str(error))
        return False
    return True


def _sent(send: Callable[[], bool], summary: Summary) -> bool:
    """Whether mails can leave. A wrong setting of the sender's must not keep the incoming mails from being read."""
    try:
        return send()
    except StoreError:
        raise
    except OperatorError as error:
        summary.trouble(str(error))
        return False
