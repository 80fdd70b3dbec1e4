"""The values that pass through a transport, for packages that bring one (docs/build/contract.md)."""

from moderator.common.mails import Mailbox, Mark, RawMail, Ready, Sender, Sent

__all__ = ["Mailbox", "Mark", "RawMail", "Ready", "Sender", "Sent"]
