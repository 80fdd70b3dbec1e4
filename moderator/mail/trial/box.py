"""The mailbox as a trial sees it: what has come since it began, in whatever folder; moving a mail about; and removing
its mails. Over IMAP; over folders of this machine see maildir_box.py."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from moderator.errors import OperatorError, TransientError
from moderator.mail import imap_folders
from moderator.mail.imap import connect, disconnect, talking
from moderator.mail.network import one_line
from moderator.mail.settings_file import Setting
from moderator.mail.trial.headers import head_of
from moderator.mail.trial.letter import BEGINS, HEADER, Letter

if TYPE_CHECKING:
    from moderator.config import Imap

Kind = Literal["inbox", "junk", "other"]
HEAD_BYTES = 65_536
FETCHED_AT_ONCE = 50
"""Mails; so many heads are held at a time."""
TRIES, PAUSE, PASSES = 20, 0.1, 2
"""A run of moderator may move a mail of the trial in the same moment."""
_JUNK = re.compile(r"(?:junk|spam|bulk)\b.*|spamverdacht|junk-e-mail|unerwünscht.*", re.IGNORECASE)
_SENT = re.compile(r"sent\b.*|gesendet.*", re.IGNORECASE)
_NEVER = {b"\\noselect", b"\\nonexistent", b"\\all", b"\\drafts", b"\\flagged", b"\\important"}
"""Folders that hold nothing, or show what lies in others."""


@dataclass(frozen=True)
class Came:
    """A mail that was not there before. ``kind``: "inbox" also for the two folders that mails are moved to from it."""

    kind: Kind
    folder: str
    data: bytes

    def is_letter(self, letter: Letter) -> bool:
        return letter.mark.encode() in head_of(self.data)

    def reports(self, letter: Letter) -> bool:
        """Whether it is a report about the letter, which it quotes."""
        return letter.mark.encode() in self.data and not self.is_letter(letter)


@dataclass(frozen=True)
class Moved:
    """That a mail could be moved to both folders: in words, and the settings without which it could not."""

    says: str
    settings: tuple[Setting, ...] = ()


class Box(Protocol):
    """Raises OperatorError, TransientError."""

    def move_about(self, letter: Letter) -> Moved:
        """Put a mail into the inbox, move it to the folders for read mails, and remove it."""
        ...

    def begin(self) -> None:
        """What is there now is neither looked at nor removed."""
        ...

    def look(self, everywhere: bool = False) -> list[Came]:
        """What has come since, in inbox and junk, or in all folders, that was not returned before."""
        ...

    def remove(self, letters: Sequence[Letter]) -> list[bytes]:
        """Remove them, copies of them and reports on them; returns at least the heads of what that was."""
        ...

    def close(self) -> None:
        """Never raises."""
        ...


class ImapBox:
    """Connects at once; see ``Box``."""

    def __init__(self, imap: Imap) -> None:
        self._imap = imap
        self._client: Any = connect(imap)
        self._processed, self._failed = imap.processed, imap.failed
        self._first: dict[str, int] = {}
        """Folder -> its first UID that counts, of all folders that could be opened; {} = nothing was put anywhere."""
        self._seen: set[tuple[str, int]] = set()

    def move_about(self, letter: Letter) -> Moved:
        with talking(self._imap):
            settings = tuple(self._with_folders())
            self._first = self._noted()
            self._client.append(self._imap.inbox, letter.data, flags=[rb"\Seen"])
            for folder in (self._processed, self._failed):
                self._bring(letter, folder)
            self.remove([letter])
        return Moved(f"a mail was moved to {self._processed!r} and {self._failed!r}", settings)

    def begin(self) -> None:
        with talking(self._imap):
            self._first = self._noted()

    def look(self, everywhere: bool = False) -> list[Came]:
        with talking(self._imap):
            found = []
            for name, kind in self._folders() if everywhere else self._usual():
                for uid, data in self._new(name, but=self._seen):
                    self._seen.add((name, uid))
                    found.append(Came(kind, name, data))
            return found

    def remove(self, letters: Sequence[Letter]) -> list[bytes]:
        if not self._first:
            return []
        marks = [letter.mark.encode() for letter in letters]
        removed: set[bytes] = set()  # one that lies in the bin now is met again
        with talking(self._imap):
            for _ in range(PASSES):  # a run of moderator may just have moved one to where we had looked already
                for name, _ in self._folders(sent=True):
                    ours = {uid: data for uid, data in self._new(name) if any(mark in data for mark in marks)}
                    if ours:
                        self._delete(name, list(ours))
                    removed.update(ours.values())
        return list(removed)

    def close(self) -> None:
        disconnect(self._client)

    # ---- folders ----

    def _with_folders(self) -> Iterator[Setting]:
        """See to both; the settings for those that the server takes under another name only."""
        for key, name in (("processed", self._imap.processed), ("failed", self._imap.failed)):
            made = self._made(key, name)
            setattr(self, f"_{key}", made)
            if imap_folders.found(self._client, name) != made:
                yield Setting("imap", key, made)

    def _made(self, key: str, name: str) -> str:
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        try:
            return imap_folders.existing(self._client, name)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            why = one_line(error)
        delimiter = next((mark for _, mark, folder in self._client.list_folders() if folder == self._imap.inbox), b"")
        below = f"{self._imap.inbox}{(delimiter or b'/').decode()}{name}"
        try:
            return imap_folders.existing(self._client, below)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            raise OperatorError(
                f"{self._imap.host} has no folder {name!r} and makes none: {why}.",
                f"Make a folder in the mailbox by hand, and write its name as [imap] {key}.",
            ) from None

    def _folders(self, sent: bool = False) -> Iterator[tuple[str, Kind]]:
        """Those that mails can lie in; ``sent``: also the one for copies of what was sent."""
        usual = dict(self._usual())
        for flags, delimiter, name in self._client.list_folders():
            known = {flag.lower() for flag in flags}
            last = name.rpartition((delimiter or b"/").decode())[2]
            if known & _NEVER or (not sent and (b"\\sent" in known or _SENT.fullmatch(last))):
                continue
            yield name, usual.get(name, "other")

    def _usual(self) -> Iterator[tuple[str, Kind]]:
        """The inbox first: a mail that is moved on meanwhile is then found in the next one."""
        yield self._imap.inbox, "inbox"
        for flags, delimiter, name in self._client.list_folders():
            last = name.rpartition((delimiter or b"/").decode())[2]
            if name in (self._processed, self._failed):
                yield name, "inbox"
            elif b"\\junk" in {flag.lower() for flag in flags} or _JUNK.fullmatch(last):
                yield name, "junk"

    # ---- mails ----

    def _noted(self) -> dict[str, int]:
        """The next UID of each folder that can be opened."""
        found = {name: self._next_uid(name) for name, _ in self._folders(sent=True)}
        return {name: uid for name, uid in found.items() if uid}

    def _next_uid(self, folder: str) -> int:
        """0 = it may not be opened."""
        answer = self._opened(folder, readonly=True)
        if answer is None:
            return 0
        known = answer.get(b"UIDNEXT")
        return int(known) if known else max(self._client.search(["ALL"]), default=0) + 1

    def _opened(self, folder: str, readonly: bool = False) -> Any:
        """What the server says of it; None where it may not be opened, somebody else's, say."""
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        try:
            return self._client.select_folder(folder, readonly=readonly)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            return None

    def _new(self, folder: str, but: Collection[tuple[str, int]] = ()) -> Iterator[tuple[int, bytes]]:
        """(UID, at least its head) of mails that came since ``begin``, ``but`` those; a few at a time. The folder is
        selected then."""
        if self._opened(folder) is None:
            return
        first = self._first.get(folder)
        if first is None:  # it was made since, as a rule, but it may be an old one under a new name
            uids = self._client.search(["HEADER", HEADER, BEGINS.decode()])
        else:  # not by the header alone: a report on a mail has the mark in its text
            # "n:*" always names the last mail, also when its UID is below n.
            uids = [uid for uid in self._client.search(["UID", f"{first}:*"]) if uid >= first]
        uids = [uid for uid in sorted(uids) if (folder, uid) not in but]
        for start in range(0, len(uids), FETCHED_AT_ONCE):
            some = uids[start : start + FETCHED_AT_ONCE]
            fetched = self._client.fetch(some, [f"BODY.PEEK[]<0.{HEAD_BYTES}>"])
            yield from ((uid, items[b"BODY[]<0>"]) for uid, items in sorted(fetched.items()) if b"BODY[]<0>" in items)

    def _bring(self, letter: Letter, folder: str) -> None:
        mark = letter.mark.encode()
        for _ in range(TRIES):
            for name in (folder, self._imap.inbox, self._processed):
                found = [uid for uid, data in self._new(name) if mark in data]
                if found and name == folder:
                    return
                if found:
                    imap_folders.move(self._client, found, folder)
                    break
            else:
                time.sleep(PAUSE)
        raise TransientError(f"{self._imap.host}: a mail that was moved to {folder!r} did not come there.")

    def _delete(self, folder: str, uids: list[int]) -> None:
        """From the selected folder. Gmail only takes a label off, unless the mail goes to its bin."""
        client = self._client
        if client.has_capability("X-GM-EXT-1"):
            bin_ = next((name for flags, _, name in client.list_folders() if rb"\Trash" in flags), folder)
            if bin_ != folder:
                imap_folders.move(client, uids, bin_)
                return
        client.add_flags(uids, [rb"\Deleted"], silent=True)
        if client.has_capability("UIDPLUS"):
            client.uid_expunge(uids)
        elif set(client.search(["DELETED"])) <= set(uids):  # else it would take what others have marked
            client.expunge()
