"""Mails as files in folders of this machine (Maildir), in both directions.

For a server that delivers to ~/Maildir itself, for demonstrations and for tests: no network at all.
"""

from __future__ import annotations

import itertools
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Self

from moderator import disk
from moderator.disk import sync
from moderator.errors import OperatorError
from moderator.mail.model import Mark, RawMail, Ready, Sent, Unread
from moderator.mail.transport import OneByOne, looked_for

HEAD_BYTES = 65_536
BATCH_MAILS = 100
BATCH_BYTES = 8_000_000
POLL_SECONDS = 0.25

MARK = "moderator.mark"
_WAS = ".was."
_LONGEST_NAME = 250
_count = itertools.count()


def deliver(folder: Path, data: bytes, name: str = "") -> Path:
    """Write a mail into ``folder``/new and return its path. Complete and on disk, or not there at all.

    ``name`` is the unique part of the file name; the same name replaces the mail. Raises OperatorError.
    """
    name = name or _unique_name()
    with _writing(folder):
        _make(folder)
        draft, final = folder / "tmp" / name, folder / "new" / name
        try:
            with draft.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            draft.rename(final)
        finally:
            draft.unlink(missing_ok=True)
        sync(final.parent)
    return final


class MaildirMailbox:
    """The Maildir ``inbox``: new/ and cur/ are read; see ``moderator.mail.model.Mailbox``.

    Mails that were read go to the folders .Processed and .Failed inside it (Maildir++), so a mail program
    shows them. Folders are made where they are missing. Raises OperatorError (permissions, full disk).
    """

    def __init__(self, inbox: Path) -> None:
        self._inbox = inbox
        self._seen: set[str] = set()
        """Keys that the last ``fetch`` saw."""
        with _writing(inbox):
            _make(inbox)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def waiting(self) -> int:
        """How many mails lie in the inbox."""
        return len(self._files())

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        """New mails by delivery time (then name), in batches of at most 100 mails and about 8 MB. After the last
        batch ``Unread`` names files that cannot be read."""
        found = self._files()
        self._seen = set(found)
        old = known(list(found)) if found else set()
        aged = [(_age(path) or 0, key, path) for key, path in found.items() if key not in old]
        batch: list[RawMail] = []
        weight = 0
        unread: dict[str, str] = {}
        for _, key, path in sorted(aged):
            try:
                mail = self._read(key, path, max_bytes)
                # A mail program that shows a mail gives its file another name.
                if mail is None and (renamed := self._files().get(key)):
                    mail = self._read(key, renamed, max_bytes)
            except OSError as error:
                if error.errno in disk.OF_ALL_FILES:
                    raise _refused(path, error) from error
                unread[key] = f"{path}, {error.strerror}"
                continue
            if mail is None:
                continue
            if batch and (len(batch) == BATCH_MAILS or weight + len(mail.data) > BATCH_BYTES):
                yield batch
                batch, weight = [], 0
            batch.append(mail)
            weight += len(mail.data)
        if batch:
            yield batch
        if unread:
            raise Unread(unread)

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        """Move mails to .Processed/cur and .Failed/cur. Vanished ones are no error."""
        for name, keys in ((".Processed", processed), (".Failed", failed)):
            left = self._put(keys, self._inbox / name)
            # Somebody has renamed a mail, or removed the folder, in the same moment.
            if left:
                self._put(left, self._inbox / name)

    def bring_back(self, since: datetime) -> int:
        """Move mails of .Processed and .Failed back, by their time of delivery, each under a new name."""
        late = since.timestamp() * 1e9
        moved = 0
        with _writing(self._inbox):
            for folder, part in product((".Processed", ".Failed"), ("new", "cur")):
                for path in sorted((self._inbox / folder / part).glob("[!.]*")):
                    if (_age(path) or 0) >= late:
                        path.rename(self._inbox / "new" / _new_name_of(path.name))
                        moved += 1
        return moved

    def marks(self) -> list[Mark]:
        """What stands in the file ``moderator.mark``. That of a copied folder is of another mailbox."""
        file = self._inbox / MARK
        try:
            inode, _, text = file.read_text(encoding="utf-8").partition("\n")
            mark = Mark.read(text) if inode == str(file.stat().st_ino) else None
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _refused(file, error) from error
        return [mark] if mark else []

    def mark(self, mark: Mark, alone: bool) -> None:
        """There is only one file, so a mark is always alone."""
        # A draft has its installation's name, so that one that a dead run left goes with the next mark.
        draft = self._inbox / "tmp" / f"{MARK}.{mark.id}"
        with _writing(self._inbox):
            try:
                draft.unlink(missing_ok=True)
                with draft.open("w", encoding="utf-8") as stream:
                    stream.write(f"{os.fstat(stream.fileno()).st_ino}\n{mark.text()}\n")
                    stream.flush()
                    os.fsync(stream.fileno())
                # Where it is gone, another worker of this installation has just left the same mark.
                with suppress(FileNotFoundError):
                    draft.replace(self._inbox / MARK)
            finally:
                draft.unlink(missing_ok=True)
            sync(self._inbox)

    def idle(self, seconds: float) -> bool:
        """Look for a mail that the last ``fetch`` did not see, four times a second."""
        return looked_for(lambda: bool(self._files().keys() - self._seen), seconds, POLL_SECONDS)

    def close(self) -> None:
        """Nothing is open."""

    def _put(self, keys: Sequence[str], folder: Path) -> list[str]:
        """Move mails to ``folder``; returns those that are not where they were a moment ago."""
        found = self._files()
        with _writing(folder):
            _make(folder)
            (folder / "maildirfolder").touch()
            return [key for key in keys if key in found and not _move(found[key], folder / "cur")]

    def _files(self) -> dict[str, Path]:
        """Unique part of the file name -> file."""
        found: dict[str, Path] = {}
        with _writing(self._inbox):
            for part in ("new", "cur"):
                for entry in os.scandir(self._inbox / part):
                    if not entry.name.startswith("."):
                        found[_key(entry.name)] = Path(entry.path)
        return found

    def _read(self, key: str, path: Path, max_bytes: int) -> RawMail | None:
        """The mail, or None if it is not there (another program moved or renamed it). Raises OSError."""
        try:
            with path.open("rb") as stream:
                status = os.fstat(stream.fileno())
                large = status.st_size > max_bytes
                data = stream.read(min(HEAD_BYTES, max_bytes)) if large else stream.read()
        except (FileNotFoundError, IsADirectoryError):
            return None
        size = max(status.st_size, len(data)) if large else len(data)
        return RawMail(key, data, datetime.fromtimestamp(status.st_mtime, UTC), size, _first_name(key))


