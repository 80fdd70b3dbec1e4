"""Mails that lay in the mailbox before the club was. A few are read like any others; of many the operator says whether
they are read, or left untouched for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from moderator.common.errors import OperatorError
from moderator.common.mails import Mailbox, RawMail
from moderator.settings import Config
from moderator.store import inbox, key_values
from moderator.store.database import Store, open_store
from moderator.store.inbox import is_older_mail
from moderator.store.installation import hold_tick_lock

MOST = 50
"""Mails older than the club that are read without a word."""
_READ = "old-mails-are-read"
"""Key of the operator's word, which holds until the mailbox was read to its end."""
_RECENT = timedelta(hours=1)
"""Mails that have come since then are not looked into: the database is asked nothing for them."""
_HEAD = 8_000
"""Bytes of a mail that say how old it is."""


def build_known_filter(store: Store) -> Callable[[Sequence[str]], set[str]]:
    """Build a function that returns which of these places in the mailbox were read by an earlier run, or are left
    unread."""

    def filter_known(keys: Sequence[str]) -> set[str]:
        with store.autocommit_connection() as connection:
            return inbox.load_known_keys(connection, keys)

    return filter_known


@dataclass
class OldMailFilter:
    """A filter that holds back mails that are older than the club."""

    config: Config
    store: Store
    box: Mailbox
    found: int = 0

    @cached_property
    def decided(self) -> str:
        """The operator's decision: "read", "leave", or "" as long as nobody was asked."""
        with self.store.begin_transaction() as session:
            if key_values.find_value(session, _READ) is not None:
                return "read"
            return "leave" if inbox.has_old_mails_left(session) else ""

    def list_old_mails(self, mails: Sequence[RawMail]) -> list[RawMail]:
        """List the mails that are older than the club."""
        with self.store.begin_transaction() as session:
            began = inbox.find_club_start(session) or self.config.read_clock()
        return [mail for mail in mails if is_older_mail(mail.data, mail.received, began)]

    def hold_back_old_mails(self, mails: Sequence[RawMail]) -> list[RawMail]:
        """Leave the old mails where they lie; returns the others."""
        old = self.list_old_mails(mails)
        if old:
            with self.store.begin_transaction() as session:
                inbox.leave_mails_unread(session, [mail.key for mail in old], self.config.read_clock())
        self.found += len(old)
        return [mail for mail in mails if mail not in old]

    def filter_mails(self, mails: Sequence[RawMail], now: datetime) -> Sequence[RawMail]:
        """Return the mails that may be read, where it is ``now`` for the club. Raises OperatorError where so many are
        old that somebody has to decide."""
        if not any(is_older_mail(mail.data, mail.received, now - _RECENT) for mail in mails):
            return mails
        if self.decided == "read":
            return mails
        if self.decided == "leave":
            return self.hold_back_old_mails(mails)
        self.found += len(self.list_old_mails(mails))
        if self.found > MOST:
            raise OperatorError(
                f"Of the {self.box.waiting()} mails in the mailbox more than {MOST} are older than this club.",
                "`moderator tick --from-now` leaves those untouched for ever, `moderator tick --all` reads them.",
            )
        return mails

    def finish_reading(self) -> None:
        """Finish when the mailbox was read to its end: the decision to read old mails is used up."""
        if vars(self).get("decided") == "read":
            with self.store.begin_transaction() as session:
                key_values.delete_value(session, _READ)


def count_mails_left_unread(config: Config) -> int:
    """Count the mails in the mailbox that are never read."""
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        return inbox.count_left_mails(session)


def allow_old_mails(config: Config) -> None:
    """Let the next run read the mails that are older than the club, also those that were left before."""
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        inbox.forget_left_mails(session)
        key_values.save_value(session, _READ, "yes")


def leave_old_mails(config: Config, box: Mailbox) -> int:
    """Leave the mails that are older than the club where they lie; returns how many. Raises OperatorError while a run
    is at work."""
    with closing(open_store(config.database)) as store, hold_tick_lock(config) as mine:
        if not mine:
            raise OperatorError("Another run is at work.", "Try again when it has ended.")
        sieve = OldMailFilter(config, store, box)
        with store.begin_transaction() as session:
            inbox.leave_mails_unread(session, [], config.read_clock())
        for batch in box.fetch(build_known_filter(store), _HEAD):
            sieve.hold_back_old_mails(batch)
        return sieve.found
