"""The machine below us: what survives a power failure, and what its errors mean, with a fix that exists.

Light, and without imports of its own when something fails: where no file can be opened, no module can be loaded.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

from moderator.common.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

Place = str | os.PathLike[str]
_FULL = (errno.ENOSPC, errno.EDQUOT)
_FILES = "`ulimit -n` shows how many may be open at once; allow more, with `ulimit -n 4096` before the command."
_LOOK = "Try again; if it stays, look at the disk (`dmesg`) and run `moderator doctor --deep`."
_FIXES = {
    errno.EIO: ("the disk could not be read or written (input/output error)", _LOOK),
    errno.EMFILE: ("this process has too many files open", _FILES),
    errno.ENFILE: (
        "too many files are open on this machine",
        "`sysctl fs.file-max` shows how many may be; allow more.",
    ),
    errno.EROFS: ("the disk can only be read", "Mount it so that it can be written; `mount` shows how it is now."),
    errno.ENOMEM: ("the machine has no memory left", "End other programs, or give it more; nothing is lost."),
}
_MACHINE = (*_FULL, *_FIXES)
OF_ALL_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Of errors when a file is read: those that say nothing of that file."""
_WORDS = {
    "Too many open files": errno.EMFILE,
    "Input/output error": errno.EIO,
    "Cannot allocate memory": errno.ENOMEM,
    "Permission denied": errno.EACCES,
}
"""In an ImportError, which has no number."""
PAGE = 1 << 14
"""Bytes that a look whether a folder can be written puts there."""
AMPLE = 100 << 20
"""Bytes; who has so many cannot be told that there is no room."""
SCANT = 1 << 20
"""Bytes; with less a disk is full for us: a database writes several pages at a time."""
LEAST_ROOM = 50_000_000
"""The same while there is time to make room; a club writes some megabytes a day."""


def sync_folder(folder: Place) -> None:
    """Write to the disk, before this returns, what was made or renamed in ``folder``. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_file(file: Place, data: bytes) -> None:
    """Write ``data`` to the file so that it is at any moment there whole, or as it was, with its permissions, and with
    its group and owner as far as we may give it away; a new file is readable by its owner only. A link is followed.
    Raises OSError."""
    import tempfile

    place = os.path.realpath(file)
    folder, name = os.path.split(place)
    was = os.stat(place) if os.path.exists(place) else None
    handle, draft = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)
            made = os.fstat(handle)
        if was and (was.st_uid, was.st_gid) != (made.st_uid, made.st_gid):
            _restore_owner(draft, was.st_uid, was.st_gid)
        if was:
            os.chmod(draft, stat.S_IMODE(was.st_mode))
        os.replace(draft, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
    sync_folder(folder)


def _restore_owner(file: str, owner: int, group: int) -> None:
    """Give a file back to its owner and group, as far as that is allowed: only root gives files away, and others to
    groups of their own; in a folder of several people we write all the same. Raises OSError for what is no
    permission."""
    with suppress(PermissionError):
        os.chown(file, -1, group)
    with suppress(PermissionError):
        os.chown(file, owner, -1)


def open_private_text(file: Place) -> TextIOWrapper:
    """Open a file to write on at its end, that only its owner can read where it is made now. Raises OSError."""
    return open(file, "a", encoding="utf-8", opener=open_private_file)


def open_private_file(name: Place, flags: int) -> int:
    """Open a file by its descriptor, as ``opener`` of ``open``: only its owner can read the file, where it is made now.
    Raises OSError."""
    return os.open(name, flags, 0o600)


def find_free_bytes(place: Place) -> int | None:
    """Return the bytes that we may still write beside ``place``, or in the nearest folder above it that is there; None
    = nobody knows."""
    folder = os.path.abspath(place)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    try:
        found = os.statvfs(folder)  # shutil would do, but loads four compressors: a third of twenty look-ups
    except OSError:
        return None
    return found.f_bavail * found.f_frsize


def describe_full_disk(place: Place) -> tuple[str, str]:
    """Return (what is wrong, fix) of a disk that has no room."""
    folder = os.path.abspath(place)
    folder = folder if os.path.isdir(folder) else os.path.dirname(folder)
    left = find_free_bytes(folder)
    if left is not None and left > AMPLE:
        why = f"the disk takes no more (folder {folder}; {left / 1e6:.0f} MB are free: a quota, or too many files)"
        return why, "Look with `quota` and `df -i`, and make room there; nothing is lost, the next run goes on."
    known = "" if left is None else f", {left / 1e6:.1f} MB are free"
    return f"the disk is full (folder {folder}{known})", "Make room there; nothing is lost, the next run goes on."


def describe_os_error(error: OSError, what: str, place: Place, fix: str) -> tuple[str, str]:
    """Return (message, fix) of an error for the operator. ``what``: "read" or "write"; ``fix`` is for what is no fault
    of the machine's, a permission say."""
    if error.errno in _FULL:
        why, mend = describe_full_disk(place)
    elif error.errno in _FIXES:
        why, mend = _FIXES[error.errno]
    elif error.errno in (errno.EACCES, errno.EPERM):
        why, mend = str(error.strerror), f"{fix} `ls -ld` shows whose it is."
    else:
        why, mend = error.strerror or str(error), fix
    return f"Cannot {what} {os.fspath(place)}: {why}.", mend


