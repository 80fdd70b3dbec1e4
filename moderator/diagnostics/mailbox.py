"""The mailbox as a trial sees it: what has come since it began, in whatever folder, of mails sent to oneself, to the
plain address and to sub-addresses, where to and how soon; moving a mail about; and removing its mails. Over IMAP."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from moderator.common.errors import OperatorError, TransientError
from moderator.common.mails import Mailbox, RawMail, Ready, Sender, Sent
from moderator.diagnostics.headers import extract_report_reason, get_mail_head
from moderator.diagnostics.settings_file import Setting
from moderator.mail import imap_folders
from moderator.mail.imap import connect_imap, disconnect_imap, translate_imap_errors
from moderator.mail.maildir import MaildirMailbox, deliver_to_maildir
from moderator.mail.network import format_server_words
from moderator.mail.settings import ImapSettings
from moderator.mail.trial_letter import BEGINS, HEADER, TrialMail

LONGER = 30.0
"""Seconds that a sub-address is waited for when the plain address has come."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 2.0


@dataclass
class Journey:
    """The way of one mail of the trial."""

    letter: TrialMail
    came: ArrivedMail | None = None
    sent_at: float = 0.0
    """When the server had answered."""
    after: float = 0.0
    """Seconds from then until it was seen."""
    refused: str = ""
    """Why it did not set out, or was sent back."""
    waited: float = 0.0
    """Seconds, where nothing came."""

    @property
    def is_over(self) -> bool:
        return self.came is not None or bool(self.refused)

    @property
    def has_arrived(self) -> bool:
        """True if it came to where moderator looks for mail."""
        return self.came is not None and self.came.kind == "inbox"


@dataclass
class RoundTrip:
    """The ways of all mails of a trial, on one clock."""

    box: TrialBox
    longest: float
    """Seconds to wait."""
    given_up: Callable[[TrialMail], bool] = lambda letter: False
    """Whether a letter that has not come need not be waited for."""
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    journeys: list[Journey] = field(default_factory=list)
    """Those that have set out, also where ``run`` fails over a later one."""

    def run(self, sender: Sender, address: str, letters: Sequence[TrialMail]) -> list[Journey]:
        """Send the mails and wait for them. Raises OperatorError, TransientError where none could be sent."""
        self.box.skip_present_mails()
        for letter in letters:
            one = Journey(letter)
            self._send_mail(sender, address, one)
            self.journeys.append(one)
        self._wait_for_mails()
        return self.journeys

    def _send_mail(self, sender: Sender, address: str, one: Journey) -> None:
        def record_result(sent: Sent) -> None:
            one.refused = "" if sent.result == "sent" else sent.answer or sent.result

        # It is in no queue, so it has no number there.
        sender.send([Ready(0, address, one.letter.recipient, one.letter.data)], lambda mail: True, record_result)
        one.sent_at = self.clock()

    def _wait_for_mails(self) -> None:
        began, pause = self.clock(), FIRST_PAUSE
        until = {one.letter.mark: began + self.longest for one in self.journeys}
        while True:
            self._look_for_mails(everywhere=False)
            plain = next((one for one in self.journeys if not one.letter.way), None)
            if plain and plain.came:
                until = {mark: min(end, plain.sent_at + plain.after + LONGER) for mark, end in until.items()}
            now = self.clock()
            left = [one for one in self.journeys if not one.is_over and now < until[one.letter.mark]]
            left = [one for one in left if not self.given_up(one.letter)]
            if not left:
                break
            self.pause(pause)
            pause = min(pause * 1.3, LONGEST_PAUSE)
        if not all(one.is_over for one in self.journeys):
            self._look_for_mails(everywhere=True)
        for one in self.journeys:
            one.waited = self.clock() - began

    def _look_for_mails(self, everywhere: bool) -> None:
        for came in self.box.fetch_arrived(everywhere):
            for one in self.journeys:
                if came.is_copy_of(one.letter) and one.came is None:
                    one.came, one.after = came, self.clock() - one.sent_at
                elif came.is_report_about(one.letter) and not one.is_over:
                    one.refused = extract_report_reason(came.data) or "a report says so, and not why"


# ---- what they tell ----


def build_plain_step(one: Journey) -> TrialStep:
    """Build the step of the plain address: without it nothing works."""
    name = f"mail to {one.letter.recipient}"
    if one.has_arrived and one.came:
        return TrialStep(name, f"came to {one.came.folder} after {one.after:.1f} s")
    if one.came:
        if one.came.kind == "junk":
            so = ", and so may players' mails. Switch the junk filter off, or let it pass all for this address"
        else:
            so = ". Remove the rule that files it there"
        where = f"came to the folder {one.came.folder!r}, where moderator does not look"
        return TrialStep(name, trouble=f"{where}{so}, in the mailbox's settings; then try again.")
    if one.refused:
        return TrialStep(name, trouble=f"was not taken: {one.refused}. Correct [mail] address, or ask the provider.")
    return TrialStep(
        name,
        trouble=f"did not come within {one.waited:.0f} s. Is it the address of this mailbox, and forwarded nowhere? "
        "Look into the mailbox, at its website, too; then try again.",
    )


def iter_way_steps(journeys: Sequence[Journey], configured: str) -> Iterator[TrialStep]:
    """Yield the steps of the sub-addresses; the settings belong to what the configuration says today."""
    plain = next(one for one in journeys if not one.letter.way)
    ways = [one for one in journeys if one.letter.way]
    good = [one.letter.way for one in ways if one.has_arrived]
    for one in ways:
        way, name = one.letter.way, f"mail to {one.letter.recipient}"
        where = _describe_arrival(one)
        if one.has_arrived and way == configured:
            yield TrialStep(name, f"{where}, so answers bring their match along")
        elif one.has_arrived and configured in good:
            yield TrialStep(name, f"{where}, too")
        elif one.has_arrived:
            better = Setting("mail", "subaddress", way)
            yield TrialStep(
                name, doubt=f"{where}: answers can bring their match along. Set {better}.", settings=(better,)
            )
        elif not plain.has_arrived:
            yield TrialStep(name, doubt=f"{where}. That says nothing as long as the plain address does not work.")
        elif way == configured:
            other = Setting("mail", "subaddress", good[0] if good else "")
            works = "" if good else " All works without: the subject carries the match."
            yield TrialStep(
                name, trouble=f"{where}, so players' answers would be lost. Set {other}.{works}", settings=(other,)
            )
        else:
            yield TrialStep(name, f"{where}; such addresses are not used")


def _describe_arrival(one: Journey) -> str:
    if one.came:
        return (
            f"came to {one.came.folder} after {one.after:.1f} s" if one.has_arrived else f"came to {one.came.folder!r}"
        )
    return f"was not taken ({one.refused})" if one.refused else f"did not come within {one.waited:.0f} s"


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
