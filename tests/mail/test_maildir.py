"""The Maildir transport, in both directions."""

import errno
import mailbox
import os
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moderator.common.errors import OperatorError
from moderator.common.mails import Ready, Sent
from moderator.mail import maildir
from moderator.mail.maildir import MaildirMailbox, MaildirSender, deliver_to_maildir
from tests.mail.imap_box import fetch, nothing


def aged(path: Path, seconds: int) -> Path:
    os.utime(path, (seconds, seconds))
    return path


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)


def test_a_mail_is_delivered_whole_under_a_name_of_its_own_and_read_by_others(tmp_path: Path) -> None:
    inbox = tmp_path / "deep" / "in"
    data = b"Subject: x\r\n\r\n\xff\x00 end without line end"
    path = deliver_to_maildir(inbox, data)
    assert path.parent == inbox / "new"
    assert path.read_bytes() == data
    assert list((inbox / "tmp").iterdir()) == []
    (message,) = mailbox.Maildir(inbox, create=False)
    assert message["Subject"] == "x"
    assert len({deliver_to_maildir(inbox, b"same") for _ in range(50)}) == len([*(inbox / "new").iterdir()]) - 1 == 50


def test_batches_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        aged(deliver_to_maildir(tmp_path, bytes([65 + number]) * 100), 1_000_000_000 + number)
    for name, most, sizes in (("BATCH_BYTES", 350, [3, 2]), ("BATCH_MAILS", 2, [2, 2, 1])):
        monkeypatch.setattr(maildir, name, most)
        assert [len(batch) for batch in MaildirMailbox(tmp_path).fetch(nothing, 1000)] == sizes


