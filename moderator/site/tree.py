"""The folder of the site: only what has changed is written, what is not of the site any more goes.

A page is known by its key, a hash of all that it is made from; as long as that is the same it is not even made. The
keys stand in a file of the folder, and files that are not in it are never touched: they are somebody else's. It names
them by a hash, because it is uploaded with the rest and some addresses are secret (calendars).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from moderator import disk
from moderator.errors import OperatorError

MANIFEST = ".moderator-site.json"
UNFINISHED = ".moderator-site-unfinished"
"""Is there while something is written, and before anything else: the folder is ours, and the next run goes on."""
VERSION = 2


@dataclass(frozen=True)
class File:
    """A file of the site, not yet made."""

    path: str
    """Relative, with slashes: ``matches/K7Q2.html``."""
    key: str
    make: Callable[[], bytes]
    instead: bool = False
    """Only where the folder has it already: for one that is not of the site any more, and that somebody may know."""


@dataclass
class Written:
    """What a run did."""

    files: int = 0
    """Of the whole site."""
    written: int = 0
    removed: int = 0


def key(*parts: object) -> str:
    """Of all that a file is made from; of plain values only, whose ``repr`` says everything."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def update(folder: Path, files: Iterable[File], anew: bool = False) -> Written:
    """Bring the folder up to date. A run that dies is continued by the next one (see ``is_unfinished``). ``anew``: all
    is made, also what seems to be as it should. Raises OperatorError for a folder that cannot be written, or that holds
    something else."""
    known = _known(folder)
    now: dict[str, str] = {}
    done = Written()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / UNFINISHED).touch()
        for file in files:
            target = _inside(folder, file.path)
            name = key(file.path)
            if file.instead and name not in known:
                continue
            if anew or known.get(name) != file.key or not target.is_file():
                done.written += _write(target, file.make())
            now[name] = file.key
        done.removed = _remove(folder, known.keys() - now.keys())
        done.files = len(now)
        if now != known:
            text = json.dumps({"version": VERSION, "files": now}, indent=0, sort_keys=True)
            _write(folder / MANIFEST, text.encode())
        (folder / UNFINISHED).unlink()
    except OSError as error:
        raise OperatorError(
            *disk.described(error, "write the site:", error.filename or folder, "Check [site] folder and its rights.")
        ) from error
    return done


def is_unfinished(folder: Path) -> bool:
    """Whether a run died, or had no room, before all was written."""
    return (folder / UNFINISHED).exists()


def check(folder: Path) -> None:
    """Raises OperatorError for a folder in which no site can be written."""
    _known(folder)
    place = next(place for place in (folder, *folder.parents) if place.exists())
    if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        raise OperatorError(f"Cannot write the site: {place} may not be written.", "Check [site] folder, its rights.")


def _known(folder: Path) -> dict[str, str]:
    """Keys of the last run by hash of the path. Raises OperatorError where files of others would be overwritten."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        if folder.exists() and not is_unfinished(folder) and (not folder.is_dir() or any(folder.iterdir())):
            raise OperatorError(f"{folder} is in use and no site of ours.", "Name an empty or a new folder.")
        return {}
    try:
        read = json.loads(manifest.read_text(encoding="utf-8"))
        return dict(read["files"]) if read["version"] == VERSION else {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}  # damaged: everything is made anew


def _inside(folder: Path, path: str) -> Path:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or any(part in ("", ".", "..") for part in parts) or "\\" in path:
        raise ValueError(f"{path!r} is no path of the site")
    return folder.joinpath(*parts)


def _write(target: Path, data: bytes) -> int:
    """1 if it was written; a file that holds the same already is left alone, with its time."""
    if target.is_file() and target.read_bytes() == data:
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f".{target.name}.new")
    new.write_bytes(data)
    os.replace(new, target)
    return 1


def _remove(folder: Path, names: Collection[str]) -> int:
    """Remove the files whose paths have these hashes, and folders that are empty then. Returns how many files."""
    gone = [] if not names else [file for file in folder.rglob("*") if _name(folder, file) in names]
    for file in gone:
        file.unlink()
        for parent in file.parents:
            if parent == folder or any(parent.iterdir()):
                break
            parent.rmdir()
    return len(gone)


def _name(folder: Path, file: Path) -> str:
    return key(file.relative_to(folder).as_posix()) if file.is_file() else ""
