"""A TCP proxy that passes what a server says line by line, and cuts the connection after a given line of it.

``how``: "close" (as a server that hangs up), "reset" (as one that dies), "half" (in the middle of the next line).
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
from collections.abc import Iterator

from tests.servers.process import HOST

HOWS = ("close", "reset", "half")


class Cutter:
    """A running proxy. It cuts once, after the ``after``-th line since ``arm``, whichever connection that is on; later
    connections are left alone. ``lines`` are the server's since then."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.lines: list[bytes] = []
        self.cut_behind = b""
        """The last line that passed on the connection that was cut."""
        self.cut = threading.Event()
        self._after, self._how = 0, "close"
        self._lock = threading.Lock()
        self._listener = socket.create_server((HOST, 0))
        self.port = int(self._listener.getsockname()[1])

    @classmethod
    @contextlib.contextmanager
    def started(cls, upstream: int) -> Iterator[Cutter]:
        """A proxy until the end of the block."""
        cutter = cls(upstream)
        thread = threading.Thread(target=cutter._accept, daemon=True)
        thread.start()
        try:
            yield cutter
        finally:
            cutter._listener.shutdown(socket.SHUT_RDWR)
            cutter._listener.close()
            thread.join()

    def arm(self, after: int, how: str = "close") -> None:
        """Count anew, and cut after so many lines; 0 = never."""
        with self._lock:
            self.lines, self._after, self._how = [], after, how
            self.cut_behind = b""
            self.cut.clear()

    def _accept(self) -> None:
        threads: list[threading.Thread] = []
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threads.append(threading.Thread(target=self._pass, args=(client,), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join(timeout=5)

    def _pass(self, client: socket.socket) -> None:
        """One connection, until either side leaves or it is cut."""
        with client, socket.create_connection((HOST, self.upstream)) as server, contextlib.suppress(OSError):
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            waiting, last = b"", b""
            with selectors.DefaultSelector() as selector:
                selector.register(client, selectors.EVENT_READ)
                selector.register(server, selectors.EVENT_READ)
                while True:
                    for key, _ in selector.select():
                        data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                        if not data:
                            client.sendall(waiting)
                            return
                        if key.fileobj is client:
                            server.sendall(data)
                            continue
                        *whole, waiting = (waiting + data).split(b"\n")
                        for line in whole:
                            if self._cuts(client, line + b"\n", last):
                                return
                            client.sendall(line + b"\n")
                            last = line
                            if self._cuts(client, b"", last):
                                return

    def _cuts(self, client: socket.socket, coming: bytes, last: bytes) -> bool:
        """Whether the connection ends before ``coming`` (half of which may still pass), or after the last line."""
        with self._lock:
            if self.cut.is_set():
                return False
            half = self._how == "half"
            if not coming:
                self.lines.append(last)
            due = bool(self._after) and len(self.lines) >= self._after and half == bool(coming)
            if not due:
                return False
            self.cut_behind = last
            self.cut.set()
        if half:
            client.sendall(coming[: len(coming) // 2])
        if self._how == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return True
