"""Sending over SMTP: a few connections side by side, each mail with its fate.

The event loop runs inside ``send`` in the caller's thread, so ``begin`` and ``report`` may use the caller's
database connection. aiosmtplib is imported inside the functions.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from moderator.common.errors import ModeratorError, OperatorError, TransientError
from moderator.common.mails import LOOK_AT, TAKES_NONE, BeginMail, MoreMails, Ready, ReportSent, Sent
from moderator.mail import network
from moderator.mail.build import iter_mail_versions
from moderator.mail.network import (
    build_tls_context,
    check_security,
    explain_connection_error,
    format_server_words,
    is_loopback,
)
from moderator.mail.settings import SmtpSettings
from moderator.mail.smtp_answers import Fate, add_setting_hint, classify_answer, classify_failure, normalize_answer

_BY_PASSWORD = {"plain", "login", "cram-md5"}


class LoginRefused(OperatorError):
    """The error of a server that does not take user and password, or the token. Its text is the server's answer."""


class SmtpConnections:
    """All connections of one run. Raises ConfigError when a secret or a certificate file is missing."""

    def __init__(self, smtp: SmtpSettings) -> None:
        self._smtp = smtp
        self._context = None if smtp.security == "plain" else build_tls_context("smtp", smtp.ca_file)
        self._secret = network.fetch_secret("smtp", smtp) if smtp.user or smtp.token_command else ""
        self._local_name = _get_local_name(smtp.host)
        self._transports: list[Any] = []
        """Of every connection there was."""
        self.open = 0
        """How many are up."""

    async def connect(self) -> Any:
        """Return a logged-in ``aiosmtplib.SMTP``.

        Raises LoginRefused, OperatorError (certificate, host name, no STARTTLS) or TransientError (away, busy)."""
        import aiosmtplib

        client = aiosmtplib.SMTP(
            hostname=self._smtp.host,
            port=get_smtp_port(self._smtp),
            timeout=self._smtp.timeout,
            # Never None: that would upgrade only if the server (or somebody on the way) says it can.
            use_tls=self._smtp.security == "tls",
            start_tls=self._smtp.security == "starttls",
            tls_context=self._context,
            local_hostname=self._local_name,
        )
        try:
            await client.connect()
            if client.transport is not None:  # the server has not hung up already
                self._transports.append(client.transport)
            if client.is_ehlo_or_helo_needed:
                # Without TLS nobody has said hello yet, and what the server offers is not known.
                await _send_hello(client)
            await self._log_in(client)
        except (aiosmtplib.SMTPException, OSError, EOFError, UnicodeError) as error:
            client.close()
            raise network.mask_secret(_explain_error(self._smtp, error), self._smtp.user, self._secret) from error
        except BaseException:
            client.close()
            raise
        self.open += 1
        return client

    def drop(self, client: Any) -> None:
        """Close a connection that is of no more use."""
        client.close()
        self.open -= 1

    async def quit(self, client: Any) -> None:
        """Say goodbye if that is quick. The mails are sent: nothing that fails here matters."""
        from aiosmtplib.errors import SMTPException

        try:
            await client.quit(timeout=5)
        except (SMTPException, OSError, EOFError):
            pass
        finally:
            self.drop(client)

    async def close(self) -> None:
        """Abort the connections that are left: closing TLS only says that one would like to, and waits for the other
        side."""
        for transport in self._transports:
            transport.abort()
        await asyncio.sleep(0)

    async def _log_in(self, client: Any) -> None:
        """Log in. Not left to aiosmtplib's connect: an empty user name would make it log in without one."""
        ways = {way.lower() for way in client.server_auth_methods}
        token_way, password_way = "xoauth2" in ways, bool(ways & _BY_PASSWORD)
        if self._smtp.user and not (token_way if self._smtp.token_command else password_way):
            where = f"{self._smtp.host}:{get_smtp_port(self._smtp)}"
            raise network.build_no_login_error("smtp", where, self._smtp, token_way, password_way)
        if self._smtp.token_command:
            await client.auth_xoauth2(self._smtp.user, self._secret)
        elif self._smtp.user:
            await client.login(self._smtp.user, self._secret)


