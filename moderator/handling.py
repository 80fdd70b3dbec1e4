"""The mails that were taken in, handled one by one, each in its own transaction."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from sqlmodel import Session

from moderator.config import Config
from moderator.desk.desk import Desk
from moderator.desk.handle import for_suspended, handle, poisoned, quarantine
from moderator.desk.live import Shelf, Suspended
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.mail.model import Ready
from moderator.store import inbox
from moderator.store.db import Store
from moderator.store.models import Inbox
from moderator.store.queue import open_queue
from moderator.summary import Summary


class Handling:
    """One run over all waiting mails. A mail that fails is quarantined, the others go on."""

    def __init__(
        self, config: Config, store: Store, shelf: Shelf, now: Callable[[], datetime], summary: Summary
    ) -> None:
        self.config, self.store, self.shelf, self.now, self.summary = config, store, shelf, now, summary
        self.queue = open_queue(store)

    def rest(self) -> None:
        """Handle all that are left."""
        while self.step() is not None:
            pass

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
        self.queue.done()
        return posted

    def _handle(self, number: int) -> Sequence[Ready]:
        try:
            with self.store.transaction() as session:
                desk = self._desk(session, number)
                poison = desk.mail is not None and desk.mail.attempts > inbox.MAX_ATTEMPTS
                (poisoned if poison else handle)(desk)
        except (StoreError, TransientError):
            raise
        except OperatorError as error:  # e.g. a missing dictionary: the mail waits until that is mended
            self._leave(number)
            self.summary.trouble(str(error))
            return ()
        except Suspended as error:
            with self.store.transaction() as session:
                desk = self._desk(session, number)
                for_suspended(desk, error)
            self.summary.trouble(error.reason)
        except Exception as error:  # the mail loop: whatever one mail does, the others go on
            self.shelf.matches.clear()
            with self.store.transaction() as session:
                desk = self._desk(session, number)
                quarantine(desk, traceback.format_exc(), error)
            self.summary.quarantined.append(f"mail {number}: {type(error).__name__}: {error}")
        self.summary.handled += 1
        return desk.posted

    def _desk(self, session: Session, number: int) -> Desk:
        return Desk(self.config, session, self.now(), self.shelf, session.get_one(Inbox, number))

    def _leave(self, number: int) -> None:
        """It waits for the next run, and that is not its fault."""
        with suppress(StoreError, TransientError), self.store.transaction() as session:
            inbox.begin_anew(session, [number])
