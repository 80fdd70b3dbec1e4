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

from moderator.common import disk
from moderator.common.disk import sync_folder
from moderator.common.errors import OperatorError
from moderator.common.mails import BeginMail, Mark, MoreMails, RawMail, Ready, ReportSent, UnreadableMailsError
from moderator.mail.transport import OneByOne, wait_until

HEAD_BYTES = 65_536
BATCH_MAILS = 100
BATCH_BYTES = 8_000_000
POLL_SECONDS = 0.25

MARK = "moderator.mark"
_WAS = ".was."
_LONGEST_NAME = 250
_count = itertools.count()


def deliver_to_maildir(folder: Path, data: bytes, name: str = "") -> Path:
    """Write a mail into ``folder``/new and return its path. Complete and on disk, or not there at all.

    ``name`` is the unique part of the file name; the same name replaces the mail. Raises OperatorError."""
    name = name or _build_unique_name()
    with _translate_disk_errors(folder):
        _create_folders(folder)
        draft, final = folder / "tmp" / name, folder / "new" / name
        try:
            with draft.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            draft.rename(final)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(final.parent)
    return final


class MaildirMailbox:
    """The Maildir ``inbox``: new/ and cur/ are read; see ``moderator.common.mails.Mailbox``.

    Mails that were read are moved to the folders .Processed and .Failed inside it (Maildir++), so a mail program shows
    them. Folders are made where they are missing. Raises OperatorError (permissions, full disk)."""

    def __init__(self, inbox: Path) -> None:
        self._inbox = inbox
        self._seen: set[str] = set()
        """Keys that the last ``fetch`` saw."""
        with _translate_disk_errors(inbox):
            _create_folders(inbox)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def waiting(self) -> int:
        return len(self._scan_files())

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        """Yield new mails by delivery time (then name), in batches of at most 100 mails and about 8 MB. After the last
        batch ``UnreadableMailsError`` names files that cannot be read."""
        found = self._scan_files()
        self._seen = set(found)
        old = known(list(found)) if found else set()
        aged = [(_read_delivery_time(path) or 0, key, path) for key, path in found.items() if key not in old]
        batch: list[RawMail] = []
        weight = 0
        unread: dict[str, str] = {}
        for _, key, path in sorted(aged):
            try:
                mail = self._read_mail(key, path, max_bytes)
                # A mail program that shows a mail gives its file another name.
                if mail is None and (renamed := self._scan_files().get(key)):
                    mail = self._read_mail(key, renamed, max_bytes)
            except OSError as error:
                if error.errno in disk.OF_ALL_FILES:
                    raise _build_folder_error(path, error) from error
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
            raise UnreadableMailsError(unread)

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        for name, keys in ((".Processed", processed), (".Failed", failed)):
            left = self._move_keys(keys, self._inbox / name)
            # Somebody has renamed a mail, or removed the folder, in the same moment.
            if left:
                self._move_keys(left, self._inbox / name)

    def bring_back(self, since: datetime) -> int:
        """Move mails of .Processed and .Failed back, by their time of delivery, each under a new name."""
        late = since.timestamp() * 1e9
        moved = 0
        with _translate_disk_errors(self._inbox):
            for folder, part in product((".Processed", ".Failed"), ("new", "cur")):
                for path in sorted((self._inbox / folder / part).glob("[!.]*")):
                    if (_read_delivery_time(path) or 0) >= late:
                        path.rename(self._inbox / "new" / _build_new_name(path.name))
                        moved += 1
        return moved

    def marks(self) -> list[Mark]:
        """Read the mark in the file ``moderator.mark``. That of a copied folder is of another mailbox."""
        file = self._inbox / MARK
        try:
            inode, _, text = file.read_text(encoding="utf-8").partition("\n")
            mark = Mark.read(text) if inode == str(file.stat().st_ino) else None
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _build_folder_error(file, error) from error
        return [mark] if mark else []

    def mark(self, mark: Mark, alone: bool) -> None:
        """Write the mark. There is only one file, so it replaces every other."""
        # A draft has its installation's name, so that one that a dead run left goes with the next mark.
        draft = self._inbox / "tmp" / f"{MARK}.{mark.id}"
        with _translate_disk_errors(self._inbox):
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
            sync_folder(self._inbox)

    def idle(self, seconds: float) -> bool:
        """Look for a mail that the last ``fetch`` did not see, four times a second."""
        return wait_until(lambda: bool(self._scan_files().keys() - self._seen), seconds, POLL_SECONDS)

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _move_keys(self, keys: Sequence[str], folder: Path) -> list[str]:
        """Move mails to ``folder``; returns those that are not where they were a moment ago."""
        found = self._scan_files()
        with _translate_disk_errors(folder):
            _create_folders(folder)
            (folder / "maildirfolder").touch()
            return [key for key in keys if key in found and not _move_file(found[key], folder / "cur")]

    def _scan_files(self) -> dict[str, Path]:
        """Scan the inbox for files, by the unique part of the file name."""
        found: dict[str, Path] = {}
        with _translate_disk_errors(self._inbox):
            for part in ("new", "cur"):
                for entry in os.scandir(self._inbox / part):
                    if not entry.name.startswith("."):
                        found[_get_unique_part(entry.name)] = Path(entry.path)
        return found

    def _read_mail(self, key: str, path: Path, max_bytes: int) -> RawMail | None:
        """Read the mail; None if it is not there (another program moved or renamed it). Raises OSError."""
        try:
            with path.open("rb") as stream:
                status = os.fstat(stream.fileno())
                large = status.st_size > max_bytes
                data = stream.read(min(HEAD_BYTES, max_bytes)) if large else stream.read()
        except (FileNotFoundError, IsADirectoryError):
            return None
        size = max(status.st_size, len(data)) if large else len(data)
        return RawMail(key, data, datetime.fromtimestamp(status.st_mtime, UTC), size, _get_first_name(key))


