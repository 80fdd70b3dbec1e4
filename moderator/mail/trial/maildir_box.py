"""The mailbox of a trial where mails are files in folders of this machine; see box.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from moderator.errors import OperatorError
from moderator.mail.maildir import MaildirMailbox, deliver
from moderator.mail.trial.box import Came, Kind, Moved
from moderator.mail.trial.letter import Letter


class MaildirBox:
    """``inbox`` and ``outbox`` as in [maildir]."""

    def __init__(self, inbox: Path, outbox: Path) -> None:
        self._inbox, self._outbox = inbox, outbox
        self._mailbox = MaildirMailbox(inbox)
        self._before = {_name(path) for path, _ in self._files()}
        """Files that are none of the trial's."""
        self._seen: set[str] = set()

    def move_about(self, letter: Letter) -> Moved:
        for folder in (".Processed", ".Failed"):
            key = deliver(self._inbox, letter.data).name
            self._mailbox.file_away(*(([key], []) if folder == ".Processed" else ([], [key])))
            there = self._holding(letter)
            if not any(path.parent.parent.name == folder for path in there):
                raise OperatorError(
                    f"A mail in {self._inbox} could not be moved to {folder}.", "Check its permissions."
                )
            self.remove([letter])
        return Moved(f"a mail was moved within {self._inbox}")

    def begin(self) -> None:
        self._seen = {_name(path) for path, _ in self._files()}

    def look(self, everywhere: bool = False) -> list[Came]:
        found = []
        for path, kind in self._files():
            if _name(path) not in self._seen and (everywhere or kind != "other"):
                self._seen.add(_name(path))
                found.append(Came(kind, str(path.parent.parent), _read(path)))
        return found

    def remove(self, letters: Sequence[Letter]) -> list[bytes]:
        """In the outbox, too, where nobody has fetched them."""
        marked = {path for letter in letters for path in self._holding(letter)}
        removed = [_read(path) for path in marked]
        for path in marked:
            path.unlink(missing_ok=True)
        return removed

    def close(self) -> None:
        """Nothing is open."""

    def waits(self, letter: Letter) -> bool:
        """Whether nobody has fetched it from the outbox."""
        return any(self._outbox in path.parents for path in self._holding(letter))

    def _holding(self, letter: Letter) -> list[Path]:
        fresh = [path for path, _ in self._files() if _name(path) not in self._before]
        # Its name begins with the number of the mail in the queue, and those of a trial are in none.
        fresh += [path for part in ("new", "cur") for path in (self._outbox / part).glob("moderator-00000000-*")]
        return [path for path in fresh if letter.mark.encode() in _read(path)]

    def _files(self) -> Iterator[tuple[Path, Kind]]:
        for folder in (self._inbox, *sorted(self._inbox.glob(".[!.]*"))):
            name = folder.name.lower()
            kind: Kind = "other"
            if folder == self._inbox or name in (".processed", ".failed"):
                kind = "inbox"
            elif name in (".junk", ".spam"):
                kind = "junk"
            for part in ("new", "cur"):
                yield from ((path, kind) for path in (folder / part).glob("[!.]*"))


def _name(path: Path) -> str:
    """Without the flags."""
    return path.name.partition(":")[0]


def _read(path: Path) -> bytes:
    """b"" where it has been moved meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
