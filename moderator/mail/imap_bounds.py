"""A client of IMAP that takes no answer which is larger, or nested deeper, than any that is asked for. imap.py imports
this inside a function, as it does imapclient."""

from __future__ import annotations

from typing import Any

from imapclient import IMAPClient
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

from moderator.common.errors import TransientError

LARGEST, MOST_LINES, DEEPEST = 128 << 20, 200_000, 1000
"""Bytes and lines of the whole answer to a command, and opening brackets in one of its lines."""


class _Bounded:
    """A connection that counts all that comes from the server between two commands, from the greeting on."""

    host: str
    port: int
    _lines = _bytes = 0

    def send(self, data: bytes) -> None:
        self._lines = self._bytes = 0
        super().send(data)  # type: ignore[misc]

    def read(self, size: int) -> bytes:
        self._check_growth(size, f"it announces {size} bytes at once")
        return bytes(super().read(size))  # type: ignore[misc]

    def readline(self) -> bytes:
        line = bytes(super().readline())  # type: ignore[misc]
        self._lines += 1
        self._check_growth(len(line), f"it has more than {self._lines - 1} lines")
        if line.count(b"(") > DEEPEST:
            self._refuse_answer("it is nested too deep")
        return line

    def _check_growth(self, by: int, what: str) -> None:
        self._bytes += by
        if self._bytes > LARGEST or self._lines > MOST_LINES:
            self._refuse_answer(what)

    def _refuse_answer(self, what: str) -> None:
        raise TransientError(f"{self.host}:{self.port}: the server's answer cannot be read: {what}.")


class _Plain(_Bounded, IMAP4WithTimeout):  # type: ignore[misc]
    pass


class _Tls(_Bounded, IMAP4_TLS):  # type: ignore[misc]
    pass


class BoundedImapClient(IMAPClient):  # type: ignore[misc]
    def _create_IMAP4(self) -> Any:  # noqa: N802 - imapclient's name
        seconds = getattr(self._timeout, "connect", None)
        if self.ssl:
            return _Tls(self.host, self.port, self.ssl_context, seconds)
        return _Plain(self.host, self.port, seconds)
