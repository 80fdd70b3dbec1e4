"""Sending: what is due leaves, and each mail's fate is recorded as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from moderator.common import tokens
from moderator.common.errors import TransientError
from moderator.common.mails import TAKES_NONE, Sender, Sent
from moderator.delivery.deliver import open_unit_of_work
from moderator.inbox.pipeline import record_undeliverable
from moderator.mail.model import Ready
from moderator.mail.transports import get_server_names
from moderator.run.log import LOG, RunSummary
from moderator.settings import Config
from moderator.store import outbox
from moderator.store.database import Store
from moderator.views.match_cache import MatchCache

BATCH = 200
AHEAD = 20


def send_due_mails(
    config: Config,
    store: Store,
    sender: Sender,
    now: Callable[[], datetime],
    summary: RunSummary,
    work: Callable[[], Sequence[Ready] | None] = lambda: None,
    due: bool = True,
) -> bool:
    """Send until nothing is due or the server has had enough.

    ``work`` does a piece of other work while mails are under way, and returns the mails that it has queued, or None
    when there is no more work. ``due``: a mail may be due already. Returns whether the server took (or refused)
    everything, so that asking it again makes sense."""
    run = _Run(config, store, now, summary, work, due)
    before, mails = summary.sent, run.take_next_mails()
    try:
        if mails:
            sender.send(mails, run.begin_mail, run.record_result, run.take_next_mails)
    except TransientError as error:
        summary.away.append(str(error))
        return False
    else:
        if summary.sent:
            summary.reached.add(get_server_names(config)[1])
    finally:
        stopped = bool(run.leased or run.unleased)
        run.release_unsent()
        run.report_refused(taken=summary.sent > 0)
    return not stopped and not (run.refused and summary.sent == before)


class _Run:
    """The mails whose fate is still open."""

    def __init__(
        self,
        config: Config,
        store: Store,
        now: Callable[[], datetime],
        summary: RunSummary,
        work: Callable[[], Sequence[Ready] | None],
        due: bool,
    ) -> None:
        self.config, self.store, self.now, self.summary, self.work = config, store, now, summary, work
        self.unleased: list[int] = []
        self.kinds: dict[int, str] = {}
        self.recipients: dict[int, str] = {}
        self.leased: set[int] = set()
        """Of ours, and not reported yet."""
        self.full = due
        """More may be due than were asked for last time."""
        self.refused: dict[int, tuple[str, str]] = {}
        """Rows that the server takes neither from us nor anybody's fault: to whom, and its words."""

    def take_next_mails(self) -> Sequence[Ready]:
        """Take the next mails that are due, after as much other work as it takes for one to be; [] = that was all."""
        mails: Sequence[Ready] = self._load_due_mails() if self.full else ()
        self.full = bool(mails)
        while not mails:
            made = self.work()
            if made is None:
                return ()
            mails = made
        rows = [mail.row for mail in mails]
        self.kinds |= {mail.row: mail.kind for mail in mails}
        self.recipients |= {mail.row: mail.recipient for mail in mails}
        self.unleased += rows
        return mails

    def _load_due_mails(self) -> list[Ready]:
        with self.store.autocommit_connection() as connection:
            mine = (*self.unleased, *self.refused)
            return outbox.list_due_mails(connection, self._build_return_path, self.now(), BATCH, mine)

    def _build_return_path(self, token: str) -> str:
        return tokens.build_return_path(self.config.mail.address, self.config.mail.subaddress, token)

    def begin_mail(self, mail: Ready) -> bool:
        """Lease a mail that is sent to the server now: from here on its fate is in doubt until it is reported.

        The next few are leased with it, because a commit costs as much as a mail. False = another worker is sending
        it."""
        if mail.row in self.unleased:
            position = self.unleased.index(mail.row)
            wanted = self.unleased[position : position + AHEAD]
            del self.unleased[position : position + AHEAD]
            with self.store.autocommit_connection() as connection:
                self.leased |= outbox.lease_mails(connection, wanted, self.now())
        return mail.row in self.leased

    def record_result(self, sent: Sent) -> None:
        """Record what the server said."""
        self.leased.discard(sent.row)
        if sent.result == "sent":
            with self.store.autocommit_connection() as connection:
                outbox.mark_sent(connection, sent, self.now(), plain=self._build_return_path(""))
            self.summary.sent += 1
            LOG.info("mail out %d sent: %s", sent.row, self.kinds.pop(sent.row, ""))
            return
        with self.store.begin_transaction() as session:
            dead = outbox.record_result_of_send(session, sent, self.now())
            if dead is not None:
                with open_unit_of_work(self.config, session, self.now(), MatchCache(self.config)) as desk:
                    told = record_undeliverable(desk, dead)
            elif sent.result in ("auth", "refused"):
                self.refused[sent.row] = self.recipients[sent.row], sent.answer
        if dead is not None:
            self.summary.dead += 1
            line = f"a mail to {dead.recipient} was refused for good: {sent.answer}"
            self.summary.troubles.append(line)
            self.summary.mailed |= {line} if told else set()
            LOG.error("mail out %d refused for good: %s", sent.row, sent.answer)
        elif sent.row in self.refused:
            LOG.error("mail out %d not taken from us: %s", sent.row, sent.answer)
        else:
            self.summary.retry += 1
            LOG.warning("mail out %d to be tried again: %s", sent.row, sent.answer)

    def report_refused(self, taken: bool) -> None:
        """Report one line to the operator, whatever was refused. ``taken``: the server took others in this run."""
        for recipient, answer in (*self.refused.values(),)[:1]:
            other = f"the server takes other mails, but not one to {recipient}, which waits: {answer}"
            self.summary.add_trouble(other if taken else TAKES_NONE + answer)

    def release_unsent(self) -> None:
        """Release what was not reported because the sender stopped early."""
        if self.leased:
            with self.store.begin_transaction() as session:
                outbox.release_leases(session, sorted(self.leased), self.now())
