"""Sending over SMTP: a few connections side by side, each mail with its fate.

The event loop runs inside ``send`` in the caller's thread, so ``begin`` and ``report`` may use the caller's
database connection. aiosmtplib is imported inside the functions.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from moderator.errors import ModeratorError, OperatorError
from moderator.mail.model import Ready, Sent
from moderator.mail.network import check_security, one_line
from moderator.mail.smtp_connect import Connections, LoginRefused

if TYPE_CHECKING:
    from moderator.config import Smtp
import re
from dataclasses import dataclass
from typing import Literal

FAILURES = 3
"""So many lost or refused connections in a row end a run."""


class SmtpSender:
    """Hands finished mails to an SMTP server; see ``moderator.mail.model.Sender``.

    Raises ConfigError at once where mail would travel in clear to a foreign host.
    """

    def __init__(self, smtp: Smtp) -> None:
        check_security("smtp", smtp.host, smtp.security)
        self._smtp = smtp

    def send(
        self,
        mails: Sequence[Ready],
        begin: Callable[[Ready], bool],
        report: Callable[[Sent], None],
        more: Callable[[], Sequence[Ready]] = tuple,
    ) -> None:
        """Send ``mails`` in their order, over at most ``connections`` connections; then what ``more`` gives, until
        it gives nothing. It is asked while mails are under way, so making them and sending them overlap.

        ``begin`` is called before a mail's MAIL FROM, ``report`` after its last answer, always in this pair; a mail
        for which ``begin`` says no is left out.
        Mails that were not begun when the run ends early (login refused, server overloaded, three lost
        connections in a row) get neither. A refused login is reported as "auth" for the first mail only.

        Raises, with nothing begun, when the first connection fails: TransientError (server away) or
        OperatorError (certificate, host name, no STARTTLS). Errors of ``begin`` and ``report`` end the run
        after the mails then under way, and are raised.
        """
        if mails:
            asyncio.run(_Run(self._smtp, mails, begin, report, more).drain())

    def check(self) -> None:
        """Connect, log in and leave. Raises OperatorError, TransientError."""
        asyncio.run(_check(self._smtp))

    def refusal(self, sender: str, recipient: str) -> str:
        """The server's words when it takes no mails to ``recipient`` under that envelope sender; "" = it does, or says
        so only of a whole mail. Sends nothing. Raises OperatorError, TransientError."""
        return asyncio.run(_refusal(self._smtp, Ready(0, sender, recipient, b"")))


class _Run:
    """One call of ``send``."""

    def __init__(
        self,
        smtp: Smtp,
        mails: Sequence[Ready],
        begin: Callable[[Ready], bool],
        report: Callable[[Sent], None],
        more: Callable[[], Sequence[Ready]] = tuple,
    ) -> None:
        self.smtp = smtp
        self.pending = deque(mails)
        self.begin = begin
        self.report = report
        self.more: Callable[[], Sequence[Ready]] | None = more
        self.halted = False
        self.failures = 0
        """Connections lost or refused since the last answer to a mail."""
        self.connections = Connections(smtp)
        self.plain_only = False
        """The server has refused a mail's own return path, and taken the same mail under the plain address."""
        self.any_sender = False
        """It has taken a mail with a return path of its own, so what it refuses now is not that."""

    async def drain(self) -> None:
        """Send everything. The first connection is alone, so that a wrong password is tried once only."""
        try:
            client = await self._first()
            if client is None:
                return
            self._fill()
            workers = min(self.smtp.connections, len(self.pending))
            tasks = [self._work(client), *(self._work(None) for _ in range(workers - 1))]
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    raise outcome
        finally:
            await self.connections.close()

    def _fill(self) -> bool:
        """Ask for more mails before the last ones are taken; whether any are left."""
        while self.more is not None and len(self.pending) < self.smtp.connections:
            found = self.more()
            self.pending.extend(found)
            if not found:
                self.more = None
        return bool(self.pending)

    async def _first(self) -> Any:
        """A logged-in client, or None if the login was refused (then that is reported)."""
        try:
            return await self.connections.connect()
        except LoginRefused as error:
            mail = self.pending[0]
            if self.begin(mail):
                self.report(Sent(mail.row, "auth", str(error)))
            return None

    async def _work(self, client: Any) -> None:
        """Take mails from the queue until it is empty or the run ends."""
        try:
            while not self.halted and self._fill():
                if client is None:
                    client = await self._another()
                    if client is None and self.connections.open:
                        # The server wants fewer connections from us: the others do it.
                        return
                    # Meanwhile other workers may have taken the last mail, or given up.
                    continue
                mail = self.pending.popleft()
                if not self.begin(mail):
                    continue
                fate = await self._deliver(client, mail)
                self.failures = 0 if fate.alive else self.failures + 1
                self.halted = self.halted or fate.halt or self.failures >= FAILURES
                self.report(fate.sent)
                if not fate.alive:
                    self.connections.drop(client)
                    client = None
        except BaseException:
            self.halted = True
            raise
        finally:
            if client is not None:
                await self.connections.quit(client)

    async def _deliver(self, client: Any, mail: Ready) -> Fate:
        """One mail, under the plain address if the server wants no other. Some say so at once, others only of the
        recipient or of the whole mail, so before one has taken a return path each refusal may mean that."""
        plain = replace(mail, sender=mail.plain or mail.sender)
        if self.plain_only or plain == mail:
            return await _deliver(client, plain, self.smtp.data_timeout)
        fate = await _deliver(client, mail, self.smtp.data_timeout)
        self.any_sender |= fate.sent.result == "sent"
        if fate.sent.result != "dead" or self.any_sender:
            return fate
        if not fate.alive:  # it is tried again, in the end under the plain address
            return replace(fate, sent=replace(fate.sent, result="retry"))
        again = await _deliver(client, plain, self.smtp.data_timeout)
        self.plain_only |= again.sent.result == "sent"
        return again

    async def _another(self) -> Any:
        """A further connection, or None; with no other up, too many failures end the run."""
        try:
            return await self.connections.connect()
        except ModeratorError:
            if self.connections.open:
                return None
            self.failures += 1
            self.halted = self.halted or self.failures >= FAILURES
            # A server that is being restarted gets a moment.
            await asyncio.sleep(0.2 * self.failures)
            return None