class MaildirSender(OneByOne):
    """Writes outgoing mails to ``outbox``/new, byte for byte behind a Return-Path, as a server that delivers writes it;
    see ``moderator.mail.model.Sender``.

    The file name is made of the row and the bytes, so a mail that is sent again is the same file, and one that
    a mail program has read meanwhile is not written again.
    """

    def __init__(self, outbox: Path) -> None:
        self._outbox = outbox
        self._read: set[str] = set()
        """Names of mails that a mail program has read."""

    def check(self) -> None:
        """Whether the folder can be written. Raises OperatorError."""
        with _writing(self._outbox):
            _make(self._outbox)
            probe = self._outbox / "tmp" / _unique_name()
            probe.touch()
            probe.unlink()

    def send(
        self,
        mails: Sequence[Ready],
        begin: Callable[[Ready], bool],
        report: Callable[[Sent], None],
        more: Callable[[], Sequence[Ready]] = tuple,
    ) -> None:
        """All of ``mails``, in order, then what ``more`` gives.

        Raises OperatorError (permissions, full disk); that mail is a "retry"."""
        if not mails:
            return
        with _writing(self._outbox):
            _make(self._outbox)
            self._read = {_key(name) for name in os.listdir(self._outbox / "cur")}
        super().send(mails, begin, report, more)

    def deliver(self, mail: Ready) -> str:
        """Its file name. Raises OperatorError."""
        if mail.name not in self._read:
            deliver(self._outbox, f"Return-Path: <{mail.sender}>\r\n".encode() + mail.data, mail.name)
        return mail.name


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refused(folder, error) from error


def _refused(path: Path, error: OSError) -> OperatorError:
    return OperatorError(
        *disk.described(error, "use the mail folder", path, "Correct [maildir], its owner and permissions.")
    )


def _make(folder: Path) -> None:
    for part in ("tmp", "new", "cur"):
        (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)


def _move(path: Path, folder: Path) -> bool:
    """False = the mail, or the folder, is gone."""
    # In cur/ a name carries its flags; S = seen.
    name = path.name if ":" in path.name else f"{path.name}:2,S"
    try:
        path.rename(folder / name)
    except FileNotFoundError:
        return False
    return True


def _key(name: str) -> str:
    return name.split(":", 1)[0]


def _first_name(key: str) -> str:
    """The name under which a mail came, however often it was brought back."""
    return key.rpartition(_WAS)[2]


def _new_name_of(name: str) -> str:
    """A new name for a mail that is brought back; its first name stands at the end, if there is room."""
    first = _first_name(_key(name))
    made = f"{_unique_name()}{_WAS}{first}"
    return made if len(os.fsencode(made)) <= _LONGEST_NAME else _unique_name()


def _age(path: Path) -> int | None:
    """Time of delivery in ns, None for a file that vanished or cannot be looked at."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _unique_name() -> str:
    now = time.time_ns()
    host = socket.gethostname().replace("/", "-").replace(":", "-")
    return f"{now // 10**9}.M{now // 1000 % 10**6:06d}P{os.getpid()}Q{next(_count)}.{host}"
