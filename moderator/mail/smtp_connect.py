"""Connections to the SMTP server, logged in and ready for a mail."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

from moderator.common.errors import ModeratorError, OperatorError, TransientError
from moderator.mail import network
from moderator.mail.model import LOOK_AT, TAKES_NONE
from moderator.mail.network import build_tls_context, explain_connection_error, format_server_words, is_loopback

if TYPE_CHECKING:
    from moderator.settings import SmtpSettings


_BY_PASSWORD = {"plain", "login", "cram-md5"}


class LoginRefused(OperatorError):
    """The error of a server that does not take user and password, or the token. Its text is the server's answer."""


class SmtpConnections:
    """All connections of one run. Raises ConfigError when a secret or a certificate file is missing."""

    def __init__(self, smtp: SmtpSettings) -> None:
        self._smtp = smtp
        self._context = None if smtp.security == "plain" else build_tls_context("smtp", smtp.ca_file)
        self._secret = _fetch_secret(smtp)
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
    """Return the error of ours for a connection that failed."""
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


def _fetch_secret(smtp: SmtpSettings) -> str:
    """Fetch token or password; "" where nobody logs in. Raises ConfigError."""
    if smtp.token_command:
        return network.fetch_token("smtp", smtp)
    return network.fetch_password("smtp", smtp) if smtp.user else ""


def _get_local_name(host: str) -> str:
    """Return our name in EHLO. The full host name asks the DNS, once per run and not at all for a server on this
    machine."""
    if is_loopback(host):
        return "localhost"
    name = socket.getfqdn()
    return name if "." in name and name.isascii() and not any(c.isspace() for c in name) else "[127.0.0.1]"
