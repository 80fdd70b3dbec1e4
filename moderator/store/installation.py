"""One installation for each mailbox.

Two that read the same mailbox (an old copy of the club on another machine, say) take each other's mails, and each
plays a game of its own, without noticing. So each leaves a mark there, and stops where it finds the mark of another
one.

Which installation this is stands in a file beside the database, and not in it, because a copy of the club must not
take itself for the first one. Several workers on one PostgreSQL database are one installation, and it is told there.

On one machine a lock beside the database file, which the system gives up with the process, keeps a second tick out."""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from moderator.common import disk
from moderator.common.errors import OperatorError
from moderator.common.mails import Mailbox, Mark
from moderator.store import due_work
from moderator.store.due_work import Place

FRESH = timedelta(days=2)
"""A mark of another installation that is younger stops us; an older one is of an installation that is gone."""
LOOK = timedelta(hours=1)
"""Time between two looks while there is mail to take in."""
LOOK_IDLE = timedelta(hours=6)
"""Time between two looks without; well below ``FRESH``, so that a mark stays fresh as long as its owner runs."""
_KEY = "installation"
_TAKES_OVER = "installation-takes-over"


@dataclass(frozen=True)
class MailboxIdentity:
    """An installation, and its place."""

    id: str
    host: str
    path: str
    inode: int
    """Of the file that holds this."""
    takes_over: bool = False
    """Whoever marked the mailbox before is to stop."""

    def is_at(self, host: str, path: str, inode: int) -> bool:
        """Return whether the installation is at this place: at least two of the three agree.

        A machine may get another name, a folder may be moved, a disk be put into another machine; a copy differs in two
        of them."""
        return (self.host == host) + (self.path == path) + (self.inode == inode) >= 2


def get_last_look_key(database: Place) -> str:
    """Return the key of the value that holds the time at which this installation last looked; "" where only the
    database can tell."""
    found = None if isinstance(database, str) else _read_identity(_build_identity_path(database))
    return _build_look_key(found) if found else ""


def _build_look_key(here: MailboxIdentity) -> str:
    return f"{_KEY}-{here.id}"


def claim_mailbox(
    database: Place,
    box: Mailbox,
    now: datetime,
    waiting: int,
    take_over: bool,
    known: tuple[str, str] = ("", ""),
    *,
    name: str,
    zone: str,
) -> None:
    """Check that no other installation reads the mailbox, before anything is taken from it. Looks once in a while and
    marks it then.

    ``known``: a key, see ``get_last_look_key``, and its value. ``take_over``: the other installation is to stop.
    ``name`` and ``zone`` are the club's. Raises OperatorError if another one has marked the mailbox recently."""
    here = get_or_create_identity(database, name)
    take_over = take_over or here.takes_over
    key = _build_look_key(here)
    last = known[1] if known[0] == key else due_work.load_value_at(database, key)
    pause = LOOK if waiting else LOOK_IDLE
    if last and not take_over and timedelta() <= now - datetime.fromisoformat(last) < pause:
        return
    own = Mark(here.id, now, f"{here.host}, {here.path}")
    _refuse_other_installation(zone, _list_other_installations(box, own), take_over)
    box.mark(own, alone=take_over)
    # Another one may have looked in the same moment and found nothing either.
    _refuse_other_installation(zone, _list_other_installations(box, own), take_over)
    due_work.save_value_at(database, key, now.astimezone(UTC).isoformat())
    if not here.takes_over:
        return
    if isinstance(database, str):
        due_work.save_value_at(database, _TAKES_OVER, "")
    else:
        _write_identity(_build_identity_path(database), replace(here, takes_over=False))


def _list_other_installations(box: Mailbox, own: Mark) -> list[Mark]:
    """List the marks of other installations that still run, as far as one can see."""
    return [mark for mark in box.marks() if mark.id != own.id and own.at - mark.at < FRESH]


