"""Moving mails to another IMAP folder, in as few commands as the server allows.

On a Maildir server every single MOVE costs time in proportion to the mailbox, so mails go in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

MOVE_AT_ONCE = 1000
"""UIDs in one command; servers limit the length of a line."""


def move(client: Any, uids: Sequence[int], folder: str) -> None:
    """Move ``uids`` of the selected folder to ``folder``, which is made if need be.

    UIDs that are gone are skipped. Raises imapclient's exceptions (see ``imap_login.talking``).
    """
    from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

    for start in range(0, len(uids), MOVE_AT_ONCE):
        chunk = list(uids[start : start + MOVE_AT_ONCE])
        try:
            _move(client, chunk, folder)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            # Either the folder is missing, or (Exchange) one of the mails is: see to both and try once more.
            folder = existing(client, folder)
            client.noop()
            left = client.search(["UID", ",".join(map(str, chunk))])
            if left:
                _move(client, left, folder)


def _move(client: Any, uids: list[int], folder: str) -> None:
    if client.has_capability("MOVE"):
        client.move(uids, folder)
        return
    client.copy(uids, folder)
    client.add_flags(uids, [rb"\Deleted"], silent=True)
    # Without UIDPLUS a plain EXPUNGE would also take mails that somebody else marked as deleted; ours stay
    # marked then, and the next COPY is prevented by our database, which knows them.
    if client.has_capability("UIDPLUS"):
        client.uid_expunge(uids)


def bring_back(client: Any, folder: str, inbox: str, since: datetime) -> int:
    """Move the mails of ``folder`` that came at ``since`` or later to ``inbox``; returns how many. No such folder is no
    error. Raises imapclient's exceptions; another folder is selected afterwards."""
    name = found(client, folder)
    if name is None:
        return 0
    client.select_folder(name)
    # SINCE knows whole days only, in whatever zone the server thinks.
    uids = client.search(["SINCE", (since - timedelta(days=1)).date()])
    late: list[int] = []
    for start in range(0, len(uids), MOVE_AT_ONCE):
        facts = client.fetch(uids[start : start + MOVE_AT_ONCE], ["INTERNALDATE"])
        late += [uid for uid, fact in facts.items() if _not_before(fact.get(b"INTERNALDATE"), since)]
    move(client, sorted(late), inbox)
    return len(late)


def _not_before(moment: datetime | None, since: datetime) -> bool:
    """A mail without a time that can be read may have come at any time."""
    return moment is None or moment.tzinfo is None or moment >= since


def _names(client: Any, folder: str) -> list[str]:
    """What ``folder`` may be called: servers with a personal prefix want INBOX.Processed."""
    names = [folder]
    if client.has_capability("NAMESPACE"):
        personal = client.namespace().personal
        prefix = personal[0][0] if personal else ""
        if prefix and not folder.startswith(prefix):
            names.append(prefix + folder)
    return names


def found(client: Any, folder: str) -> str | None:
    """The full name of ``folder``, if it is there."""
    return next((name for name in _names(client, folder) if client.folder_exists(name)), None)


def existing(client: Any, folder: str) -> str:
    """The full name of ``folder``, made if it is missing."""
    name = found(client, folder)
    if name is None:
        name = _names(client, folder)[-1]
        client.create_folder(name)
        client.subscribe_folder(name)
    return name
