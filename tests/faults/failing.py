"""A transport as another package might bring one, over the club's mail folders: it fails at one of its calls, before or
after it has done its work."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from moderator.errors import OperatorError, TransientError
from moderator.mail.maildir import MaildirMailbox, MaildirSender
from moderator.mail.model import Mailbox, Mark, RawMail, Ready, Sender
from moderator.mail.transport import OneByOne, Polled, Setup, Way

ERRORS: dict[str, Callable[[], Exception]] = {
    "fault": lambda: KeyError("UIDNEXT"),
    "away": lambda: ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    "disk": lambda: OSError(errno.ENOSPC, "No space left on device"),
    "transient": lambda: TransientError("The queue does not answer."),
    "operator": lambda: OperatorError("The queue knows no such user.", "Correct [transport.failing] user."),
}


@dataclass
class Plan:
    """Fails at the call number ``fatal`` (0 = never) with that error. ``calls`` names those that were made, each before
    and after its work."""

    fatal: int = 0
    error: str = "fault"
    calls: list[str] = field(default_factory=list)

    def point(self, name: str) -> None:
        self.calls.append(name)
        if len(self.calls) == self.fatal:
            raise ERRORS[self.error]()

    @contextmanager
    def around(self, name: str) -> Iterator[None]:
        self.point(f"before {name}")
        yield
        self.point(f"after {name}")


PLAN = Plan()


class Box(Polled):
    def __init__(self, folder: Path) -> None:
        self.inner = MaildirMailbox(folder)

    def waiting(self) -> int:
        with PLAN.around("waiting"):
            return self.inner.waiting()

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        PLAN.point("before fetch")
        for batch in self.inner.fetch(known, max_bytes):
            for mail in batch:
                yield [mail]
                PLAN.point("amid fetch")

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        with PLAN.around("file_away"):
            self.inner.file_away(processed[:1], ())
            PLAN.point("amid file_away")
            self.inner.file_away(processed[1:], failed)

    def bring_back(self, since: datetime) -> int:
        with PLAN.around("bring_back"):
            return self.inner.bring_back(since)

    def marks(self) -> list[Mark]:
        with PLAN.around("marks"):
            return self.inner.marks()

    def mark(self, mark: Mark, alone: bool) -> None:
        with PLAN.around("mark"):
            self.inner.mark(mark, alone)

    def close(self) -> None:
        PLAN.point("close")


class Out(OneByOne):
    def __init__(self, folder: Path) -> None:
        self.inner = MaildirSender(folder)
        self.inner.check()

    def check(self) -> None:
        with PLAN.around("check"):
            self.inner.check()

    def deliver(self, mail: Ready) -> str:
        with PLAN.around("deliver"):
            return self.inner.deliver(mail)


class Failing:
    contract = 1

    def mailbox(self, setup: Setup) -> Mailbox:
        with PLAN.around("mailbox"):
            return Box(setup.folder / "mail" / "in")

    def sender(self, setup: Setup) -> Sender:
        with PLAN.around("sender"):
            return Out(setup.folder / "mail" / "out")

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        PLAN.point("ways")
        return Way("queue.example:99"), Way("queue.example:98")


TRANSPORT = Failing()
