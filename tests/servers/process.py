"""Starting a server: free ports, a short temporary folder, a certificate, waiting for the greeting."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

HOST = "127.0.0.1"
MEMORY = Path("/dev/shm")
ENOUGH = 4e9
"""Bytes that must be free there."""


class ServerError(RuntimeError):
    """A test server did not start."""


class Server(ABC):
    @classmethod
    @contextlib.contextmanager
    def started(cls, *arguments: Any, **more: Any) -> Iterator[Self]:
        """One until the end of the block; takes what it is made with, but for the folder. Raises ServerError."""
        with temporary_folder() as folder:
            server = cls(folder, *arguments, **more)
            server.start()
            try:
                yield server
            finally:
                server.stop()

    @abstractmethod
    def __init__(self, folder: Path, *arguments: Any, **more: Any) -> None: ...

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def stop(self) -> None: ...


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now; all held at once, so they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def use_memory() -> None:
    """From now on this process and those that it starts make temporary folders in the machine's memory, where there is
    room: tests, whose databases and mailboxes nobody keeps, write no disk. (A bench writes one, as a club does.)"""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A short path (a unix socket's name has about 108 bytes), readable by the servers' users."""
    folder = Path(tempfile.mkdtemp(prefix="mod-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        # The server's last children may still write while they leave.
        for _ in range(20):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.05)


def make_certificate(folder: Path) -> Path:
    """Self-signed for localhost and 127.0.0.1: cert.pem (its own authority) and key.pem in ``folder``."""
    certificate = folder / "cert.pem"
    options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", f"subjectAltName=DNS:localhost,IP:{HOST}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(certificate)]
    subprocess.run(["openssl", "req", "-x509", *options, *names, *files], check=True, capture_output=True)
    return certificate


def greets(port: int) -> bool:
    """Whether a server on ``port`` says something."""
    try:
        with socket.create_connection((HOST, port), timeout=1) as connection:
            return bool(connection.recv(1))
    except OSError:
        return False


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path, seconds: float = 30) -> None:
    """Raises ServerError with the end of the log if the server dies or is not ready in time."""
    end = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            words = log.read_text(errors="replace")[-2000:] if log.exists() else "no log"
            raise ServerError(f"{process.args!r}: exit {process.poll()}: {words}")
        time.sleep(0.01)
