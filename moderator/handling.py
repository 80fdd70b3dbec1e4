"""The mails that were taken in, handled one by one, each in its own transaction."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from sqlmodel import Session

from moderator.config import Config
from moderator.desk.desk import Desk
from moderator.desk.handle import for_suspended, handle, poisoned, quarantine
from moderator.desk.live import Shelf, Suspended
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.store import inbox
from moderator.store.db import Store
from moderator.store.models import Inbox
from moderator.summary import Summary


class Handling:
    """One run over all waiting mails. A mail that fails is quarantined, the others go on."""

    def __init__(
        self, config: Config, store: Store, shelf: Shelf, now: Callable[[], datetime], summary: Summary
    ) -> None:
        self.config, self.store, self.shelf, self.now, self.summary = config, store, shelf, now, summary
        with store.transaction() as session:
            self.waiting = deque(inbox.waiting(session))

    def rest(self) -> None:
        """Handle all that are left."""
        while self.step():
            pass

    def step(self) -> bool:
        """Handle the next mail; False = there is none. Raises StoreError and TransientError with the mail, and
        all behind it, still waiting."""
        if not self.waiting:
            return False
        number, attempts = self.waiting[0]
        try:
            if attempts:
                with self.store.transaction() as session:
                    inbox.try_again(session, number)
            self._handle(number)
        except (StoreError, TransientError):
            self._leave([number for number, _ in self.waiting])
            self.waiting.clear()
            raise
        self.waiting.popleft()
        return True

    def _handle(self, number: int) -> None:
        try:
            with self.store.transaction() as session:
                mail = session.get_one(Inbox, number)
                act = poisoned if mail.attempts > inbox.MAX_ATTEMPTS else handle
                act(self._desk_for(mail, session))
        except (StoreError, TransientError):
            raise
        except OperatorError as error:  # e.g. a missing dictionary: the mail waits until that is mended
            self._leave([number])
            self.summary.trouble(str(error))
            return
        except Suspended as error:
            with self.store.transaction() as session:
                for_suspended(self._desk_for(session.get_one(Inbox, number), session), error)
            self.summary.trouble(error.reason)
        except Exception as error:  # the mail loop: whatever one mail does, the others go on
            self.shelf.matches.clear()
            with self.store.transaction() as session:
                quarantine(self._desk_for(session.get_one(Inbox, number), session), traceback.format_exc(), error)
            self.summary.quarantined.append(f"mail {number}: {type(error).__name__}: {error}")
        self.summary.handled += 1

    def _desk_for(self, mail: Inbox, session: Session) -> Desk:
        return Desk(self.config, session, self.now(), self.shelf, mail)

    def _leave(self, numbers: list[int]) -> None:
        """These wait for the next run, and it is not their fault."""
        with suppress(StoreError, TransientError), self.store.transaction() as session:
            inbox.begin_anew(session, numbers)
