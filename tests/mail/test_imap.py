"""The mailbox over IMAP, against a real Dovecot."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from moderator.config import Imap
from moderator.errors import ConfigError, OperatorError, TransientError
from moderator.mail import imap as imap_module
from moderator.mail import imap_move
from moderator.mail.imap import ImapMailbox
from moderator.mail.imap_login import connect
from moderator.mail.model import RawMail
from tests.servers.dovecot import Box, Dovecot
from tests.servers.process import HOST, free_ports

servers = pytest.mark.servers


def mail(number: int, size: int = 0) -> bytes:
    return f"From: player1@test.example\r\nSubject: mail {number}\r\n\r\n".encode() + b"x" * size + b"\r\n"


def nothing(keys: Sequence[str]) -> set[str]:
    return set()


def fetch(box: ImapMailbox, known: Callable[[Sequence[str]], set[str]] = nothing, most: int = 10**6) -> list[RawMail]:
    return [raw for batch in box.fetch(known, most) for raw in batch]


def number_of(raw: RawMail | bytes) -> int:
    data = raw if isinstance(raw, bytes) else raw.data
    return int(data.split(b"Subject: mail ")[1].split(b"\r\n")[0])


@pytest.fixture
def opened() -> Iterator[Callable[[Imap], ImapMailbox]]:
    """Opens mailboxes that are closed after the test."""
    boxes: list[ImapMailbox] = []

    def make(imap: Imap) -> ImapMailbox:
        boxes.append(ImapMailbox(imap))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


Open = Callable[[Imap], ImapMailbox]


def without(box: ImapMailbox, monkeypatch: pytest.MonkeyPatch, *lacking: bytes) -> Any:
    """Makes the client believe that the server cannot do some things."""
    left = tuple(each for each in box._client.capabilities() if each not in lacking)
    monkeypatch.setattr(box._client, "capabilities", lambda: left)
    return box._client


# ---- logging in ----


@servers
@pytest.mark.parametrize("security", ["tls", "starttls", "plain"])
def test_the_three_ways_in(mailbox: Box, security: str) -> None:
    mailbox.deliver(mail(1), mail(2))
    port = mailbox.dovecot.imaps_port if security == "tls" else mailbox.dovecot.imap_port
    with ImapMailbox(mailbox.imap(security=security, port=port)) as box:
        assert box.waiting() == 2


@servers
def test_a_wrong_password(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match=r"refuses the login of 'gm-.*\[imap\] user or password") as caught:
        ImapMailbox(mailbox.imap(password="secret-that-is-wrong"))
    assert "secret-that-is-wrong" not in str(caught.value)


@servers
def test_a_password_with_umlauts_is_sent_as_utf8(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match="refuses the login"):
        ImapMailbox(mailbox.imap(password="pä"))


@servers
def test_a_foreign_certificate(mailbox: Box, tmp_path: Path) -> None:
    for settings in (
        mailbox.imap(ca_file=""),
        mailbox.imap(ca_file="", security="starttls", port=mailbox.dovecot.imap_port),
    ):
        with pytest.raises(OperatorError, match=r"certificate .* not trusted.*\[imap\] ca_file"):
            ImapMailbox(settings)
    with pytest.raises(ConfigError, match="ca_file"):
        ImapMailbox(mailbox.imap(ca_file=str(tmp_path / "missing.pem")))


@servers
def test_a_name_that_is_not_in_the_certificate(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match="not trusted"):
        # Connecting to 0.0.0.0 reaches this machine; the certificate is for 127.0.0.1 and localhost only.
        ImapMailbox(mailbox.imap(host="0.0.0.0"))


@servers
def test_tls_to_the_port_for_plain(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match="starttls"):
        ImapMailbox(mailbox.imap(port=mailbox.dovecot.imap_port))


@servers
def test_login_by_token(mailbox: Box, dovecot: Dovecot) -> None:
    def settings(token: str) -> Imap:
        return mailbox.imap(password="", token_command=f"echo {token}")

    with ImapMailbox(settings(dovecot.token(mailbox.user))) as box:
        assert box.waiting() == 0
    with pytest.raises(OperatorError, match="token_command"):
        ImapMailbox(settings(dovecot.token(mailbox.user, seconds=-60)))


@servers
def test_login_by_bearer_token_where_there_is_no_xoauth2(
    mailbox: Box, dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imapclient import IMAPClient

    def refuse(*args: object) -> None:
        raise AssertionError("XOAUTH2 was tried")

    monkeypatch.setattr(IMAPClient, "oauth2_login", refuse)
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name == "AUTH=OAUTHBEARER")
    with ImapMailbox(mailbox.imap(password="", token_command=f"echo {dovecot.token(mailbox.user)}")) as box:
        assert box.waiting() == 0


def test_plain_is_for_this_machine_only() -> None:
    with pytest.raises(ConfigError, match="starttls"):
        ImapMailbox(Imap(host="192.0.2.1", security="plain", user="gm", password="pw"))


def test_a_server_that_is_away() -> None:
    with pytest.raises(TransientError, match=HOST):
        ImapMailbox(Imap(host=HOST, port=free_ports(1)[0], security="plain", user="gm", password="pw", timeout=2))


def test_a_server_that_says_nothing() -> None:
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        settings = Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=1)
        with pytest.raises(TransientError, match="timed out"):
            ImapMailbox(settings)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("NO [UNAVAILABLE] Temporary authentication failure", TransientError),
        ("NO [ALERT] Too many simultaneous connections", TransientError),
        ("NO [AUTHENTICATIONFAILED] Authentication failed", OperatorError),
        ("HANGUP", TransientError),
    ],
)
def test_what_a_refused_login_means(answer: str, error: type[Exception]) -> None:
    with scripted({"LOGIN": answer}) as port, pytest.raises(error):
        ImapMailbox(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=5))


# ---- fetching ----


@servers
def test_250_mails_come_in_batches_and_in_order(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(*(mail(n) for n in range(250)))
    box = opened(mailbox.imap())
    batches = list(box.fetch(nothing, 10**6))
    assert [len(batch) for batch in batches] == [100, 100, 50]
    mails = [raw for batch in batches for raw in batch]
    assert [number_of(raw) for raw in mails] == list(range(250))
    assert len({raw.key for raw in mails}) == 250
    assert not any(raw.truncated for raw in mails)
    assert mails[7].data == mailbox.folder("INBOX")[7]

    old = {raw.key for raw in mails[:240]}
    asked: list[str] = []

    def known(keys: Sequence[str]) -> set[str]:
        asked.extend(keys)
        return old & set(keys)

    assert [number_of(raw) for raw in fetch(box, known)] == list(range(240, 250))
    assert asked == [raw.key for raw in mails]
    assert fetch(box, lambda keys: set(keys)) == []


@servers
def test_nothing_is_marked_as_read(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1))
    fetch(opened(mailbox.imap()))
    client = mailbox.client()
    client.select_folder("INBOX", readonly=True)
    assert client.search(["SEEN"]) == []


@servers
def test_batches_are_bounded_in_bytes(mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    mailbox.deliver(*(mail(n, 3000) for n in range(5)), mail(5, 20_000), mail(6))
    monkeypatch.setattr(imap_module, "BATCH_BYTES", 8000)
    batches = list(opened(mailbox.imap()).fetch(nothing, 10**6))
    assert [[number_of(raw) for raw in batch] for batch in batches] == [[0, 1], [2, 3], [4], [5], [6]]


@servers
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


@servers
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


@servers
@pytest.mark.parametrize("how", ["another client", "behind the server"])
def test_mails_that_vanish_between_search_and_fetch(mailbox: Box, opened: Open, how: str) -> None:
    mailbox.deliver(*(mail(n) for n in range(5)))

    def known(keys: Sequence[str]) -> set[str]:
        if how == "another client":
            client = mailbox.client()
            client.select_folder("INBOX")
            uids = client.search("ALL")
            client.delete_messages([uids[1], uids[3]])
            client.expunge()
        else:
            files = mailbox.dovecot.folder / "mail" / mailbox.user
            for file in files.rglob("cur/*"):
                if number_of(file.read_bytes().replace(b"\n", b"\r\n").replace(b"\r\r", b"\r")) in (1, 3):
                    file.unlink()
        return set()

    box = opened(mailbox.imap())
    assert [number_of(raw) for raw in fetch(box, known)] == [0, 2, 4]
    assert [number_of(raw) for raw in fetch(box)] == [0, 2, 4]


@servers
def test_a_mailbox_emptied_by_hand(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1), mail(2))
    box = opened(mailbox.imap())

    def known(keys: Sequence[str]) -> set[str]:
        client = mailbox.client()
        client.select_folder("INBOX")
        client.delete_messages(client.search("ALL"))
        client.expunge()
        return set()

    assert fetch(box, known) == []
    box.file_away(["1:1"], [])
    assert fetch(box) == []
    assert box.waiting() == 0


@servers
def test_a_mail_that_cannot_be_read_is_named_after_the_others(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imapclient.exceptions import IMAPClientError

    mailbox.deliver(*(mail(n) for n in range(4)))
    box = opened(mailbox.imap())
    real = box._client.fetch

    def broken(uids: Sequence[int], items: Sequence[str]) -> Any:
        if 3 in uids and "BODY" in items[0]:
            raise IMAPClientError("NO [SERVERBUG] internal error")
        return real(uids, items)

    monkeypatch.setattr(box._client, "fetch", broken)
    got: list[int] = []
    batches = box.fetch(nothing, 10**6)
    with pytest.raises(TransientError, match="UID 3 "):
        got.extend(number_of(raw) for batch in batches for raw in batch)
    assert got == [0, 1, 3]


@servers
def test_a_search_over_a_huge_mailbox_is_asked_in_spans(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.deliver(*(mail(n) for n in range(7)))
    monkeypatch.setattr(imap_module, "SEARCH_SPAN", 3)
    assert [number_of(raw) for raw in fetch(opened(mailbox.imap()))] == list(range(7))


@servers
def test_a_missing_inbox(mailbox: Box, opened: Open) -> None:
    box = opened(mailbox.imap(inbox="Gaems"))
    with pytest.raises(OperatorError, match=r"no folder 'Gaems'.*\[imap\] inbox"):
        fetch(box)
    with pytest.raises(OperatorError, match="no folder 'Gaems'"):
        box.waiting()


# ---- filing away ----


@servers
@pytest.mark.parametrize("lacking", [(), (b"MOVE",), (b"MOVE", b"UIDPLUS"), (b"NAMESPACE",)])
def test_mails_are_moved_and_folders_made(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, lacking: tuple[bytes, ...]
) -> None:
    mailbox.deliver(*(mail(n) for n in range(7)))
    box = opened(mailbox.imap(processed="Erledigte Züge"))
    without(box, monkeypatch, *lacking)
    monkeypatch.setattr(imap_move, "MOVE_AT_ONCE", 2)
    keys = [raw.key for raw in fetch(box)]
    box.file_away([keys[0], keys[2], keys[4], keys[5], keys[6]], [keys[1]])
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


@servers
def test_moving_twice_moving_the_vanished_and_moving_nothing(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1), mail(2))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    box.file_away(keys[:1], [])
    box.file_away(keys, [])
    box.file_away(keys, keys)
    box.file_away([], [])
    box.file_away(["pipe:abc", "", "7", f"{keys[0].split(':')[0]}:999"], [])
    assert [number_of(raw) for raw in mailbox.folder("Processed")] == [1, 2]
    assert mailbox.folder("Failed") == []


@servers
def test_a_server_that_says_no_for_vanished_mails(mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from imapclient.exceptions import IMAPClientError

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


@servers
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


@servers
def test_servers_that_want_a_prefix() -> None:
    with Dovecot.started(prefix="INBOX.") as server:
        there = Box(server)
        there.deliver(mail(1), mail(2))
        with ImapMailbox(there.imap(failed="INBOX.Failed")) as box:
            keys = [raw.key for raw in fetch(box)]
            box.file_away(keys[:1], keys[1:])
        assert [number_of(raw) for raw in there.folder("INBOX.Processed")] == [1]
        assert [number_of(raw) for raw in there.folder("INBOX.Failed")] == [2]
        there.close()


# ---- waiting ----


@servers
@pytest.mark.parametrize("lacking", [(), (b"IDLE",)])
def test_idle_wakes_for_new_mail(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, lacking: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(imap_module, "POLL_SECONDS", 0.1)
    mailbox.deliver(mail(1))
    box = opened(mailbox.imap())
    without(box, monkeypatch, *lacking)
    fetch(box)
    start = time.monotonic()
    assert box.idle(0.3) is False
    assert 0.3 <= time.monotonic() - start < 2
    timer = threading.Timer(0.3, mailbox.deliver, [mail(2)])
    timer.start()
    start = time.monotonic()
    assert box.idle(20) is True
    timer.join()
    assert time.monotonic() - start < 4
    assert [number_of(raw) for raw in fetch(box)] == [1, 2]
    assert box.idle(0) is False


@servers
def test_a_mail_that_came_while_mails_were_moved_is_noticed(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    mailbox.deliver(mail(2))
    box.file_away(keys, [])
    start = time.monotonic()
    assert box.idle(20) is True
    assert time.monotonic() - start < 1


@servers
def test_moving_mails_away_wakes_nobody(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1), mail(2))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    box.file_away(keys[:1], [])
    assert box.idle(0.2) is False


@servers
def test_a_connection_lost_during_idle_ends_it_at_once() -> None:
    with Dovecot.started() as server:
        there = Box(server)
        box = ImapMailbox(there.imap())
        fetch(box)
        timer = threading.Timer(0.3, server.stop)
        timer.start()
        start = time.monotonic()
        with pytest.raises(TransientError):
            box.idle(60)
        assert time.monotonic() - start < 8
        timer.join()
        with pytest.raises(TransientError):
            fetch(box)
        with pytest.raises(TransientError):
            box.waiting()
        box.close()
        box.close()


def test_an_end_of_file_during_idle_is_no_busy_loop() -> None:
    # imapclient's idle_check answers [] at once and for ever after the server closed.
    with scripted({"IDLE": "+ idling\r\n* OK Still here\r\nHANGUP"}) as port:
        box = ImapMailbox(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=5))
        start = time.process_time()
        with pytest.raises(TransientError):
            box.idle(30)
        assert time.process_time() - start < 1
        box.close()


def test_a_server_that_says_bye_during_idle() -> None:
    with scripted({"IDLE": "+ idling\r\n* BYE Autologout"}) as port:
        box = ImapMailbox(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=2))
        with pytest.raises(TransientError):
            box.idle(30)
        box.close()


# ---- costs ----


def test_importing_the_mailbox_is_cheap() -> None:
    code = (
        "import sys, moderator.mail.imap, moderator.mail.open;"
        "print(sorted({'imapclient', 'imaplib', 'ssl', 'sqlalchemy', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@servers
def test_looking_for_mail_selects_nothing(mailbox: Box, opened: Open) -> None:
    box = opened(mailbox.imap())
    assert box.waiting() == 0
    assert box._client._imap.state == "AUTH"


def test_the_client_gives_aware_times() -> None:
    with scripted({}) as port:
        client = connect(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=2))
        assert client.normalise_times is False
        client.shutdown()


# ---- a server of a few lines, for answers that Dovecot does not give ----


class scripted:  # noqa: N801 - used like a function
    """An IMAP server that answers each command by its script: tagged text, "+ …" or untagged lines, HANGUP."""

    def __init__(self, script: dict[str, str]) -> None:
        self._script = script
        self._listener = socket.create_server((HOST, 0))
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> int:
        self._thread.start()
        return int(self._listener.getsockname()[1])

    def __exit__(self, *exception: object) -> None:
        self._thread.join(timeout=10)
        self._listener.close()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        usual = {
            "CAPABILITY": "* CAPABILITY IMAP4rev1 IDLE\r\nOK done",
            "SELECT": "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 5] x\r\nOK [READ-WRITE] done",
            "UID": "* SEARCH 4\r\nOK done",
            "LOGOUT": "* BYE bye\r\nOK done\r\nHANGUP",
        }
        with connection, connection.makefile("rb") as stream:
            connection.sendall(b"* OK ready\r\n")
            for line in stream:
                tag, _, rest = line.decode().strip().partition(" ")
                verb = rest.split(" ")[0].upper()
                for part in {**usual, **self._script}.get(verb, "OK done").split("\r\n"):
                    if part == "HANGUP":
                        return
                    text = part if part[0] in "*+" else f"{tag} {part}"
                    connection.sendall(text.encode() + b"\r\n")
