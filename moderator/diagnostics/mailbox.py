"""The mailbox as a trial sees it: what has come since it began, in whatever folder; moving a mail about; and removing
its mails. Over IMAP; over folders of this machine see mailbox.py."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from moderator.common.errors import OperatorError, TransientError
from moderator.common.mails import Mailbox, RawMail
from moderator.diagnostics.headers import get_mail_head
from moderator.diagnostics.settings_file import Setting
from moderator.mail import imap_folders
from moderator.mail.imap import connect_imap, disconnect_imap, translate_imap_errors
from moderator.mail.maildir import MaildirMailbox, deliver_to_maildir
from moderator.mail.network import format_server_words
from moderator.mail.settings import ImapSettings
from moderator.mail.trial_letter import BEGINS, HEADER, TrialMail

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


# ---- The mailbox of a trial over a transport that another package brings: it can do what any run does, and no more.


LARGEST = 1_000_000
"""Bytes; a mail of the trial, and a report that quotes it, has a few thousand."""


class ForeignBox:
    """A mailbox of another package's transport; see ``TrialBox``. Mails of the trial are filed with the read ones, for
    nothing can be removed."""

    def __init__(self, name: str, mailbox: Mailbox) -> None:
        self._name, self._mailbox = name, mailbox
        self._before: set[str] = set()
        self._come: dict[str, bytes] = {}
        """By key, since the trial began."""

    def move_trial_mail(self, letter: TrialMail) -> MoveTrialResult:
        """Do nothing: a mail can be put into the mailbox only by sending it."""
        return MoveTrialResult("tried below, with the mails of the trial")

    def skip_present_mails(self) -> None:
        def mark_all_known(keys: Sequence[str]) -> set[str]:
            self._before |= set(keys)
            return set(keys)

        for batch in self._mailbox.fetch(mark_all_known, LARGEST):
            self._before |= {mail.key for mail in batch}

    def fetch_arrived(self, everywhere: bool = False) -> list[ArrivedMail]:
        return [ArrivedMail("inbox", f"the mailbox of {self._name}", mail.data) for mail in self._fetch_new_mails()]

    def _fetch_new_mails(self) -> list[RawMail]:
        there = self._before | self._come.keys()
        batches = [*self._mailbox.fetch(lambda keys: there & set(keys), LARGEST)]
        found = [mail for batch in batches for mail in batch if mail.key not in there]
        self._come |= {mail.key: mail.data for mail in found}
        return found

    def remove_trial_mails(self, letters: Sequence[TrialMail]) -> list[bytes]:
        self._fetch_new_mails()
        marks = [letter.mark.encode() for letter in letters]
        ours = {key: data for key, data in self._come.items() if any(mark in data for mark in marks)}
        self._mailbox.file_away([*ours], [])
        return [*ours.values()]

    def close(self) -> None:
        self._mailbox.close()


# ---- The mailbox of a trial where mails are files in folders of this machine; see mailbox.py.


class MaildirBox:
    """A mailbox of files; ``inbox`` and ``outbox`` as in [maildir]. See ``TrialBox``."""

    def __init__(self, inbox: Path, outbox: Path) -> None:
        self._inbox, self._outbox = inbox, outbox
        self._mailbox = MaildirMailbox(inbox)
        self._before = {_get_base_name(path) for path, _ in self._iter_files()}
        """Files that are none of the trial's."""
        self._seen: set[str] = set()

    def move_trial_mail(self, letter: TrialMail) -> MoveTrialResult:
        for folder in (".Processed", ".Failed"):
            key = deliver_to_maildir(self._inbox, letter.data).name
            self._mailbox.file_away(*(([key], []) if folder == ".Processed" else ([], [key])))
            there = self._list_files_with_mark(letter)
            if not any(path.parent.parent.name == folder for path in there):
                raise OperatorError(
                    f"A mail in {self._inbox} could not be moved to {folder}.", "Check its permissions."
                )
            self.remove_trial_mails([letter])
        return MoveTrialResult(f"a mail was moved within {self._inbox}")

    def skip_present_mails(self) -> None:
        self._seen = {_get_base_name(path) for path, _ in self._iter_files()}

    def fetch_arrived(self, everywhere: bool = False) -> list[ArrivedMail]:
        found = []
        for path, kind in self._iter_files():
            if _get_base_name(path) not in self._seen and (everywhere or kind != "other"):
                self._seen.add(_get_base_name(path))
                found.append(ArrivedMail(kind, str(path.parent.parent), _read_bytes(path)))
        return found

    def remove_trial_mails(self, letters: Sequence[TrialMail]) -> list[bytes]:
        """Remove the mails, in the outbox, too, where nobody has fetched them."""
        marked = {path for letter in letters for path in self._list_files_with_mark(letter)}
        removed = [_read_bytes(path) for path in marked]
        for path in marked:
            path.unlink(missing_ok=True)
        return removed

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def is_unfetched(self, letter: TrialMail) -> bool:
        """Return whether nobody has fetched the mail from the outbox."""
        return any(self._outbox in path.parents for path in self._list_files_with_mark(letter))

    def _list_files_with_mark(self, letter: TrialMail) -> list[Path]:
        fresh = [path for path, _ in self._iter_files() if _get_base_name(path) not in self._before]
        # Its name begins with the number of the mail in the queue, and those of a trial are in none.
        fresh += [path for part in ("new", "cur") for path in (self._outbox / part).glob("moderator-00000000-*")]
        return [path for path in fresh if letter.mark.encode() in _read_bytes(path)]

    def _iter_files(self) -> Iterator[tuple[Path, Kind]]:
        for folder in (self._inbox, *sorted(self._inbox.glob(".[!.]*"))):
            name = folder.name.lower()
            kind: Kind = "other"
            if folder == self._inbox or name in (".processed", ".failed"):
                kind = "inbox"
            elif name in (".junk", ".spam"):
                kind = "junk"
            for part in ("new", "cur"):
                yield from ((path, kind) for path in (folder / part).glob("[!.]*"))


def _get_base_name(path: Path) -> str:
    """Return the name of a file without its flags."""
    return path.name.partition(":")[0]


def _read_bytes(path: Path) -> bytes:
    """Read a file; b"" where it has been moved meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


# ---- What a trial of the mailbox finds, step by step.


FOLDERS = "folders for read mails"


@dataclass(frozen=True)
class TrialStep:
    """One thing that was tried. ``trouble`` and ``doubt`` say what is wrong and how to mend it."""

    name: str
    says: str = ""
    """What was seen, where all is well."""
    trouble: str = ""
    doubt: str = ""
    """Not wrong, or not known."""
    settings: tuple[Setting, ...] = ()
    """With these it would be well."""

    @property
    def verdict(self) -> str:
        return "FAIL" if self.trouble else "note" if self.doubt else "ok"

    def __str__(self) -> str:
        said = self.trouble or self.doubt or self.says
        return f"{self.verdict:<5} {self.name}{': ' + said if said else ''}"
