"""The transport of another package, held to its contract: what it does wrong is an error in one line that names it, and
loses no mail.

Whatever it raises becomes one of our errors. What it calls of ours (has this mail been taken in? may this one be sent?)
may fail, too, and then that error is the one that counts, even if the transport has caught it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Self, TypeVar

from moderator.common.errors import ModeratorError, OperatorError, TransientError, format_error_place
from moderator.common.mails import BeginMail, Mailbox, Mark, MoreMails, RawMail, Ready, ReportSent, Sender, Sent
from moderator.mail.transport import Setup, Transport, Way

T = TypeVar("T")
BATCH_MAILS = 100
HEAD_BYTES = 65_536
RESULTS = ("sent", "retry", "dead", "auth", "refused")


class ContractViolation(Exception):
    """The error of a transport that gave what its contract does not allow."""


@dataclass(frozen=True)
class GuardedTransport:
    """A transport of another package, held to its contract; see ``Transport``."""

    name: str
    inner: Transport

    @property
    def contract(self) -> int:
        return self.inner.contract

    def mailbox(self, setup: Setup) -> Mailbox:
        with self.translate_errors("mailbox", setup):
            return GuardedMailbox(self, setup, self.inner.mailbox(setup))

    def sender(self, setup: Setup) -> Sender:
        return GuardedSender(self, setup)

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        with self.translate_errors("ways"):
            incoming, outgoing = self.inner.ways(setup)
            return Way(incoming.name, incoming.how, incoming.folder), Way(outgoing.name, outgoing.how, outgoing.folder)

    @contextmanager
    def translate_errors(self, call: str, setup: Setup | None = None) -> Iterator[None]:
        """Translate all that the transport raises into one of our errors. ``setup``: it may connect, so something may
        be away."""
        try:
            yield
        except OperatorError:
            raise
        except Exception as error:
            if setup and isinstance(error, TransientError | ConnectionError | TimeoutError):
                raise TransientError(
                    f"{self._describe_outage(call, setup)}: {str(error) or type(error).__name__}"
                ) from error
            if isinstance(error, OSError):
                raise OperatorError(
                    f"The transport {self.name!r} cannot use what it needs: {error}.",
                    f"Correct [transport.{self.name}], or what it names.",
                ) from error
            said = (
                f"{error} ({call})" if isinstance(error, ContractViolation) else f"{format_error_place(error)} ({call})"
            )
            raise OperatorError(
                f"The transport {self.name!r} has a fault: {said}.",
                "No mail is lost. Tell whoever wrote it, or set another [mail] transport.",
            ) from error

    def _describe_outage(self, call: str, setup: Setup) -> str:
        """Describe what is away. Every line about it begins in the same way, so that an outage is reported once
        (run/log.py)."""
        outward = call in ("send", "check")
        name = ""
        with suppress(Exception):
            name = self.inner.ways(setup)[outward].name
        return f"The transport {self.name} cannot {'send' if outward else 'read'} mails{f' at {name}' if name else ''}"


class _Ours:
    """The calls of ours that a transport makes. The first error of one is stored."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __call__(self, call: Callable[..., T], *arguments: Any) -> T:
        try:
            return call(*arguments)
        except BaseException as error:
            self.error = self.error or error
            raise

    @contextmanager
    def raise_own_errors(self) -> Iterator[None]:
        """Raise the error of a call of ours, where one has failed, in place of any other."""
        try:
            yield
        except BaseException:
            if self.error:
                raise self.error from None
            raise
        if self.error:
            raise self.error


