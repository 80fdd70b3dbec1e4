"""Mails that lay in the mailbox before the club was. A few are read like any others; of many the operator says whether
they are read, or left untouched for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from moderator.config import Config
from moderator.errors import OperatorError
from moderator.mail.model import Mailbox, RawMail
from moderator.store import inbox, key_values
from moderator.store.copies import is_older
from moderator.store.db import Store, open_store
from moderator.store.installation import only_one

MOST = 50
"""Mails older than the club that are read without a word."""
_READ = "old-mails-are-read"
"""Key of the operator's word, which holds until the mailbox was read to its end."""
_RECENT = timedelta(hours=1)
"""Mails that have come since then are not looked into: the database is asked nothing for them."""
_HEAD = 8_000
"""Bytes of a mail that say how old it is."""


def known_to(store: Store) -> Callable[[Sequence[str]], set[str]]:
    """Which of these places in the mailbox were read by an earlier run, or are left alone."""

    def known(keys: Sequence[str]) -> set[str]:
        with store.marks() as connection:
            return inbox.known(connection, keys)

    return known


@dataclass
class Sieve:
    """Holds back mails that are older than the club."""

    config: Config
    store: Store
    box: Mailbox
    found: int = 0

    @cached_property
    def decided(self) -> str:
        """What the operator has said: "read", "leave", or "" as long as nobody was asked."""
        with self.store.transaction() as session:
            if key_values.read(session, _READ) is not None:
                return "read"
            return "leave" if inbox.leaves_old(session) else ""

    def old_among(self, mails: Sequence[RawMail]) -> list[RawMail]:
        """Those that are older than the club."""
        with self.store.transaction() as session:
            began = inbox.club_began(session) or self.config.now()
        return [mail for mail in mails if is_older(mail.data, mail.received, began)]

    def hold_back(self, mails: Sequence[RawMail]) -> list[RawMail]:
        """Leave the old ones where they lie; returns the others."""
        old = self.old_among(mails)
        if old:
            with self.store.transaction() as session:
                inbox.leave(session, [mail.key for mail in old], self.config.now())
        self.found += len(old)
        return [mail for mail in mails if mail not in old]

    def through(self, mails: Sequence[RawMail], now: datetime) -> Sequence[RawMail]:
        """Those that may be read, where it is ``now`` for the club. Raises OperatorError where so many are old that
        somebody has to decide."""
        if not any(is_older(mail.data, mail.received, now - _RECENT) for mail in mails):
            return mails
        if self.decided == "read":
            return mails
        if self.decided == "leave":
            return self.hold_back(mails)
        self.found += len(self.old_among(mails))
        if self.found > MOST:
            raise OperatorError(
                f"Of the {self.box.waiting()} mails in the mailbox more than {MOST} are older than this club.",
                "`moderator tick --from-now` leaves those untouched for ever, `moderator tick --all` reads them.",
            )
        return mails

    def has_ended(self) -> None:
        """The mailbox was read to its end, which uses the word up that old mails are read."""
        if vars(self).get("decided") == "read":
            with self.store.transaction() as session:
                key_values.remove(session, _READ)


def left(config: Config) -> int:
    """How many mails lie in the mailbox that are never read."""
    store = open_store(config.database)
    try:
        with store.transaction() as session:
            return inbox.count_left(session)
    finally:
        store.close()


def read_all(config: Config) -> None:
    """Have the next run read the mails that are older than the club, also those that were left before."""
    store = open_store(config.database)
    try:
        with store.transaction() as session:
            inbox.take_up(session)
            key_values.write(session, _READ, "yes")
    finally:
        store.close()


def leave(config: Config, box: Mailbox) -> int:
    """Have the mails that are older than the club stay where they lie; returns how many. Raises OperatorError while a
    run is at work."""
    store = open_store(config.database)
    try:
        with only_one(config) as mine:
            if not mine:
                raise OperatorError("Another run is at work.", "Try again when it has ended.")
            sieve = Sieve(config, store, box)
            with store.transaction() as session:
                inbox.leave(session, [], config.now())
            for batch in box.fetch(known_to(store), _HEAD):
                sieve.hold_back(batch)
            return sieve.found
    finally:
        store.close()
