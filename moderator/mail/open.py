"""The configured transport, opened: one of ours, or that of another package, of which whatever it does wrong is told in
one line (guarded.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from moderator.config import TRANSPORTS
from moderator.mail.transport import Setup, Transport, Way

if TYPE_CHECKING:
    from moderator.config import Config
    from moderator.mail.model import Mailbox, Sender

SECTIONS = {"imap": ("imap", "smtp"), "maildir": ("maildir",)}
"""Of the settings, by our transports."""


def open_mailbox(config: Config) -> Mailbox:
    """Where mails come from, connected and logged in. Close it, or use it as a context manager.

    Raises OperatorError (wrong login, certificate, host), TransientError (the server is away).
    """
    return _transport(config).mailbox(_setup(config))


def open_sender(config: Config) -> Sender:
    """How mails leave. Nothing is connected before the first mail is sent."""
    return _transport(config).sender(_setup(config))


def ways(config: Config) -> tuple[Way, Way]:
    """Where mails come from and where they go to, in words. Raises OperatorError."""
    return _transport(config).ways(_setup(config))


def servers(config: Config) -> tuple[str, str]:
    """Where mails come from and where they go to, as errors name them: ``host:port``; "" for a folder."""
    incoming, outgoing = ways(config)
    return incoming.name, outgoing.name


def foreign(config: Config) -> str:
    """Name of the transport where another package brings it, else ""."""
    name = config.mail.transport
    return "" if name in TRANSPORTS.own else name


def _transport(config: Config) -> Transport:
    name = config.mail.transport
    found = cast(Transport, TRANSPORTS.load(name))
    if not foreign(config):
        return found
    from moderator.mail.guarded import Guarded

    return Guarded(name, found)


def _setup(config: Config) -> Setup:
    name = config.mail.transport
    table = {section: getattr(config, section) for section in SECTIONS.get(name, ())}
    return Setup(name, config.mail.address, config.file.parent, table or config.transport.get(name, {}))
