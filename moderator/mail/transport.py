"""What a transport is: how mails come in and how they leave. Ours are IMAP with SMTP, and two folders
(transports.py); another package brings one as an entry point of the group ``moderator.transports``.
docs/build/transports.md has one that plays.

What receiving and sending must do is said by ``Mailbox`` and ``Sender`` (model.py). ``Polled`` and ``OneByOne`` do what
most transports have in common.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from moderator.common.errors import ModeratorError
from moderator.common.mails import BeginMail, Mailbox, Mark, MoreMails, RawMail, Ready, ReportSent, Sender, Sent
from moderator.common.typed import build_dataclass

T = TypeVar("T")
CONTRACT = 1
"""Version of what is promised to transports of other packages, and asked of them. docs/build/contract.md says what it
promises, and what makes a new one."""
POLL_SECONDS = 1.0


@dataclass(frozen=True)
class Setup:
    """The values that a transport is opened with."""

    name: str
    """As ``[mail] transport`` has it."""
    address: str
    """That players write to."""
    folder: Path
    """Of the settings: paths in them are meant from there."""
    table: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """``[transport.NAME]``, which nobody has looked at. For ours: the sections that are theirs, as they were read."""

    def read(self, options: type[T]) -> T:
        """Build a dataclass of the transport's own from the table. Raises ConfigError for a setting that it has not,
        one that is missing, or of the wrong kind."""
        return build_dataclass(options, self.table, f"[transport.{self.name}]")

    def path(self, path: Path) -> Path:
        """Return a path of the settings, relative to their folder."""
        return path if path.is_absolute() else self.folder / path


@dataclass(frozen=True)
class Way:
    """The place that mails come from, or go to, in words."""

    name: str = ""
    """As errors name it, best as ``host:port``; "" where there is nothing that could be away."""
    how: str = ""
    """For `moderator doctor`, e.g. "over TLS"."""
    folder: Path | None = None
    """Where mails are files on this machine: looked at for room and permissions."""


class Transport(Protocol):
    """The way in and out for mails.

    Errors of all that it gives: ``TransientError`` where something is away and will come back (the next run tries
    again, and nobody is notified before it lasts), ``OperatorError`` where somebody must mend something, in one line
    with the fix. Opened anew in each run."""

    @property
    def contract(self) -> int:
        """``CONTRACT`` as it was when the transport was written: a number in its own source, not what is imported."""
        ...

    def mailbox(self, setup: Setup) -> Mailbox:
        """Open the source of mails, connected and logged in."""
        ...

    def sender(self, setup: Setup) -> Sender:
        """Open the way out for mails. Nothing is connected before the first one is sent."""
        ...

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        """Describe the way in, and the way out. Connects to nothing."""
        ...


class Polled(ABC):
    """A ``Mailbox`` that has to be looked into, and keeps no mark of who reads it."""

    @abstractmethod
    def waiting(self) -> int: ...

    @abstractmethod
    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]: ...

    @abstractmethod
    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None: ...

    @abstractmethod
    def bring_back(self, since: datetime) -> int: ...

    def marks(self) -> list[Mark]:
        """Return no marks: none can be written, so nobody is warned who lets two installations read the same
        mailbox."""
        return []

    def mark(self, mark: Mark, alone: bool) -> None:
        """Do nothing, see ``marks``."""
        return

    def idle(self, seconds: float) -> bool:
        """Look once a second for a mail. A caller who waits has just found none, so any that has come since counts."""
        return wait_until(lambda: self.waiting() > 0, seconds, POLL_SECONDS)

    def close(self) -> None:
        """Do nothing: nothing is open."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def wait_until(there: Callable[[], bool], seconds: float, every: float) -> bool:
    """Ask again and again, ``every`` so many seconds, until it is there; returns False after ``seconds``."""
    end = time.monotonic() + seconds
    while not there():
        left = end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, every))
    return True


class Refused(Exception):
    """The error for a mail that will never be taken, with the reason: it is not tried again, and the moderator is
    notified."""


class OneByOne(ABC):
    """A ``Sender`` that hands over one mail after the other."""

    @abstractmethod
    def check(self) -> None: ...

    @abstractmethod
    def deliver(self, mail: Ready) -> str:
        """Hand the mail over, complete; returns what the other side said, for the log.

        The same mail may come again after a run that died; its ``name`` is the same then. Raises Refused; OperatorError
        and TransientError, after which this mail is tried again later, and no other in this run."""
        ...

    def send(self, mails: Sequence[Ready], begin: BeginMail, report: ReportSent, more: MoreMails = tuple) -> None:
        """Send all of ``mails``, in order, then what ``more`` gives."""
        while mails:
            for mail in mails:
                if begin(mail):
                    try:
                        said = self.deliver(mail)
                    except Refused as error:
                        report(Sent(mail.row, "dead", str(error)))
                    except ModeratorError as error:
                        report(Sent(mail.row, "retry", str(error)))
                        raise
                    else:
                        report(Sent(mail.row, "sent", said, mail.sender))
            mails = more()
