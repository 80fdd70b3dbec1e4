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

from moderator import disk
from moderator.config import Config
from moderator.errors import OperatorError
from moderator.mail.model import Mailbox, Mark
from moderator.store import probe

FRESH = timedelta(days=2)
"""A mark of another installation that is younger stops us; an older one is of an installation that is gone."""
LOOK = timedelta(hours=1)
"""Time between two looks while there is mail to take in."""
LOOK_IDLE = timedelta(hours=6)
"""Time between two looks without; well below ``FRESH``, so that a mark stays fresh as long as its owner runs."""
_KEY = "installation"
_TAKES_OVER = "installation-takes-over"


@dataclass(frozen=True)
class Place:
    """An installation, and where it is."""

    id: str
    host: str
    path: str
    inode: int
    """Of the file that holds this."""
    takes_over: bool = False
    """Whoever marked the mailbox before is to stop."""

    def is_at(self, host: str, path: str, inode: int) -> bool:
        """A machine may get another name, a folder may be moved, a disk be put into another machine: a copy differs in
        two of the three."""
        return (self.host == host) + (self.path == path) + (self.inode == inode) >= 2


def key_of(config: Config) -> str:
    """Key of the value that says when this installation last looked; "" where only the database can tell."""
    found = None if config.store.url else _read(_file(config))
    return _looked(found) if found else ""


def _looked(here: Place) -> str:
    return f"{_KEY}-{here.id}"


def look(
    config: Config, box: Mailbox, now: datetime, waiting: int, take_over: bool, known: tuple[str, str] = ("", "")
) -> None:
    """Before anything is taken from the mailbox: is it ours alone? Looks once in a while and marks it then. ``known``:
    a key, see ``key_of``, and its value.

    Raises OperatorError if another installation has marked it lately. ``take_over``: then that one is to stop.
    """
    here = place_of(config)
    take_over = take_over or here.takes_over
    key = _looked(here)
    last = known[1] if known[0] == key else probe.noted(config.database, key)
    pause = LOOK if waiting else LOOK_IDLE
    if last and not take_over and timedelta() <= now - datetime.fromisoformat(last) < pause:
        return
    own = Mark(here.id, now, f"{here.host}, {here.path}")
    _refuse(config, _others(box, own), take_over)
    box.mark(own, alone=take_over)
    # Another one may have looked in the same moment and found nothing either.
    _refuse(config, _others(box, own), take_over)
    probe.note(config.database, key, now.astimezone(UTC).isoformat())
    if here.takes_over and config.store.url:
        probe.note(config.database, _TAKES_OVER, "")
    elif here.takes_over:
        _write(_file(config), replace(here, takes_over=False))


def _others(box: Mailbox, own: Mark) -> list[Mark]:
    """Marks of other installations that still run, as far as one can see."""
    return [mark for mark in box.marks() if mark.id != own.id and own.at - mark.at < FRESH]


def _refuse(config: Config, others: list[Mark], take_over: bool) -> None:
    if others and not take_over:
        latest = max(others, key=lambda mark: mark.at)
        raise OperatorError(
            f"Another installation reads this mailbox: {latest.where}, "
            f"last seen {latest.at.astimezone(ZoneInfo(config.club.zone)):%Y-%m-%d %H:%M}.",
            "Two at once would each play a game of its own. Stop one of them; if this one is to go on, run "
            "`moderator tick --take-over` here once.",
        )


def place_of(config: Config) -> Place:
    """This installation's; made at the first call, and anew in a copy of the club. Raises OperatorError where its file
    cannot be written."""
    if config.store.url:
        known = probe.noted(config.database, _KEY)
        if not known:
            probe.note(config.database, _KEY, secrets.token_hex(8))
            known = probe.noted(config.database, _KEY)
        takes_over = bool(probe.noted(config.database, _TAKES_OVER))
        return Place(str(known), "PostgreSQL", config.club.name, 0, takes_over)
    file = _file(config)
    found = _read(file)
    if found is not None and found.is_at(socket.gethostname(), str(file.resolve()), file.stat().st_ino):
        return found
    return _made(file)


def take_over_in(database: Path) -> None:
    """The club goes on in this file on purpose: a backup that was put back, or a database that was moved."""
    _made(_beside(database), takes_over=True)


def values_to_take_over() -> dict[str, str]:
    """The same for a database of PostgreSQL: what its values by key are to say, whatever they said before."""
    return {_KEY: secrets.token_hex(8), _TAKES_OVER: "yes"}


def _made(file: Path, takes_over: bool = False) -> Place:
    """Another installation from now on."""
    return _write(file, Place(secrets.token_hex(8), socket.gethostname(), str(file.resolve()), 0, takes_over))


def _file(config: Config) -> Path:
    return _beside(config.path(config.store.path))


def _beside(database: Path) -> Path:
    return database.with_name(f"{database.name}.place")


def _write(file: Path, place: Place) -> Place:
    """Written beside and renamed, so that it is there whole or not at all."""
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
        disk.sync(file.parent)
    except OSError as error:
        raise OperatorError(*disk.described(error, "write", file, "Check the folder's permissions.")) from error
    return made


def _read(file: Path) -> Place | None:
    try:
        return Place(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


# ---- one at a time on this machine ----


@contextmanager
def alone(config: Config, ending: str) -> Iterator[bool]:
    """Hold ``moderator.sqlite<ending>`` until the end of the block; False = another process has it. Only its owner can
    open it: who can, can hold it and so keep every tick from its work. Raises OperatorError where it cannot be written.

    ``filelock`` (4.2) could do this but for the permissions of a file that an older moderator has made; to load it
    takes 46 ms of every tick, and one that finds nothing to do takes 110.
    """
    import fcntl
    import os
    import stat

    path = config.path(config.store.path)
    lock = path.with_name(path.name + ending)
    try:
        stream = open(lock, "a", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
        if stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & 0o077:  # made by an older moderator
            with suppress(PermissionError):
                os.fchmod(stream.fileno(), 0o600)
    except OSError as error:
        raise OperatorError(*disk.described(error, "write", lock, "Check the folder's permissions.")) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def only_one(config: Config) -> Iterator[bool]:
    """Hold the lock beside the database file; False = another tick is at work. On PostgreSQL ticks work side by side
    (``Store.turn`` keeps the mailbox to one of them)."""
    if config.store.url:
        yield True
        return
    with alone(config, ".lock") as mine:
        yield mine
