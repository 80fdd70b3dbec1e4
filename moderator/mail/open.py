"""The configured transport: IMAP and SMTP, or two Maildir folders on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moderator.config import Config
    from moderator.mail.model import Mailbox, Sender


def open_mailbox(config: Config) -> Mailbox:
    """Where mails come from, connected and logged in. Close it, or use it as a context manager.

    Raises OperatorError (wrong login, certificate, host), TransientError (the server is away).
    """
    if config.mail.transport == "maildir":
        from moderator.mail.maildir import MaildirMailbox

        return MaildirMailbox(config.path(config.maildir.inbox))
    from moderator.mail.imap import ImapMailbox

    return ImapMailbox(config.imap)


def open_sender(config: Config) -> Sender:
    """How mails leave. Nothing is connected before the first mail is sent."""
    if config.mail.transport == "maildir":
        from moderator.mail.maildir import MaildirSender

        return MaildirSender(config.path(config.maildir.outbox))
    from moderator.mail.smtp import SmtpSender

    return SmtpSender(config.smtp)


def servers(config: Config) -> tuple[str, str]:
    """Where mails come from and where they go to, as errors name them: ``host:port``; "" for a folder."""
    if config.mail.transport == "maildir":
        return "", ""
    from moderator.mail import imap, smtp_connect

    return (
        f"{config.imap.host}:{imap.port_of(config.imap)}",
        f"{config.smtp.host}:{smtp_connect.port_of(config.smtp)}",
    )
