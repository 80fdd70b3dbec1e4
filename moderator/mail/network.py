"""What IMAP and SMTP share: when a password may travel and where it comes from, which certificates count, and what an
error means.

Light on purpose: standard library only, and ``ssl`` inside the functions. A secret is written in the configuration,
or printed by a command of the operator's choice; it is handed to the login and kept nowhere; it is in no error, no
log and no ``repr``."""

from __future__ import annotations

import base64
import ipaddress
import re
import socket
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from moderator.common import clock
from moderator.common.errors import ConfigError, ModeratorError, OperatorError, TransientError
from moderator.common.secret_settings import HIDDEN
from moderator.mail.settings import Security, ServerSettings

if TYPE_CHECKING:
    import ssl


_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")
"""What OpenSSL says when the other side answers in plain text."""


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is this machine by name or number. Nothing is looked up: a name could lie."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_security(section: str, host: str, security: Security) -> None:
    """Raise ConfigError where a password or a mail would cross a network unencrypted."""
    if security == "plain" and not is_loopback(host):
        raise ConfigError(
            f'[{section}] security = "plain" would send mail and password readable to {host}.',
            'Write security = "tls" or "starttls"; "plain" is for localhost only.',
        )


def build_tls_context(section: str, ca_file: str) -> ssl.SSLContext:
    """Build a verifying context: the system's authorities, or only those of ``ca_file``. Raises ConfigError."""
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            f"[{section}] ca_file = {ca_file!r} cannot be used: {error}.", "It must be a readable PEM file."
        ) from error


def explain_connection_error(section: str, host: str, port: int, error: BaseException) -> ModeratorError:
    """Return the error of ours for a connection that failed. Looks through the chain of causes of ``error``.

    A certificate or a name that is wrong stays wrong until somebody acts (OperatorError); everything else may pass
    (TransientError)."""
    import ssl

    where = f"{host}:{port}"
    for cause in _list_causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return explain_certificate_error(section, host, port, cause)
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
    return TransientError(f"{where}: {format_server_words(error) or type(error).__name__}.")


def format_server_words(text: object, limit: int = 300) -> str:
    """Format the words of a server or an exception on one line; bytes and odd characters made printable."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    words = " ".join(str(text).split())
    words = "".join(c if c.isprintable() else "?" for c in words)
    return words if len(words) <= limit else words[: limit - 1] + "…"


def _list_causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found


# ---- certificates ----
#
# Why a server's certificate is not taken, and who can mend that: we, its operator, or the clock of this machine.
#
# Light: standard library only, and ``ssl`` inside the functions.


_TIME = rb"(?:\x17\x0d(\d{12})Z|\x18\x0f(\d{14})Z)"
_VALIDITY = re.compile(rb"\x30[\x1e-\x22]" + _TIME + _TIME)
_SECONDS = 10
_NOT_YET, _EXPIRED, _REVOKED = 9, 10, 23
_UNKNOWN_ISSUER = (2, 18, 19, 20, 21)
"""No issuer, self-signed, self-signed in the chain, issuer not here, chain incomplete (openssl-verify(1))."""
_OTHER_NAME = (62, 64)
_WEAK = (66, 67, 68)
"""Key or digest too weak for this machine's settings."""


def explain_certificate_error(
    section: str, host: str, port: int, error: ssl.SSLCertVerificationError
) -> ModeratorError:
    """Return the error of ours. A fault that only the server's operator can mend may pass (TransientError); one in our
    settings stays (OperatorError)."""
    code, where = getattr(error, "verify_code", 0), f"{host}:{port}"
    words = getattr(error, "verify_message", "") or str(error)
    if code in (_EXPIRED, _NOT_YET):
        return _explain_out_of_date(section, host, port, expired=code == _EXPIRED)
    if code == _REVOKED:
        return TransientError(f"The certificate of {where} has been revoked; its operator must get a new one.")
    if code in _WEAK:
        return TransientError(f"The certificate of {where} is too weak ({words}); its operator must get a better one.")
    if code in _OTHER_NAME:
        return OperatorError(f"The certificate of {where} is for another name ({words}).", f"Correct [{section}] host.")
    if code in _UNKNOWN_ISSUER:
        return OperatorError(
            f"The certificate of {where} is not trusted: {words}.",
            f"Name its certificate authority in [{section}] ca_file, or correct [{section}] host.",
        )
    return OperatorError(
        f"The certificate of {where} is not trusted: {words}.",
        f"Correct [{section}] host, or name its certificate authority in [{section}] ca_file.",
    )


def _explain_out_of_date(section: str, host: str, port: int, expired: bool) -> TransientError:
    now = clock.get_wall_time()
    begins, ends = _fetch_validity(section, host, port) or (None, None)
    if expired:
        on = f" on {ends:%Y-%m-%d}" if ends is not None and ends < now else ""
        return TransientError(f"The certificate of {host}:{port} has expired{on}; its operator must renew it.")
    on = f" before {begins:%Y-%m-%d %H:%M} UTC" if begins is not None and begins > now else " yet"
    return TransientError(
        f"The certificate of {host}:{port} is not valid{on}. Here it is {now:%Y-%m-%d %H:%M} UTC; if that is wrong, set"
        " this machine's clock (NTP), else its operator must mend it."
    )


def _fetch_validity(section: str, host: str, port: int) -> tuple[datetime, datetime] | None:
    """Fetch from when to when the certificate holds, by asking for it again without judging it; nothing but the
    handshake is done there. None if that does not work."""
    import imaplib
    import smtplib
    import ssl

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for handshake in (
        _fetch_tls_certificate,
        _fetch_imap_certificate if section == "imap" else _fetch_smtp_certificate,
    ):
        try:
            return _parse_validity(handshake(host, port, context))
        except (OSError, EOFError, imaplib.IMAP4.error, smtplib.SMTPException):
            continue
    return None


