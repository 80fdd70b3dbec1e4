"""The file of the log (log.py). Only runs that keep one load it: its base needs more of Python."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path

from moderator.common import disk


class LogFile(WatchedFileHandler):
    """The file of the log. Only its owner can read it; that it cannot be written (a full disk) is reported once, and
    stops nothing."""

    told = False

    def __init__(self, file: Path) -> None:
        super().__init__(file, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        return disk.open_private_text(Path(self.baseFilename))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        if not self.told:
            self.told = True
            with suppress(OSError, ValueError):
                sys.stderr.write(f"moderator: the log {self.baseFilename} cannot be written: {sys.exc_info()[1]}\n")

    def close(self) -> None:
        """Close the file; what could not be written is given up."""
        with suppress(OSError):
            super().close()
