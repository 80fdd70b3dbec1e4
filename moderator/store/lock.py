"""A lock beside the database file, which the system gives up with the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from moderator import disk
from moderator.config import Config
from moderator.errors import OperatorError


@contextmanager
def alone(config: Config, ending: str) -> Iterator[bool]:
    """Hold ``moderator.sqlite<ending>`` until the end of the block; False = another process has it. Only its owner can
    open it: who can, can hold it and so keep every tick from its work. Raises OperatorError where it cannot be written.
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
