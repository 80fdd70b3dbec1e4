"""Sending: what is due leaves, and each mail's fate is recorded as soon as it is known."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from moderator.common import tokens
from moderator.common.errors import TransientError
from moderator.common.mails import TAKES_NONE, Sender, Sent
from moderator.inbox.pipeline import record_undeliverable
from moderator.mail.model import Ready
from moderator.mail.transports import get_server_names
from moderator.run.context import RunContext
from moderator.run.log import LOG
from moderator.store import outbox
from moderator.views.match_cache import MatchCache

BATCH = 200
AHEAD = 20


def send_mails(run: RunContext, sender: Sender, made: Iterable[Sequence[Ready]] = (), due: bool = True) -> bool:
    """Send what is due, then what ``made`` gives, until that ends or the server has had enough.

    ``made``: mails as they are committed; while earlier ones are under way it is asked for the next, and may do what
    makes them. ``due``: a mail may be due already. Returns whether the server took (or refused) everything, so that
    asking it again makes sense."""
    outgoing, summary = _Outgoing(run, made, due), run.summary
    before, mails = summary.sent, outgoing.take_next_mails()
    try:
        if mails:
            sender.send(mails, outgoing.begin_mail, outgoing.record_result, outgoing.take_next_mails)
    except TransientError as error:
        summary.away.append(str(error))
        return False
    else:
        if summary.sent:
            summary.reached.add(get_server_names(run.config)[1])
    finally:
        stopped = bool(outgoing.leased or outgoing.unleased)
        outgoing.release_unsent()
        outgoing.report_refused(taken=summary.sent > 0)
    return not stopped and not (outgoing.refused and summary.sent == before)


class _Outgoing:
    """The mails whose fate is still open."""

    def __init__(self, run: RunContext, made: Iterable[Sequence[Ready]], due: bool) -> None:
        self.run, self.store, self.summary = run, run.store, run.summary
        self.batches = itertools.chain(iter(self._load_due_mails, []) if due else (), made)
        self.unleased: list[int] = []
        self.kinds: dict[int, str] = {}
        self.recipients: dict[int, str] = {}
        self.leased: set[int] = set()
        """Of ours, and not reported yet."""
        self.refused: dict[int, tuple[str, str]] = {}
        """Rows that the server takes neither from us nor anybody's fault: to whom, and its words."""

    def take_next_mails(self) -> Sequence[Ready]:
        """Take the next mails, after as much other work as it takes for one to be; [] = that was all."""
        mails = next(filter(None, self.batches), ())
        self.kinds |= {mail.row: mail.kind for mail in mails}
        self.recipients |= {mail.row: mail.recipient for mail in mails}
        self.unleased += [mail.row for mail in mails]
        return mails

    def _load_due_mails(self) -> list[Ready]:
        with self.store.autocommit_connection() as connection:
            mine = (*self.unleased, *self.refused)
            return outbox.list_due_mails(connection, self._build_return_path, self.run.now, BATCH, mine)

    def _build_return_path(self, token: str) -> str:
        return tokens.build_return_path(self.run.config.mail.address, self.run.config.mail.subaddress, token)

    def begin_mail(self, mail: Ready) -> bool:
        """Lease a mail that is sent to the server now: from here on its fate is in doubt until it is reported.

        The next few are leased with it, because a commit costs as much as a mail. False = another worker is sending
        it."""
        if mail.row in self.unleased:
            position = self.unleased.index(mail.row)
            wanted = self.unleased[position : position + AHEAD]
            del self.unleased[position : position + AHEAD]
            with self.store.autocommit_connection() as connection:
                self.leased |= outbox.lease_mails(connection, wanted, self.run.now)
        return mail.row in self.leased

    def record_result(self, sent: Sent) -> None:
        self.leased.discard(sent.row)
        if sent.result == "sent":
            with self.store.autocommit_connection() as connection:
                outbox.mark_sent(connection, sent, self.run.now, plain=self._build_return_path(""))
            self.summary.sent += 1
            LOG.info("mail out %d sent: %s", sent.row, self.kinds.pop(sent.row, ""))
            return
        apart = replace(self.run, cache=MatchCache(self.run.config))
        with apart.begin_transaction() as work:
            dead = outbox.record_result_of_send(work.session, sent, work.now)
            if dead is not None:
                told = record_undeliverable(work, dead)
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
                outbox.release_leases(session, sorted(self.leased), self.run.now)