def find_machine_fault(error: BaseException) -> StoreError | None:
    """Return an error for the operator where ``error`` is one of the machine's faults (no room, no memory, too many
    files, a disk that fails) wherever they show, also while a module is loaded; None for all else, which may be a bug
    of ours."""
    if isinstance(error, MemoryError):
        why, fix = _FIXES[errno.ENOMEM]
        return StoreError(f"Cannot go on: {why}.", fix)
    if isinstance(error, ImportError):
        number = next((number for words, number in _WORDS.items() if words in str(error)), None)
        if number is None:
            return None
        fault = OSError(number, os.strerror(number))
        message, fix = describe_os_error(
            fault, "load", error.path or error.name or "a part of the program", "Install moderator again."
        )
        return StoreError(message, fix)
    if isinstance(error, OSError) and error.errno in _MACHINE:
        return StoreError(*describe_os_error(error, "use", _get_file_name(error), ""))
    return None


def find_operator_fault(error: BaseException) -> StoreError | None:
    """Return what ``find_machine_fault`` finds, and at the command line's border also an error for a file of the
    program itself that we may not read, which is no bug."""
    found = find_machine_fault(error)
    if found is None and isinstance(error, PermissionError):
        return StoreError(
            *describe_os_error(error, "use", _get_file_name(error), "It must belong to whoever runs moderator.")
        )
    return found


def _get_file_name(error: OSError) -> str:
    return os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "a file"


# ---- Where the files are that are not Python: in a wheel inside the package, in a checkout at the top level.
#
# The languages that mails are written in: those that there are files of words for, and nothing else names them.
#
# A further one is written by translating each ``*messages.en.toml`` and ``rules.*.en.md`` of the package.


_PACKAGE = os.path.dirname(os.path.dirname(__file__))


def _find_beside(name: str) -> Path:
    from pathlib import Path  # not at the top: twenty look-ups in a dictionary take less time than loading it

    inside = Path(_PACKAGE, name)
    return inside if inside.exists() else Path(_PACKAGE).parent / name


def get_template_root() -> Path:
    return _find_beside("templates")


def get_example_config() -> Path:
    return _find_beside("config.example.toml")


DEFAULT_FILE = "moderator.toml"


def choose_settings_file(named: Path | None) -> Path:
    """Return the file of the settings: the named one, that of $MODERATOR_CONFIG, or the one in this folder."""
    from pathlib import Path  # a dictionary is opened without it

    return named or Path(os.environ.get("MODERATOR_CONFIG", DEFAULT_FILE))


FALLBACK = "en"
"""What is read where something lacks the reader's language: a game of another package, rules not translated yet."""

_names = (name.split(".") for name in os.listdir(os.path.join(_PACKAGE, "language")))
LANGUAGES = tuple(sorted(parts[1] for parts in _names if parts[0] == "messages" and parts[-1] == "toml"))
"""Those of ``messages.<language>.toml``; the other files go by these."""
