"""What survives a power failure."""

from __future__ import annotations

import os


def sync(folder: str | os.PathLike[str]) -> None:
    """What was made or renamed in ``folder`` is on the disk when this returns. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
