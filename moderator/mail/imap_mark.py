"""The marks of installations (moderator/installation.py) in a mailbox on an IMAP server: mails in a folder of its own.

A folder and a mail are what every server can keep. The functions raise imapclient's exceptions (``imap_login.talking``)
and leave another folder selected.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from contextlib import suppress
from email.utils import format_datetime
from textwrap import wrap
from typing import Any

from moderator.mail.imap_move import existing, found
from moderator.mail.model import Mark

FOLDER = "moderator-mark"
_HEADER = "X-Moderator-Mark"
_FIELD = f"BODY[HEADER.FIELDS ({_HEADER.upper()})]".encode()
_MOST = 50
"""Marks that are read, the newest ones; each installation has one."""
_WIDTH = 70
_SAYS = (
    "This mail is a mark of the program moderator, which referees games in this\r\n"
    "mailbox. It says which installation of it does so, so that a second one\r\n"
    "notices. Please leave it here; it is renewed every few hours.\r\n"
)


def read(client: Any) -> list[Mark]:
    """All that can be read; none where the folder is missing."""
    folder = found(client, FOLDER)
    if folder is None:
        return []
    client.select_folder(folder)
    return list(_by_uid(client).values())


def leave(client: Any, mark: Mark, alone: bool) -> None:
    """Put a mark there, then remove the earlier ones of the same installation, or all others (``alone``)."""
    from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

    try:
        folder = existing(client, FOLDER)
        client.select_folder(folder)
        before = {uid for uid, old in _by_uid(client).items() if alone or old.id == mark.id}
        client.append(folder, _mail(mark), flags=[rb"\Seen"], msg_time=mark.at)
        if before:
            client.add_flags(sorted(before), [rb"\Deleted"], silent=True)
            client.expunge()
    except IMAPClientAbortError:
        raise
    except IMAPClientError:
        # No room for a mail, or no right to make a folder: the games go on, unguarded.
        with suppress(IMAPClientError):
            client.noop()


def _by_uid(client: Any) -> dict[int, Mark]:
    """The marks of the selected folder. A mail that is none, somebody's note, say, is left alone."""
    uids = sorted(client.search(["ALL"]))[-_MOST:]
    if not uids:
        return {}
    fetched = client.fetch(uids, [f"BODY.PEEK[HEADER.FIELDS ({_HEADER})]"])
    marks: dict[int, Mark] = {}
    for uid, items in fetched.items():
        field = next((value for name, value in items.items() if name.upper() == _FIELD), b"")
        if mark := Mark.read(_unfolded(field)):
            marks[uid] = mark
    return marks


def _unfolded(field: bytes) -> str:
    try:
        return b64decode(b"".join(field.partition(b":")[2].split()), validate=True).decode()
    except ValueError:
        return ""


def _mail(mark: Mark) -> bytes:
    """The mark stands in a header, in base64: a folder's name may hold what no header may."""
    coded = b64encode(mark.text().encode()).decode()
    folded = "\r\n ".join(wrap(coded, _WIDTH))
    date = format_datetime(mark.at)
    return f"Subject: moderator\r\nDate: {date}\r\n{_HEADER}:\r\n {folded}\r\n\r\n{_SAYS}".encode("ascii")
