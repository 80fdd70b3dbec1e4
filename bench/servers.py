"""The test servers for benches: the same Dovecot and Postfix that the tests use, with a fresh mailbox."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix


@dataclass(frozen=True)
class Servers:
    dovecot: Dovecot
    postfix: Postfix

    def box(self, user: str = "") -> Box:
        """A mailbox; without a name one that nobody has used."""
        return Box(self.dovecot, user)


@contextlib.contextmanager
def running() -> Iterator[Servers]:
    """Both servers until the end of the block. Needs root and both installed, else ServerError."""
    with Dovecot.started() as dovecot, Postfix.started(dovecot) as postfix:
        yield Servers(dovecot, postfix)