class MaildirSender(OneByOne):
    """A sender that writes outgoing mails to ``outbox``/new, byte for byte behind a Return-Path, as a server that
    delivers writes it; see ``moderator.common.mails.Sender``.

    The file name is made of the row and the bytes, so a mail that is sent again is the same file, and one that a mail
    program has read meanwhile is not written again."""

    def __init__(self, outbox: Path) -> None:
        self._outbox = outbox
        self._read: set[str] = set()
        """Names of mails that a mail program has read."""

    def check(self) -> None:
        with _translate_disk_errors(self._outbox):
            _create_folders(self._outbox)
            probe = self._outbox / "tmp" / _build_unique_name()
            probe.touch()
            probe.unlink()

    def send(self, mails: Sequence[Ready], begin: BeginMail, report: ReportSent, more: MoreMails = tuple) -> None:
        """Send all of ``mails``, in order, then what ``more`` gives.

        Raises OperatorError (permissions, full disk); that mail is a "retry"."""
        if not mails:
            return
        with _translate_disk_errors(self._outbox):
            _create_folders(self._outbox)
            self._read = {_get_unique_part(name) for name in os.listdir(self._outbox / "cur")}
        super().send(mails, begin, report, more)

    def deliver(self, mail: Ready) -> str:
        if mail.name not in self._read:
            deliver_to_maildir(self._outbox, f"Return-Path: <{mail.sender}>\r\n".encode() + mail.data, mail.name)
        return mail.name


@contextmanager
def _translate_disk_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _build_folder_error(folder, error) from error


def _build_folder_error(path: Path, error: OSError) -> OperatorError:
    return OperatorError(
        *disk.describe_os_error(error, "use the mail folder", path, "Correct [maildir], its owner and permissions.")
    )


def _create_folders(folder: Path) -> None:
    for part in ("tmp", "new", "cur"):
        (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)


def _move_file(path: Path, folder: Path) -> bool:
    """Move the file; returns False where the mail, or the folder, is no longer there."""
    # In cur/ a name carries its flags; S = seen.
    name = path.name if ":" in path.name else f"{path.name}:2,S"
    try:
        path.rename(folder / name)
    except FileNotFoundError:
        return False
    return True


def _get_unique_part(name: str) -> str:
    return name.split(":", 1)[0]


def _get_first_name(key: str) -> str:
    """Return the name under which a mail came, however often it was brought back."""
    return key.rpartition(_WAS)[2]


def _build_new_name(name: str) -> str:
    """Build a new name for a mail that is brought back; its first name stands at the end, if there is room."""
    first = _get_first_name(_get_unique_part(name))
    made = f"{_build_unique_name()}{_WAS}{first}"
    return made if len(os.fsencode(made)) <= _LONGEST_NAME else _build_unique_name()


def _read_delivery_time(path: Path) -> int | None:
    """Read the time of delivery in ns; None for a file that vanished or cannot be looked at."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _build_unique_name() -> str:
    now = time.time_ns()
    host = socket.gethostname().replace("/", "-").replace(":", "-")
    return f"{now // 10**9}.M{now // 1000 % 10**6:06d}P{os.getpid()}Q{next(_count)}.{host}"