def _refuse_other_installation(zone: str, others: list[Mark], take_over: bool) -> None:
    if others and not take_over:
        latest = max(others, key=lambda mark: mark.at)
        raise OperatorError(
            f"Another installation reads this mailbox: {latest.where}, "
            f"last seen {latest.at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}.",
            "Two at once would each play a game of its own. Stop one of them; if this one is to go on, run "
            "`moderator tick --take-over` here once.",
        )


def get_or_create_identity(database: Place, name: str) -> MailboxIdentity:
    """Return the identity of this installation of the club called ``name``; created at the first call, and anew in a
    copy of the club. Raises OperatorError where its file cannot be written."""
    if isinstance(database, str):
        known = due_work.load_value_at(database, _KEY)
        if not known:
            due_work.save_value_at(database, _KEY, secrets.token_hex(8))
            known = due_work.load_value_at(database, _KEY)
        takes_over = bool(due_work.load_value_at(database, _TAKES_OVER))
        return MailboxIdentity(str(known), "PostgreSQL", name, 0, takes_over)
    file = _build_identity_path(database)
    found = _read_identity(file)
    if found is not None and found.is_at(socket.gethostname(), str(file.resolve()), file.stat().st_ino):
        return found
    return _create_identity(file)


def take_over_database(database: Path) -> None:
    """Let the club go on in this file on purpose: a backup that was put back, or a database that was moved."""
    _create_identity(_build_identity_path(database), takes_over=True)


def build_takeover_values() -> dict[str, str]:
    """Build the same for a database of PostgreSQL: its new values by key, whatever they were before."""
    return {_KEY: secrets.token_hex(8), _TAKES_OVER: "yes"}


def _create_identity(file: Path, takes_over: bool = False) -> MailboxIdentity:
    """Create another installation's identity, which holds from now on."""
    return _write_identity(
        file, MailboxIdentity(secrets.token_hex(8), socket.gethostname(), str(file.resolve()), 0, takes_over)
    )


def _build_identity_path(database: Path) -> Path:
    return database.with_name(f"{database.name}.place")


def _write_identity(file: Path, place: MailboxIdentity) -> MailboxIdentity:
    """Write the file beside and rename it, so that it is there whole or not at all."""
    draft = file.with_name(f"{file.name}.new")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            made = replace(place, inode=os.fstat(handle).st_ino)
            json.dump(asdict(made), stream)
            stream.flush()
            os.fsync(handle)
        draft.replace(file)
        disk.sync_folder(file.parent)
    except OSError as error:
        raise OperatorError(*disk.describe_os_error(error, "write", file, "Check the folder's permissions.")) from error
    return made


def _read_identity(file: Path) -> MailboxIdentity | None:
    try:
        return MailboxIdentity(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


# ---- one at a time on this machine ----


@contextmanager
def hold_file_lock(path: Path, ending: str) -> Iterator[bool]:
    """Hold the file ``<path><ending>`` until the end of the block; yields False where another process holds it.

    Only the file's owner can open it: anybody who can, can hold it and so keep every tick from its work. Raises
    OperatorError where it cannot be written.

    ``filelock`` (4.2) could do this but for the permissions of a file that an older moderator has made; to load it
    takes 46 ms of every tick, and one that finds nothing to do takes 110."""
    import fcntl
    import os
    import stat

    lock = path.with_name(path.name + ending)
    try:
        stream = open(lock, "a", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
        if stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & 0o077:  # made by an older moderator
            with suppress(PermissionError):
                os.fchmod(stream.fileno(), 0o600)
    except OSError as error:
        raise OperatorError(*disk.describe_os_error(error, "write", lock, "Check the folder's permissions.")) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def hold_tick_lock(database: Place) -> Iterator[bool]:
    """Hold the lock beside the database file; yields False where another tick is at work.

    On PostgreSQL ticks work side by side (``Store.advisory_lock`` keeps the mailbox to one of them)."""
    if isinstance(database, str):
        yield True
        return
    with hold_file_lock(database, ".lock") as mine:
        yield mine
