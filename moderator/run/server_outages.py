"""What the operator must know of a run and does not read in a mail of the club's. Servers that are away are remembered
from run to run: told once when it lasts, then once a day, and once when it is over.

They are remembered in a small file beside the database: where that is what cannot be reached, there is no other
place."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from moderator.common.errors import ExitCode
from moderator.rules.time.calendar import format_local_time
from moderator.run.log import RunSummary
from moderator.settings import Config

_ADDRESS = re.compile(r"(?<!\S)[^\s:]*[A-Za-z.\]][^\s:]*:\d{1,5}(?!\d)")
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
        named = _ADDRESS.fullmatch(server)
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
    found = _ADDRESS.search(line)
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
