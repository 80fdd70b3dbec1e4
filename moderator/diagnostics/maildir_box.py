"""The mailbox of a trial where mails are files in folders of this machine; see mailbox.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from moderator.common.errors import OperatorError
from moderator.diagnostics.mailbox import ArrivedMail, Kind, MoveTrialResult
from moderator.mail.maildir import MaildirMailbox, deliver_to_maildir
from moderator.mail.trial_letter import TrialMail


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
