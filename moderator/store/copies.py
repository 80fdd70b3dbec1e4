"""Is a mail that comes in a copy of one that is known?

With a Message-ID: the same Message-ID, sender and text, whatever way it took. Old gateways and scripts give none. Then
``passe`` to one match and to another, or in two turns, must be two mails; but a mail that a server delivers again after
a crash, or that was moved back in the mailbox (``restore``, ``reread``), must be the same. So these count besides:
Date, To, Cc, Subject, and the lowest Received line. That line was written by the first server on the way, with its own
number and the second; a mail that is delivered again has more lines above it. A mail without any Received line never
met a server: in a mailbox it is told by its place there (``RawMail.place``).

Where the two wishes meet, nothing is lost: what might be another mail is one. A move that counts twice stands in the
report and can be taken back; of a move that is lost nobody ever hears. So a program that sends again what it sent
before, without a Message-ID and by another connection, has sent two mails. One thing remains: bytes without a
Message-ID and without any Received line that come through a pipe twice are one mail, because a delivery agent that
tries again looks just so.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

HEAD = 64 * 1024
_TOKEN = re.compile(rb"(?<![0-9A-Za-z])[A-Za-z][0-9A-Za-z]{1,4}-[0-9A-Za-z]{10}(?![0-9A-Za-z])")
_DELIVERED = (b"delivered-to", b"x-original-to", b"envelope-to", b"x-envelope-to", b"x-forwarded-to")
_ADDRESSED = (b"to", b"cc", b"subject")


@dataclass(frozen=True)
class MailIdentity:
    """The values of a mail that tell it from others."""

    message_id: bytes
    """As it stands there; ``<>`` and the like are none."""
    sender: bytes
    text: tuple[bytes, bytes]
    addressed: tuple[bytes, ...]
    """To, Cc and Subject."""
    seats: tuple[bytes, ...]
    """Tokens that To, Cc and Subject have; where they have none (Bcc), those to which it was delivered. One Message-ID
    for two seats is a mail for each."""
    date: bytes
    trace: tuple[bytes, ...]
    """Received lines, topmost first."""

    @property
    def has_message_id(self) -> bool:
        """True if the mail has a Message-ID."""
        return bool(self.message_id.strip(b"<> "))

    @property
    def is_traceless(self) -> bool:
        """True if nothing but its place tells the mail from others like it."""
        return not self.has_message_id and not self.trace

    @property
    def former_digest(self) -> str:
        """The digest that mails with a Message-ID have, and that others had before 0009, those to a seat until 0.4."""
        return _hash_parts(self.message_id, self.sender, *self.text)

    def compute_digest(self, place: str = "", number: int = 1) -> str:
        """Compute the digest.

        ``place``: see ``RawMail.place``, of a traceless mail only; ``number``: which one it is of those that lie there
        together."""
        if self.has_message_id and not self.seats:
            return self.former_digest
        more = () if self.has_message_id else (*self.addressed, self.date, *self.trace[-1:])
        own = _hash_parts(self.message_id, self.sender, *self.text, b"seats", *self.seats, b"more", *more)
        if not place or not self.is_traceless:
            return own
        there = _hash_parts(place.encode("utf-8", "surrogateescape"), b"%d" % number)
        return f"{own}:{there[:16]}"

    def iter_pipe_digests(self) -> Iterator[str]:
        """Yield the digests that the same mail had if it came through a pipe before, with one Received line less."""
        if not self.has_message_id and len(self.trace) == 1:
            yield replace(self, trace=()).compute_digest()


def parse_mail_identity(data: bytes) -> MailIdentity:
    """Parse the identity of a mail from its bytes."""
    head, _, body = data[:HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    addressed = tuple(b"\n".join(list_raw_headers(head, name)) for name in _ADDRESSED)
    delivered = b"\n".join(value for name in _DELIVERED for value in list_raw_headers(head, name))
    named = b"\n".join(addressed)
    seats = sorted({found.upper() for found in _TOKEN.findall(named if _TOKEN.search(named) else delivered)})
    return MailIdentity(
        find_raw_header(head, b"message-id"),
        find_raw_header(head, b"from"),
        (body, data[HEAD:]),
        addressed,
        tuple(seats),
        find_raw_header(head, b"date"),
        tuple(list_raw_headers(head, b"received")),
    )


def is_intact_mail(data: bytes, digest: str) -> bool:
    """Return whether these bytes are those that the digest was made of, by this version or an earlier one."""
    written = parse_mail_identity(data)
    return digest.partition(":")[0] in (written.compute_digest(), written.former_digest)


def is_older_mail(data: bytes, received: datetime, moment: datetime) -> bool:
    """Return whether a mail came before ``moment``, or was written more than a day before it by its own Date.

    A mail that somebody puts into a mailbox today may be years old. A clock may be a day wrong, or in another zone."""
    if received < moment:
        return True
    head, _, _ = data[:HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    try:
        written = parsedate_to_datetime(find_raw_header(head, b"date").decode("ascii", "replace"))
        return written.replace(tzinfo=written.tzinfo or UTC) < moment - timedelta(days=1)
    except (ValueError, TypeError, OverflowError):
        return False


def find_raw_header(head: bytes, name: bytes) -> bytes:
    """Find the first header of that name, white space folded; b"" without one. ``head`` has plain newlines."""
    return next(iter(list_raw_headers(head, name)), b"")


def list_raw_headers(head: bytes, name: bytes) -> list[bytes]:
    """List all headers of that name, topmost first, white space folded. ``head`` has plain newlines."""
    found = re.findall(rb"^" + name + rb":(.*(?:\n[ \t].*)*)", head, re.IGNORECASE | re.MULTILINE)
    return [b" ".join(value.split()) for value in found]


def _hash_parts(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