class GuardedMailbox:
    """The mailbox of another package's transport; see ``Mailbox``."""

    def __init__(self, transport: GuardedTransport, setup: Setup, inner: Mailbox) -> None:
        self._transport, self._setup, self._inner = transport, setup, inner

    def waiting(self) -> int:
        with self._translate_errors("waiting"):
            found: object = self._inner.waiting()
            if isinstance(found, bool) or not isinstance(found, int):
                raise ContractViolation(f"it says that {found!r} mails wait")
            return found

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        """Fetch as the contract says: batches that are too large are divided, mails that are too large are cut, and
        known mails are left out, whether or not the transport has asked."""
        ours, seen = _Ours(), set[str]()
        with ours.raise_own_errors(), self._translate_errors("fetch"):
            batches = iter(self._inner.fetch(lambda keys: ours(known, keys), max_bytes))
        while True:
            with ours.raise_own_errors(), self._translate_errors("fetch"):
                mails = [_require_mail(mail, max_bytes) for mail in next(batches, ())]
            if not mails:
                return
            old = seen | known([mail.key for mail in mails])
            fresh = list({mail.key: mail for mail in mails if mail.key not in old}.values())
            seen |= {mail.key for mail in mails}
            yield from (fresh[first : first + BATCH_MAILS] for first in range(0, len(fresh), BATCH_MAILS))

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        with self._translate_errors("file_away"):
            self._inner.file_away(processed, failed)

    def bring_back(self, since: datetime) -> int:
        with self._translate_errors("bring_back"):
            return int(self._inner.bring_back(since))

    def marks(self) -> list[Mark]:
        with self._translate_errors("marks"):
            return [*self._inner.marks()]

    def mark(self, mark: Mark, alone: bool) -> None:
        with self._translate_errors("mark"):
            self._inner.mark(mark, alone)

    def idle(self, seconds: float) -> bool:
        with self._translate_errors("idle"):
            return bool(self._inner.idle(seconds))

    def close(self) -> None:
        with suppress(Exception):
            self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _translate_errors(self, call: str) -> Iterator[None]:
        with self._transport.translate_errors(call, self._setup):
            yield


def _require_mail(mail: object, max_bytes: int) -> RawMail:
    """Return the mail, cut where it is too large. Raises ContractViolation for what is no mail as the contract says."""
    if not isinstance(mail, RawMail):
        raise ContractViolation(f"{type(mail).__name__} is no RawMail")
    if not (isinstance(mail.data, bytes) and isinstance(mail.size, int)):
        raise ContractViolation("the data of a mail are no bytes, or its size is no number")
    if not (isinstance(mail.key, str) and mail.key and isinstance(mail.place, str)):
        raise ContractViolation("a mail has no key, or a place that is no text")
    if not f"{mail.key}{mail.place}".isprintable():
        raise ContractViolation(f"the key {mail.key!r} or the place {mail.place!r} of a mail cannot be printed")
    if not isinstance(mail.received, datetime) or mail.received.utcoffset() is None:
        raise ContractViolation("when a mail was received needs a time zone")
    if not 1970 <= mail.received.year < 9999:
        raise ContractViolation(f"no mail was received in the year {mail.received.year}")
    if len(mail.data) <= max_bytes:
        return mail
    return replace(mail, data=mail.data[: min(HEAD_BYTES, max_bytes)], size=max(mail.size, len(mail.data)))


class GuardedSender:
    """See ``Sender``. The inner sender is made when it is first used: one that cannot be made must not keep mails from
    being read."""

    def __init__(self, transport: GuardedTransport, setup: Setup) -> None:
        self._transport, self._setup = transport, setup

    @cached_property
    def _inner_sender(self) -> Sender:
        return self._transport.inner.sender(self._setup)

    def check(self) -> None:
        with self._transport.translate_errors("check", self._setup):
            self._inner_sender.check()

    def send(self, mails: Sequence[Ready], begin: BeginMail, report: ReportSent, more: MoreMails = tuple) -> None:
        """Send as the contract says; a mail that was begun when an error ended it all is to be tried again, behind the
        others."""
        ours, begun = _Ours(), dict[int, Ready]()

        def begin_once(mail: Ready) -> bool:
            if mail.row in begun or not ours(begin, mail):
                return False
            begun[mail.row] = mail
            return True

        def report_once(sent: Sent) -> None:
            mail = begun.get(sent.row)
            if mail is None or sent.result not in RESULTS:
                raise ContractViolation(
                    f"it reports {sent.result!r} of a mail that it has not begun, or has reported already"
                )
            del begun[sent.row]
            ours(report, replace(sent, answer=str(sent.answer), sender=sent.sender or mail.sender))

        try:
            with ours.raise_own_errors(), self._transport.translate_errors("send", self._setup):
                self._inner_sender.send(mails, begin_once, report_once, lambda: ours(more))
        except ModeratorError as error:
            if ours.error is None:
                for row in tuple(begun):
                    report(Sent(row, "retry", str(error)))
            raise