async def _check(smtp: Smtp) -> None:
    connections = Connections(smtp)
    try:
        await connections.quit(await connections.connect())
    except LoginRefused as error:
        which = "token_command" if smtp.token_command else "password"
        raise OperatorError(
            f"{smtp.host} refuses the login of {smtp.user!r}: {error}.", f"Correct [smtp] user or {which}."
        ) from error
    finally:
        await connections.close()


async def _refusal(smtp: Smtp, mail: Ready) -> str:
    from aiosmtplib.errors import SMTPResponseException

    connections = Connections(smtp)
    try:
        client = await connections.connect()
        try:
            await _envelope(client, mail)
        except SMTPResponseException as error:
            return one_line(f"{error.code} {error.message}") if 500 <= error.code < 600 else ""
        finally:
            await connections.quit(client)
    finally:
        await connections.close()
    return ""


async def _deliver(client: Any, mail: Ready, data_timeout: float) -> Fate:
    """One mail: MAIL, RCPT, DATA. (aiosmtplib's sendmail has a single timeout and hides a failed RSET.)"""
    # aiosmtplib would make the best of such an address; a mail to the wrong person is worse than none.
    if any(c in "<>," or c.isspace() or not c.isprintable() for c in mail.sender + mail.recipient):
        return Fate(Sent(mail.row, "dead", one_line(f"This is no address: {mail.recipient}")))
    try:
        if not await _envelope(client, mail):
            return Fate(Sent(mail.row, "dead", "Not ASCII, and this server has no SMTPUTF8: " + mail.recipient))
        # RFC 5321 asks for 10 minutes after the final dot: who hangs up earlier sends the mail twice.
        response = await client.data(mail.data, timeout=data_timeout)
        fate = answered(mail.row, response.code, response.message, "data")
        return replace(fate, sent=replace(fate.sent, sender=mail.sender)) if fate.sent.result == "sent" else fate
    except Exception as error:
        fate = failed(mail.row, error)
    return await _reset(client, fate)


async def _envelope(client: Any, mail: Ready) -> bool:
    """MAIL and RCPT; False if the server takes no such addresses at all."""
    options = _options(client, mail)
    if options is None:
        return False
    encoding = "utf-8" if "SMTPUTF8" in options else "ascii"
    await client.mail(mail.sender, options=options, encoding=encoding)
    await client.rcpt(mail.recipient, encoding=encoding)
    return True


