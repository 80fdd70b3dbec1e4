"""Sending: what is due leaves, and each mail's fate is recorded as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from moderator.config import Config
from moderator.desk.desk import Desk
from moderator.desk.handle import undeliverable
from moderator.desk.live import Shelf
from moderator.errors import TransientError
from moderator.mail.model import Ready, Sender, Sent
from moderator.store import outbox
from moderator.store.db import Store
from moderator.summary import Summary

BATCH = 200
AHEAD = 20


def send_due(config: Config, store: Store, sender: Sender, now: Callable[[], datetime], summary: Summary) -> None:
    """Batch after batch until nothing is due or the server has had enough."""
    while True:
        with store.transaction() as session:
            mails = outbox.due(session, config.mail.address, now(), BATCH)
        if not mails:
            return
        batch = _Batch(config, store, now, summary, [mail.row for mail in mails])
        try:
            sender.send(mails, batch.begin, batch.report)
        except TransientError as error:
            summary.away.append(str(error))
        if batch.open_rows or batch.login_refused:
            batch.release()
            return


class _Batch:
    """The mails of one batch whose fate is still open."""

    def __init__(
        self, config: Config, store: Store, now: Callable[[], datetime], summary: Summary, rows: list[int]
    ) -> None:
        self.config, self.store, self.now, self.summary = config, store, now, summary
        self.unleased = rows
        self.open_rows = set(rows)
        self.login_refused = False

    def begin(self, mail: Ready) -> None:
        """This one goes to the server now: from here on its fate is in doubt until it is reported. The next few
        are leased with it, because a commit costs as much as a mail."""
        if mail.row in self.unleased:
            position = self.unleased.index(mail.row)
            leased = self.unleased[position : position + AHEAD]
            del self.unleased[position : position + AHEAD]
            with self.store.transaction() as session:
                outbox.lease(session, leased, self.now())

    def report(self, sent: Sent) -> None:
        """Record what the server said."""
        self.open_rows.discard(sent.row)
        if sent.result == "sent":
            with self.store.marks() as connection:
                outbox.sent_well(connection, sent, self.now())
            self.summary.sent += 1
            return
        with self.store.transaction() as session:
            dead = outbox.settle(session, sent, self.now())
            if dead is not None:
                undeliverable(Desk(self.config, session, self.now(), Shelf(self.config)), dead)
        if dead is not None:
            self.summary.dead += 1
            self.summary.troubles.append(f"a mail to {dead.recipient} was refused for good: {sent.answer}")
        elif sent.result == "auth":
            self.login_refused = True
            self.summary.troubles.append(f"the mail server refused the login: {sent.answer}")
        else:
            self.summary.retry += 1

    def release(self) -> None:
        """The sender stopped early: what was not reported is free again."""
        with self.store.transaction() as session:
            outbox.release(session, sorted(self.open_rows), self.now())
