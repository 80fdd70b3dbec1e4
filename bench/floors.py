"""The transports with no game at all: fetch, parse, send and move the same bytes, ours and the bare libraries.

`python -m bench.floors [MAILS]` prints mails per second. "bare" is imapclient and aiosmtplib without anything around
them, over the same kind of connection; ours adds bounded batches, keys, times, fates and mapped errors. "with commits"
gives ``begin`` and ``report`` a database commit each (SQLite, synchronous=FULL), which is what a lease per mail costs.
"""

from __future__ import annotations

import asyncio
import email
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.servers import Servers, running
from moderator.common.mails import Ready, Sent
from moderator.mail.imap import ImapMailbox
from moderator.mail.smtp import SmtpSender
from tests.servers.dovecot import Box

MAILS = 1000


def run(count: int = MAILS) -> None:
    """Print all figures for ``count`` mails."""
    with running() as servers, tempfile.TemporaryDirectory() as name:
        box = servers.box()
        mails = [_mail(number, box.address) for number in range(count)]
        _fill(box, mails)
        _report("fetch, bare", count, lambda: _fetch_bare(box))
        _report("fetch, ours", count, lambda: _fetch(box))
        _report("parse, compat32", count, lambda: [email.message_from_bytes(mail) for mail in mails])
        _report("move, ours", count, lambda: _move(box))
        outgoing = [Ready(row, box.address, box.address, mail) for row, mail in enumerate(mails)]
        _report("send, bare, 1 connection", count, lambda: asyncio.run(_send_bare(servers, outgoing)))
        for connections in (1, 3):
            smtp = servers.postfix.smtp(security="plain", connections=connections)
            sender = SmtpSender(smtp)
            _report(f"send, ours, {connections} connections", count, lambda sender=sender: _send(sender, outgoing))
            with _journal(Path(name) / f"{connections}.sqlite") as commit:
                _report(
                    f"send, ours, {connections} connections, with commits",
                    count,
                    lambda sender=sender, commit=commit: _send(sender, outgoing, commit),
                )
        box.close()


def _report(title: str, count: int, work: Callable[[], object]) -> None:
    began, cpu = time.perf_counter(), time.process_time()
    work()
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"  {title:<42} {count / took:8.0f} mails/s   CPU {cpu / count * 1000:6.3f} ms per mail", flush=True)


def _mail(number: int, address: str) -> bytes:
    """About 1.3 kB, as an order mail with its quote."""
    head = f"From: player{number % 50}@test.example\r\nTo: {address}\r\nSubject: mail {number}\r\n"
    quote = "> 10  .   .   .   .   .   .   .   .   .   .\r\n" * 22
    return f"{head}Message-ID: <{number}@home.example>\r\n\r\nE5 w HAUS\r\n\r\n{quote}".encode()


def _fill(box: Box, mails: list[bytes]) -> None:
    client = box.client()
    for first in range(0, len(mails), 100):
        client.multiappend("INBOX", mails[first : first + 100])


def _fetch_bare(box: Box) -> None:
    client = box.client()
    client.select_folder("INBOX")
    uids = client.search("ALL")
    for first in range(0, len(uids), 100):
        client.fetch(uids[first : first + 100], ["BODY.PEEK[]", "INTERNALDATE"])


def _fetch(box: Box) -> None:
    with ImapMailbox(box.imap(security="plain", port=box.dovecot.imap_port)) as ours:
        for _ in ours.fetch(lambda keys: set(), 1_000_000):
            pass


def _move(box: Box) -> None:
    with ImapMailbox(box.imap(security="plain", port=box.dovecot.imap_port)) as ours:
        keys: list[str] = []

        def known(asked: object) -> set[str]:
            keys.extend(asked)  # type: ignore[call-overload]
            return set(keys)

        list(ours.fetch(known, 1_000_000))
        ours.file_away(keys, [])


async def _send_bare(servers: Servers, mails: list[Ready]) -> None:
    import aiosmtplib

    host, port = servers.postfix.host, servers.postfix.smtp_port
    async with aiosmtplib.SMTP(hostname=host, port=port, start_tls=False) as client:
        for mail in mails:
            await client.sendmail(mail.sender, [mail.recipient], mail.data)


def _send(sender: SmtpSender, mails: list[Ready], commit: Callable[[int, str], None] | None = None) -> None:
    def begin(mail: Ready) -> bool:
        if commit:
            commit(mail.row, "sending")
        return True

    def report(sent: Sent) -> None:
        if sent.result != "sent":
            sys.exit(f"the run was not clean: {sent}")
        if commit:
            commit(sent.row, "sent")

    sender.send(mails, begin, report)


@contextmanager
def _journal(file: Path) -> Iterator[Callable[[int, str], None]]:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE outbox (row INTEGER PRIMARY KEY, state TEXT)")
    try:
        yield lambda row, state: connection.execute("INSERT OR REPLACE INTO outbox VALUES (?, ?)", (row, state))
    finally:
        connection.close()


if __name__ == "__main__":
    run(int(sys.argv[1]) if sys.argv[1:] else MAILS)