def get_smtp_port(smtp: SmtpSettings) -> int:
    return smtp.port or {"tls": 465, "starttls": 587, "plain": 25}[smtp.security]


async def _send_hello(client: Any) -> None:
    from aiosmtplib.errors import SMTPHeloError

    try:
        await client.ehlo()
    except SMTPHeloError:
        await client.helo()


def _explain_error(smtp: SmtpSettings, error: BaseException) -> ModeratorError:
    from aiosmtplib import errors

    where = f"{smtp.host}:{get_smtp_port(smtp)}"
    if isinstance(error, errors.SMTPResponseException):
        words = format_server_words(f"{error.code} {error.message}")
        if not 500 <= error.code < 600:
            return TransientError(f"{where}: {words}.")
        if isinstance(error, errors.SMTPAuthenticationError):
            return LoginRefused(words)
        fix = "[smtp] host and port, or ask the provider"
        return OperatorError(f"{TAKES_NONE}{words.rstrip('.')} (said by {where} before any mail){LOOK_AT}{fix}.")
    if isinstance(error, errors.SMTPException) and not isinstance(error, OSError):
        # Not in the server's list: STARTTLS, AUTH or one of its kinds.
        return OperatorError(f"{where}: {format_server_words(error)}", "Correct [smtp] security, port or login.")
    return explain_connection_error("smtp", smtp.host, get_smtp_port(smtp), error)


def _get_local_name(host: str) -> str:
    """Return our name in EHLO. The full host name asks the DNS, once per run and not at all for a server on this
    machine."""
    if is_loopback(host):
        return "localhost"
    name = socket.getfqdn()
    return name if "." in name and name.isascii() and not any(c.isspace() for c in name) else "[127.0.0.1]"


FAILURES = 3
"""So many lost or refused connections in a row end a run; and so many recipients in a row whose mails are refused."""


class SmtpSender:
    """A sender that hands finished mails to an SMTP server; see ``moderator.common.mails.Sender``.

    Raises ConfigError at once where mail would travel in clear to a foreign host."""

    def __init__(self, smtp: SmtpSettings) -> None:
        check_security("smtp", smtp.host, smtp.security)
        self._smtp = smtp

    def send(self, mails: Sequence[Ready], begin: BeginMail, report: ReportSent, more: MoreMails = tuple) -> None:
        """Send ``mails`` in their order, over at most ``connections`` connections; then what ``more`` gives, until
        it gives nothing. It is asked while mails are under way, so making them and sending them overlap.

        ``begin`` is called before a mail's MAIL FROM, ``report`` after its last answer, always in this pair; a mail
        for which ``begin`` says no is left out.
        Mails that were not begun when the run ends early (login refused, server overloaded, three lost
        connections in a row, the same refusal for three recipients) get neither. A refused login is reported as
        "auth" for the first mail only. A mail that is too large for the server leaves with less in it.

        Raises, with nothing begun, when the first connection fails: TransientError (server away) or
        OperatorError (certificate, host name, no STARTTLS). Errors of ``begin`` and ``report`` end the run
        after the mails then under way, and are raised.
        """
        if mails:
            asyncio.run(_Run(self._smtp, mails, begin, report, more).send_all())

    def check(self) -> None:
        asyncio.run(_check_connection(self._smtp))

    def find_refusal(self, sender: str, recipient: str) -> Sent | None:
        """Find the refusal that a mail to ``recipient`` under that envelope sender would meet; None = there is none, or
        the server would say so only of a whole mail.

        Sends nothing. Raises OperatorError, TransientError."""
        return asyncio.run(_find_refusal(self._smtp, Ready(0, sender, recipient, b"")))


