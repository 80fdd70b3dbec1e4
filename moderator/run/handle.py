"""The mails that were taken in, handled one by one, each in its own transaction."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

from moderator.common.enums import InboxState
from moderator.common.errors import ClashError, OperatorError, StoreError, TransientError, format_error_place
from moderator.delivery.deliver import deliver_notifications
from moderator.inbox.pipeline import dispatch_mail, hold_for_match, quarantine_crasher, quarantine_mail
from moderator.mail.model import Ready
from moderator.run.log import LOG, RunSummary
from moderator.settings import Config
from moderator.store import inbox
from moderator.store.database import IntegrityError, Session, Store
from moderator.store.mail_queue import open_mail_queue
from moderator.store.tables import InboxRow
from moderator.views.desk import Desk
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache

T = TypeVar("T")
TRIES = 5
WAIT = 10.0
"""Seconds that a run waits for what other workers are handling, before it leaves the deadlines to the next."""
_PAUSE = 0.05


def retry_on_clash(store: Store, cache: MatchCache, work: Callable[[Session], T]) -> T:
    """Return what ``work`` returns, in a transaction of its own; run it anew where another worker came in between.

    This is so where each waited for the other, or both created the same row: then it sees what the other did."""
    tries = TRIES if store.shared else 1
    cache.evict_matches()
    while True:
        tries -= 1
        try:
            with store.begin_transaction() as session:
                return work(session)
        except (ClashError, IntegrityError):
            if not tries:
                raise


class MailHandler:
    """One run over all waiting mails. A mail that fails is quarantined, the others go on.

    ``begun``: whether some of them may have been begun before, see ``due_work.PendingWork``."""

    def __init__(
        self,
        config: Config,
        store: Store,
        cache: MatchCache,
        now: Callable[[], datetime],
        summary: RunSummary,
        begun: bool = True,
    ) -> None:
        self.config, self.store, self.cache, self.now, self.summary = config, store, cache, now, summary
        self.queue = open_mail_queue(store, begun)

    def handle_rest(self) -> None:
        """Handle all mails that are left."""
        while self.handle_next() is not None:
            pass

    def wait_until_settled(self) -> bool:
        """Return whether all mails that were here at the beginning have been handled.

        Also by the other workers, which it waits for a little: an order that one of them is just reading is in time."""
        until = time.monotonic() + WAIT
        while not self.queue.is_settled():
            if time.monotonic() > until:
                return False
            if self.handle_next() is None:
                time.sleep(_PAUSE)
        return True

    def handle_next(self) -> Sequence[Ready] | None:
        """Handle the next mail; returns the mails it led to, or None when there is nothing left to handle.

        Raises StoreError and TransientError with the mail, and all behind it, still waiting."""
        number = self.queue.begin_next_mail()
        if number is None:
            return None
        try:
            posted = self._handle_mail(number)
        except (StoreError, TransientError):
            with suppress(StoreError, TransientError):
                self.queue.requeue_all()
            raise
        except OperatorError as error:  # e.g. a missing dictionary: the mail waits until that is mended
            self.summary.add_trouble(str(error), about=f"mail {number}")
            with suppress(StoreError, TransientError):
                self.queue.defer_mail()
            return ()
        self.queue.finish_mail()
        return posted

    def _handle_mail(self, number: int) -> Sequence[Ready]:
        try:
            posted = self._run_on_mail(number, _handle_or_quarantine)
        except (OperatorError, TransientError):
            raise
        except MatchSuspended as error:
            reason = error
            posted = self._run_on_mail(number, lambda desk: hold_for_match(desk, reason))
            self.summary.add_trouble(error.reason, error.logged_reason, mailed=True)
        except Exception as error:  # the mail loop: whatever one mail does, the others go on
            trace, cause = traceback.format_exc(), error
            posted = self._run_on_mail(number, lambda desk: quarantine_mail(desk, trace, cause))
            self.summary.quarantined.append(f"mail {number}: {type(error).__name__}: {error}")
            LOG.error("mail %d quarantined: %s", number, format_error_place(error))
        self.summary.count_handled()
        return posted

    def _run_on_mail(self, number: int, action: Callable[[Desk], None]) -> Sequence[Ready]:
        """Run ``action`` on a mail and return the mails that it leads to.

        None of them where another worker has handled it after all (one that had lost its lock on it, say, when the
        database was away for a moment)."""

        def run_action(session: Session) -> Sequence[Ready]:
            mail = session.get_one(InboxRow, number, with_for_update=True)
            if mail.state != InboxState.RECEIVED:
                return ()
            desk = Desk(self.config, session, self.now(), self.cache, mail)
            action(desk)
            became.append(mail.state.value)
            return deliver_notifications(desk)

        became: list[str] = []
        posted = retry_on_clash(self.store, self.cache, run_action)
        if became:
            kinds = " ".join(mail.kind for mail in posted)
            LOG.info("mail %d handled: %s; mails made: %s", number, became[-1], kinds or "none")
        return posted


def _handle_or_quarantine(desk: Desk) -> None:
    poison = desk.mail is not None and desk.mail.attempts > inbox.MAX_ATTEMPTS
    (quarantine_crasher if poison else dispatch_mail)(desk)
