"""The values that pass between transports, reader and service."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal, Protocol, Self

from moderator.common.errors import TransientError


@dataclass(frozen=True)
class RawMail:
    """A mail as the mailbox gave it."""

    key: str
    """Where it lies: "UIDVALIDITY:UID" (IMAP), the unique part of the file name (Maildir), "pipe:HASH"."""
    data: bytes
    received: datetime
    """Aware UTC: IMAP INTERNALDATE, Maildir delivery time."""
    size: int
    """Full size in bytes; larger than len(data) when only the head was fetched."""
    place: str = ""
    """What tells it from others of the same bytes and stays when it is moved back into the inbox: INTERNALDATE (IMAP),
    the first name of its file (Maildir); "" = nothing (a pipe)."""

    @property
    def truncated(self) -> bool:
        return self.size > len(self.data)


@dataclass(frozen=True)
class Mark:
    """A mark that an installation leaves in the mailbox that it reads."""

    id: str
    at: datetime
    """Aware UTC."""
    where: str
    """Machine and folder, for people."""

    def text(self) -> str:
        """Format the mark on one line; ``Mark.read`` reads it."""
        return json.dumps({"id": self.id, "at": self.at.astimezone(UTC).isoformat(), "where": self.where})

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a mark; None for what is none."""
        try:
            values = json.loads(text)
            at = datetime.fromisoformat(values["at"])
            return cls(str(values["id"]), at, str(values["where"])) if at.tzinfo else None
        except (ValueError, TypeError, KeyError, RecursionError):
            return None


class UnreadableMailsError(TransientError):
    """The mails that lie in the mailbox and cannot be read, when all others have been handed out."""

    def __init__(self, mails: Mapping[str, str]) -> None:
        super().__init__(f"The mailbox does not hand out some of its mails: {'; '.join(mails.values())}.")
        self.mails = dict(mails)
        """By key: how the operator finds it, in no language."""


class Mailbox(Protocol):
    """The source of mails. Used as a context manager. Errors: TransientError, OperatorError."""

    def waiting(self) -> int:
        """Return the number of mails there; cheap (STATUS or a folder listing)."""
        ...

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        """Yield new mails, oldest first, in batches of at most 100.

        ``known`` tells which of the given keys were taken in by an earlier run; their bodies are not fetched again. A
        mail above ``max_bytes`` comes truncated to its first 64 KiB. Raises UnreadableMailsError after the last batch
        where some could not be read."""
        ...

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        """Move mails out of the inbox, in one batch each. Vanished ones are no error."""
        ...

    def bring_back(self, since: datetime) -> int:
        """Move mails that were filed away and had come at ``since`` or later back into the inbox, where they are new;
        returns how many."""
        ...

    def marks(self) -> list[Mark]:
        """Read the marks of the installations that read this mailbox."""
        ...

    def mark(self, mark: Mark, alone: bool) -> None:
        """Write a mark in place of the one that this installation wrote before; ``alone``: in place of all. A server
        that takes none is no error: then nobody can be warned."""
        ...

    def idle(self, seconds: float) -> bool:
        """Wait for new mail; True = one is there that ``fetch``, if it was called, has not seen. A lost connection is a
        TransientError at once."""
        ...

    def close(self) -> None:
        """Close the connection. Never raises."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


@dataclass(frozen=True)
class Line:
    """One line of new text, as the player wrote it. ``number`` counts from 1 in the new text."""

    number: int
    text: str


class UnreadReason(StrEnum):
    """The kinds of content of a mail that are not read. There is a sentence ``unopened-…`` for each."""

    PGP = "pgp"
    """Encrypted, as a whole or as a block in the text."""
    SMIME = "smime"
    """Encrypted, or wrapped together with its signature (``smime.p7m``)."""
    RIGHTS = "rights"
    """Protected by Microsoft's rights management (``message.rpmsg``)."""
    OUTLOOK = "outlook"
    """Outlook's own format (``winmail.dat``)."""
    PICTURE = "picture"
    RECORDING = "recording"
    """Sound or film."""
    MAIL = "mail"
    """Another mail, attached."""
    FILE = "file"
    """Any other file."""
    HTML = "html"
    """Only HTML, with no text to be seen in it."""
    QUOTED = "quoted"
    """Nothing but quotes, signatures and what stands behind a closing word."""
    BELOW = "below"
    """Nothing above our own marker, but something below it."""
    EMPTY = "empty"


@dataclass(frozen=True)
class UnreadPart:
    """A part of a mail that was left unread."""

    kind: UnreadReason
    name: str = ""
    """Of the file, or its content type; "" where there is no file to name."""


SIZE_STATUSES = ((3, 4), (2, 3))
"""Subject and detail of the enhanced statuses (RFC 3463) of a mail that is too large."""


