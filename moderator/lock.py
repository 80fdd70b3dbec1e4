"""A lock beside the database file, which the system gives up with the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from moderator.config import Config
from moderator.errors import OperatorError


@contextmanager
def alone(config: Config, ending: str) -> Iterator[bool]:
    """Hold ``moderator.sqlite<ending>`` until the end of the block; False = another process has it. Raises
    OperatorError where it cannot be written."""
    import fcntl

    path = config.path(config.store.path)
    lock = path.with_name(path.name + ending)
    try:
        stream = lock.open("a")
    except OSError as error:
        raise OperatorError(
            f"Cannot write {lock}: {error.strerror}.", "Check the folder's permissions and space."
        ) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