class _Run:
    """One call of ``send``."""

    def __init__(
        self, smtp: SmtpSettings, mails: Sequence[Ready], begin: BeginMail, report: ReportSent, more: MoreMails
    ) -> None:
        self.smtp, self.pending, self.begin, self.report = smtp, deque(mails), begin, report
        self.more: MoreMails | None = more
        self.halted = False
        self.failures = 0
        """Connections lost or refused since the last answer to a mail."""
        self.taken = False
        """The server has taken a mail in this run."""
        self.refused: dict[str, set[str]] = {}
        """Recipients of mails that it has refused since then, by its words."""
        self.unheard: list[Sent] = []
        """Refused for their recipients' sake, as a server says that has taken nothing yet."""
        self.connections = SmtpConnections(smtp)
        self.plain_only = False
        """The server has refused a mail's own return path, and taken the same mail under the plain address."""
        self.any_sender = False
        """It has taken a mail with a return path of its own, so what it refuses now is not that."""

    async def send_all(self) -> None:
        """Send everything. The first connection is the only one at first, so that a wrong password is tried once
        only."""
        try:
            client = await self._open_first_connection()
            if client is None:
                return
            self._fill_queue()
            workers = min(self.smtp.connections, len(self.pending))
            tasks = [self._work_off_queue(client), *(self._work_off_queue(None) for _ in range(workers - 1))]
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    raise outcome
            self._report_held_back()
        finally:
            await self.connections.close()

    def _fill_queue(self) -> bool:
        """Ask for more mails before the last ones are taken; returns whether any are left."""
        while self.more is not None and len(self.pending) < self.smtp.connections:
            found = self.more()
            self.pending.extend(found)
            if not found:
                self.more = None
        return bool(self.pending)

    async def _open_first_connection(self) -> Any:
        """Return a logged-in client, or None if the login was refused (then that is reported)."""
        try:
            return await self.connections.connect()
        except LoginRefused as error:
            mail = self.pending[0]
            if self.begin(mail):
                self.report(add_setting_hint(self.smtp, Sent(mail.row, "auth", str(error))))
            return None

    async def _work_off_queue(self, client: Any) -> None:
        """Take mails from the queue until it is empty or the run ends."""
        try:
            while not self.halted and self._fill_queue():
                if client is None:
                    client = await self._open_further_connection()
                    if client is None and self.connections.open:
                        # The server wants fewer connections from us: the others do it.
                        return
                    # Meanwhile other workers may have taken the last mail, or given up.
                    continue
                mail = self.pending.popleft()
                if not self.begin(mail):
                    continue
                fate = await self._deliver_fitting(client, mail)
                self.failures = 0 if fate.alive else self.failures + 1
                self.halted = self.halted or fate.halt or self.failures >= FAILURES
                self._report_fate(fate, mail.recipient)
                if not fate.alive:
                    self.connections.drop(client)
                    client = None
        except BaseException:
            self.halted = True
            raise
        finally:
            if client is not None:
                await self.connections.quit(client)

    def _report_fate(self, fate: Fate, recipient: str) -> None:
        """Report a mail's fate. The refusal of a recipient by a server that has taken nothing yet is held back: one
        that says the same of everybody means us."""
        sent, ours = fate.sent, fate.sent.result in ("auth", "refused")
        if sent.result == "sent":
            self.taken = True
            self.refused.clear()
            self._report_held_back()
        elif fate.by_server and (ours or sent.result == "dead"):
            alike = self.refused.setdefault(normalize_answer(sent.answer), set())
            alike.add(recipient)
            self.halted |= len(alike) >= FAILURES and (ours or not self.taken)
        if sent.result == "dead" and fate.by_server and not self.taken:
            self.unheard.append(sent)
        else:
            self.report(add_setting_hint(self.smtp, sent) if ours else sent)

    def _report_held_back(self) -> None:
        """Report what was held back: it is about the recipients, unless the same was said of three and nothing
        taken."""
        of_us = any(len(alike) >= FAILURES for alike in self.refused.values())
        for sent in self.unheard:
            self.report(add_setting_hint(self.smtp, replace(sent, result="refused")) if of_us else sent)
        self.unheard.clear()

    async def _deliver_fitting(self, client: Any, mail: Ready) -> Fate:
        """Deliver one mail, with as much in it as the server takes."""
        told = client.esmtp_extensions.get("size", "").split()  # RFC 1870; 0 = it does not say
        most = int(told[0]) or None if told and told[0].isdecimal() else None
        fate = Fate(Sent(mail.row, "refused", f"it takes no mail of more than {most} bytes"))
        for data in iter_mail_versions(mail.data):
            if most is None or len(data) <= most:
                fate = await self._deliver_by_address(client, replace(mail, data=data))
                if not (fate.too_large and fate.alive):
                    break
        return fate

    async def _deliver_by_address(self, client: Any, mail: Ready) -> Fate:
        """Deliver one mail, under the plain address if the server takes no other.

        Some servers say so at once, others only of the recipient or of the whole mail, so before one has taken a return
        path each refusal may mean that."""
        plain = replace(mail, sender=mail.plain or mail.sender)
        if self.plain_only or plain == mail:
            return await _deliver_mail(client, plain, self.smtp.data_timeout)
        fate = await _deliver_mail(client, mail, self.smtp.data_timeout)
        self.any_sender |= fate.sent.result == "sent"
        if fate.sent.result not in ("dead", "refused") or fate.too_large or self.any_sender:
            return fate
        if not fate.alive:  # it is tried again, in the end under the plain address
            return replace(fate, sent=replace(fate.sent, result="retry"))
        again = await _deliver_mail(client, plain, self.smtp.data_timeout)
        self.plain_only |= again.sent.result == "sent"
        return again

    async def _open_further_connection(self) -> Any:
        """Return a further connection, or None; with no other up, too many failures end the run."""
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


