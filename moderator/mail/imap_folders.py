"""Other folders of a mailbox over IMAP: mails are moved there and back, and one holds the marks of installations.

On a Maildir server every single MOVE costs time in proportion to the mailbox, so mails go in batches.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import format_datetime
from textwrap import wrap
from typing import Any

from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from moderator.common.mails import Mark

MOVE_AT_ONCE = 1000
"""UIDs in one command; servers limit the length of a line."""


def move_mails(client: Any, uids: Sequence[int], folder: str) -> None:
    """Move ``uids`` of the selected folder to ``folder``, which is made if need be.

    UIDs that are no longer there are skipped. Raises imapclient's exceptions (see ``imap.translate_imap_errors``)."""
    for start in range(0, len(uids), MOVE_AT_ONCE):
        chunk = list(uids[start : start + MOVE_AT_ONCE])
        try:
            _move_batch(client, chunk, folder)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            # Either the folder is missing, or (Exchange) one of the mails is: see to both and try once more.
            folder = get_or_create_folder(client, folder)
            client.noop()
            left = client.search(["UID", ",".join(map(str, chunk))])
            if left:
                _move_batch(client, left, folder)


def _move_batch(client: Any, uids: list[int], folder: str) -> None:
    if client.has_capability("MOVE"):
        client.move(uids, folder)
        return
    client.copy(uids, folder)
    client.add_flags(uids, [rb"\Deleted"], silent=True)
    # Without UIDPLUS a plain EXPUNGE would also take mails that somebody else marked as deleted; ours stay
    # marked then, and the next COPY is prevented by our database, which knows them.
    if client.has_capability("UIDPLUS"):
        client.uid_expunge(uids)


def move_mails_back(client: Any, folder: str, inbox: str, since: datetime) -> int:
    """Move the mails of ``folder`` that came at ``since`` or later to ``inbox``; returns how many. No such folder is no
    error.

    Raises imapclient's exceptions; another folder is selected when it returns."""
    name = find_folder(client, folder)
    if name is None:
        return 0
    client.select_folder(name)
    # SINCE knows whole days only, in whatever zone the server thinks.
    uids = client.search(["SINCE", (since - timedelta(days=1)).date()])
    late: list[int] = []
    for start in range(0, len(uids), MOVE_AT_ONCE):
        facts = client.fetch(uids[start : start + MOVE_AT_ONCE], ["INTERNALDATE"])
        late += [uid for uid, fact in facts.items() if _is_not_before(fact.get(b"INTERNALDATE"), since)]
    move_mails(client, sorted(late), inbox)
    return len(late)


def _is_not_before(moment: datetime | None, since: datetime) -> bool:
    """Return whether the mail did not come before ``since``; one without a time that can be read may have come at any
    time."""
    return moment is None or moment.tzinfo is None or moment >= since


def _list_folder_names(client: Any, folder: str) -> list[str]:
    """List the names that ``folder`` may have: servers with a personal prefix want INBOX.Processed."""
    names = [folder]
    if client.has_capability("NAMESPACE"):
        personal = client.namespace().personal
        prefix = personal[0][0] if personal else ""
        if prefix and not folder.startswith(prefix):
            names.append(prefix + folder)
    return names


def find_folder(client: Any, folder: str) -> str | None:
    return next((name for name in _list_folder_names(client, folder) if client.folder_exists(name)), None)


def get_or_create_folder(client: Any, folder: str) -> str:
    name = find_folder(client, folder)
    if name is None:
        name = _list_folder_names(client, folder)[-1]
        client.create_folder(name)
        client.subscribe_folder(name)
    return name


# ---- marks of installations ----
#
# The marks of installations (store/installation.py) in a mailbox on an IMAP server: mails in a folder of its own.
#
# A folder and a mail are what every server can keep. The functions raise imapclient's exceptions, which imap.py
# translates, and leave another folder selected.


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


def read_every_mark(client: Any) -> list[Mark]:
    """Read all marks that can be read; none where the folder is missing."""
    folder = find_folder(client, FOLDER)
    if folder is None:
        return []
    client.select_folder(folder)
    return list(_read_mark_by_uid(client).values())


def write_mark(client: Any, mark: Mark, alone: bool) -> None:
    """Write a mark, then remove the earlier ones of the same installation, or all others (``alone``)."""
    try:
        folder = get_or_create_folder(client, FOLDER)
        client.select_folder(folder)
        before = {uid for uid, old in _read_mark_by_uid(client).items() if alone or old.id == mark.id}
        client.append(folder, _build_mark_mail(mark), flags=[rb"\Seen"], msg_time=mark.at)
        if before:
            client.add_flags(sorted(before), [rb"\Deleted"], silent=True)
            client.expunge()
    except IMAPClientAbortError:
        raise
    except IMAPClientError:
        # No room for a mail, or no right to make a folder: the games go on, unguarded.
        with suppress(IMAPClientError):
            client.noop()


def _read_mark_by_uid(client: Any) -> dict[int, Mark]:
    """Read the marks of the selected folder. A mail that is none, somebody's note, say, is left as it is."""
    uids = sorted(client.search(["ALL"]))[-_MOST:]
    if not uids:
        return {}
    fetched = client.fetch(uids, [f"BODY.PEEK[HEADER.FIELDS ({_HEADER})]"])
    marks: dict[int, Mark] = {}
    for uid, items in fetched.items():
        field = next((value for name, value in items.items() if name.upper() == _FIELD), b"")
        if mark := Mark.read(_decode_mark_field(field)):
            marks[uid] = mark
    return marks


def _decode_mark_field(field: bytes) -> str:
    try:
        return b64decode(b"".join(field.partition(b":")[2].split()), validate=True).decode()
    except ValueError:
        return ""


def _build_mark_mail(mark: Mark) -> bytes:
    """Build the mail of a mark, which stands in a header, in base64: a folder's name may hold what no header may."""
    coded = b64encode(mark.text().encode()).decode()
    folded = "\r\n ".join(wrap(coded, _WIDTH))
    date = format_datetime(mark.at)
    return f"Subject: moderator\r\nDate: {date}\r\n{_HEADER}:\r\n {folded}\r\n\r\n{_SAYS}".encode("ascii")
