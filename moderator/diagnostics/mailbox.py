"""The mailbox as a trial sees it: what has come since it began, in whatever folder; moving a mail about; and removing
its mails. Over IMAP; over folders of this machine see maildir_box.py."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from moderator.common.errors import OperatorError, TransientError
from moderator.diagnostics.headers import get_mail_head
from moderator.diagnostics.settings_file import Setting
from moderator.mail import imap_folders
from moderator.mail.imap import connect_imap, disconnect_imap, translate_imap_errors
from moderator.mail.network import format_server_words
from moderator.mail.trial_letter import BEGINS, HEADER, TrialMail

if TYPE_CHECKING:
    from moderator.settings import ImapSettings

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
class ArrivedMail:
    """A mail that was not there before. ``kind``: "inbox" also for the two folders that mails are moved to from it."""

    kind: Kind
    folder: str
    data: bytes

    def is_copy_of(self, letter: TrialMail) -> bool:
        return letter.mark.encode() in get_mail_head(self.data)

    def is_report_about(self, letter: TrialMail) -> bool:
        """Return whether it is a report about the trial's mail, which it quotes."""
        return letter.mark.encode() in self.data and not self.is_copy_of(letter)


@dataclass(frozen=True)
class MoveTrialResult:
    """The result of moving a mail to both folders: in words, and the settings without which it could not be moved."""

    says: str
    settings: tuple[Setting, ...] = ()


class TrialBox(Protocol):
    """A mailbox as a trial sees it. Raises OperatorError, TransientError."""

    def move_trial_mail(self, letter: TrialMail) -> MoveTrialResult:
        """Put a mail into the inbox, move it to the folders for read mails, and remove it."""
        ...

    def skip_present_mails(self) -> None:
        """Skip the mails that are there now: they are neither looked at nor removed."""
        ...

    def fetch_arrived(self, everywhere: bool = False) -> list[ArrivedMail]:
        """Fetch what has arrived since then, in inbox and junk, or in all folders, and was not returned before."""
        ...

    def remove_trial_mails(self, letters: Sequence[TrialMail]) -> list[bytes]:
        """Remove these mails, copies of them and reports on them; returns at least the heads of what was removed."""
        ...

    def close(self) -> None:
        """Close the connection. Never raises."""
        ...