def test_new_and_cur_are_read_oldest_first(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    with MaildirMailbox(inbox) as box:
        assert box.waiting() == 0
        late = aged(deliver_to_maildir(inbox, b"late"), 2_000_000_000)
        early = aged(deliver_to_maildir(inbox, b"early"), 1_000_000_000)
        early.rename(inbox / "cur" / f"{early.name}:2,S")
        (inbox / "new" / ".hidden").write_bytes(b"no mail")
        mails = fetch(box)
        assert box.waiting() == 2
    assert [raw.data for raw in mails] == [b"early", b"late"]
    assert [raw.key for raw in mails] == [early.name, late.name]
    assert mails[0].received == datetime.fromtimestamp(1_000_000_000, UTC)
    assert mails[0].received.tzinfo is UTC


def test_known_or_vanished_mails_are_not_read_and_large_ones_come_as_their_head(tmp_path: Path) -> None:
    first = deliver_to_maildir(tmp_path, b"a" * 200_000)
    deliver_to_maildir(tmp_path, b"b" * 100_000)
    box = MaildirMailbox(tmp_path)
    mails = fetch(box, most=100_000)
    by_start = {raw.data[:1]: raw for raw in mails}
    assert (len(by_start[b"a"].data), by_start[b"a"].size, by_start[b"a"].truncated) == (65_536, 200_000, True)
    assert (len(by_start[b"b"].data), by_start[b"b"].truncated) == (100_000, False)
    (batch,) = box.fetch(lambda keys: {first.name}, 100_000)
    assert [raw.data[:1] for raw in batch] == [b"b"]
    others = tmp_path / "others"
    paths = [aged(deliver_to_maildir(others, bytes([65 + n])), 1_000_000_000 + n) for n in range(3)]

    def known(keys: Sequence[str]) -> set[str]:
        paths[0].unlink()
        return set()

    box = MaildirMailbox(others)
    got = [raw.data for batch in box.fetch(known, 1000) for raw in batch]
    assert got == [b"B", b"C"]
    paths[1].unlink()
    box.file_away([paths[1].name, paths[2].name], [])
    assert box.waiting() == 0


def test_read_mails_are_filed_where_mail_programs_see_them(tmp_path: Path) -> None:
    for text in (b"good", b"bad", b"stays", b"seen"):
        deliver_to_maildir(tmp_path, text)
    box = MaildirMailbox(tmp_path)
    keys = {raw.data: raw.key for raw in fetch(box)}
    (tmp_path / "new" / keys[b"seen"]).rename(tmp_path / "cur" / f"{keys[b'seen']}:2,RS")
    box.file_away([keys[b"good"], keys[b"seen"], "vanished"], [keys[b"bad"]])
    box.file_away([keys[b"good"]], [keys[b"bad"]])
    assert [raw.data for raw in fetch(box)] == [b"stays"]
    folders = mailbox.Maildir(tmp_path, create=False)
    assert sorted(folders.list_folders()) == ["Failed", "Processed"]
    assert [m.get_payload() for m in folders.get_folder("Failed")] == ["bad"]
    processed = {file.name for file in (tmp_path / ".Processed" / "cur").iterdir()}
    assert processed == {f"{keys[b'good']}:2,S", f"{keys[b'seen']}:2,RS"}


def test_idle_sees_new_mail_only(tmp_path: Path) -> None:
    deliver_to_maildir(tmp_path, b"old")
    box = MaildirMailbox(tmp_path)
    fetch(box)
    assert box.idle(0.05) is False
    timer = threading.Timer(0.1, deliver_to_maildir, [tmp_path, b"new"])
    timer.start()
    start = time.monotonic()
    assert box.idle(20) is True
    assert time.monotonic() - start < 15
    timer.join()
    fetch(box)
    assert box.idle(0) is False


def test_what_the_operator_is_told(tmp_path: Path, full_disk: None) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(OperatorError, match=r"mail folder .*file.*\[maildir\]"):
        MaildirMailbox(file)
    with pytest.raises(OperatorError, match=r"\[maildir\]"):
        MaildirSender(file).check()
    with pytest.raises(OperatorError, match=r"the disk (is full|takes no more).*[Mm]ake room"):
        deliver_to_maildir(tmp_path / "in", b"x")
    assert list((tmp_path / "in").glob("*/*")) == []


def test_what_came_since_a_moment_is_brought_back(tmp_path: Path) -> None:
    moments = [1_700_000_000 + 60 * minutes for minutes in (-3000, -1, 0, 1, 3000)]
    then = datetime.fromtimestamp(moments[2], UTC)
    for number, moment in enumerate(moments):
        aged(deliver_to_maildir(tmp_path, bytes([65 + number])), moment)
    box = MaildirMailbox(tmp_path)
    assert box.bring_back(then) == 0
    first = fetch(box)
    box.file_away([raw.key for raw in first[:3]], [raw.key for raw in first[3:]])
    assert box.waiting() == 0
    assert box.bring_back(then) == 3
    again = fetch(box)
    assert [(raw.data, raw.received.timestamp()) for raw in again] == list(
        zip([b"C", b"D", b"E"], moments[2:], strict=True)
    )
    assert not {raw.key for raw in again} & {raw.key for raw in first}, "they are new to who knows the old places"
    box.file_away([raw.key for raw in again], [])
    assert box.waiting() == 0


# ---- sending ----


def ready(row: int) -> Ready:
    return Ready(row, "gm@test.example", f"player{row}@test.example", f"Subject: {row}\r\n\r\nHallo\r\n".encode())


def test_outgoing_mails_are_files_byte_for_byte_and_one_that_is_sent_twice_is_one_file(tmp_path: Path) -> None:
    events: list[str] = []
    sender = MaildirSender(tmp_path / "out")
    sender.check()
    sender.send(
        [ready(1), ready(2)],
        lambda mail: events.append(f"begin {mail.row}") is None,
        lambda sent: events.append(f"{sent.result} {sent.row}"),
    )
    assert events == ["begin 1", "sent 1", "begin 2", "sent 2"]
    files = sorted((tmp_path / "out" / "new").iterdir())
    head = b"Return-Path: <gm@test.example>\r\n"
    assert [file.read_bytes() for file in files] == [head + ready(1).data, head + ready(2).data]
    assert list((tmp_path / "out" / "tmp").iterdir()) == []
    files[0].rename(tmp_path / "out" / "cur" / f"{files[0].name}:2,S")
    fates: list[Sent] = []
    sender.send([ready(1), ready(2)], lambda mail: True, fates.append)
    assert [sent.result for sent in fates] == ["sent"] * 2
    assert [len(list((tmp_path / "out" / part).iterdir())) for part in ("new", "cur")] == [1, 1]
