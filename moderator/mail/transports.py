"""The configured transport, opened: one of ours, or that of another package, of which whatever it does wrong is told in
one line (guarded.py).

A tick loads this: what opens something is imported where it does, so that a run with nothing to do is cheap.
"""

from __future__ import annotations

from typing import cast

from moderator.common.mails import Mailbox, Sender
from moderator.mail.settings import TRANSPORTS, ImapSettings, MailConfig, MaildirSettings, SmtpSettings
from moderator.mail.transport import Setup, Transport, Way

SECTIONS = {"imap": ("imap", "smtp"), "maildir": ("maildir",)}
"""Of the settings, by our transports."""


def open_mailbox(config: MailConfig) -> Mailbox:
    """Open the mailbox, connected and logged in. Close it, or use it as a context manager.

    Raises OperatorError (wrong login, certificate, host), TransientError (the server is away)."""
    return _load_transport(config).mailbox(_build_setup(config))


def open_sender(config: MailConfig) -> Sender:
    """Open the way out for mails. Nothing is connected before the first mail is sent."""
    return _load_transport(config).sender(_build_setup(config))


def get_mail_ways(config: MailConfig) -> tuple[Way, Way]:
    """Return in words where mails come from and where they go to. Raises OperatorError."""
    return _load_transport(config).ways(_build_setup(config))


def get_server_names(config: MailConfig) -> tuple[str, str]:
    """Return the names in errors of the servers for incoming and outgoing mails: ``host:port``; "" for a folder."""
    incoming, outgoing = get_mail_ways(config)
    return incoming.name, outgoing.name


def find_foreign_transport(config: MailConfig) -> str:
    """Find the name of the transport where another package brings it, else ""."""
    name = config.mail.transport
    return "" if name in TRANSPORTS.own else name


def _load_transport(config: MailConfig) -> Transport:
    name = config.mail.transport
    found = cast(Transport, TRANSPORTS.load_registered(name))
    if not find_foreign_transport(config):
        return found
    from moderator.mail.guarded import GuardedTransport

    return GuardedTransport(name, found)


def _build_setup(config: MailConfig) -> Setup:
    name = config.mail.transport
    table = {section: getattr(config, section) for section in SECTIONS.get(name, ())}
    return Setup(name, config.mail.address, config.file.parent, table or config.transport.get(name, {}))


# ---- The transports that moderator brings: servers (IMAP and SMTP), and two folders of this machine (Maildir).


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
        from moderator.mail import imap, smtp

        incoming: ImapSettings = setup.table["imap"]
        outgoing: SmtpSettings = setup.table["smtp"]
        return (
            Way(f"{incoming.host}:{imap.get_imap_port(incoming)}", HOW[incoming.security]),
            Way(f"{outgoing.host}:{smtp.get_smtp_port(outgoing)}", HOW[outgoing.security]),
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