async def _reset(client: Any, fate: Fate) -> Fate:
    """Clear the envelope after a refusal; a connection that cannot do that is given up."""
    from aiosmtplib.errors import SMTPException

    if fate.alive:
        try:
            await client.rset()
        except (SMTPException, OSError, EOFError):
            return Fate(fate.sent, alive=False, halt=fate.halt)
    return fate


def _options(client: Any, mail: Ready) -> list[str] | None:
    """Parameters of MAIL FROM by what the server offers; None if the address needs what it does not."""
    options: list[str] = []
    if client.supports_extension("size"):
        options.append(f"SIZE={len(mail.data)}")
    if client.supports_extension("8bitmime") and not mail.data.isascii():
        options.append("BODY=8BITMIME")
    if not (mail.sender + mail.recipient).isascii():
        if not client.supports_extension("smtputf8"):
            return None
        options.append("SMTPUTF8")
    return options


# ---- what a server answers ----
#
# What an SMTP server's answer, or its silence, means for one mail.


_AUTH_CODES = (530, 534, 535, 538)
Stage = Literal["mail", "rcpt", "data", "other"]
"""What was answered: the sender, the recipient, the mail itself, anything else."""
_POLICY = re.compile(r"^4\.7\.\d")
"""Enhanced status "security or policy" (RFC 3463)."""
_CONGESTED = re.compile(r"^5\.4\.5\b")
"""Enhanced status "mail system congestion" (RFC 3463): Gmail's answer to more mails than it takes in a day. It says
nothing of the recipient."""
_TOO_MUCH = re.compile(r"too (?:many|much|fast|often)|rate|limit|quota|throttl|exceed", re.IGNORECASE)


@dataclass(frozen=True)
class Fate:
    """What became of a mail, and what it means for the connection and the run."""

    sent: Sent
    alive: bool = True
    """The connection can take another mail."""
    halt: bool = False
    """No other mail should be tried in this run."""


def answered(row: int, code: int, words: str, stage: Stage = "other") -> Fate:
    """The server answered with ``code`` and ``words`` at ``stage``."""
    answer = one_line(f"{code} {words}")
    if 200 <= code < 300:
        return Fate(Sent(row, "sent", answer))
    if code in _AUTH_CODES:
        return Fate(Sent(row, "auth", answer), alive=False, halt=True)
    if 500 <= code < 600 and _CONGESTED.match(words):
        return Fate(Sent(row, "retry", answer), halt=True)
    if 500 <= code < 600:
        return Fate(Sent(row, "dead", answer))
    # 4xx; and codes that do not exist: aiosmtplib reports an answer that cannot be read as -1.
    busy = code == 421 or _about_us(words, stage)
    return Fate(Sent(row, "retry", answer), alive=400 <= code < 500 and code != 421, halt=busy)


def _about_us(words: str, stage: Stage) -> bool:
    """Whether the server wants less of us for now, so that the other mails had better wait as well. Said of the sender,
    or before a mail, any policy is about us; said of a recipient it is about that one (greylisting, a full mailbox); at
    the end of a mail it may be either, and the words decide."""
    if not _POLICY.match(words):
        return False
    return stage in ("mail", "other") or (stage == "data" and bool(_TOO_MUCH.search(words)))


def failed(row: int, error: BaseException) -> Fate:
    """What ``error``, thrown by aiosmtplib during a mail, means. Unknown errors are thrown again."""
    from aiosmtplib import errors

    stages: tuple[tuple[type[Exception], Stage], ...] = (
        (errors.SMTPSenderRefused, "mail"),
        (errors.SMTPRecipientRefused, "rcpt"),
        (errors.SMTPDataError, "data"),
    )
    for kind, stage in stages:
        if isinstance(error, kind) and isinstance(error, errors.SMTPResponseException):
            return answered(row, error.code, error.message, stage)
    if isinstance(error, errors.SMTPResponseException):
        return answered(row, error.code, error.message)
    if isinstance(error, OSError | TimeoutError | EOFError | errors.SMTPException):
        # Lost or silent. Also after the final dot, when the mail may have arrived: it is sent again with the
        # same Message-ID, because a mail twice is better than none (RFC 1047).
        return Fate(Sent(row, "retry", one_line(error) or type(error).__name__), alive=False)
    if isinstance(error, ValueError):
        return Fate(Sent(row, "dead", one_line(f"The address cannot be used: {error}")))
    raise error
