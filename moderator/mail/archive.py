"""Mails of an archive, in the order in which they came: an mbox file, a Maildir or a folder of .eml files."""

from __future__ import annotations

import email
import hashlib
import mailbox
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

from moderator import disk
from moderator.errors import OperatorError
from moderator.mail.model import RawMail


def read_archive(path: Path) -> list[RawMail]:
    """All mails, oldest first. When one came is told by its topmost Received header, else by its Date; one that has
    neither is left out. Raises OperatorError for what is no archive."""
    mails = []
    copies: Counter[str] = Counter()
    for data in _all(path):
        message = email.message_from_bytes(data)
        when = received(message)
        if when is not None:
            digest = hashlib.sha256(data).hexdigest()
            copies[digest] += 1
            place = f"archive:{digest}:{copies[digest]}"
            mails.append(RawMail(place, data, when, len(data), place))
    if not mails:
        raise OperatorError(f"There is no mail in {path}.", "Name an mbox file, a Maildir or a folder of .eml files.")
    return sorted(mails, key=lambda mail: mail.received)


def _all(path: Path) -> Iterator[bytes]:
    if not path.exists():
        raise OperatorError(f"There is no {path}.", "Name an mbox file, a Maildir or a folder of .eml files.")
    try:
        if path.is_file() and path.suffix.lower() != ".eml":
            yield from _of(mailbox.mbox(path, create=False))
        elif (path / "cur").is_dir():
            yield from _of(mailbox.Maildir(path, create=False))
        else:
            files = [path] if path.is_file() else sorted(path.rglob("*.eml"))
            yield from (file.read_bytes() for file in files)
    except OSError as error:
        raise OperatorError(*disk.told(error, "read", path, "Check its permissions.")) from error


def _of(box: mailbox.mbox | mailbox.Maildir) -> Iterator[bytes]:
    try:
        for key in box.keys():  # noqa: SIM118 - a mailbox is no mapping: iterating it gives the mails
            yield box.get_bytes(key)
    finally:
        box.close()


def received(message: Message) -> datetime | None:
    """When a mail reached the mailbox (aware UTC), as far as its headers say."""
    stamps = [str(value).rpartition(";")[2] for value in message.get_all("Received", [])[:1]]
    for stamp in [*stamps, str(message.get("Date", ""))]:
        try:
            found = parsedate_to_datetime(stamp.strip())
        except (ValueError, TypeError):
            continue
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    return None
