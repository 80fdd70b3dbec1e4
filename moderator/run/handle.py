"""The mails that were taken in, handled one by one, each in its own transaction."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from moderator.common.enums import InboxState
from moderator.common.errors import OperatorError, StoreError, TransientError, format_error_place
from moderator.delivery.deliver import deliver_notifications
from moderator.inbox.pipeline import dispatch_mail, hold_for_match, quarantine_crasher, quarantine_mail
from moderator.mail.model import Ready
from moderator.run.context import RunContext
from moderator.run.log import LOG
from moderator.store import inbox
from moderator.store.mail_queue import open_mail_queue
from moderator.store.tables import InboxRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import UnitOfWork

WAIT = 10.0
"""Seconds that a run waits for what other workers are handling, before it leaves the deadlines to the next."""
_PAUSE = 0.05


class MailHandler(Iterator[Sequence[Ready]]):
    """All waiting mails of one run, handled one at each step: what a step gives are the mails that it led to, committed
    with it. A mail that fails is quarantined, the others go on.

    ``begun``: whether some of them may have been begun before, see ``due_work.PendingWork``."""

    def __init__(self, run: RunContext, begun: bool = True) -> None:
        self.run = run
        self.queue = open_mail_queue(run.store, begun)

    def handle_rest(self) -> None:
        for _ in self:
            pass

    def wait_until_settled(self) -> bool:
        """Return whether all mails that were here at the beginning have been handled.

        Also by the other workers, which it waits for a little: an order that one of them is just reading is in time."""
        until = time.monotonic() + WAIT
        while not self.queue.is_settled():
            if time.monotonic() > until:
                return False
            if next(self, None) is None:
                time.sleep(_PAUSE)
        return True

    def __next__(self) -> Sequence[Ready]:
        """Handle the next mail; returns the mails it led to.

        Raises StoreError and TransientError with the mail, and all behind it, still waiting."""
        number = self.queue.begin_next_mail()
        if number is None:
            raise StopIteration
        try:
            posted = self._handle_mail(number)
        except (StoreError, TransientError):
            with suppress(StoreError, TransientError):
                self.queue.requeue_all()
            raise
        except OperatorError as error:  # e.g. a missing dictionary: the mail waits until that is mended
            self.run.summary.add_trouble(str(error), about=f"mail {number}")
            with suppress(StoreError, TransientError):
                self.queue.defer_mail()
            return ()
        self.queue.finish_mail()
        return posted

    def _handle_mail(self, number: int) -> Sequence[Ready]:
        summary = self.run.summary
        try:
            posted = self._run_on_mail(number, _handle_or_quarantine)
        except (OperatorError, TransientError):
            raise
        except MatchSuspended as error:
            reason = error
            posted = self._run_on_mail(number, lambda work: hold_for_match(work, reason))
            summary.add_trouble(error.reason, error.logged_reason, mailed=True)
        except Exception as error:  # the mail loop: whatever one mail does, the others go on
            trace, cause = traceback.format_exc(), error
            posted = self._run_on_mail(number, lambda work: quarantine_mail(work, trace, cause))
            summary.quarantined.append(f"mail {number}: {type(error).__name__}: {error}")
            LOG.error("mail %d quarantined: %s", number, format_error_place(error))
        summary.count_handled()
        return posted

    def _run_on_mail(self, number: int, action: Callable[[UnitOfWork], None]) -> Sequence[Ready]:
        """Run ``action`` on a mail and return the mails that it leads to.

        None of them where another worker has handled it after all (one that had lost its lock on it, say, when the
        database was away for a moment)."""

        def act(work: UnitOfWork) -> tuple[str, Sequence[Ready]]:
            mail = work.session.get_one(InboxRow, number, with_for_update=True)
            if mail.state != InboxState.RECEIVED:
                return "", ()
            work.mail = mail
            action(work)
            return mail.state.value, deliver_notifications(work)

        became, posted = self.run.run_action(act)
        if became:
            kinds = " ".join(mail.kind for mail in posted)
            LOG.info("mail %d handled: %s; mails made: %s", number, became, kinds or "none")
        return posted


def _handle_or_quarantine(work: UnitOfWork) -> None:
    poison = work.mail is not None and work.mail.attempts > inbox.MAX_ATTEMPTS
    (quarantine_crasher if poison else dispatch_mail)(work)
