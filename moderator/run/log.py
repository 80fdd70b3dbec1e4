"""What a run did, in figures; the log of the club's runs, an event a line: `[log] file`, or standard error with -v; and
what the operator must know of a run and does not read in a mail of the club's.

The log is made for eyes and for grep; a tool like logrotate may take the file away at any time. Mails are named by
their number and kind (`moderator quarantine show 17`, `moderator audit`), matches by their code. No token, no password,
no address and no line of a mail stands in it. So what an error says goes through ``mask_log_line``, and of an error
that is our own only its place is logged.

Servers that are away are remembered from run to run: told once when it lasts, then once a day, and once when it is
over. They are remembered in a small file beside the database: where that is what cannot be reached, there is no other
place."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from moderator.common import disk, tokens
from moderator.common.errors import ExitCode, ModeratorError, OperatorError, format_error_place
from moderator.common.secret_settings import HIDDEN, mask_secrets
from moderator.common.text import escape_unprintable
from moderator.rules.time.calendar import format_local_time
from moderator.settings import Config

_SERVER_ADDRESS = re.compile(r"(?<!\S)[^\s:]*[A-Za-z.\]][^\s:]*:\d{1,5}(?!\d)")
PATIENCE = timedelta(minutes=30)
AGAIN = timedelta(days=1)


def build_operator_report(config: Config, summary: RunSummary) -> tuple[list[str], ExitCode]:
    """Return the lines for the operator, and the exit code.

    A server that is away is nothing to write home about until it has been so for half an hour, and then once a day:
    cron would mail the operator at every run."""
    unmailed = [line for line in summary.troubles if line not in summary.mailed]
    lasting, away = update_outages(config, summary.away, summary.reached, config.read_clock())
    kept = [f"{line}; kept, see `moderator quarantine list`" for line in summary.quarantined]
    code = ExitCode.AWAY if lasting else ExitCode.FINE
    if kept or unmailed:
        code = ExitCode.BUG if kept else ExitCode.OPERATOR
    return [*kept, *unmailed, *away], code


@dataclass
class ServerOutage:
    """The time since which one server is away."""

    began: datetime
    told: datetime | None = None


def update_outages(
    config: Config, away: Sequence[str], reached: Collection[str], now: datetime
) -> tuple[bool, list[str]]:
    """Return (whether an outage has lasted so long that it counts, lines to print). ``away``: what is wrong at this
    run, a line for each server; ``reached``: see ``RunSummary``. A server that was not asked is neither away nor
    back."""
    path, moment = config.resolve_path(config.store.path), partial(format_local_time, zone=config.club.zone)
    file = path.with_name(path.name + ".away")
    try:
        before = _load_outages(file)
    except OSError:
        before = {}
    known = {
        server: before.get(server) or before.get("") or ServerOutage(now) for server in map(_get_server_name, away)
    }
    lines = []
    for server, one in before.items():
        named = _SERVER_ADDRESS.fullmatch(server)
        if server not in known and (server if named else "") not in reached:
            known[server] = one
        elif server not in known and one.told is not None:
            back = f"{server} answers again" if named else server
            lines.append(f"Over: {back}; it was so from {moment(one.began)} to {moment(now)}.")
    lasting = False
    for line in dict.fromkeys(away):
        outage = known[_get_server_name(line)]
        if now - outage.began >= PATIENCE:
            lasting = True
            if outage.told is None or not timedelta() <= now - outage.told < AGAIN:
                lines.append(f"{line} So since {moment(outage.began)}; told once a day while it lasts.")
                known[_get_server_name(line)] = ServerOutage(outage.began, now)
    try:
        if known != before:
            _save_outages(file, known)
    except OSError:  # a full disk, say: what cannot be remembered is better said
        return bool(away), [*lines, *(line for line in away if not any(one.startswith(line) for one in lines))]
    return lasting, lines


def _get_server_name(line: str) -> str:
    """Return what a line is about: ``host:port`` where it names one. Its words change from run to run."""
    found = _SERVER_ADDRESS.search(line)
    return found[0] if found else line.partition(": ")[0].removesuffix(".")


def _load_outages(file: Path) -> dict[str, ServerOutage]:
    """Load the outages by server. An empty file, as former versions wrote it, tells by its age when an outage began.
    Raises OSError."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    if not text:
        return {"": ServerOutage(datetime.fromtimestamp(file.stat().st_mtime, UTC))}
    with suppress(ValueError, TypeError, AttributeError):
        return {name: ServerOutage(*map(_parse_moment, times)) for name, times in json.loads(text).items()}
    return {}


