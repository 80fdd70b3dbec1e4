"""Mails that were filed away come back into the inbox by the time at which they had come."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from moderator.mail import imap_folders
from moderator.mail.maildir import MaildirMailbox, deliver
from tests.mail.imap_box import Open, fetch, mail, number_of, servers, without
from tests.servers.dovecot import Box, Dovecot

THEN = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)
MOMENTS = [THEN + timedelta(minutes=minutes) for minutes in (-3000, -1, 0, 1, 3000)]


def filled(mailbox: Box) -> None:
    """Mails 0 to 4 in the inbox, which came at MOMENTS."""
    client = mailbox.client()
    east = timezone(timedelta(hours=11))
    for number, moment in enumerate(MOMENTS):
        client.append("INBOX", mail(number), msg_time=moment.astimezone(east if number % 2 else UTC))


@servers
@pytest.mark.parametrize("lacking", [(), (b"MOVE",), (b"MOVE", b"UIDPLUS")])
def test_by_internaldate_to_the_minute(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, lacking: tuple[bytes, ...]
) -> None:
    filled(mailbox)
    box = opened(mailbox.imap())
    without(box, monkeypatch, *lacking)
    first = fetch(box)
    box.file_away([raw.key for raw in first[:3]], [raw.key for raw in first[3:]])
    assert box.bring_back(THEN) == 3
    again = [raw for raw in fetch(box) if raw.key not in {old.key for old in first}]
    assert sorted(number_of(raw) for raw in again) == [2, 3, 4]
    assert sorted(raw.received for raw in again) == MOMENTS[2:]
    if b"UIDPLUS" not in lacking:
        assert [number_of(raw) for raw in mailbox.folder("Processed")] == [0, 1]
        assert mailbox.folder("Failed") == []
    box.file_away([raw.key for raw in again], [])
    assert sorted({number_of(raw) for raw in mailbox.folder("Processed")}) == [0, 1, 2, 3, 4]


@servers
def test_in_several_commands(mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(mailbox)
    monkeypatch.setattr(imap_folders, "MOVE_AT_ONCE", 2)
    box = opened(mailbox.imap())
    box.file_away([raw.key for raw in fetch(box)], [])
    assert box.bring_back(THEN - timedelta(days=30)) == 5
    assert sorted(number_of(raw) for raw in fetch(box)) == [0, 1, 2, 3, 4]
    assert box.waiting() == 5


@servers
def test_where_nothing_was_ever_filed(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1))
    box = opened(mailbox.imap())
    assert box.bring_back(THEN - timedelta(days=9000)) == 0
    assert [number_of(raw) for raw in fetch(box)] == [1]
    client = mailbox.client()
    assert not client.folder_exists("Processed")


@servers
def test_with_a_prefix(opened: Open) -> None:
    with Dovecot.started(prefix="INBOX.") as server:
        mailbox = Box(server)
        filled(mailbox)
        box = opened(mailbox.imap())
        box.file_away([raw.key for raw in fetch(box)], [])
        assert box.bring_back(THEN) == 3
        assert sorted(number_of(raw) for raw in fetch(box)) == [2, 3, 4]
        mailbox.close()


def test_maildir(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    for number, moment in enumerate(MOMENTS):
        os.utime(deliver(inbox, mail(number)), (moment.timestamp(), moment.timestamp()))
    with MaildirMailbox(inbox) as box:
        assert box.bring_back(THEN) == 0
        first = [raw for batch in box.fetch(lambda keys: set(), 10**6) for raw in batch]
        box.file_away([raw.key for raw in first[:3]], [raw.key for raw in first[3:]])
        assert box.waiting() == 0
        assert box.bring_back(THEN) == 3
        again = [raw for batch in box.fetch(lambda keys: set(), 10**6) for raw in batch]
        assert [(number_of(raw), raw.received) for raw in again] == [(n, MOMENTS[n]) for n in (2, 3, 4)]
        assert not {raw.key for raw in again} & {raw.key for raw in first}  # they are new to who knows the old places
        box.file_away([raw.key for raw in again], [])
        assert box.waiting() == 0
