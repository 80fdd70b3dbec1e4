"""The mails of a trial: how they are written, and how they are known again.

Each bears a mark that only this club can make, in a header and in its Message-ID, so that it stands in a delivery
report, too. Whatever bears it is no player's mail: no run takes it in (run/fetch.py). Light: a tick loads this.
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime

from moderator.common.mails import RenderedMail

HEADER = "X-Moderator-Trial"
DETAIL = "probe"
"""Stands behind the separator of a sub-address."""
BEGINS = b"moderator-trial."
_MARK = re.compile(rb"moderator-trial\.([0-9a-f]{16})\.([0-9a-f]{32})(?![0-9a-f])")


@dataclass(frozen=True)
class TrialMail:
    """One mail of a trial. ``way``: the separator of the sub-address that it goes to; "" = to the plain address."""

    mark: str
    recipient: str
    way: str
    data: bytes


def generate_trial_mark(secret: str) -> str:
    nonce = secrets.token_hex(8)
    return f"moderator-trial.{nonce}.{_compute_proof(secret, nonce)}"


def may_be_trial_mail(data: bytes) -> bool:
    """Return whether it is worth asking for the secret."""
    return BEGINS in data


def is_trial_mail(data: bytes, secret: str) -> bool:
    """Return whether a mail, or what it reports on, is of a trial of the club that has this secret.

    Looked for in all of it: a delivery report quotes the head of the mail far below its own."""
    return bool(secret) and any(
        hmac.compare_digest(found[2].decode(), _compute_proof(secret, found[1].decode()))
        for found in _MARK.finditer(data)
    )


def build_sub_address(address: str, separator: str) -> str:
    """Build ``games+probe@club.example``; the plain address without a separator."""
    local, _, domain = address.rpartition("@")
    return f"{local}{separator}{DETAIL}@{domain}" if separator else address


def compose_trial_mail(address: str, name: str, way: str, secret: str, now: datetime) -> TrialMail:
    """Compose a mail from the club's address to itself, built as all its mails are. It asks every machine not to
    answer."""
    from moderator.mail.build import compose_mail  # costs the start of each tick, which only looks for marks

    mark, recipient = generate_trial_mark(secret), build_sub_address(address, way)
    says = "This mail tries the mailbox of the games. `moderator doctor --mail` has sent it and will remove it."
    raw = compose_mail(
        RenderedMail(f"Trial of the mailbox, to {recipient}", says, f"<p>{says}</p>"),
        sender=address,
        sender_name=name,
        recipient=recipient,
        recipient_name="",
        message_id=f"<{mark}@{address.rpartition('@')[2]}>",
        date=now,
        language="en",
    )
    return TrialMail(mark, recipient, way, f"{HEADER}: {mark}\r\n".encode("ascii") + raw)


def _compute_proof(secret: str, nonce: str) -> str:
    return hmac.new(secret.encode(), nonce.encode(), "sha256").hexdigest()[:32]
