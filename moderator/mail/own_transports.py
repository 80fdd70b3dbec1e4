"""The transports that moderator brings: servers (IMAP and SMTP), and two folders of this machine (Maildir)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moderator.mail.transport import Setup, Way

if TYPE_CHECKING:
    from moderator.mail.model import Mailbox, Sender
    from moderator.settings import ImapSettings, MaildirSettings, SmtpSettings

HOW = {"tls": "over TLS", "starttls": "over TLS (STARTTLS)", "plain": "unencrypted, on this machine"}


class ServerTransport:
    contract = 1

    def mailbox(self, setup: Setup) -> Mailbox:
        from moderator.mail.imap import ImapMailbox

        return ImapMailbox(setup.table["imap"])

    def sender(self, setup: Setup) -> Sender:
        from moderator.mail.smtp import SmtpSender

        return SmtpSender(setup.table["smtp"])

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        from moderator.mail import imap, smtp_connect

        incoming: ImapSettings = setup.table["imap"]
        outgoing: SmtpSettings = setup.table["smtp"]
        return (
            Way(f"{incoming.host}:{imap.get_imap_port(incoming)}", HOW[incoming.security]),
            Way(f"{outgoing.host}:{smtp_connect.get_smtp_port(outgoing)}", HOW[outgoing.security]),
        )


class MaildirTransport:
    contract = 1

    def mailbox(self, setup: Setup) -> Mailbox:
        from moderator.mail.maildir import MaildirMailbox

        return MaildirMailbox(setup.path(self._get_settings(setup).inbox))

    def sender(self, setup: Setup) -> Sender:
        from moderator.mail.maildir import MaildirSender

        return MaildirSender(setup.path(self._get_settings(setup).outbox))

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        settings = self._get_settings(setup)
        return Way(folder=setup.path(settings.inbox)), Way(folder=setup.path(settings.outbox))

    def _get_settings(self, setup: Setup) -> MaildirSettings:
        found: MaildirSettings = setup.table["maildir"]
        return found


IMAP, MAILDIR = ServerTransport(), MaildirTransport()
