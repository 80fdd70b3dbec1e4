"""The settings of the mailbox and of the servers: tables of the operator's file, and what a transport is given.

Light: a tick with nothing to do loads this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from moderator.common.plugins import Registry

TRANSPORTS = Registry(
    "transport",
    "moderator.transports",
    {"imap": "moderator.mail.transports:IMAP", "maildir": "moderator.mail.transports:MAILDIR"},
    contract=1,
)
"""How mails come in and leave: mail/transport.py says what one is."""
Security = Literal["tls", "starttls", "plain"]


@dataclass(frozen=True)
class MailSettings:
    """The mailbox that players write to."""

    address: str
    transport: str = "imap"
    """"imap", "maildir", or one that another package brings, see ``TRANSPORTS``."""
    subaddress: str = "+"
    """Separator of sub-addresses, games+TOKEN@…; "" where the provider has none (the subject carries the token)."""
    authserv_id: str = ""
    """Whose Authentication-Results header is trusted; "" = nobody's."""
    max_bytes: int = 1_000_000
    """A larger mail is not read, its sender is told so."""
    replies_per_day: int = 40
    """At most so many answers to one address in a day."""
    attach_board: bool = False
    """The first mail of a match brings the touch board, where no site has it."""


@dataclass(frozen=True)
class ServerSettings:
    """The settings to reach and enter a mail server; the common part of [imap] and [smtp]."""

    host: str = ""
    port: int = 0
    """0 = the usual one: IMAP 993 for tls, 143 else; SMTP 465 for tls, 587 for starttls, 25 for plain."""
    security: Security = "tls"
    """plain only to this machine."""
    user: str = ""
    password: str = field(default="", repr=False)
    password_command: str = ""
    token_command: str = ""
    """Prints an OAuth2 access token (XOAUTH2)."""
    ca_file: str = ""
    timeout: int = 60


@dataclass(frozen=True)
class ImapSettings(ServerSettings):
    inbox: str = "INBOX"
    processed: str = "Processed"
    failed: str = "Failed"


@dataclass(frozen=True)
class SmtpSettings(ServerSettings):
    connections: int = 3
    data_timeout: int = 600
    """Seconds to wait for the answer after the mail's final dot (RFC 5321 asks for 10 minutes)."""


@dataclass(frozen=True)
class MaildirSettings:
    """transport = "maildir": incoming mail is read from ``inbox``, outgoing mail is written to ``outbox``."""

    inbox: Path = Path("mail/in")
    outbox: Path = Path("mail/out")


class MailConfig(Protocol):
    """The part of all settings that says how mails come in and leave."""

    @property
    def mail(self) -> MailSettings: ...
    @property
    def transport(self) -> Mapping[str, Mapping[str, Any]]: ...
    @property
    def file(self) -> Path: ...