@dataclass(frozen=True)
class Bounce:
    """A delivery report. ``original_ids`` are Message-IDs found in it, ``status`` e.g. "5.1.1"."""

    status: str = ""
    permanent: bool = False
    addresses: tuple[str, ...] = ()
    original_ids: tuple[str, ...] = ()

    @property
    def is_about_size(self) -> bool:
        """True where the mail was too large: for the system, or for this recipient."""
        return tuple(map(int, self.status.split(".")[1:])) in SIZE_STATUSES


@dataclass(frozen=True)
class ParsedMail:
    """A mail, parsed. Never holds anything of a quote, signature or attachment in ``lines``."""

    message_id: str
    """With angle brackets; "" when it has none."""
    sender: str
    """The one address of From, lower-case; "" when there is none or more than one."""
    sender_name: str
    recipients: tuple[str, ...]
    """To, Cc, Delivered-To, X-Original-To, Envelope-To, X-Forwarded-To: bare addresses, case kept."""
    subject: str
    in_reply_to: tuple[str, ...]
    """Message-IDs of In-Reply-To and References."""
    authentication: tuple[str, ...]
    """Authentication-Results headers, topmost first, raw."""
    machine: str
    """Why it must not be answered ("auto-submitted", "bounce", "list", "bulk", …); "" for a person's mail."""
    lines: tuple[Line, ...]
    """The new text."""
    ignored: Mapping[str, int] = field(default_factory=dict)
    """Lines left out, by kind: "quote", "signature", "after-end", "encrypted", "own" (sent by ourselves)."""
    machine_header: str = ""
    """The header that says so."""
    bounce: Bounce | None = None
    damaged: str = ""
    """Why ``lines`` are empty or doubtful although the mail may hold text: "nested" (parts within parts without end),
    "truncated" (only the head was fetched), "broken-parts" (a multipart without its boundary); "" = all was read."""
    unopened: tuple[UnreadPart, ...] = ()
    """What else is in the mail, whether or not there are ``lines``: files and the like that somebody may have wanted to
    be read, each once. Without ``lines`` never (), but of a damaged mail."""


TAKES_NONE = "the server takes no mails of ours: "
LOOK_AT = "; look at "
"""What the line for the operator begins with, and what stands between the server's words and the setting."""


@dataclass(frozen=True)
class Sent:
    """The result of sending one mail."""

    row: int
    result: Literal["sent", "retry", "dead", "auth", "refused"]
    """"dead": its recipient will never have it. "auth": the login failed, and nothing else should be tried. "refused":
    the server does not take it from us, whoever it is for. Of these two no attempt is counted: the mail waits."""
    answer: str = ""
    """The server's words, or the exception's."""
    sender: str = ""
    """Of a mail that was sent: the envelope sender that the server took."""
    of_us: bool = False
    """Of one to be tried again: why says nothing of its recipient."""


@dataclass(frozen=True)
class Ready:
    """A finished mail from the outbox."""

    row: int
    sender: str
    """Of the envelope: delivery reports go there."""
    recipient: str
    data: bytes
    plain: str = ""
    """The sender for a server that refuses that one; "" = there is no other."""
    kind: str = ""
    """A ``MailKind``, for the log."""

    @property
    def name(self) -> str:
        """A name that is the same each time that this mail is sent, and no other mail's; fit for a file."""
        return f"moderator-{self.row:08d}-{hashlib.sha256(self.data).hexdigest()[:16]}"


BeginMail = Callable[[Ready], bool]
ReportSent = Callable[[Sent], None]
MoreMails = Callable[[], Sequence[Ready]]


class Sender(Protocol):
    """The way out for mails. ``report`` is called in the calling thread, once per mail, as soon as its fate is
    known."""

    def send(self, mails: Sequence[Ready], begin: BeginMail, report: ReportSent, more: MoreMails = tuple) -> None:
        """Send the mails, and call ``begin`` right before a mail is handed to the server (the caller commits its
        lease).

        False = leave it out, somebody else is sending it. ``more`` is asked for further mails, while others may be
        under way, until it gives none."""
        ...

    def check(self) -> None:
        """Raise OperatorError or TransientError if mails could not leave now. Sends nothing."""
        ...


# ---- mails that leave ----


@dataclass(frozen=True)
class File:
    """Something attached to a mail."""

    name: str
    """File name: letters, digits, ``-``, ``_`` and ``.`` only."""
    kind: str
    """Content type with its parameters, e.g. ``text/calendar; charset=utf-8``."""
    data: bytes


@dataclass(frozen=True)
class RenderedMail:
    """A laid-out mail, before MIME."""

    subject: str
    text: str
    html: str
    images: Mapping[str, bytes] = field(default_factory=dict)
    """Content-ID (without brackets) -> PNG. File name = Content-ID up to "@" + ".png"."""
    files: tuple[File, ...] = ()
    state: str = ""
    """The state of the match in one signed line, for a header; "" = none."""
