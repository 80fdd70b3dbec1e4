"""What IMAP and SMTP share: when a password may travel, which certificates count, and what an error means.

Light on purpose: standard library only, and ``ssl`` inside the functions.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING

from moderator.errors import ConfigError, ModeratorError, OperatorError, TransientError
from moderator.mail import certificates

if TYPE_CHECKING:
    import ssl

    from moderator.config import Security


_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")
"""What OpenSSL says when the other side answers in plain text."""


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine by name or number. Nothing is looked up: a name could lie."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_security(section: str, host: str, security: Security) -> None:
    """Raises ConfigError where a password or a mail would cross a network unencrypted."""
    if security == "plain" and not is_loopback(host):
        raise ConfigError(
            f'[{section}] security = "plain" would send mail and password readable to {host}.',
            'Write security = "tls" or "starttls"; "plain" is for localhost only.',
        )


def tls_context(section: str, ca_file: str) -> ssl.SSLContext:
    """Verifying context: the system's authorities, or only those of ``ca_file``. Raises ConfigError."""
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            f"[{section}] ca_file = {ca_file!r} cannot be used: {error}.", "It must be a readable PEM file."
        ) from error


def explain(section: str, host: str, port: int, error: BaseException) -> ModeratorError:
    """The error of ours for a connection that failed. Looks through the chain of causes of ``error``.

    A certificate or a name that is wrong stays wrong until somebody acts (OperatorError); everything else
    may pass (TransientError).
    """
    import ssl

    where = f"{host}:{port}"
    for cause in _chain(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return certificates.refused(section, host, port, cause)
        if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", "") in _NOT_TLS:
            return OperatorError(
                f"{where} does not speak TLS from the start.",
                f'Write [{section}] security = "starttls", or correct the port.',
            )
        if isinstance(cause, socket.gaierror):
            if cause.errno == socket.EAI_AGAIN:
                return TransientError(f"{where}: the name cannot be looked up now ({cause.strerror}).")
            return OperatorError(f"There is no host {host!r} ({cause.strerror}).", f"Correct [{section}] host.")
        if isinstance(cause, UnicodeError) and not isinstance(cause, UnicodeDecodeError):
            return OperatorError(f"{host!r} is no host name.", f"Correct [{section}] host.")
    return TransientError(f"{where}: {one_line(error) or type(error).__name__}.")


def one_line(text: object, limit: int = 300) -> str:
    """Words of a server or an exception on one line; bytes and odd characters made printable."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    words = " ".join(str(text).split())
    words = "".join(c if c.isprintable() else "?" for c in words)
    return words if len(words) <= limit else words[: limit - 1] + "…"


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found
