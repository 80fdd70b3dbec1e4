"""A logged-in IMAP connection, and what imapclient's exceptions mean to the operator."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from moderator.errors import ModeratorError, OperatorError, TransientError
from moderator.mail import secrets
from moderator.mail.network import check_security, explain, one_line, tls_context

if TYPE_CHECKING:
    from moderator.config import Imap

CONNECT_SECONDS = 15
_PASSING = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]", "[CONTACTADMIN]", "TOO MANY", "TEMPORAR", "TRY AGAIN")
"""Words of a refused login that are no fault of the password (RFC 5530; "too many" is Gmail's and Dovecot's)."""


def port_of(imap: Imap) -> int:
    return imap.port or (993 if imap.security == "tls" else 143)


def connect(imap: Imap) -> Any:
    """An ``IMAPClient`` with nothing selected. Raises OperatorError, TransientError."""
    check_security("imap", imap.host, imap.security)
    context = None if imap.security == "plain" else tls_context("imap", imap.ca_file)
    # The secret comes before the connection: its command may ask a slow key store.
    secret = secrets.token("imap", imap) if imap.token_command else secrets.password("imap", imap)
    with talking(imap):
        client = _client(imap, context)
    try:
        with talking(imap):
            if imap.security == "starttls":
                _start_tls(imap, client, context)
            _login(imap, client, secret)
    except ModeratorError as error:
        disconnect(client)
        raise secrets.masked(error, imap.user, secret) from error.__cause__
    return client


def disconnect(client: Any) -> None:
    """Log out if that is quick, and close. Never raises."""
    try:
        client.socket().settimeout(5)
        client.logout()
    except Exception:
        # Whatever a dying connection throws, there is nothing left to do with it but to drop it.
        try:
            client.shutdown()
        except Exception:
            return


@contextmanager
def talking(imap: Imap) -> Iterator[None]:
    """Turns the errors of imapclient into ours. A plain NO or BAD becomes a TransientError with its words."""
    import imaplib

    # imapclient's own classes are subclasses of imaplib's; sockets and TLS throw OSErrors.
    try:
        yield
    except (imaplib.IMAP4.error, OSError, EOFError, UnicodeError) as error:
        if isinstance(error, UnicodeError | OSError):
            raise explain("imap", imap.host, port_of(imap), error) from error
        raise TransientError(f"{imap.host}:{port_of(imap)}: {one_line(error)}.") from error


def _client(imap: Imap, context: Any) -> Any:
    from imapclient import IMAPClient, SocketTimeout

    # It tells the log that a server's answer was no ASCII (it quotes "Erledigte Züge"), and cron would mail that. What
    # matters comes as an exception.
    logging.getLogger("imapclient").setLevel(logging.CRITICAL)
    client = IMAPClient(
        imap.host,
        port=port_of(imap),
        ssl=imap.security == "tls",
        ssl_context=context,
        timeout=SocketTimeout(min(CONNECT_SECONDS, imap.timeout), imap.timeout),
    )
    # Otherwise imapclient gives naive local times, and the hour of a clock change twice.
    client.normalise_times = False
    return client


def _start_tls(imap: Imap, client: Any, context: Any) -> None:
    from imapclient.exceptions import CapabilityError

    try:
        client.starttls(context)
    except CapabilityError:
        raise OperatorError(
            f"{imap.host}:{port_of(imap)} offers no STARTTLS.", 'Write [imap] security = "tls", or correct the port.'
        ) from None


def _login(imap: Imap, client: Any, secret: str) -> None:
    from imapclient.exceptions import IMAPClientAbortError, LoginError

    try:
        if (
            imap.token_command
            and client.has_capability("AUTH=OAUTHBEARER")
            and not client.has_capability("AUTH=XOAUTH2")
        ):
            client.oauthbearer_login(imap.user, secret)
        elif imap.token_command:
            client.oauth2_login(imap.user, secret)
        elif (imap.user + secret).isascii():
            client.login(imap.user, secret)
        else:
            # LOGIN has no charset; PLAIN is UTF-8 by definition (RFC 4616).
            client.plain_login(imap.user, secret)
    except LoginError as error:
        # imapclient wraps a lost connection as a failed login, too.
        if isinstance(error.__context__, IMAPClientAbortError | OSError):
            raise TransientError(f"{imap.host}:{port_of(imap)}: {one_line(error)}.") from None
        words = one_line(error)
        if any(passing in words.upper() for passing in _PASSING):
            raise TransientError(f"{imap.host}:{port_of(imap)}: login refused for now: {words}.") from None
        which = "token_command" if imap.token_command else "password"
        raise OperatorError(
            f"{imap.host} refuses the login of {imap.user!r}: {words}.", f"Correct [imap] user or {which}."
        ) from None
    # A server may offer more after the login (Exchange: MOVE); what it said before must not be remembered.
    client.capabilities()
