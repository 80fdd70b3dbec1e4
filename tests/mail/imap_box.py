"""An IMAP mailbox under test: mails for it, and a server of a few lines for answers that Dovecot does not give."""

import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import pytest

from moderator.common.mails import RawMail
from moderator.mail.imap import ImapMailbox
from moderator.mail.settings import ImapSettings
from tests.servers.process import HOST

servers = pytest.mark.servers
Open = Callable[[ImapSettings], ImapMailbox]


def mail(number: int, size: int = 0) -> bytes:
    return f"From: player1@test.example\r\nSubject: mail {number}\r\n\r\n".encode() + b"x" * size + b"\r\n"


def nothing(keys: Sequence[str]) -> set[str]:
    return set()


def fetch(box: ImapMailbox, known: Callable[[Sequence[str]], set[str]] = nothing, most: int = 10**6) -> list[RawMail]:
    return [raw for batch in box.fetch(known, most) for raw in batch]


def number_of(raw: RawMail | bytes) -> int:
    data = raw if isinstance(raw, bytes) else raw.data
    return int(data.split(b"Subject: mail ")[1].split(b"\r\n")[0])


def without(box: ImapMailbox, monkeypatch: pytest.MonkeyPatch, *lacking: bytes) -> Any:
    """Makes the client believe that the server cannot do some things."""
    left = tuple(each for each in box._client.capabilities() if each not in lacking)
    monkeypatch.setattr(box._client, "capabilities", lambda: left)
    return box._client


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
            with suppress(OSError):  # the other side may have had enough
                self._answer(connection, stream, usual)

    def _answer(self, connection: socket.socket, stream: Iterable[bytes], usual: dict[str, str]) -> None:
        for line in stream:
            tag, _, rest = line.decode().strip().partition(" ")
            verb = rest.split(" ")[0].upper()
            for part in {**usual, **self._script}.get(verb, "OK done").split("\r\n"):
                if part == "HANGUP":
                    return
                text = part if part[0] in "*+" else f"{tag} {part}"
                connection.sendall(text.encode("utf-8", "surrogateescape") + b"\r\n")
