"""The mailbox over IMAP. Progress is kept in our database, never in IMAP keywords (Exchange has none).

One connection, used by one thread. imapclient is imported inside the functions, see ``imap_login``.
"""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self

from moderator.errors import OperatorError, TransientError
from moderator.mail.imap_login import connect, disconnect, talking
from moderator.mail.imap_move import bring_back, existing, found, move
from moderator.mail.model import Mark, RawMail
from moderator.mail.network import one_line

if TYPE_CHECKING:
    from moderator.config import Imap

HEAD_BYTES = 65_536
"""So much is fetched of a mail that is too large."""
BATCH_MAILS = 100
BATCH_BYTES = 8_000_000
"""At most so much in one answer and in memory, unless a single mail is larger."""
KEYS_AT_ONCE = 1000
SEARCH_SPAN = 50_000
"""imaplib refuses answers of more than 1 MB in a line, which is a SEARCH over 140,000 mails."""
IDLE_SECONDS = 270
"""IDLE is renewed after this time: routers forget quiet connections, servers log out after 29 minutes."""
POLL_SECONDS = 20
"""Between two NOOPs where the server has no IDLE."""


class ImapMailbox:
    """A mailbox on an IMAP server; see ``moderator.mail.model.Mailbox``.

    Connects at once. Raises ConfigError (a password would travel in clear, a secret is missing), OperatorError
    (wrong login, certificate or host) and TransientError (the server is away or answers oddly).
    """

    def __init__(self, imap: Imap) -> None:
        self._imap = imap
        self._client: Any = connect(imap)
        self._validity = 0
        """UIDVALIDITY of the selected inbox; 0 = nothing is selected."""
        self._next_uid = 1
        """Mails from this UID on have not been looked at."""
        self._exists = 0
        """How many mails were there when the inbox was selected."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def waiting(self) -> int:
        """How many mails lie in the inbox; one STATUS, nothing is selected."""
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        with talking(self._imap):
            try:
                return int(self._client.folder_status(self._imap.inbox, ["MESSAGES"])[b"MESSAGES"])
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                self._refuse_missing_inbox(error)
                raise

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        """New mails by UID, in batches of at most 100 mails and about 8 MB.

        A mail that vanishes meanwhile is left out. One that lies there but cannot be read is left out, too,
        and a TransientError that names it follows after the last batch.
        """
        # Selected anew each time: over a long connection the folder may have been replaced.
        self._select(again=True)
        uids = self._search_all()
        if uids:
            self._next_uid = uids[-1] + 1
        unread: list[int] = []
        for start in range(0, len(uids), KEYS_AT_ONCE):
            keys = {self._key(uid): uid for uid in uids[start : start + KEYS_AT_ONCE]}
            old = known(list(keys))
            fresh = [uid for key, uid in keys.items() if key not in old]
            for first in range(0, len(fresh), BATCH_MAILS):
                yield from self._fetch_batch(fresh[first : first + BATCH_MAILS], max_bytes, unread)
        if unread:
            numbers = ", ".join(map(str, unread))
            raise TransientError(f"{self._imap.host} does not hand out the mail with UID {numbers} of the inbox.")

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        """Move mails of this inbox to the two folders, which are made when they are missing.

        Keys of an earlier UIDVALIDITY and vanished mails are no error: there is nothing left to move.
        """
        self._select()
        for folder, keys in ((self._imap.processed, processed), (self._imap.failed, failed)):
            prefix = f"{self._validity}:"
            uids = sorted({int(key[len(prefix) :]) for key in keys if key.startswith(prefix)})
            if uids:
                with talking(self._imap):
                    move(self._client, uids, folder)

    def bring_back(self, since: datetime) -> int:
        """Move mails of both folders back, by INTERNALDATE, which a server keeps when it moves a mail."""
        self._validity = 0
        with talking(self._imap):
            folders = (self._imap.processed, self._imap.failed)
            return sum(bring_back(self._client, folder, self._imap.inbox, since) for folder in folders)

    def marks(self) -> list[Mark]:
        """Mails in a folder of their own."""
        self._validity = 0
        with talking(self._imap):
            return read_marks(self._client)

    def mark(self, mark: Mark, alone: bool) -> None:
        """A mail that says to people what it is, too."""
        self._validity = 0
        with talking(self._imap):
            leave_mark(self._client, mark, alone)

    def idle(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for a mail that ``fetch`` has not seen. IDLE, or NOOP where there is none."""
        self._select()
        end = time.monotonic() + seconds
        with talking(self._imap):
            pushed = self._client.has_capability("IDLE")
            # The first span is short: an announcement that arrives together with the server's "+ idling" waits
            # unseen in imaplib's buffer until the span ends.
            span: float = 5 if pushed else POLL_SECONDS
            while not self._something_new():
                left = end - time.monotonic()
                if left <= 0:
                    return False
                if pushed:
                    self._idle_once(min(left, span))
                    span = IDLE_SECONDS
                else:
                    time.sleep(min(left, span))
                    self._client.noop()
            return True

    def close(self) -> None:
        """Log out. Never raises."""
        disconnect(self._client)

    # ---- below: one step each ----

    def _key(self, uid: int) -> str:
        return f"{self._validity}:{uid}"

    def _select(self, again: bool = False) -> None:
        if self._validity and not again:
            return
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        with talking(self._imap):
            try:
                answer = self._client.select_folder(self._imap.inbox)
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                self._refuse_missing_inbox(error)
                raise
        self._validity = int(answer.get(b"UIDVALIDITY", 0))
        self._next_uid = int(answer.get(b"UIDNEXT", 1))
        self._exists = int(answer.get(b"EXISTS", 0))
        if not self._validity:
            raise OperatorError(f"{self._imap.host} gives no UIDVALIDITY.", "This server cannot be used for the games.")

    def _refuse_missing_inbox(self, error: Exception) -> None:
        """Raises OperatorError if the configured inbox does not exist."""
        if not self._client.folder_exists(self._imap.inbox):
            raise OperatorError(
                f"{self._imap.host} has no folder {self._imap.inbox!r}: {one_line(error)}.",
                'Correct [imap] inbox (nearly always "INBOX").',
            ) from error

    def _search_all(self) -> list[int]:
        """All UIDs of the inbox, ascending."""
        with talking(self._imap):
            if self._exists <= SEARCH_SPAN:
                return sorted(self._client.search(["ALL"]))
            spans = range(1, self._exists + 1, SEARCH_SPAN)
            found = (self._client.search([f"{first}:{first + SEARCH_SPAN - 1}"]) for first in spans)
            return sorted({uid for uids in found for uid in uids})

    def _fetch_batch(self, uids: list[int], max_bytes: int, unread: list[int]) -> Iterator[list[RawMail]]:
        """At most 100 UIDs, sizes first, then bodies in groups that fit into BATCH_BYTES."""
        facts = self._fetch(uids, ["RFC822.SIZE", "INTERNALDATE"], unread)
        group: list[int] = []
        weight = 0
        for uid in sorted(facts):
            size = min(int(facts[uid].get(b"RFC822.SIZE", 0)), max_bytes)
            if group and weight + size > BATCH_BYTES:
                yield from self._bodies(group, facts, max_bytes, unread)
                group, weight = [], 0
            group.append(uid)
            weight += size
        yield from self._bodies(group, facts, max_bytes, unread)

    def _bodies(self, uids: list[int], facts: Any, max_bytes: int, unread: list[int]) -> Iterator[list[RawMail]]:
        head = min(HEAD_BYTES, max_bytes)
        large = [uid for uid in uids if int(facts[uid].get(b"RFC822.SIZE", 0)) > max_bytes]
        bodies = self._fetch([uid for uid in uids if uid not in large], ["BODY.PEEK[]"], unread)
        bodies.update(self._fetch(large, [f"BODY.PEEK[]<0.{head}>"], unread))
        mails: list[RawMail] = []
        for uid in uids:
            data = bodies.get(uid, {}).get(b"BODY[]<0>" if uid in large else b"BODY[]")
            if data is None:
                continue
            # A whole mail has the size it has: some servers only estimate RFC822.SIZE.
            complete = uid not in large or len(data) < head
            size = len(data) if complete else max(int(facts[uid][b"RFC822.SIZE"]), len(data) + 1)
            came = _utc(facts[uid].get(b"INTERNALDATE"))
            mails.append(RawMail(self._key(uid), data, came, size, came.isoformat()))
        if mails:
            yield mails

    def _fetch(self, uids: list[int], items: list[str], unread: list[int]) -> dict[int, Any]:
        """FETCH. A server may answer NO when one of the mails was deleted meanwhile (RFC 2180): then those
        that are left are asked for one by one."""
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        if not uids:
            return {}
        with talking(self._imap):
            try:
                return dict(self._client.fetch(uids, items))
            except IMAPClientAbortError:
                raise
            except IMAPClientError:
                self._client.noop()
            found: dict[int, Any] = {}
            for uid in self._client.search(["UID", ",".join(map(str, uids))]):
                try:
                    found.update(self._client.fetch([uid], items))
                except IMAPClientAbortError:
                    raise
                except IMAPClientError:
                    unread.append(uid)
            return found

    def _something_new(self) -> bool:
        # "n:*" always names the last mail, also when its UID is below n.
        return any(uid >= self._next_uid for uid in self._client.search(["UID", f"{self._next_uid}:*"]))

    def _idle_once(self, seconds: float) -> None:
        """One IDLE of at most ``seconds``; ends at the first answer. Raises when the connection is lost, or when
        news come before the "+ idling" (imapclient takes them for a wrong answer; the next fetch has them)."""
        self._client.idle()
        answers = self._client.idle_check(timeout=seconds)
        # After a lost connection idle_check returns [] at once and for ever; here idle_done notices.
        self._client.idle_done()
        if any(answer and answer[0] == b"BYE" for answer in answers):
            raise TransientError(f"{self._imap.host} closed the connection.")


def _utc(moment: datetime | None) -> datetime:
    """INTERNALDATE as aware UTC; now, where a server gives none that can be read."""
    if moment is None or moment.tzinfo is None:
        return datetime.now(UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return datetime.now(UTC)


# ---- marks of installations ----
#
# The marks of installations (store/installation.py) in a mailbox on an IMAP server: mails in a folder of its own.
#
# A folder and a mail are what every server can keep. The functions raise imapclient's exceptions
# (``imap_login.talking``) and leave another folder selected.


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


def read_marks(client: Any) -> list[Mark]:
    """All that can be read; none where the folder is missing."""
    folder = found(client, FOLDER)
    if folder is None:
        return []
    client.select_folder(folder)
    return list(_by_uid(client).values())


def leave_mark(client: Any, mark: Mark, alone: bool) -> None:
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