def _parse_moment(text: str | None) -> Any:
    return datetime.fromisoformat(text) if text else None


def _save_outages(file: Path, known: dict[str, ServerOutage]) -> None:
    """Save the outages. Raises OSError; then the file is as it was."""
    if not known:
        file.unlink(missing_ok=True)
        return
    values = {name: [one.began.isoformat(), one.told and one.told.isoformat()] for name, one in known.items()}
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(values), encoding="utf-8")
    os.replace(part, file)


LOG = logging.getLogger("moderator")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False
LONGEST = 500
"""Letters of a line."""
_ADDRESS = re.compile(r"[^\s<>@,;:/\"']+@(?=[^\s@])")
_PASSWORD = re.compile(r"(//)[^\s/@]*@")
"""In a URL."""


MOST_NAMED = 5
"""Things that one line names."""


@dataclass
class RunSummary:
    """The figures of one run, and all that somebody must know of it: each step of the run adds its own, and the
    command that started the run prints it."""

    show: Callable[[int, int], None] | None = field(default=None, repr=False)
    """Is told after each mail how many have been handled, of how many that waited."""
    taken: int = 0
    waiting: int = 0
    """Mails that were there to be handled when the run began with that."""
    handled: int = 0
    quarantined: list[str] = field(default_factory=list)
    """One line per mail that our own code could not handle."""
    deadlines: int = 0
    reminders: int = 0
    digests: int = 0
    steps: int = 0
    """Of tournaments: registrations opened, rounds paired, games begun or settled, reports."""
    reviews: int = 0
    """Of finished matches, that have become whole."""
    sent: int = 0
    retry: int = 0
    dead: int = 0
    troubles: list[str] = field(default_factory=list)
    """One line each for what the operator must look at: suspended matches, refused mails."""
    mailed: set[str] = field(default_factory=set)
    """Those of them that the moderator reads in a mail: cron need not tell them a second time."""
    away: list[str] = field(default_factory=list)
    """Servers that did not answer; only worth a word when it lasts."""
    reached: set[str] = field(default_factory=set)
    """Servers that did, as ``host:port``; "" = the run took place (no other was at it) and has reached its end."""

    unread: Mapping[str, str] = field(default_factory=dict)
    """Where the mails lie that the mailbox does not hand out."""
    trials: list[str] = field(default_factory=list)
    """Where mails lie by which `moderator doctor --mail` tries the mailbox: they are only put out of the way."""

    _hit: dict[str, list[str]] = field(default_factory=dict, repr=False)
    """By what is wrong: the mails, matches and players that it concerns."""

    def add_trouble(self, line: str, logged: str = "", about: str = "", mailed: bool = False) -> None:
        """Add a line once, however many things it concerns.

        ``about``: one of them, which the line then names. ``logged``: instead of a line that quotes more than the log
        should hold; ``mailed``: the moderator reads of it in a mail."""
        hit = self._hit.setdefault(line, [])
        before = _format_affected(hit, line)
        hit += [about] if about and about not in hit else []
        named = _format_affected(hit, line)
        if before in self.troubles:
            self.troubles[self.troubles.index(before)] = named
            self.mailed.discard(before)
        else:
            self.troubles.append(named)
        if mailed:
            self.mailed.add(named)
        if before != named or not about:
            LOG.error("%s", logged or (f"{about}: {line}" if about else line))

    def count_handled(self) -> None:
        self.handled += 1
        if self.show:
            self.show(self.handled, max(self.waiting, self.handled))

    @property
    def is_quiet(self) -> bool:
        """Nothing was done, and nobody must know of anything."""
        aside = ("show", "waiting", "reached", "trials", "unread", "_hit")
        return not any(value for name, value in vars(self).items() if name not in aside)

    def log_end(self, seconds: float) -> None:
        """Log what a run did, in figures, and which servers were away."""
        for line in self.away:
            LOG.warning("%s", line)
        done = (self.taken, self.handled, len(self.quarantined), self.deadlines, self.reminders, self.steps)
        LOG.info(
            "run ended after %.1f s: %d mails taken in, %d handled, %d quarantined, %d deadlines, %d reminders, "
            "%d steps of tournaments, %d daily mails, %d sent, %d to be tried again, %d refused for good",
            *(seconds, *done, self.digests, self.sent, self.retry, self.dead),
        )


def _format_affected(hit: Sequence[str], line: str) -> str:
    more = f" and {len(hit) - MOST_NAMED} more" if len(hit) > MOST_NAMED else ""
    return f"{', '.join(hit[:MOST_NAMED])}{more}: {line}" if hit else line


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


def mask_log_line(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return one line of the text that holds no token, no password and no address."""
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
