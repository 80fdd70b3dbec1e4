"""An SMTP server that does what a test tells it: refuse, fall silent or hang up, at any point of the dialogue."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from typing import Any

from moderator.mail.settings import SmtpSettings
from tests.servers.process import HOST

CLOSE = "CLOSE"
SILENCE = "SILENCE"
TAKEN = "TAKEN"
"""At the end of a mail: it is accepted, but the connection ends before the answer."""

USUAL = {
    "CONNECT": "220 fake ESMTP",
    "EHLO": "250-fake\r\n250 SIZE 1000000",
    "HELO": "250 fake",
    "AUTH": "235 2.7.0 welcome",
    "MAIL": "250 2.1.0 ok",
    "RCPT": "250 2.1.5 ok",
    "DATA": "354 go on",
    ".": "250 2.0.0 queued",
    "RSET": "250 2.0.0 ok",
    "QUIT": "221 2.0.0 bye",
}

Script = Callable[[str, str, int], str | None]
"""(verb, whole line, how often this verb came before) -> answer without its line end, CLOSE, SILENCE (no answer
until the client leaves), TAKEN or None for the usual answer. Verbs: CONNECT, EHLO, HELO, STARTTLS, AUTH, MAIL, RCPT,
DATA, "." (the end of the mail), RSET, QUIT."""


class FakeSmtp:
    """A running server. ``log`` holds every verb in order, ``mails`` the accepted mails as they came over the wire
    (dots still doubled), ``connections`` how many there were."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.log: list[str] = []
        self.lines: list[str] = []
        self.mails: list[bytes] = []
        self.connections = 0
        self.port = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    @classmethod
    @contextlib.contextmanager
    def started(cls, script: Script = lambda verb, line, nth: None) -> Iterator[FakeSmtp]:
        fake = cls(script)

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    fake._serve(self)

        with socketserver.ThreadingTCPServer((HOST, 0), Handler) as server:
            fake.port = server.server_address[1]
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
            thread.start()
            try:
                yield fake
            finally:
                fake._stopping.set()
                server.shutdown()
                thread.join()

    def smtp(self, timeout: float = 5, data_timeout: float = 5, connections: int = 1, user: str = "") -> SmtpSettings:
        values: dict[str, Any] = {"timeout": timeout, "data_timeout": data_timeout, "connections": connections}
        return SmtpSettings(
            host=HOST, port=self.port, security="plain", user=user, password="pw" if user else "", **values
        )

    def _answer(self, verb: str, line: str) -> str:
        with self._lock:
            nth = self.log.count(verb)
            self.log.append(verb)
            self.lines.append(line)
        return self.script(verb, line, nth) or USUAL.get(verb, "500 5.5.1 what?")

    def _say(self, handler: socketserver.StreamRequestHandler, verb: str, line: str = "") -> str:
        """Answers; returns the code, "" when the connection is over."""
        answer = self._answer(verb, line)
        if answer == SILENCE:
            handler.connection.settimeout(0.05)
            while not self._stopping.is_set():
                try:
                    if not handler.connection.recv(1000):
                        break
                except TimeoutError:
                    continue
            return ""
        if answer in (CLOSE, TAKEN):
            handler.connection.shutdown(socket.SHUT_RDWR)
            return "" if answer == CLOSE else TAKEN
        handler.wfile.write(answer.encode() + b"\r\n")
        return answer[:3]

    def _serve(self, handler: socketserver.StreamRequestHandler) -> None:
        with self._lock:
            self.connections += 1
        if not self._say(handler, "CONNECT"):
            return
        while line := handler.rfile.readline():
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            verb = text.split(" ")[0].split(":")[0].upper()
            code = self._say(handler, verb, text)
            if code == "354":
                data = b""
                while not data.endswith(b"\r\n.\r\n") and (more := handler.rfile.readline()):
                    data += more
                code = self._say(handler, ".")
                if code in ("250", TAKEN):
                    with self._lock:
                        self.mails.append(data.removesuffix(b".\r\n"))
            if code in ("", TAKEN, "421") or verb == "QUIT":
                return
