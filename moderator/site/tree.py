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
from pathlib import Path

from moderator.common import disk
from moderator.common.errors import OperatorError

MANIFEST = ".moderator-site.json"
UNFINISHED = ".moderator-site-unfinished"
"""Is there while something is written, and before anything else: the folder is ours, and the next run goes on."""
VERSION = 2


@dataclass(frozen=True)
class SiteFile:
    """A file of the site, not yet made."""

    path: str
    """Relative, with slashes: ``matches/K7Q2.html``."""
    key: str
    make: Callable[[], bytes]
    instead: bool = False
    """Only where the folder has it already: for one that is not of the site any more, and that somebody may know."""


@dataclass
class SiteUpdate:
    """The counts of what a run did."""

    files: int = 0
    """Of the whole site."""
    written: int = 0
    removed: int = 0


def compute_file_key(*parts: object) -> str:
    """Return a hash of all that a file is made from; of plain values only, whose ``repr`` says everything."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def update_site_folder(folder: Path, files: Iterable[SiteFile], anew: bool = False) -> SiteUpdate:
    """Bring the folder up to date. A run that dies is continued by the next one (see ``is_site_unfinished``). ``anew``:
    every file is made again, even if it seems up to date. Raises OperatorError for a folder that cannot be written, or
    that holds something else."""
    known = _load_known_keys(folder)
    now: dict[str, str] = {}
    done = SiteUpdate()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / UNFINISHED).touch()
        for file in files:
            target = _resolve_inside(folder, file.path)
            name = compute_file_key(file.path)
            if file.instead and name not in known:
                continue
            if anew or known.get(name) != file.key or not os.path.isfile(target):
                done.written += _write_file(Path(target), file.make())
            now[name] = file.key
        done.removed = _remove_files(folder, known.keys() - now.keys())
        done.files = len(now)
        if now != known:
            text = json.dumps({"version": VERSION, "files": now}, indent=0, sort_keys=True)
            _write_file(folder / MANIFEST, text.encode())
        (folder / UNFINISHED).unlink()
    except OSError as error:
        raise OperatorError(
            *disk.describe_os_error(
                error, "write the site:", error.filename or folder, "Check [site] folder and its rights."
            )
        ) from error
    return done


def is_site_unfinished(folder: Path | None) -> bool:
    """Return whether a run died, or had no room, before all was written. None: there is no site."""
    return folder is not None and (folder / UNFINISHED).exists()


def check_site_folder(folder: Path) -> None:
    """Check that a site can be written in the folder. Raises OperatorError."""
    _load_known_keys(folder)
    place = next(place for place in (folder, *folder.parents) if place.exists())
    if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        raise OperatorError(f"Cannot write the site: {place} may not be written.", "Check [site] folder, its rights.")


def _load_known_keys(folder: Path) -> dict[str, str]:
    """Load the keys of the last run by hash of the path. Raises OperatorError where files of others would be
    overwritten."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        if folder.exists() and not is_site_unfinished(folder) and (not folder.is_dir() or any(folder.iterdir())):
            raise OperatorError(f"{folder} is in use and no site of ours.", "Name an empty or a new folder.")
        return {}
    try:
        read = json.loads(manifest.read_text(encoding="utf-8"))
        return dict(read["files"]) if read["version"] == VERSION else {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}  # damaged: everything is made anew


def _resolve_inside(folder: Path, path: str) -> str:
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f"{path!r} is no path of the site")
    return f"{folder}/{path}"  # thousands of them, nearly all only looked at: a Path costs more than the look


def _write_file(target: Path, data: bytes) -> int:
    """Write a file and return 1; a file that holds the same already is left unchanged, with its time, and 0 is
    returned."""
    if target.is_file() and target.read_bytes() == data:
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f".{target.name}.new")
    new.write_bytes(data)
    os.replace(new, target)
    return 1


def _remove_files(folder: Path, names: Collection[str]) -> int:
    """Remove the files whose paths have these hashes, and folders that are empty then. Returns how many files."""
    gone = [] if not names else [file for file in folder.rglob("*") if _get_path_key(folder, file) in names]
    for file in gone:
        file.unlink()
        for parent in file.parents:
            if parent == folder or any(parent.iterdir()):
                break
            parent.rmdir()
    return len(gone)


def _get_path_key(folder: Path, file: Path) -> str:
    return compute_file_key(file.relative_to(folder).as_posix()) if file.is_file() else ""