class ImapBox:
    """A mailbox over IMAP; connects at once. See ``TrialBox``."""

    def __init__(self, imap: ImapSettings) -> None:
        self._imap = imap
        self._client: Any = connect_imap(imap)
        self._processed, self._failed = imap.processed, imap.failed
        self._first: dict[str, int] = {}
        """Folder -> its first UID that counts, of all folders that could be opened; {} = nothing was put anywhere."""
        self._seen: set[tuple[str, int]] = set()

    def move_trial_mail(self, letter: TrialMail) -> MoveTrialResult:
        with translate_imap_errors(self._imap):
            settings = tuple(self._prepare_folders())
            self._first = self._fetch_next_uids()
            self._client.append(self._imap.inbox, letter.data, flags=[rb"\Seen"])
            for folder in (self._processed, self._failed):
                self._move_until_there(letter, folder)
            self.remove_trial_mails([letter])
        return MoveTrialResult(f"a mail was moved to {self._processed!r} and {self._failed!r}", settings)

    def skip_present_mails(self) -> None:
        with translate_imap_errors(self._imap):
            self._first = self._fetch_next_uids()

    def fetch_arrived(self, everywhere: bool = False) -> list[ArrivedMail]:
        with translate_imap_errors(self._imap):
            found = []
            for name, kind in self._iter_folders() if everywhere else self._iter_usual_folders():
                for uid, data in self._iter_new_mails(name, but=self._seen):
                    self._seen.add((name, uid))
                    found.append(ArrivedMail(kind, name, data))
            return found

    def remove_trial_mails(self, letters: Sequence[TrialMail]) -> list[bytes]:
        if not self._first:
            return []
        marks = [letter.mark.encode() for letter in letters]
        removed: set[bytes] = set()  # one that lies in the bin now is met again
        with translate_imap_errors(self._imap):
            for _ in range(PASSES):  # a run of moderator may just have moved one to where we had looked already
                for name, _ in self._iter_folders(sent=True):
                    ours = {
                        uid: data for uid, data in self._iter_new_mails(name) if any(mark in data for mark in marks)
                    }
                    if ours:
                        self._delete_mails(name, list(ours))
                    removed.update(ours.values())
        return list(removed)

    def close(self) -> None:
        disconnect_imap(self._client)

    # ---- folders ----

    def _prepare_folders(self) -> Iterator[Setting]:
        """Find or create both folders; yields the settings for those that the server takes under another name only."""
        for key, name in (("processed", self._imap.processed), ("failed", self._imap.failed)):
            made = self._get_or_create_folder(key, name)
            setattr(self, f"_{key}", made)
            if imap_folders.find_folder(self._client, name) != made:
                yield Setting("imap", key, made)

    def _get_or_create_folder(self, key: str, name: str) -> str:
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        try:
            return imap_folders.get_or_create_folder(self._client, name)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            why = format_server_words(error)
        delimiter = next((mark for _, mark, folder in self._client.list_folders() if folder == self._imap.inbox), b"")
        below = f"{self._imap.inbox}{(delimiter or b'/').decode()}{name}"
        try:
            return imap_folders.get_or_create_folder(self._client, below)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            raise OperatorError(
                f"{self._imap.host} has no folder {name!r} and makes none: {why}.",
                f"Make a folder in the mailbox by hand, and write its name as [imap] {key}.",
            ) from None

    def _iter_folders(self, sent: bool = False) -> Iterator[tuple[str, Kind]]:
        """Yield the folders that mails can lie in; ``sent``: also the one for copies of what was sent."""
        usual = dict(self._iter_usual_folders())
        for flags, delimiter, name in self._client.list_folders():
            known = {flag.lower() for flag in flags}
            last = name.rpartition((delimiter or b"/").decode())[2]
            if known & _NEVER or (not sent and (b"\\sent" in known or _SENT.fullmatch(last))):
                continue
            yield name, usual.get(name, "other")

    def _iter_usual_folders(self) -> Iterator[tuple[str, Kind]]:
        """Yield the usual folders, the inbox first: a mail that is moved on meanwhile is then found in the next one."""
        yield self._imap.inbox, "inbox"
        for flags, delimiter, name in self._client.list_folders():
            last = name.rpartition((delimiter or b"/").decode())[2]
            if name in (self._processed, self._failed):
                yield name, "inbox"
            elif b"\\junk" in {flag.lower() for flag in flags} or _JUNK.fullmatch(last):
                yield name, "junk"

    # ---- mails ----

    def _fetch_next_uids(self) -> dict[str, int]:
        """Fetch the next UID of each folder that can be opened."""
        found = {name: self._fetch_next_uid(name) for name, _ in self._iter_folders(sent=True)}
        return {name: uid for name, uid in found.items() if uid}

    def _fetch_next_uid(self, folder: str) -> int:
        """Fetch the next UID of a folder; 0 = it may not be opened."""
        answer = self._open_folder(folder, readonly=True)
        if answer is None:
            return 0
        known = answer.get(b"UIDNEXT")
        return int(known) if known else max(self._client.search(["ALL"]), default=0) + 1

    def _open_folder(self, folder: str, readonly: bool = False) -> Any:
        """Open a folder and return what the server says of it; None where it may not be opened, somebody else's,
        say."""
        from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

        try:
            return self._client.select_folder(folder, readonly=readonly)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            return None

    def _iter_new_mails(self, folder: str, but: Collection[tuple[str, int]] = ()) -> Iterator[tuple[int, bytes]]:
        """Yield (UID, at least the head) of mails that came since ``skip_present_mails``, except those in ``but``; a
        few at a time. The folder is selected then."""
        if self._open_folder(folder) is None:
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

    def _move_until_there(self, letter: TrialMail, folder: str) -> None:
        mark = letter.mark.encode()
        for _ in range(TRIES):
            for name in (folder, self._imap.inbox, self._processed):
                found = [uid for uid, data in self._iter_new_mails(name) if mark in data]
                if found and name == folder:
                    return
                if found:
                    imap_folders.move_mails(self._client, found, folder)
                    break
            else:
                time.sleep(PAUSE)
        raise TransientError(f"{self._imap.host}: a mail that was moved to {folder!r} did not come there.")

    def _delete_mails(self, folder: str, uids: list[int]) -> None:
        """Delete mails from the selected folder. Gmail only takes a label off, unless the mail is moved to its bin."""
        client = self._client
        if client.has_capability("X-GM-EXT-1"):
            bin_ = next((name for flags, _, name in client.list_folders() if rb"\Trash" in flags), folder)
            if bin_ != folder:
                imap_folders.move_mails(client, uids, bin_)
                return
        client.add_flags(uids, [rb"\Deleted"], silent=True)
        if client.has_capability("UIDPLUS"):
            client.uid_expunge(uids)
        elif set(client.search(["DELETED"])) <= set(uids):  # else it would take what others have marked
            client.expunge()
