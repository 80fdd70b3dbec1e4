"""The mails that were taken in, handled one by one, each in its own transaction."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.club.run_cache import RunCache
from moderator.config import Config
from moderator.errors import ClashError, OperatorError, StoreError, TransientError, place_of
from moderator.inbox.handle import for_suspended, handle, poisoned, quarantine
from moderator.mail.model import Ready
from moderator.run.intake import Summary
from moderator.run.log import LOG, stopped
from moderator.states import InboxState
from moderator.store import inbox
from moderator.store.db import IntegrityError, Session, Store
from moderator.store.mail_queue import open_queue
from moderator.store.models import Inbox

T = TypeVar("T")
TRIES = 5
WAIT = 10.0
"""Seconds that a run waits for what other workers are handling, before it leaves the deadlines to the next."""
_PAUSE = 0.05


def attempt(store: Store, cache: RunCache, work: Callable[[Session], T]) -> T:
    """What ``work`` returns, in a transaction of its own. Where another worker came in between (each waited for the
    other, or both made the same row), it is done anew: then it sees what that one did."""
    tries = TRIES if store.shared else 1
    cache.tidy()
    while True:
        tries -= 1
        try:
            with store.transaction() as session:
                return work(session)
        except (ClashError, IntegrityError):
            if not tries:
                raise


class Handling:
    """One run over all waiting mails. A mail that fails is quarantined, the others go on. ``begun``: whether some of
    them may have been begun before, see ``probe.Left``."""

    def __init__(
        self,
        config: Config,
        store: Store,
        cache: RunCache,
        now: Callable[[], datetime],
        summary: Summary,
        begun: bool = True,
    ) -> None:
        self.config, self.store, self.cache, self.now, self.summary = config, store, cache, now, summary
        self.queue = open_queue(store, begun)

    def rest(self) -> None:
        """Handle all that are left."""
        while self.step() is not None:
            pass

    def settled(self) -> bool:
        """Whether all mails that were here at the beginning have been handled, also by the other workers, which it
        waits for a little: an order that one of them is just reading is in time."""
        until = time.monotonic() + WAIT
        while not self.queue.settled():
            if time.monotonic() > until:
                return False
            if self.step() is None:
                time.sleep(_PAUSE)
        return True

    def step(self) -> Sequence[Ready] | None:
        """Handle the next mail; the mails it led to, or None when there is nothing left to handle. Raises
        StoreError and TransientError with the mail, and all behind it, still waiting."""
        number = self.queue.next()
        if number is None:
            return None
        try:
            posted = self._handle(number)
        except (StoreError, TransientError):
            with suppress(StoreError, TransientError):
                self.queue.give_back()
            raise
        except OperatorError as error:  # e.g. a missing dictionary: the mail waits until that is mended
            self.summary.trouble(str(error), about=f"mail {number}")
            with suppress(StoreError, TransientError):
                self.queue.put_aside()
            return ()
        self.queue.done()
        return posted

    def _handle(self, number: int) -> Sequence[Ready]:
        try:
            posted = self._with_desk(number, _act)
        except (OperatorError, TransientError):
            raise
        except Suspended as error:
            reason = error
            posted = self._with_desk(number, lambda desk: for_suspended(desk, reason))
            self.summary.trouble(error.reason, stopped(error), mailed=True)
        except Exception as error:  # the mail loop: whatever one mail does, the others go on
            trace, cause = traceback.format_exc(), error
            posted = self._with_desk(number, lambda desk: quarantine(desk, trace, cause))
            self.summary.quarantined.append(f"mail {number}: {type(error).__name__}: {error}")
            LOG.error("mail %d quarantined: %s", number, place_of(error))
        self.summary.one_handled()
        return posted

    def _with_desk(self, number: int, action: Callable[[Desk], None]) -> Sequence[Ready]:
        """The mails that ``action`` on a mail leads to; none where another worker has handled it after all (one that
        had lost its hold on it, say, when the database was away for a moment)."""

        def work(session: Session) -> Sequence[Ready]:
            mail = session.get_one(Inbox, number, with_for_update=True)
            if mail.state != InboxState.RECEIVED:
                return ()
            desk = Desk(self.config, session, self.now(), self.cache, mail)
            action(desk)
            became.append(mail.state.value)
            return desk.posted

        became: list[str] = []
        posted = attempt(self.store, self.cache, work)
        if became:
            kinds = " ".join(mail.kind for mail in posted)
            LOG.info("mail %d handled: %s; mails made: %s", number, became[-1], kinds or "none")
        return posted


def _act(desk: Desk) -> None:
    poison = desk.mail is not None and desk.mail.attempts > inbox.MAX_ATTEMPTS
    (poisoned if poison else handle)(desk)
