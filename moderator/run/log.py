"""The log of the club's runs, an event a line: `[log] file`, or standard error with -v. Made for eyes and for grep; a
tool like logrotate may take the file away at any time.

Mails are named by their number and kind (`moderator quarantine show 17`, `moderator audit`), matches by their code.
No token, no password, no address and no line of a mail stands in it. So what an error says goes through ``harmless``,
and of an error that is our own only its place is logged."""

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

from moderator import disk
from moderator.config import Config
from moderator.errors import ModeratorError, OperatorError, place_of
from moderator.printable import spelt_out
from moderator.secret_settings import HIDDEN, masked

if TYPE_CHECKING:
    from moderator.club.live_match import Suspended
    from moderator.run.intake import Summary

LOG = logging.getLogger("moderator")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False
LONGEST = 500
"""Letters of a line."""
_ADDRESS = re.compile(r"[^\s<>@,;:/\"']+@(?=[^\s@])")
_PASSWORD = re.compile(r"(//)[^\s/@]*@")
"""In a URL."""


@contextmanager
def kept(config: Config, verbose: bool = False) -> Iterator[str]:
    """While the block runs, its events are logged, and the error that ends it. Yields why the file cannot be written,
    which is no reason to keep players waiting; "" = it can, or none is wanted."""
    trouble = ""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)] if verbose else []
    if config.log.file:
        from moderator.run.log_file import LogFile

        try:
            handlers.append(LogFile(config.path(Path(config.log.file))))
        except OSError as error:
            trouble = str(not_written(config, error))
    for handler in handlers:
        handler.setFormatter(Lines(config))
        LOG.addHandler(handler)
    LOG.setLevel(logging.INFO if handlers else logging.CRITICAL)
    try:
        yield trouble
    except ModeratorError as error:
        LOG.error("%s", error)
        raise
    except Exception as error:
        LOG.critical("a fault of our own: %s", place_of(error))
        raise
    finally:
        for handler in handlers:
            LOG.removeHandler(handler)
            handler.close()


def not_written(config: Config, error: OSError) -> OperatorError:
    """What the operator reads where the file cannot be written."""
    return OperatorError(
        *disk.described(error, "write", config.path(Path(config.log.file)), "Set [log] file to one that can be.")
    )


def ended(summary: Summary, seconds: float) -> None:
    """What a run did, in figures, and which servers were away."""
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


def stopped(error: Suspended) -> str:
    """Why a match is suspended, without the moves that its log and its replay differ in."""
    return error.reason.removesuffix(f": {error.__cause__}")


def harmless(text: str, secrets: tuple[str, ...] = ()) -> str:
    """One line of it that holds no token, no password and no address."""
    from moderator.club import tokens

    text = tokens.hidden(masked(text, secrets))
    for pattern, shown in ((_PASSWORD, rf"\1{HIDDEN}@"), (_ADDRESS, f"{HIDDEN}@")):
        text = pattern.sub(shown, text)
    text = spelt_out(" ".join(text.split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class Lines(logging.Formatter):
    """``2026-11-20T13:00:00+01:00 [4711] INFO mail 17 taken in``: the club's clock, the process."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.zone = ZoneInfo(config.club.zone)
        self.secrets = config.passwords

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, self.zone).isoformat(timespec="seconds")
        return f"{at} [{record.process}] {record.levelname} {harmless(record.getMessage(), self.secrets)}"
