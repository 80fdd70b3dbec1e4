"""The transports that moderator brings: servers (IMAP and SMTP), and two folders of this machine (Maildir)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moderator.mail.transport import Setup, Way

if TYPE_CHECKING:
    from moderator.config import Imap, Maildir, Smtp
    from moderator.mail.model import Mailbox, Sender

HOW = {"tls": "over TLS", "starttls": "over TLS (STARTTLS)", "plain": "unencrypted, on this machine"}


class Servers:
    contract = 1

    def mailbox(self, setup: Setup) -> Mailbox:
        from moderator.mail.imap import ImapMailbox

        return ImapMailbox(setup.table["imap"])

    def sender(self, setup: Setup) -> Sender:
        from moderator.mail.smtp import SmtpSender

        return SmtpSender(setup.table["smtp"])

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        from moderator.mail import imap, smtp_connect

        incoming: Imap = setup.table["imap"]
        outgoing: Smtp = setup.table["smtp"]
        return (
            Way(f"{incoming.host}:{imap.port_of(incoming)}", HOW[incoming.security]),
            Way(f"{outgoing.host}:{smtp_connect.port_of(outgoing)}", HOW[outgoing.security]),
        )


class Folders:
    contract = 1

    def mailbox(self, setup: Setup) -> Mailbox:
        from moderator.mail.maildir import MaildirMailbox

        return MaildirMailbox(setup.path(self._settings(setup).inbox))

    def sender(self, setup: Setup) -> Sender:
        from moderator.mail.maildir import MaildirSender

        return MaildirSender(setup.path(self._settings(setup).outbox))

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        settings = self._settings(setup)
        return Way(folder=setup.path(settings.inbox)), Way(folder=setup.path(settings.outbox))

    def _settings(self, setup: Setup) -> Maildir:
        found: Maildir = setup.table["maildir"]
        return found


IMAP, MAILDIR = Servers(), Folders()
