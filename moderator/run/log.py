"""The log of the club's runs, an event a line: `[log] file`, or standard error with -v. Made for eyes and for grep; a
tool like logrotate may take the file away at any time.

Mails are named by their number and kind (`moderator quarantine show 17`, `moderator audit`), matches by their code.
No token, no password, no address and no line of a mail stands in it. So what an error says goes through
``mask_log_line``, and of an error that is our own only its place is logged."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.common import disk
from moderator.common.errors import ModeratorError, OperatorError, format_error_place
from moderator.common.secret_settings import HIDDEN, mask_secrets
from moderator.common.text import escape_unprintable
from moderator.settings import Config

if TYPE_CHECKING:
    from moderator.run.fetch import RunSummary
    from moderator.views.loaded_match import MatchSuspended
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler

LOG = logging.getLogger("moderator")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False
LONGEST = 500
"""Letters of a line."""
_ADDRESS = re.compile(r"[^\s<>@,;:/\"']+@(?=[^\s@])")
_PASSWORD = re.compile(r"(//)[^\s/@]*@")
"""In a URL."""


@contextmanager
def log_run(config: Config, verbose: bool = False) -> Iterator[str]:
    """Log the events of the block, and the error that ends it.

    Yields why the file cannot be written, which is no reason to let players wait; "" = it can, or none is wanted."""
    trouble = ""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)] if verbose else []
    if config.log.file:
        try:
            handlers.append(LogFile(config.resolve_path(Path(config.log.file))))
        except OSError as error:
            trouble = str(build_log_error(config, error))
    for handler in handlers:
        handler.setFormatter(LogFormatter(config))
        LOG.addHandler(handler)
    LOG.setLevel(logging.INFO if handlers else logging.CRITICAL)
    try:
        yield trouble
    except ModeratorError as error:
        LOG.error("%s", error)
        raise
    except Exception as error:
        LOG.critical("a fault of our own: %s", format_error_place(error))
        raise
    finally:
        for handler in handlers:
            LOG.removeHandler(handler)
            handler.close()


def build_log_error(config: Config, error: OSError) -> OperatorError:
    """Build what the operator reads where the file cannot be written."""
    return OperatorError(
        *disk.describe_os_error(
            error, "write", config.resolve_path(Path(config.log.file)), "Set [log] file to one that can be."
        )
    )


def log_run_end(summary: RunSummary, seconds: float) -> None:
    """Log what a run did, in figures, and which servers were away."""
    for line in summary.away:
        LOG.warning("%s", line)
    LOG.info(
        "run ended after %.1f s: %d mails taken in, %d handled, %d quarantined, %d deadlines, %d reminders, "
        "%d steps of tournaments, %d daily mails, %d sent, %d to be tried again, %d refused for good",
        seconds,
        summary.taken,
        summary.handled,
        len(summary.quarantined),
        summary.deadlines,
        summary.reminders,
        summary.steps,
        summary.digests,
        summary.sent,
        summary.retry,
        summary.dead,
    )


def get_suspension_reason(error: MatchSuspended) -> str:
    """Return why a match is suspended, without the moves that its log and its replay differ in."""
    return error.reason.removesuffix(f": {error.__cause__}")


def mask_log_line(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return one line of the text that holds no token, no password and no address."""
    from moderator.common import tokens

    text = tokens.mask_tokens(mask_secrets(text, secrets))
    for pattern, shown in ((_PASSWORD, rf"\1{HIDDEN}@"), (_ADDRESS, f"{HIDDEN}@")):
        text = pattern.sub(shown, text)
    text = escape_unprintable(" ".join(text.split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class LogFormatter(logging.Formatter):
    """A formatter of lines like ``2026-11-20T13:00:00+01:00 [4711] INFO mail 17 taken in``: the club's clock, the
    process."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.zone = ZoneInfo(config.club.zone)
        self.secrets = config.passwords

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, self.zone).isoformat(timespec="seconds")
        return f"{at} [{record.process}] {record.levelname} {mask_log_line(record.getMessage(), self.secrets)}"


# ---- The file of the log (log.py). Only runs that keep one load it: its base needs more of Python.


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