async def _check_connection(smtp: SmtpSettings) -> None:
    connections = SmtpConnections(smtp)
    try:
        await connections.quit(await connections.connect())
    except LoginRefused as error:
        raise OperatorError(TAKES_NONE + add_setting_hint(smtp, Sent(0, "auth", str(error))).answer) from error
    finally:
        await connections.close()


async def _find_refusal(smtp: SmtpSettings, mail: Ready) -> Sent | None:
    from aiosmtplib.errors import SMTPException

    connections = SmtpConnections(smtp)
    try:
        client = await connections.connect()
        try:
            await _send_envelope(client, mail)
        except SMTPException as error:
            sent = classify_failure(0, error).sent
            return sent if sent.result == "dead" else add_setting_hint(smtp, sent) if sent.result != "retry" else None
        finally:
            await connections.quit(client)
    finally:
        await connections.close()
    return None


async def _deliver_mail(client: Any, mail: Ready, data_timeout: float) -> Fate:
    """Deliver one mail: MAIL, RCPT, DATA. (aiosmtplib's sendmail has a single timeout and hides a failed RSET.)"""
    # aiosmtplib would make the best of such an address; a mail to the wrong person is worse than none.
    if any(c in "<>," or c.isspace() or not c.isprintable() for c in mail.sender + mail.recipient):
        return Fate(
            Sent(mail.row, "dead", format_server_words(f"This is no address: {mail.recipient}")), by_server=False
        )
    try:
        if not await _send_envelope(client, mail):
            words = "Not ASCII, and this server has no SMTPUTF8: "
            return Fate(Sent(mail.row, "dead", words + mail.recipient), by_server=False)
        # RFC 5321 asks for 10 minutes after the final dot: who hangs up earlier sends the mail twice.
        response = await client.data(mail.data, timeout=data_timeout)
        fate = classify_answer(mail.row, response.code, response.message, "data")
        return replace(fate, sent=replace(fate.sent, sender=mail.sender)) if fate.sent.result == "sent" else fate
    except Exception as error:
        fate = classify_failure(mail.row, error)
    return await _reset_connection(client, fate)


async def _send_envelope(client: Any, mail: Ready) -> bool:
    """Send MAIL and RCPT; returns False if the server takes no such addresses at all."""
    options = _list_mail_options(client, mail)
    if options is None:
        return False
    encoding = "utf-8" if "SMTPUTF8" in options else "ascii"
    await client.mail(mail.sender, options=options, encoding=encoding)
    await client.rcpt(mail.recipient, encoding=encoding)
    return True


async def _reset_connection(client: Any, fate: Fate) -> Fate:
    """Clear the envelope after a refusal; a connection that cannot do that is given up."""
    from aiosmtplib.errors import SMTPException

    if fate.alive:
        try:
            await client.rset()
        except (SMTPException, OSError, EOFError):
            return replace(fate, alive=False)
    return fate


def _list_mail_options(client: Any, mail: Ready) -> list[str] | None:
    """List the parameters of MAIL FROM by what the server offers; None if the address needs what it does not."""
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
