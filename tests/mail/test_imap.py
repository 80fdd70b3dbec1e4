"""The mailbox over IMAP, against a real Dovecot: fetching and filing away."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from moderator.common.errors import OperatorError
from moderator.common.mails import UnreadableMailsError
from moderator.mail import imap as imap_module
from moderator.mail import imap_folders
from tests.mail.imap_box import Open, fetch, mail, nothing, number_of, without
from tests.servers.dovecot import Box, Dovecot

pytestmark = pytest.mark.servers


def test_mails_come_in_batches_and_in_order_and_stay_unread(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_module, "BATCH_MAILS", 4)
    mailbox.deliver(*(mail(n) for n in range(10)))
    box = opened(mailbox.imap())
    batches = list(box.fetch(nothing, 10**6))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    mails = [raw for batch in batches for raw in batch]
    assert [number_of(raw) for raw in mails] == list(range(10))
    assert len({raw.key for raw in mails}) == 10
    assert not any(raw.truncated for raw in mails)
    assert mails[7].data == mailbox.folder("INBOX")[7]
    client = mailbox.client()
    client.select_folder("INBOX", readonly=True)
    assert client.search(["SEEN"]) == []

    old = {raw.key for raw in mails[:8]}
    asked: list[str] = []

    def known(keys: Sequence[str]) -> set[str]:
        asked.extend(keys)
        return old & set(keys)

    assert [number_of(raw) for raw in fetch(box, known)] == [8, 9]
    assert asked == [raw.key for raw in mails]
    assert fetch(box, lambda keys: set(keys)) == []


def test_batches_are_bounded_in_bytes_and_a_huge_mailbox_is_searched_in_spans(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.deliver(*(mail(n, 3000) for n in range(5)), mail(5, 20_000), mail(6))
    monkeypatch.setattr(imap_module, "BATCH_BYTES", 8000)
    monkeypatch.setattr(imap_module, "SEARCH_SPAN", 3)
    batches = list(opened(mailbox.imap()).fetch(nothing, 10**6))
    assert [[number_of(raw) for raw in batch] for batch in batches] == [[0, 1], [2, 3], [4], [5], [6]]


def test_large_mails_come_as_their_head(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1), mail(2, 300_000), mail(3))
    mails = fetch(opened(mailbox.imap()), most=200_000)
    assert [number_of(raw) for raw in mails] == [1, 2, 3]
    assert [raw.truncated for raw in mails] == [False, True, False]
    whole = mailbox.folder("INBOX")[1]
    assert mails[1].data == whole[:65_536]
    assert mails[1].size == len(whole)
    tiny = fetch(opened(mailbox.imap()), most=50)
    assert all(raw.truncated and len(raw.data) == 50 for raw in tiny)


def test_received_is_aware_utc(mailbox: Box, opened: Open) -> None:
    moments = [
        datetime(2026, 7, 1, 12, 0, 5, tzinfo=timezone(timedelta(hours=2))),
        # The hour that comes twice in autumn: local time cannot tell these apart.
        datetime(2025, 10, 26, 2, 30, tzinfo=timezone(timedelta(hours=2))),
        datetime(2025, 10, 26, 2, 30, tzinfo=timezone(timedelta(hours=1))),
    ]
    client = mailbox.client()
    for moment in moments:
        client.append("INBOX", mail(1), msg_time=moment)
    received = [raw.received for raw in fetch(opened(mailbox.imap()))]
    assert received == moments
    assert all(moment.tzinfo is UTC for moment in received)


@pytest.mark.parametrize(
    ("how", "gone"), [("another client", (1, 3)), ("another client", range(5)), ("behind the server", (1, 3))]
)
def test_mails_that_vanish_between_search_and_fetch(mailbox: Box, opened: Open, how: str, gone: Sequence[int]) -> None:
    mailbox.deliver(*(mail(n) for n in range(5)))
    left = [n for n in range(5) if n not in gone]

    def known(keys: Sequence[str]) -> set[str]:
        if how == "another client":
            client = mailbox.client()
            client.select_folder("INBOX")
            uids = client.search("ALL")
            client.delete_messages([uids[n] for n in gone])
            client.expunge()
        else:
            files = mailbox.dovecot.folder / "mail" / mailbox.user
            for file in files.rglob("cur/*"):
                if number_of(file.read_bytes().replace(b"\n", b"\r\n").replace(b"\r\r", b"\r")) in gone:
                    file.unlink()
        return set()

    box = opened(mailbox.imap())
    assert [number_of(raw) for raw in fetch(box, known)] == left
    box.file_away(["1:1"] if not left else [], [])
    assert [number_of(raw) for raw in fetch(box)] == left
    assert box.waiting() == len(left)


@pytest.mark.parametrize("item", ["BODY", "RFC822.SIZE"])
@pytest.mark.parametrize("how", ["refused", "hangs up", "falls silent", "not there", "nothing in it"])
@pytest.mark.parametrize("damaged", [(3,), (1, 4)])
def test_mails_that_cannot_be_read_are_named_after_the_others(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, how: str, item: str, damaged: Sequence[int]
) -> None:
    mailbox.deliver(*(mail(n) for n in range(4)))
    box = opened(mailbox.imap())
    real = IMAPClient.fetch

    def broken(client: IMAPClient, uids: Sequence[int], items: Sequence[str]) -> Any:
        bad = set(damaged) & set(uids) if items[0].startswith(item) else set()
        if bad and how in ("refused", "hangs up", "falls silent"):
            client.shutdown() if how == "hangs up" else None
            kinds = {"refused": IMAPClientError, "hangs up": IMAPClientAbortError, "falls silent": TimeoutError}
            raise kinds[how]("NO [SERVERBUG] internal error")
        given = dict(real(client, uids, items))
        given |= {uid: dict.fromkeys(given[uid]) for uid in bad} if how == "nothing in it" else {}
        return {uid: facts for uid, facts in given.items() if uid not in bad or how == "nothing in it"}

    monkeypatch.setattr(IMAPClient, "fetch", broken)
    got: list[int] = []
    with pytest.raises(UnreadableMailsError) as caught:
        got.extend(number_of(raw) for batch in box.fetch(nothing, 10**6) for raw in batch)
    assert got == [n for n in range(4) if n + 1 not in damaged]
    assert [key.partition(":")[2] for key in caught.value.mails] == [*map(str, damaged)]
    assert all(f"UID {uid}, INBOX" in str(caught.value) for uid in damaged)
    box.file_away([next(iter(caught.value.mails))], [])  # the connection is of use
    assert box.waiting() == 3


@pytest.mark.parametrize("setting", ["processed", "failed"])
def test_a_folder_that_cannot_be_made_is_told_with_its_setting_and_the_other_is_used(
    mailbox: Box, opened: Open, setting: str
) -> None:
    mailbox.deliver(mail(1), mail(2))
    box = opened(mailbox.imap(**{setting: "a.b/c"}))
    keys = [raw.key for raw in fetch(box)]
    for _ in range(2):
        with pytest.raises(OperatorError, match=rf"'a.b/c'.*\[imap\] {setting}.*stay in the inbox"):
            box.file_away(keys[:1], keys[1:])
    assert box.waiting() == 1


def test_a_missing_inbox(mailbox: Box, opened: Open) -> None:
    box = opened(mailbox.imap(inbox="Gaems"))
    with pytest.raises(OperatorError, match=r"no folder 'Gaems'.*\[imap\] inbox"):
        fetch(box)
    with pytest.raises(OperatorError, match="no folder 'Gaems'"):
        box.waiting()


@pytest.mark.parametrize("lacking", [(), (b"MOVE",), (b"MOVE", b"UIDPLUS"), (b"NAMESPACE",)])
def test_mails_are_moved_and_folders_made(
    mailbox: Box,
    opened: Open,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    lacking: tuple[bytes, ...],
) -> None:
    mailbox.deliver(*(mail(n) for n in range(7)))
    box = opened(mailbox.imap(processed="Erledigte Züge"))
    without(box, monkeypatch, *lacking)
    monkeypatch.setattr(imap_folders, "MOVE_AT_ONCE", 2)
    keys = [raw.key for raw in fetch(box)]
    box.file_away([keys[0], keys[2], keys[4], keys[5], keys[6]], [keys[1]])
    if b"UIDPLUS" not in lacking:  # what is gone already, and what is no key
        box.file_away([keys[0], "pipe:abc", "", "7", f"{keys[0].split(':')[0]}:999"], [keys[0], keys[1]])
        box.file_away([], [])
    assert [number_of(raw) for raw in mailbox.folder("Erledigte Züge")] == [0, 2, 4, 5, 6]
    assert [number_of(raw) for raw in mailbox.folder("Failed")] == [1]
    if b"UIDPLUS" in lacking:
        client = mailbox.client()
        client.select_folder("INBOX")
        assert len(client.search("DELETED")) == 6
    else:
        assert [number_of(raw) for raw in mailbox.folder("INBOX")] == [3]
        box.file_away([keys[3]], [])
        assert box.waiting() == 0
    assert caplog.messages == []  # nothing for cron to mail


def test_a_server_that_says_no_for_vanished_mails(mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    mailbox.deliver(mail(1), mail(2), mail(3))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    other = mailbox.client()
    other.select_folder("INBOX")
    other.delete_messages([2])
    other.expunge()
    real = box._client.move

    def strict(uids: Sequence[int], folder: str) -> Any:
        if 2 in uids:
            raise IMAPClientError("move failed: NO Some of the requested messages no longer exist")
        return real(uids, folder)

    monkeypatch.setattr(box._client, "move", strict)
    box.file_away(keys, [])
    assert [number_of(raw) for raw in mailbox.folder("Processed")] == [1, 3]


def test_a_mailbox_that_was_made_anew(mailbox: Box, opened: Open) -> None:
    client = mailbox.client()
    client.create_folder("Games")
    client.append("Games", mail(1))
    settings = mailbox.imap(inbox="Games")
    box = opened(settings)
    (old,) = fetch(box)
    client.delete_folder("Games")
    client.create_folder("Games")
    client.append("Games", mail(2))

    again = opened(settings)
    again.file_away([old.key], [])
    (new,) = fetch(again, lambda keys: {old.key} & set(keys))
    assert number_of(new) == 2
    assert (new.key != old.key, new.key.split(":")[1]) == (True, old.key.split(":")[1])
    again.file_away([new.key], [])
    assert [number_of(raw) for raw in mailbox.folder("Processed")] == [2]


def test_servers_that_want_a_prefix(opened: Open) -> None:
    with Dovecot.started(prefix="INBOX.") as server:
        there = Box(server)
        filled(there)
        box = opened(there.imap(failed="INBOX.Failed"))
        keys = [raw.key for raw in fetch(box)]
        box.file_away(keys[:3], keys[3:])
        assert [number_of(raw) for raw in there.folder("INBOX.Processed")] == [0, 1, 2]
        assert [number_of(raw) for raw in there.folder("INBOX.Failed")] == [3, 4]
        assert box.bring_back(THEN) == 3
        assert sorted(number_of(raw) for raw in fetch(box)) == [2, 3, 4]
        there.close()


# ---- bringing back ----

THEN = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)
MOMENTS = [THEN + timedelta(minutes=minutes) for minutes in (-3000, -1, 0, 1, 3000)]


def filled(mailbox: Box) -> None:
    """Mails 0 to 4 in the inbox, which came at MOMENTS."""
    client = mailbox.client()
    east = timezone(timedelta(hours=11))
    for number, moment in enumerate(MOMENTS):
        client.append("INBOX", mail(number), msg_time=moment.astimezone(east if number % 2 else UTC))


@pytest.mark.parametrize("lacking", [(), (b"MOVE",), (b"MOVE", b"UIDPLUS")])
def test_what_came_since_a_moment_is_brought_back_to_the_minute(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, lacking: tuple[bytes, ...]
) -> None:
    filled(mailbox)
    box = opened(mailbox.imap())
    without(box, monkeypatch, *lacking)
    monkeypatch.setattr(imap_folders, "MOVE_AT_ONCE", 2)
    first = fetch(box)
    assert box.bring_back(THEN) == 0, "nothing was ever filed"
    assert not mailbox.client().folder_exists("Processed")
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
