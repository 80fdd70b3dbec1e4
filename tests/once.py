"""What takes seconds to make and is only looked at: one process of a run makes it, the others find it made."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """What ``make`` gives for an empty folder; for each process a value of its own, the folder is the same. With
    xdist each worker's own folder lies in the one of the run."""
    base = factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / f"once-{name}"
    folder.mkdir(exist_ok=True)
    value = folder / "value"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not value.exists():
            (folder / "made").mkdir()
            value.write_bytes(pickle.dumps(make(folder / "made")))
    made: T = pickle.loads(value.read_bytes())
    return made