def _fetch_tls_certificate(host: str, port: int, context: ssl.SSLContext) -> bytes:
    with socket.create_connection((host, port), _SECONDS) as raw, context.wrap_socket(raw, server_hostname=host) as tls:
        return tls.getpeercert(binary_form=True) or b""


def _fetch_imap_certificate(host: str, port: int, context: ssl.SSLContext) -> bytes:
    import imaplib

    client = imaplib.IMAP4(host, port, timeout=_SECONDS)
    try:
        client.starttls(context)
        return client.sock.getpeercert(binary_form=True) or b""  # type: ignore[attr-defined]
    finally:
        client.shutdown()


def _fetch_smtp_certificate(host: str, port: int, context: ssl.SSLContext) -> bytes:
    import smtplib

    client = smtplib.SMTP(host, port, timeout=_SECONDS)
    try:
        client.starttls(context=context)
        return client.sock.getpeercert(binary_form=True) or b""  # type: ignore[union-attr]
    finally:
        client.close()


def _parse_validity(certificate: bytes) -> tuple[datetime, datetime] | None:
    """Parse the two times of a certificate in DER, which stand side by side in one place only (RFC 5280, 4.1.2.5)."""
    found = _VALIDITY.search(certificate)
    if found is None:
        return None
    short, long = "%y%m%d%H%M%S", "%Y%m%d%H%M%S"
    first, last = (
        datetime.strptime(time.decode(), short if len(time) == 12 else long).replace(tzinfo=UTC)
        for time in (found[1] or found[2], found[3] or found[4])
    )
    return first, last


# ---- passwords and tokens ----


COMMAND_SECONDS = 30
SHORTEST = 4
"""A shorter secret is not looked for: its letters stand in every sentence."""


def describe_login_settings(section: str, account: ServerSettings) -> str:
    if account.token_command:
        return f"[{section}] user or token_command, which must print a token that has not expired"
    return f"[{section}] user or {'password_command' if account.password_command else 'password'}"


def build_no_login_error(
    section: str, where: str, account: ServerSettings, token_way: bool, password_way: bool
) -> OperatorError:
    """Build the error for a server that does not offer the way in which we want to log in.

    ``token_way``, ``password_way``: it offers that one. Some servers offer none before the connection is encrypted, or
    on the port for mails of other servers."""
    if account.token_command and password_way:
        return OperatorError(
            f"{where} offers no login by token.", f"Write [{section}] password_command instead of token_command."
        )
    if token_way:
        return OperatorError(
            f"{where} offers no login by password.", f"Write [{section}] token_command instead of password."
        )
    return OperatorError(
        f"{where} offers no login (AUTH) at all.",
        f'Correct [{section}] port or security ("tls" or "starttls"), or take out user where none is needed.',
    )


def fetch_secret(section: str, account: ServerSettings) -> str:
    """Fetch the password of an account, or a fresh OAuth2 token; ``section`` ("imap", "smtp") names it in errors.
    Raises ConfigError."""
    if account.token_command and not account.user:
        raise ConfigError(f"[{section}] token_command needs a user.", "Add user = the address that the token is for.")
    if account.token_command:
        return run_secret_command(f"[{section}] token_command", account.token_command)
    if account.password and account.password_command:
        raise ConfigError(f"[{section}] has both password and password_command.", "Keep one of them.")
    if account.password:
        return account.password
    if account.password_command:
        return run_secret_command(f"[{section}] password_command", account.password_command)
    raise ConfigError(
        f"[{section}] has a user but no password.", "Add password_command (or password, or token_command)."
    )


def run_secret_command(where: str, command: str, seconds: float = COMMAND_SECONDS) -> str:
    """Run ``command`` in the shell and return the first line that it prints, without its line end. Raises ConfigError.

    The command's words on stderr are not repeated: they could hold the secret."""
    again = "Run the command by hand to see why."
    try:
        done = subprocess.run(
            command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        # "from None": the exception's own text holds what the command printed so far.
        raise ConfigError(f"{where} gave no answer in {seconds:g} seconds.", again) from None
    except (OSError, ValueError):
        raise ConfigError(f"{where} cannot be run.", again) from None
    if done.returncode != 0:
        raise ConfigError(f"{where} failed with exit code {done.returncode}.", again)
    try:
        line = done.stdout.decode().split("\n", 1)[0].rstrip("\r")
    except UnicodeDecodeError:
        raise ConfigError(f"{where} printed something that is no UTF-8 text.", again) from None
    if not line:
        raise ConfigError(f"{where} printed an empty first line.", again)
    return line


def mask_secret(error: ModeratorError, user: str, secret: str) -> ModeratorError:
    """Return the same error without the secret: some servers repeat what they were sent when they refuse it."""
    if len(secret) < SHORTEST:
        return error
    sent = (f"\0{user}\0{secret}", f"{user}\0{user}\0{secret}", f"user={user}\1auth=Bearer {secret}\1\1", secret)
    forms = (*(base64.b64encode(text.encode()).decode() for text in sent), secret)
    error.args = tuple(_replace_forms(arg, forms) for arg in error.args)
    if isinstance(error, OperatorError):
        error.message = _replace_forms(error.message, forms)
    return error


def _replace_forms(text: str, forms: tuple[str, ...]) -> str:
    for form in forms:
        text = text.replace(form, HIDDEN)
    return text
